// SPDX-License-Identifier: Apache-2.0
#include "tuning.hpp"

#include "product.hpp"
#include "runtime.hpp"
#include "sampler.hpp"
#include "solver.hpp"

#include <taper/matmul/options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace taper::app {

namespace mm = matmul;
namespace sm = stable_marriage;

namespace {

using Better = Sampler::Better;

/// A share of which a host never has a second one.
constexpr std::uint64_t one_worker = sm::max_people;

bool has_device_beside_host() {
  return find_backend("device").has_value();
}

std::vector<mm::Rung> rungs_that_recurse() {
  std::vector<mm::Rung> rungs;
  std::ranges::copy_if(mm::ladder(), std::back_inserter(rungs),
                       [](mm::Rung const& rung) { return mm::recurses(rung.options.engine); });
  return rungs;
}

/// What a sweep is of: large enough that cutting it up may pay, small enough that all take seconds.
struct Range {
  std::uint64_t n;
  std::uint64_t least;  ///< threshold that is worth a try
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
  auto const [n, least] = range_of(options.kernel, sampler.quick());
  Sweep found;
  found.engine = to_string(options.engine);
  found.kernel = to_string(options.kernel);
  found.n = n;
  sampler.begin(fmt::format("host: thresholds of {} with {}", found.engine, found.kernel));
  auto const product = generate_product(Operation::multiply, io::Scalar::float64, {n, n, n}, {});
  auto const backend = require_backend("host");
  std::vector<Sampler::Sample> ways;
  for (auto threshold = least; threshold <= n; threshold *= 2) {
    found.thresholds.push_back(threshold);
    options.threshold = static_cast<std::int64_t>(threshold);
    ways.push_back([&product, backend, engine = MatmulEngine{.name = {}, .options = options}] {
      return product->run(backend, engine).seconds;
    });
  }
  found.seconds = sampler.by_turns(ways);
  return found;
}

}  // namespace

void measure_scan(Sampler& sampler, std::string const& name, SideCosts& costs) {
  sampler.begin(name + ": runs of rejections");
  // A solo instance is n acceptances with a run of about n between each two.
  std::size_t const n = name == "device" ? 16'384 : sampler.quick() ? 2048 : 4096;
  auto const backend = require_backend(name);
  auto const problem = generate_problem(backend, sm::Workload{.family = sm::Family::solo, .n = n});
  sm::Options const options{.tail = sm::Tail::device, .people_a_worker = one_worker};
  costs.scan_candidates_per_us =
      sampler.measure(name + ".scan_candidates_per_us", Better::more, [&] {
        double const us = 1e6 * problem->solve(backend, options).seconds.execution;
        return static_cast<double>(n) * static_cast<double>(n) / us;
      });
}

void measure_workers(Sampler& sampler) {
  sampler.begin("host: two workers");
  auto const backend = require_backend("host");
  if (!can_use_threads(backend, 2)) {
    return;
  }
  // One worker against two, where first choices are many.
  Choice choice{"people_a_worker", "one worker", "two", {}};
  for (std::size_t n = 2048; n <= (sampler.quick() ? 4096u : 8192u); n *= 2) {
    auto const problem =
        generate_problem(backend, sm::Workload{.family = sm::Family::correlated, .n = n});
    auto const with_share = [&](std::uint64_t people) {
      return [&, people] {
        return problem->solve(backend, {.people_a_worker = people}).seconds.execution;
      };
    };
    choice.crossings.push_back(sampler.compare(n / 2, with_share(one_worker), with_share(n / 2)));
  }
  auto const largest = choice.crossings.back().size;
  // A run of a size that was not tried may be worth it yet.
  sampler.tuning.machine.people_a_worker = std::min(sampler.choose(std::move(choice)), 2 * largest);
}

void measure_thresholds(Sampler& sampler) {
  for (auto const& rung : rungs_that_recurse()) {
    auto const& found = sampler.tuning.sweeps.emplace_back(sweep(sampler, rung.options));
    sampler.tuning.machine.fork_join.push_back({found.engine, found.kernel, found.best()});
  }
}

Tuning measure_machine(bool quick, std::function<void(std::string_view)> const& next) {
  Sampler sampler(quick, next);
  auto& machine = sampler.tuning.machine;
  measure_threads(sampler);
  measure_host_costs(sampler);
  measure_scan(sampler, "host", machine.host);
  measure_host_propagator(sampler);
  if (has_device_beside_host()) {
    measure_device_costs(sampler);
    measure_scan(sampler, "device", machine.device);
    measure_device_propagator(sampler);
  } else {
    machine.device = machine.host;
  }
  measure_threads(sampler);
  measure_workers(sampler);
  measure_thresholds(sampler);
  measure_threads(sampler);
  return std::move(sampler.tuning);
}

std::size_t measurement_steps() {
  constexpr std::size_t of_host = 2 + 1 + 1 + 1;
  constexpr std::size_t of_device = 3 + 1 + 1;
  return of_host + (has_device_beside_host() ? of_device : 0) + rungs_that_recurse().size();
}

}  // namespace taper::app
