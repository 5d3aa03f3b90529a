// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/stable_marriage/options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace taper::stable_marriage {

/// The families of instances that generate() makes. Ids count from 0, and every shuffle is seeded.
///
/// solo, congested and random are the workloads of Section III-A of the Bamboo-SMP paper (see
/// options.hpp).
enum class Family {
  /// The first choices of each side are a random permutation, and the rest of each list is
  /// shuffled. Whichever side proposes, n proposals suffice, all at once.
  perfect,

  /// One free proposer at a time; n >= 4.
  ///
  /// Man m prefers woman m. Woman (m-1) mod (n-1) is last but one in his list, woman n-1 is last,
  /// and the others are shuffled between. Man n-1 has the pattern of man n-2.
  /// Woman w < n-1 prefers man f = (w+1) mod (n-1), then man (f-1) mod n; the others are shuffled.
  /// Woman n-1 shuffles all.
  ///
  /// After one round of n proposals a single man is free. Then n*n - 2n + 1 proposals follow one
  /// another.
  solo,

  /// One random order per side is the list of each person. All free men propose to the same woman;
  /// n(n+1)/2 proposals in all.
  congested,

  /// One random order per side, cut into groups of `group_size` (the last may be shorter). Each
  /// list shuffles within the groups. Group size 1 is congested, n or more is uniform.
  random,

  /// Every list is an independent random permutation.
  uniform,

  /// Resembles real markets. Candidates have a score that all agree on, and each person adds its
  /// own noise. A list is sorted by strength * score + (1 - strength) * noise, the highest first,
  /// then by id. Both are uniform on 48 bits, and strength counts in 1/65,536ths. At 0 the lists
  /// are independent (uniform but for ties); at 1 all lists of a side are identical.
  correlated,
};

constexpr auto enum_names(Family) {
  return std::array{
      EnumName{"perfect", Family::perfect},     EnumName{"solo", Family::solo},
      EnumName{"congested", Family::congested}, EnumName{"random", Family::random},
      EnumName{"uniform", Family::uniform},     EnumName{"correlated", Family::correlated}};
}

/// What to generate. The same workload gives the same instance on every machine and backend.
struct Workload {
  Family family = Family::uniform;
  std::size_t n = 0;           ///< people per side, up to max_people
  std::uint64_t seed = 1;      ///< of all random streams
  std::size_t group_size = 5;  ///< random only: candidates per group, from 1
  double strength = 0.5;       ///< correlated only: weight of the common score, 0 to 1
};

}  // namespace taper::stable_marriage
