// SPDX-License-Identifier: Apache-2.0
#include "tune.hpp"

#include "solver.hpp"

#include <support/runtime.hpp>

#include <algorithm>
#include <utility>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

using Better = Sampler::Better;

/// A threshold above every size: a host run then has one worker.
constexpr std::uint64_t one_worker = sm::max_people;

void measure_scan(Sampler& sampler, std::string const& name, ExecutionCosts& costs) {
  sampler.begin(name + ": runs of rejections");
  // A solo instance has n acceptances, and about n rejections between two of them.
  std::size_t const n = name == "device" ? 16'384 : sampler.quick() ? 2048 : 4096;
  auto const backend = require_backend(name);
  auto const problem = generate_problem(backend, sm::Workload{.family = sm::Family::solo, .n = n});
  sm::Options const options{.tail = sm::Tail::device, .min_proposers_per_thread = one_worker};
  costs.scan_candidates_per_us =
      sampler.measure(name + ".scan_candidates_per_us", Better::more, [&] {
        double const us = 1e6 * problem->solve(backend, options).seconds.execution;
        return static_cast<double>(n) * static_cast<double>(n) / us;
      });
}

void measure_workers(Sampler& sampler) {
  sampler.begin("host: a second worker");
  auto const backend = require_backend("host");
  if (!can_use_threads(backend, 2)) {
    return;
  }
  // Compares one worker with two on lists whose first choices coincide often.
  Choice choice{"min_proposers_per_thread", "one worker", "two", {}};
  for (std::size_t n = 2048; n <= (sampler.quick() ? 4096u : 8192u); n *= 2) {
    auto const problem =
        generate_problem(backend, sm::Workload{.family = sm::Family::correlated, .n = n});
    auto const execution = [&](std::uint64_t min_proposers) {
      return [&, min_proposers] {
        return problem->solve(backend, {.min_proposers_per_thread = min_proposers})
            .seconds.execution;
      };
    };
    choice.crossings.push_back(sampler.compare(n / 2, execution(one_worker), execution(n / 2)));
  }
  auto const largest = choice.crossings.back().size;
  // A second worker may still pay for larger sizes than those that were measured.
  sampler.tuning.machine.min_proposers_per_thread =
      std::min(sampler.choose(std::move(choice)), 2 * largest);
}

}  // namespace

void tune_stable_marriage(Sampler& sampler) {
  auto& machine = sampler.tuning.machine;
  measure_host_costs(sampler);
  measure_scan(sampler, "host", machine.host);
  if (find_backend("device")) {
    measure_device_costs(sampler);
    measure_scan(sampler, "device", machine.device);
  }
  measure_workers(sampler);
}

std::size_t stable_marriage_tune_steps() {
  return 2 + 1 + (find_backend("device") ? 3 + 1 : 0) + 1;
}

}  // namespace taper::app
