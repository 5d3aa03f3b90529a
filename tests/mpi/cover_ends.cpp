// SPDX-License-Identifier: Apache-2.0
//
// A cover search over processes that does not end well: MODE says how. cover_ends.sh looks at it.
#include <taper/vertex_cover/distributed/distributed.hpp>

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

namespace vc = taper::vertex_cover;

/// Begins a search of minutes. At one of its polls a process does what `mode` says.
void search(std::string const& mode) {
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  std::mt19937_64 random(4);
  auto const graph = taper::testing::nearly_regular_graph(400, 5, random);
  vc::DistributedOptions options{.nodes_alone = 0};
  int const chosen = mode.ends_with("first") ? 0 : 1;
  options.at_poll = [&, polls = 0]() mutable {
    if (++polls != 300 || process != chosen) {
      return;
    }
    std::printf("process %d ends at poll 300\n", process);
    std::fflush(stdout);
    if (mode.starts_with("killed")) {
      std::raise(SIGKILL);
    }
    throw std::runtime_error("no memory is left");
  };
  std::vector<std::uint8_t> in_cover(graph.vertices());
  vc::solve(MPI_COMM_WORLD, graph, in_cover, {}, options);
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
