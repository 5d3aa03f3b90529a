// SPDX-License-Identifier: Apache-2.0
//
// Simulates the messages between machines without shared memory, by family and number of ranks (see
// docs/scaling.md). "Rank" means a process here, as in MPI:
//   perf_ranks [--n=4000] [--benchmark_filter=random]
// Names read scheme/family/n/ranks. `rounds` exchanges offers in rounds to the end. `leader` stops
// the rounds when one settles less than half of the free proposers; then rank 0 fetches the rows
// that it needs. The exit status is 1 if the matching differs from that of the library.
#include "benchmarks.hpp"
#include "rank_traffic.hpp"
#include "size_argument.hpp"
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
using Host = Kokkos::DefaultHostExecutionSpace;
using Id = std::uint32_t;
using Ids = sm::Table<Id, Kokkos::HostSpace>;

struct Market {
  taper::support::Ranking ranking;
  std::vector<std::uint32_t> partner_of_man;
};

Market make(sm::Family family, std::size_t n) {
  Ids const men("perf::men", n, n);
  Ids const women("perf::women", n, n);
  Kokkos::View<Id*, Kokkos::HostSpace> const partner_of("perf::partner_of", n);
  sm::generate(Host{}, sm::Workload{.family = family, .n = n}, men, women);
  sm::solve(Host{}, sm::Instance<sm::ConstTable<Id, Kokkos::HostSpace>>{men, women}, partner_of);
  Market market;
  for (std::size_t person = 0; person < n; ++person) {
    market.ranking.list.emplace_back(&men(person, 0), &men(person, 0) + n);
    auto& ranks = market.ranking.rank.emplace_back(n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      ranks[women(person, rank)] = rank;
    }
  }
  market.partner_of_man.assign(partner_of.data(), partner_of.data() + n);
  return market;
}

void run(benchmark::State& state, Market const& market, std::uint32_t ranks, bool rounds_only,
         bool* all_correct) {
  taper::support::RankTraffic traffic;
  for ([[maybe_unused]] auto _ : state) {
    taper::support::RankSimulation simulation(market.ranking, ranks);
    traffic = simulation.run(rounds_only);
    if (simulation.partner_of_man() != market.partner_of_man) {
      *all_correct = false;
      state.SkipWithError("the matching differs from that of solve()");
    }
  }
  for (auto const& [name, value] :
       {std::pair{"rounds", traffic.rounds}, std::pair{"messages", traffic.messages},
        std::pair{"bytes", traffic.bytes}, std::pair{"most_bytes", traffic.max_bytes_per_round},
        std::pair{"left", traffic.left}, std::pair{"gets", traffic.gets},
        std::pair{"get_bytes", traffic.get_bytes}}) {
    state.counters[name] = static_cast<double>(value);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const n = taper::support::take_n(argc, argv, 1000);
  if (n < 16) {
    std::fprintf(stderr, "perf_ranks: --n takes a number from 16\n");
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (!taper::support::initialize_benchmarks(argc, argv)) {
    return 2;
  }
  bool all_correct = true;
  std::map<sm::Family, Market> markets;
  for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::random,
                            sm::Family::uniform, sm::Family::correlated}) {
    Market const& market = markets.emplace(family, make(family, n)).first->second;
    for (std::uint32_t const ranks : {2u, 4u, 16u}) {
      for (bool const rounds_only : {true, false}) {
        std::string const name = std::string(rounds_only ? "rounds/" : "leader/") +
                                 std::string(to_string(family)) + '/' + std::to_string(n) + '/' +
                                 std::to_string(ranks);
        benchmark::RegisterBenchmark(name.c_str(), [&market, ranks, rounds_only,
                                                    &all_correct](benchmark::State& state) {
          run(state, market, ranks, rounds_only, &all_correct);
        })->Iterations(1);
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return all_correct ? 0 : 1;
}
