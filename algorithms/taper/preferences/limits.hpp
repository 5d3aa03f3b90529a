// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

// Limits of instances of two sides with preference lists. Needs no Kokkos.
// Used by: everything that reads, generates or solves such instances.

namespace taper::preferences {

/// The most people per side. Three such numbers share a 64-bit word, and a table of 32-bit ids for
/// this size takes 16 TiB.
inline constexpr std::uint64_t max_people = (std::uint64_t{1} << 21) - 1;

/// The most people per side that an id type can number. One of its values means "no partner".
template <class Id>
inline constexpr std::size_t
    max_people_for = std::min<std::uint64_t>(std::numeric_limits<Id>::max(), max_people);

/// The padded row of a rank table has a multiple of this number of bytes (see allocate_ranks()).
inline constexpr std::uint64_t rank_row_bytes = 128;

}  // namespace taper::preferences
