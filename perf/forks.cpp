// SPDX-License-Identifier: Apache-2.0
//
// Measures the cost of a fork by scheduler, in a full binary tree of forks without work:
//   perf_forks [--n=16] [--kokkos-num-threads=2] [--benchmark_filter=pool]
// --n is the depth of the tree. Names read fork/scheduler/backend/workers; pool/own is a
// ForkJoinPool, the others are fork_join() on an execution space instance. `taper run` with
// algorithm: tree_search measures schedulers with work.
#include "benchmarks.hpp"
#include "size_argument.hpp"

#include <taper/fork_join.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace {

using benchmark::Counter;
using Host = Kokkos::DefaultHostExecutionSpace;

/// A full tree of forks of two.
void fork_all(std::size_t depth, taper::Fork& fork) {
  if (depth > 0) {
    fork([=](taper::Fork& own) { fork_all(depth - 1, own); },
         [=](taper::Fork& own) { fork_all(depth - 1, own); });
  }
}

void register_forks(std::string const& name, std::uint32_t workers, std::size_t depth,
                    std::function<void(std::function<void(taper::Fork&)> const&)> const& run) {
  benchmark::RegisterBenchmark(
      ("fork/" + name + "/" + std::to_string(workers)).c_str(),
      [=](benchmark::State& state) {
        for ([[maybe_unused]] auto _ : state) {
          auto const begin = std::chrono::steady_clock::now();
          run([=](taper::Fork& fork) { fork_all(depth, fork); });
          state.SetIterationTime(
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        }
        double const forks = static_cast<double>((std::uint64_t{1} << depth) - 1) *
                             static_cast<double>(state.iterations());
        state.counters["s_per_fork"] = Counter(forks, Counter::kIsRate | Counter::kInvert);
      })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

void register_all(std::size_t depth) {
  Host const where;
  auto const threads = static_cast<std::uint32_t>(where.concurrency());
  for (taper::Scheduler const scheduler : taper::schedulers) {
    if (scheduler == taper::Scheduler::tasks && std::string_view(Host::name()) != "OpenMP") {
      continue;
    }
    register_forks(std::string(to_string(scheduler)) + "/" + Host::name(),
                   scheduler == taper::Scheduler::serial ? 1 : threads, depth,
                   [=](auto const& root) { fork_join(where, scheduler, root); });
  }
  auto const pool = std::make_shared<taper::ForkJoinPool>(threads);
  register_forks("pool/own", threads, depth, [=](auto const& root) { fork_join(*pool, root); });
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const depth = taper::support::take_n(argc, argv, 16);
  if (depth == 0 || depth > 30) {
    std::fprintf(stderr, "perf_forks: --n takes a depth from 1 to 30\n");
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (!taper::support::initialize_benchmarks(argc, argv)) {
    return 2;
  }
  {
    register_all(depth);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();  // they hold instances, which go before Kokkos does
  }
  benchmark::Shutdown();
  return 0;
}
