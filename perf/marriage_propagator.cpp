// SPDX-License-Identifier: Apache-2.0
//
// Time of one propagate() by schedule and class of call:
//   perf_marriage_propagator [--benchmark_filter=two_free/uniform] [--n=2400]
// Names read schedule/family/lists/n/backend. Each case is verified once, outside the clock.
#include <support/benchmarks.hpp>
#include <support/size_argument.hpp>
#include <taper/marriage_propagator/generate.hpp>
#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <taper/marriage_propagator/verify.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace {

namespace mp = taper::marriage_propagator;
namespace sm = taper::stable_marriage;
using Device = Kokkos::DefaultExecutionSpace;
using Propagator = mp::Propagator<Device>;
using Lists = sm::Table<std::uint16_t, Device::memory_space>;
using Instance = sm::Instance<sm::ConstTable<std::uint16_t, Device::memory_space>>;

/// What others do before a call of the class.
void ask(mp::Family family, Propagator& propagator, std::uint64_t seed) {
  switch (family) {
  case mp::Family::all_free:
  case mp::Family::search:
    return;
  case mp::Family::missing:
    return mp::remove_at_random(propagator, 1024, seed);
  case mp::Family::two_free:
    return mp::remove_minima(propagator, 2, seed);
  case mp::Family::none_free:
    return mp::remove_between(propagator, 2, seed);
  }
}

void run(benchmark::State& state, mp::Schedule schedule, mp::Family family, bool symmetric,
         sm::Workload const& workload) {
  bool const first_call = family == mp::Family::all_free || family == mp::Family::missing;
  mp::Options const options{.schedule = schedule, .symmetric = symmetric};
  Device const where;
  Lists const men("perf::men", workload.n, workload.n);
  Lists const women("perf::women", workload.n, workload.n);
  sm::generate(where, workload, men, women);
  Instance const instance{men, women};
  mp::HostMarket const market(instance);
  auto root = Propagator::post(where, instance, options);
  root.propagate();
  if (auto const pairs = mp::pairs_of(market, root);
      !pairs || mp::find_violation(market, *pairs, {symmetric, true})) {
    state.SkipWithError("the domains are at no fixpoint");
    return;
  }

  double removed = 0;
  double failed = 0;
  std::uint64_t seed = 0;
  for ([[maybe_unused]] auto _ : state) {
    std::optional<Propagator> fresh;
    if (first_call) {
      fresh.emplace(Propagator::post(where, instance, options));
    } else {
      root.save();
    }
    Propagator& propagator = first_call ? *fresh : root;
    ask(family, propagator, seed++);
    auto const begin = std::chrono::steady_clock::now();
    mp::Report const report = propagator.propagate();
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    removed += static_cast<double>(report.removed);
    failed += report.status == mp::Status::failed;
    if (!first_call) {
      root.restore();
    }
  }
  using benchmark::Counter;
  state.counters["removed_pairs"] = Counter(removed, Counter::kAvgIterations);
  state.counters["failed"] = Counter(failed, Counter::kAvgIterations);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const n = taper::support::take_n(argc, argv, 2400);
  if (n < 2 || n > sm::max_size<std::uint16_t>) {
    std::fprintf(stderr, "perf_marriage_propagator: --n takes a number from 2 to %zu\n",
                 sm::max_size<std::uint16_t>);
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (!taper::support::initialize_benchmarks(argc, argv)) {
    return 2;
  }
  for (auto const family :
       {mp::Family::all_free, mp::Family::missing, mp::Family::two_free, mp::Family::none_free}) {
    for (auto const schedule :
         {mp::Schedule::serial, mp::Schedule::parallel, mp::Schedule::hybrid}) {
      for (bool const symmetric : {false, true}) {
        for (auto const lists : {sm::Family::uniform, sm::Family::random}) {
          std::string const name =
              std::string(to_string(schedule)) + (symmetric ? "-symmetric/" : "/") +
              std::string(to_string(family)) +
              (lists == sm::Family::uniform ? "/uniform/" : "/groups_of_two/") + std::to_string(n) +
              '/' + Device::name();
          benchmark::RegisterBenchmark(name.c_str(), run, schedule, family, symmetric,
                                       sm::Workload{.family = lists, .n = n, .group_size = 2})
              ->UseManualTime()
              ->Unit(benchmark::kMillisecond);
        }
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
