// SPDX-License-Identifier: Apache-2.0
//
// A program whose run does not end well: MODE says how. ends.sh looks at what it prints.
#include <taper/hospitals_residents/distributed/distributed.hpp>
#include <taper/hospitals_residents/generate.hpp>

#include "shards.hpp"

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

namespace hr = taper::hospitals_residents;
using Space = Kokkos::DefaultHostExecutionSpace;

/// Solves a market of many rounds. In its second round, process 1 does what `mode` says.
void solve(std::string const& mode) {
  auto const made = hr::generate(
      Space(), {.residents = 1'000, .hospitals = 900, .list_length = 10, .seats = 900});
  taper::RandomStream stream(1, 1);
  auto const division = taper::testing::Division::even;
  taper::testing::OwnShard<Space> own(made.market(), taper::testing::cut(division, 1'000, stream),
                                      taper::testing::cut(division, 900, stream));
  bool const here = taper::testing::own_process() == 1;
  int round = 0;
  auto const after_round = [&](hr::RoundTraffic const&) {
    if (++round != 2 || !here) {
      return;
    }
    std::printf("process 1 ends in round 2\n");
    std::fflush(stdout);
    if (mode.starts_with("killed")) {
      std::raise(SIGKILL);
    }
    throw std::runtime_error("no memory is left");
  };
  if (mode == "wrong_shard" && here) {
    own.hospital_of = Kokkos::View<std::uint32_t*, Space>("few", 3);
  }
  bool const others = mode == "killed_in_rounds_of_hospitals";
  hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of,
            {.proposer = others ? hr::Proposer::hospitals : hr::Proposer::residents},
            {.after_round = after_round});
  std::printf("solved\n");
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  std::string const mode = argc > 1 ? argv[1] : "";
  if (mode == "without_mpi") {
    try {
      hr::solve(Space(), MPI_COMM_WORLD, hr::Shard<Space>(), Kokkos::View<std::uint32_t*, Space>());
    } catch (taper::Error const& error) {
      std::printf("%s\n", error.what());
    }
    return 1;
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int status = 0;
  try {
    solve(mode);
  } catch (taper::CollectiveError const& error) {
    status = 1;
    if (taper::testing::own_process() == 0) {
      std::printf("%s\n", error.what());
    }
  } catch (std::exception const& error) {
    std::printf("%s\n", error.what());
    std::fflush(stdout);
    // MPICH's launcher ends all processes at once, and loses what it has not read yet.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
