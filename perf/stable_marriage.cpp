// SPDX-License-Identifier: Apache-2.0
//
// Time of one solve by engine, family and n, initialisation and execution apart:
//   perf_stable_marriage [--benchmark_filter=solo] [--n=10000]
// Names read engine/family/n/backend. Each case is verified once, outside the clock; the exit status
// is 1 where a matching was not stable.
#include <support/benchmarks.hpp>
#include <support/phase_clock.hpp>
#include <support/size_argument.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

namespace sm = taper::stable_marriage;
using Device = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;
using Id = std::uint16_t;
using Ids = sm::Table<Id, Device::memory_space>;

/// Hybrid runs get the host too, where it is another side.
sm::Report solve(sm::Instance<sm::ConstTable<Id, Device::memory_space>> const& instance,
                 Kokkos::View<Id*, Device::memory_space> const& partner_of,
                 sm::Options const& options) {
  if constexpr (taper::is_gpu<Device>) {
    return sm::solve(taper::Duo<Device, Host>{Device{}, Host{}}, instance, partner_of, options);
  } else {
    return sm::solve(Device{}, instance, partner_of, options);
  }
}

void run(benchmark::State& state, sm::Engine const& engine, sm::Family family, std::size_t n,
         bool* all_stable) {
  Device const where;
  auto const men = taper::allocate_large<Ids>(where, "perf::men", n, n);
  auto const women = taper::allocate_large<Ids>(where, "perf::women", n, n);
  Kokkos::View<Id*, Device::memory_space> const partner_of("perf::partner_of", n);
  sm::generate(where, sm::Workload{.family = family, .n = n}, men, women);
  sm::Instance<sm::ConstTable<Id, Device::memory_space>> const instance{men, women};

  sm::Report report = solve(instance, partner_of, engine.options);
  if (sm::count_blocking_pairs(where, instance, partner_of) != 0) {
    *all_stable = false;
    state.SkipWithError("the matching is not stable");
    return;
  }

  constexpr std::string_view phases[] = {"precheck", "initialisation", "execution",
                                         "postprocessing"};
  double seconds[4] = {};
  for ([[maybe_unused]] auto _ : state) {
    taper::support::PhaseClock const clock;
    report = solve(instance, partner_of, engine.options);
    double total = 0;
    for (int phase = 0; phase < 4; ++phase) {
      double const spent = clock.seconds("taper::stable_marriage::" + std::string(phases[phase]));
      seconds[phase] += spent;
      total += spent;
    }
    state.SetIterationTime(total);
  }
  auto const per_run = [&](double total) {
    return benchmark::Counter(1e3 * total, benchmark::Counter::kAvgIterations);
  };
  state.counters["init_ms"] = per_run(seconds[0] + seconds[1]);
  state.counters["exec_ms"] = per_run(seconds[2] + seconds[3]);
  state.counters["proposals"] = benchmark::Counter(static_cast<double>(report.proposals));
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const n = taper::support::take_n(argc, argv, 1000);
  if (n < 4 || n > sm::max_size<Id>) {
    std::fprintf(stderr, "perf_stable_marriage: --n takes a number from 4 to %zu\n",
                 sm::max_size<Id>);
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (!taper::support::initialize_benchmarks(argc, argv)) {
    return 2;
  }
  bool all_stable = true;
  for (sm::Engine const& engine : sm::paper_engines()) {
    bool const host_only = engine.backend == sm::Engine::Backend::host;
    if ((engine.backend == sm::Engine::Backend::device && !taper::is_gpu<Device>) ||
        (host_only && taper::is_gpu<Device>)) {
      continue;
    }
    for (auto const family : {sm::Family::perfect, sm::Family::solo, sm::Family::congested,
                              sm::Family::random, sm::Family::uniform, sm::Family::correlated}) {
      std::string const name = std::string(engine.name) + '/' + std::string(to_string(family)) +
                               '/' + std::to_string(n) + '/' + Device::name();
      benchmark::RegisterBenchmark(name.c_str(), run, engine, family, n, &all_stable)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return all_stable ? 0 : 1;
}
