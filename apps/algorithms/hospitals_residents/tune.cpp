// SPDX-License-Identifier: Apache-2.0
#include "tune.hpp"

#include "solve.hpp"

#include <support/runtime.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

namespace hr = hospitals_residents;

namespace {

/// Few seats per hospital, where chains and rounds are close, and many.
void check_on(Sampler& sampler, std::string_view name) {
  sampler.begin(fmt::format("{}: checks of hospitals and residents", name));
  auto const backend = require_backend(name);
  std::uint64_t const residents = sampler.quick() ? 20'000 : 200'000;
  for (std::uint64_t const seats : {4u, 100u}) {
    auto const market = generate_market(backend, 0,
                                        {.family = hr::Family::popularity,
                                         .residents = residents,
                                         .hospitals = residents / seats,
                                         .seats = residents});
    auto const run = [&](hr::Options const& options) {
      return [&market, options] { return market->solve(options).second; };
    };
    auto const cases = fmt::format("popularity, {} residents, {} seats each", residents, seats);
    sampler.check_run(
        fmt::format("{}.hospitals_residents.wide", name), cases, run({}),
        {{"rounds", run({.wide = hr::Wide::rounds})}, {"chains", run({.wide = hr::Wide::chains})}});
    sampler.check_run(fmt::format("{}.hospitals_residents.tail_threshold", name), cases, run({}),
                      {{"0", run({.tail_threshold = 0})},
                       {"64", run({.tail_threshold = 64})},
                       {"4096", run({.tail_threshold = 4096})}});
  }
}

}  // namespace

void check_residents(Sampler& sampler) {
  check_on(sampler, "host");
  if (find_backend("device")) {
    check_on(sampler, "device");
  }
}

std::size_t residents_check_steps() {
  return find_backend("device") ? 2 : 1;
}

}  // namespace taper::app
