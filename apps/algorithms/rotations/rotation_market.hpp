// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>
#include <taper/fields.hpp>

#include <array>
#include <cstdint>
#include <string>

// What nvcc reads too: it does not compile the headers of experiments.

namespace taper::app {

/// The lists of a generated market with n men and n women. All lists are complete.
enum class RotationFamily {
  uniform,  ///< each list is a random permutation
  opposed,  ///< men's lists are random; women rank men by the ranks that men give them, the worst
            ///< first
};

constexpr auto enum_names(RotationFamily) {
  return std::array{EnumName{"uniform", RotationFamily::uniform},
                    EnumName{"opposed", RotationFamily::opposed}};
}

/// A market of an experiment. Tables and result files use the name.
struct RotationMarket {
  std::string name;
  RotationFamily family = RotationFamily::uniform;
  std::int32_t n = 1000;
  std::uint64_t seed = 1;
};

template <FieldsOf<RotationMarket> Aggregate, class Visitor>
constexpr void fields(Aggregate& market, Visitor&& visit) {
  visit(Field{.name = "family", .help = "how lists are drawn"}, market.family);
  visit(Field{.name = "n", .help = "men, and women", .min = 1, .max = 30'000}, market.n);
  visit(Field{.name = "seed", .help = "of the random numbers"}, market.seed);
}

}  // namespace taper::app
