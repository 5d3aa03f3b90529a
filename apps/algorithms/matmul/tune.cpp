// SPDX-License-Identifier: Apache-2.0
#include "tune.hpp"

#include "product.hpp"

#include <support/runtime.hpp>

#include <taper/matmul/options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
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

/// Seconds of the product on `backend`.
Sampler::Sample product_of(Product& product, std::string_view backend, mm::Options const& options) {
  return [&product, backend, engine = MatmulEngine{.name = {}, .options = options}] {
    return product.run(backend, engine).seconds;
  };
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
    alternatives.push_back(product_of(*product, backend, options));
  }
  found.seconds = sampler.interleaved_minimum(alternatives);
  return found;
}

/// Checks the threshold of the profile against half and twice the number, for matrices between the
/// sizes that were measured.
void check_threshold(Sampler& sampler, mm::Options options, std::uint64_t n) {
  auto const product = generate_product(Operation::multiply, io::Scalar::float64, {n, n, n}, {});
  auto const backend = require_backend("host");
  options.machine = &sampler.tuning.machine;
  auto const chosen = mm::threshold_of(options);
  Sampler::NamedSamples ways;
  for (auto const threshold : {std::max<std::int64_t>(chosen / 2, 1), chosen, 2 * chosen}) {
    options.threshold = threshold;
    ways.push_back({std::to_string(threshold), product_of(*product, backend, options)});
  }
  sampler.check_name(
      "host.matmul.threshold",
      fmt::format("{}, {}, n = {}", to_string(options.engine), to_string(options.kernel), n),
      [chosen] { return std::to_string(chosen); }, ways);
}

/// Checks what Engine::automatic means on `name` against the other engines for large products.
void check_engine(Sampler& sampler, std::string_view name, std::vector<mm::Engine> engines) {
  std::uint64_t const n = sampler.quick() ? 512 : 1024;
  sampler.begin(fmt::format("{}: the engine of a product", name));
  auto const backend = require_backend(name);
  if (has_vendor(backend)) {
    engines.push_back(mm::Engine::vendor);
  }
  auto const product = generate_product(Operation::multiply, io::Scalar::float64, {n, n, n}, {});
  Sampler::NamedSamples ways;
  for (auto const engine : engines) {
    ways.push_back(
        {std::string(to_string(engine)), product_of(*product, backend, {.engine = engine})});
  }
  sampler.check_run(fmt::format("{}.matmul.engine", name), fmt::format("float64, n = {}", n),
                    product_of(*product, backend, {}), ways);
}

}  // namespace

void tune_matmul(Sampler& sampler) {
  for (auto const& rung : recursive_rungs()) {
    auto const& found = sampler.tuning.sweeps.emplace_back(sweep(sampler, rung.options));
    sampler.tuning.machine.fork_join.push_back({found.engine, found.kernel, found.best()});
    check_threshold(sampler, rung.options, found.n / 4 * 3);
  }
  check_engine(sampler, "host", {mm::Engine::packed});
  if (find_backend("device")) {
    check_engine(sampler, "device", {mm::Engine::register_blocked, mm::Engine::team_tiled});
  }
}

std::size_t matmul_tune_steps() {
  return recursive_rungs().size() + 1 + (find_backend("device") ? 1 : 0);
}

}  // namespace taper::app
