// SPDX-License-Identifier: Apache-2.0
#include "tune.hpp"

#include "product.hpp"

#include <support/runtime.hpp>

#include <taper/matmul/options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace taper::app {

namespace mm = matmul;

namespace {

std::vector<mm::Rung> recursive_rungs() {
  std::vector<mm::Rung> rungs;
  std::ranges::copy_if(mm::ladder(), std::back_inserter(rungs),
                       [](mm::Rung const& rung) { return mm::recurses(rung.options.engine); });
  return rungs;
}

/// The size of a sweep's matrices and its least threshold. The size is large enough that dividing
/// may pay, and small enough that all sweeps take seconds.
struct Range {
  std::uint64_t n;
  std::uint64_t min_threshold;
};

Range range_of(mm::Kernel kernel, bool quick) {
  switch (kernel) {
  case mm::Kernel::packed:
    return {quick ? 512u : 1024u, 64};
  case mm::Kernel::ikj:
    return {quick ? 256u : 512u, 16};
  default:
    return {quick ? 128u : 256u, 8};
  }
}

Sweep sweep(Sampler& sampler, mm::Options options) {
  auto const [n, min_threshold] = range_of(options.kernel, sampler.quick());
  Sweep found;
  found.engine = to_string(options.engine);
  found.kernel = to_string(options.kernel);
  found.n = n;
  sampler.begin(fmt::format("host: thresholds of {} with {}", found.engine, found.kernel));
  auto const product = generate_product(Operation::multiply, io::Scalar::float64, {n, n, n}, {});
  auto const backend = require_backend("host");
  std::vector<Sampler::Sample> alternatives;
  for (auto threshold = min_threshold; threshold <= n; threshold *= 2) {
    found.thresholds.push_back(threshold);
    options.threshold = static_cast<std::int64_t>(threshold);
    alternatives.push_back(
        [&product, backend, engine = MatmulEngine{.name = {}, .options = options}] {
          return product->run(backend, engine).seconds;
        });
  }
  found.seconds = sampler.interleaved_minimum(alternatives);
  return found;
}

}  // namespace

void tune_matmul(Sampler& sampler) {
  for (auto const& rung : recursive_rungs()) {
    auto const& found = sampler.tuning.sweeps.emplace_back(sweep(sampler, rung.options));
    sampler.tuning.machine.fork_join.push_back({found.engine, found.kernel, found.best()});
  }
}

std::size_t matmul_tune_steps() {
  return recursive_rungs().size();
}

}  // namespace taper::app
