// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace taper::rotations {

/// A stable matching that is best in some sense.
struct Optimum {
  std::vector<std::int32_t> partner_of_man;  ///< no_partner without one
  std::vector<std::int32_t> eliminated;      ///< its closed set of rotations, ascending
  std::int64_t value = 0;                    ///< of what was minimized
  bool proved = true;         ///< false: the limit was reached, and a better one may exist
  std::uint64_t visited = 0;  ///< sex_equal: closed sets that were visited
};

/// What a matching is worth.
struct Costs {
  std::int64_t men_ranks = 0;     ///< the sum of the ranks that men give their partners
  std::int64_t women_ranks = 0;   ///< the sum of the ranks that women give theirs
  std::int64_t egalitarian = 0;   ///< the sum of both
  std::int64_t sex_equality = 0;  ///< their difference, without its sign
  std::int32_t regret = 0;        ///< the worst of all these ranks
  std::int32_t pairs = 0;

  friend bool operator==(Costs const&, Costs const&) = default;
};

/// What find_rotations() found.
struct Report {
  std::int32_t men = 0;
  std::int32_t women = 0;
  std::int32_t pairs = 0;         ///< of each stable matching
  std::int64_t one_sided = 0;     ///< entries that were dropped
  std::int64_t stable_pairs = 0;  ///< pairs of at least one stable matching
  std::int64_t rotations = 0;
  std::int64_t edges = 0;  ///< of the rotations' order, as it is stored

  friend bool operator==(Report const&, Report const&) = default;
};

}  // namespace taper::rotations
