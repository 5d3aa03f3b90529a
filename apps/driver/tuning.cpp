// SPDX-License-Identifier: Apache-2.0
#include "tuning.hpp"

#include "algorithm.hpp"
#include "sampler.hpp"

#include <support/runtime.hpp>

#include <utility>

namespace taper::app {

Tuning measure_machine(bool quick, std::function<void(std::string_view)> const& next) {
  Sampler sampler(quick, next);
  measure_threads(sampler);
  for (auto const* algorithm : algorithms()) {
    if (algorithm->tune != nullptr) {
      algorithm->tune(sampler);
      measure_threads(sampler);
    }
  }
  if (!find_backend("device")) {
    sampler.tuning.machine.device = sampler.tuning.machine.host;
  }
  return std::move(sampler.tuning);
}

std::size_t measurement_steps() {
  std::size_t steps = 0;
  for (auto const* algorithm : algorithms()) {
    steps += algorithm->tune_steps != nullptr ? algorithm->tune_steps() : 0;
  }
  return steps;
}

}  // namespace taper::app
