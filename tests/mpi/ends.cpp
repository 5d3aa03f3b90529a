// SPDX-License-Identifier: Apache-2.0
//
// A program whose run does not end well: MODE says how. ends.sh looks at what it prints.
#include <taper/hospitals_residents/distributed/distributed.hpp>
#include <taper/hospitals_residents/generate.hpp>
#include <taper/stable_marriage/distributed/distributed.hpp>
#include <taper/stable_marriage/generate.hpp>

#include "shards.hpp"

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

namespace hr = taper::hospitals_residents;
namespace sm = taper::stable_marriage;
using Space = Kokkos::DefaultHostExecutionSpace;

/// For after_round: in its second round, process 1 does what `mode` says.
template <class Traffic>
std::function<void(Traffic const&)> end_in_round_2(std::string const& mode) {
  return [&mode, round = 0](Traffic const&) mutable {
    if (++round != 2 || taper::testing::own_process() != 1) {
      return;
    }
    std::printf("process 1 ends in round 2\n");
    std::fflush(stdout);
    if (mode.starts_with("killed")) {
      std::raise(SIGKILL);
    }
    throw std::runtime_error("no memory is left");
  };
}

/// Solves a market of many rounds with short lists.
void solve(std::string const& mode) {
  auto const made = hr::generate(
      Space(), {.residents = 1'000, .hospitals = 900, .list_length = 10, .seats = 900});
  taper::RandomStream stream(1, 1);
  auto const division = taper::testing::Division::even;
  taper::testing::OwnShard<Space> own(made.market(), taper::testing::cut(division, 1'000, stream),
                                      taper::testing::cut(division, 900, stream));
  if (mode == "wrong_shard" && taper::testing::own_process() == 1) {
    own.hospital_of = Kokkos::View<std::uint32_t*, Space>("few", 3);
  }
  bool const others = mode == "killed_in_rounds_of_hospitals";
  hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of,
            {.proposer = others ? hr::Proposer::hospitals : hr::Proposer::residents},
            {.after_round = end_in_round_2<hr::RoundTraffic>(mode)});
}

/// The same with complete lists.
void solve_lists(std::string const& mode) {
  std::uint32_t const n = 100;
  std::uint64_t const own = taper::testing::own_process();
  std::uint64_t const all = taper::testing::process_count();
  std::uint64_t const begin = n * own / all;
  sm::Table<std::uint16_t, Space> const men("men", n * (own + 1) / all - begin, n);
  sm::Table<std::uint16_t, Space> const women("women", men.extent(0), n);
  sm::generate_block(Space(), {.family = sm::Family::congested, .n = n}, men, begin, women, begin);
  sm::Shard<sm::ConstTable<std::uint16_t, Space>> const shard{men, women};
  Kokkos::View<std::uint16_t*, Space> const partner_of("partner_of", men.extent(0));
  sm::solve(Space(), MPI_COMM_WORLD, shard, partner_of, {},
            {.after_round = end_in_round_2<sm::RoundTraffic>(mode)});
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
    mode == "killed_in_complete_lists" ? solve_lists(mode) : solve(mode);
    std::printf("solved\n");
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
