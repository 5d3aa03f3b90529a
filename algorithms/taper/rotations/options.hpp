// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <array>
#include <atomic>
#include <cstdint>

namespace taper::rotations {

/// Which of the stable matchings. Ranks count from 0, and agents without a partner do not count.
enum class Objective {
  man_optimal,     ///< each man has his best stable partner
  woman_optimal,   ///< each woman has her best stable partner
  egalitarian,     ///< the least sum of all ranks of partners
  minimum_regret,  ///< the least rank of the worst-placed agent's partner
  sex_equal,       ///< the least difference between the sums of ranks of the two sides
};

constexpr auto enum_names(Objective) {
  return std::array{EnumName{"man_optimal", Objective::man_optimal},
                    EnumName{"woman_optimal", Objective::woman_optimal},
                    EnumName{"egalitarian", Objective::egalitarian},
                    EnumName{"minimum_regret", Objective::minimum_regret},
                    EnumName{"sex_equal", Objective::sex_equal}};
}

using taper::names;
using taper::parse;
using taper::to_string;

/// The options of optimum().
struct Options {
  Objective objective = Objective::egalitarian;
  std::uint64_t visit_limit = 100'000'000;  ///< sex_equal: closed sets to visit; 0: no limit
  std::atomic<bool> const* stop = nullptr;  ///< sex_equal: if set to true, it ends as at the limit
};

}  // namespace taper::rotations
