// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/stable_marriage/options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace taper::stable_marriage {

/// The families of instances that generate() makes; ids count from 0, and every shuffle is seeded.
///
/// solo, congested and random are the workloads of the paper's Section III-A.
enum class Family {
  /// Top choices are a random permutation on each side, the rest of each list is shuffled:
  /// whoever proposes, n proposals do, all at once.
  perfect,

  /// One proposer at a time, n >= 4. Man m (man n-1 counts as man n-2) likes woman m first, woman
  /// (m-1) mod (n-1) last but one and woman n-1 last, the others shuffled between. Woman w < n-1
  /// likes man f = (w+1) mod (n-1) first and man (f-1) mod n second, the others shuffled; woman
  /// n-1 shuffles all. After one round of n proposals a single man is free, and n*n - 2n + 1
  /// proposals follow one another.
  solo,

  /// One random order for a whole side, the list of each: all free men propose to the same woman,
  /// n(n+1)/2 proposals in all.
  congested,

  /// One random order for a whole side, cut into groups of `group_size` (the last may be short);
  /// each list shuffles within the groups. A group size of 1 is congested, of n or more uniform.
  random,

  /// Every list is an independent random permutation.
  uniform,

  /// What markets look like: candidates have a score that all agree on, and each person adds noise
  /// of their own. Lists are sorted by strength * score + (1 - strength) * noise, the highest
  /// first, then by id. Both are uniform on 48 bits, and strength counts in 1/65,536ths: at 0 the
  /// lists are independent (uniform but for ties), at 1 those of a side are identical.
  correlated,
};

constexpr auto spellings(Family) {
  return std::array{
      Spelling{"perfect", Family::perfect},     Spelling{"solo", Family::solo},
      Spelling{"congested", Family::congested}, Spelling{"random", Family::random},
      Spelling{"uniform", Family::uniform},     Spelling{"correlated", Family::correlated}};
}

/// What to generate; the same workload is the same instance on every machine and backend.
struct Workload {
  Family family = Family::uniform;
  std::size_t n = 0;  ///< people on each side
  std::uint64_t seed = 1;
  std::size_t group_size = 5;  ///< random only: candidates in a group, at least 1
  double strength = 0.5;       ///< correlated only: weight of the common score, 0 to 1
};

}  // namespace taper::stable_marriage
