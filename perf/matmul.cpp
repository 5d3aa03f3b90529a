// SPDX-License-Identifier: Apache-2.0
//
// Measures the rate of one product by rung of the ladder, n and scalar, on the host backend:
//   perf_matmul --n=2048 [--n=4096 ...] [--kokkos-num-threads=2] [--benchmark_filter=Packed/double]
// Names read rung/scalar/n/backend. Rates count 2 n^3 operations for every engine, also for those
// that need fewer. If a vendor's product is linked, each repetition multiplies by the vendor and
// then by Taper, so that both see the same state of the machine. vs_vendor is the ratio of the
// shortest times, vs_vendor_median that of the medians; above 1, Taper is faster. Each case is
// verified once, outside the timed part. The exit status is 1 if a product is wrong.
#include "benchmarks.hpp"
#include "size_argument.hpp"

#include <support/blas_threads.hpp>
#include <support/seconds_of.hpp>
#include <taper/matmul/generate.hpp>
#include <taper/matmul/matmul.hpp>
#include <taper/matmul/verify.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace mm = taper::matmul;
using Host = Kokkos::DefaultHostExecutionSpace;
using taper::app::seconds_of;
constexpr bool has_vendor = mm::vendor::is_available<Host, mm::vendor::linked>;

/// Waits for the threads of the vendor's BLAS, which may spin for a while after their work and
/// would slow the next product down. A small product starts no threads.
void wait_for_vendor_threads(std::size_t n) {
  if (has_vendor && n >= 256 && Host().concurrency() > 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

template <class T>
void run(benchmark::State& state, mm::Options const& options, std::size_t n, bool* all_correct) {
  Host const where;
  using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Host::memory_space>;
  auto const a = taper::allocate_large<Matrix>(where, "perf::a", n, n);
  auto const b = taper::allocate_large<Matrix>(where, "perf::b", n, n);
  auto const c = taper::allocate_large<Matrix>(where, "perf::c", n, n);
  mm::generate(where, {}, mm::Factor::left, a);
  mm::generate(where, {}, mm::Factor::right, b);

  mm::Workspace<T> workspace;
  auto const multiply = [&](mm::Options const& how) {
    return mm::multiply(where, T(1), a, b, T(0), c, how, workspace);
  };
  mm::Report const report = multiply(options);
  if (!mm::scaled_residual(where, 1, a, b, 0, c, c, report).within()) {
    *all_correct = false;
    state.SkipWithError("the product is wrong");
    return;
  }
  if constexpr (has_vendor) {
    multiply({.engine = mm::Engine::vendor});
  }

  std::vector<double> ours;
  std::vector<double> vendors;
  for ([[maybe_unused]] auto _ : state) {
    if constexpr (has_vendor) {
      vendors.push_back(seconds_of([&] { multiply({.engine = mm::Engine::vendor}); }));
      wait_for_vendor_threads(n);
    }
    ours.push_back(seconds_of([&] { multiply(options); }));
    state.SetIterationTime(ours.back());
  }
  double const gigaflop = 1e-9 * static_cast<double>(report.operations);
  double const least = *std::min_element(ours.begin(), ours.end());
  state.counters["GFLOP/s_best"] = gigaflop / least;
  state.counters["GFLOP/s_median"] = gigaflop / median(ours);
  state.counters["scratch_MB"] = 1e-6 * static_cast<double>(report.scratch_bytes);
  if (has_vendor) {
    double const vendors_least = *std::min_element(vendors.begin(), vendors.end());
    state.counters["vendor_GFLOP/s_best"] = gigaflop / vendors_least;
    state.counters["vs_vendor"] = vendors_least / least;
    state.counters["vs_vendor_median"] = median(vendors) / median(ours);
  }
}

}  // namespace

int main(int argc, char** argv) {
  auto sizes = taper::support::take_sizes(argc, argv);
  if (sizes.empty()) {
    sizes.push_back(512);
  }
  if (sizes.front() == 0) {
    std::fprintf(stderr, "perf_matmul: --n takes a positive number\n");
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (!taper::support::initialize_benchmarks(argc, argv)) {
    return 2;
  }
  taper::support::set_blas_threads(Host().concurrency());
  bool all_correct = true;
  for (std::size_t const n : sizes) {
    for (mm::Rung const& rung : mm::ladder()) {
      if (rung.backend == mm::Rung::Backend::gpu || rung.options.engine == mm::Engine::vendor) {
        continue;
      }
      auto const add = [&](std::string_view scalar, auto const& benchmark) {
        std::string const name = std::string(rung.name) + '/' + std::string(scalar) + '/' +
                                 std::to_string(n) + '/' + Host::name();
        benchmark::RegisterBenchmark(name.c_str(), benchmark, rung.options, n, &all_correct)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      };
      add("double", run<double>);
      add("float", run<float>);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return all_correct ? 0 : 1;
}
