// SPDX-License-Identifier: Apache-2.0
//
// A search over processes that does not end well: MODE says how. cover_ends.sh looks at it.
#include <taper/clique/distributed/distributed.hpp>
#include <taper/vertex_cover/distributed/distributed.hpp>

#include "processes.hpp"

#include <vertex_cover/component_graphs.hpp>

#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace clique = taper::clique;
namespace vc = taper::vertex_cover;

/// Begins a search of minutes. At one of its polls a process does what `mode` says.
void search(std::string const& mode) {
  std::uint32_t const chosen = mode.ends_with("first") ? 0 : 1;
  auto const at_poll = [&, polls = 0]() mutable {
    if (++polls != 300 || taper::testing::own_process() != chosen) {
      return;
    }
    std::printf("process %u ends at poll 300\n", chosen);
    std::fflush(stdout);
    if (mode.starts_with("killed")) {
      std::raise(SIGKILL);
    }
    throw std::runtime_error("no memory is left");
  };
  std::mt19937_64 random(4);
  std::vector<std::uint8_t> marks(400);
  if (mode.find("clique") == std::string::npos) {
    auto const graph = taper::testing::nearly_regular_graph(400, 5, random);
    vc::solve(MPI_COMM_WORLD, graph, marks, {}, {.nodes_alone = 0, .at_poll = at_poll});
  } else {
    auto const graph = taper::testing::gnp_graph(400, 0.9, random);
    clique::solve(MPI_COMM_WORLD, graph, marks, {}, {.at_poll = at_poll});
  }
  std::printf("solved\n");
}

}  // namespace

int main(int argc, char* argv[]) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    search(argc > 1 ? argv[1] : "");
  } catch (std::exception const& error) {
    std::printf("%s\n", error.what());
    std::fflush(stdout);
    // MPICH's launcher ends all processes at once, and loses what it has not read yet.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
