// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace taper::app {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Work without memory accesses, for some tenths of a millisecond.
struct Spin {
  KOKKOS_FUNCTION void operator()(std::uint64_t i, double& sum) const {
    auto x = static_cast<double>(i);
    for (int step = 0; step < 100'000; ++step) {
      x = 0.5 * x + 1;
    }
    sum += x;
  }
};

}  // namespace

void measure_threads(Sampler& sampler) {
  Host const where{};
  int const threads = where.concurrency();
  auto const spin = [&](int parts) {
    return seconds_of([&] {
      double sum = 0;
      Kokkos::parallel_reduce("taper::app::spin", Kokkos::RangePolicy<Host>(where, 0, parts),
                              Spin{}, sum);
    });
  };
  std::vector<double> concurrent;
  for (int i = 0; i < 51; ++i) {
    concurrent.push_back(threads * spin(1) / spin(threads));
  }
  std::ranges::nth_element(concurrent, concurrent.begin() + 25);
  sampler.tuning.host_threads = threads;
  sampler.tuning.concurrent_threads = std::min(sampler.tuning.concurrent_threads, concurrent[25]);
}

}  // namespace taper::app
