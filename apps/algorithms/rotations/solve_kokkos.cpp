// SPDX-License-Identifier: Apache-2.0
#include "solve.hpp"

#include <taper/roommates/roommates.hpp>
#include <taper/rotations/rotations.hpp>

namespace taper::app {

rotations::RotationPoset solve_rotations(rotations::Market const& market) {
  return rotations::find_rotations(market);
}

rotations::Optimum solve_optimum(rotations::RotationPoset const& poset,
                                 rotations::Options const& options) {
  return rotations::optimum(poset, options);
}

rotations::Count solve_count(rotations::RotationPoset const& poset, std::uint64_t limit,
                             std::atomic<bool> const* stop) {
  return rotations::count_stable_matchings(poset, limit, stop);
}

bool list_matchings(rotations::RotationPoset const& poset,
                    std::function<bool(std::span<std::int32_t const>)> const& visit) {
  return rotations::for_each_stable_matching(poset, visit);
}

std::optional<preferences::Flaw> check_matching(rotations::Market const& market,
                                                std::span<std::int32_t const> partner_of_man) {
  return rotations::find_flaw(market, partner_of_man);
}

roommates::Result solve_roommates(preferences::Lists const& lists, std::atomic<bool> const* stop) {
  return roommates::solve(lists, stop);
}

}  // namespace taper::app
