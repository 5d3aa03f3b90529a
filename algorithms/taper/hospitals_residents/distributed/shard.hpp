// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/market.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::hospitals_residents {

/// The part of a market that one process of MPI holds: a block of residents with their lists, and a
/// block of hospitals with their seats. A block may be empty.
///
/// The residents of all processes, in the order of the processes, are the residents of the market.
/// The same holds for hospitals. `hospitals` has ids of the whole market. `offsets` begins with 0
/// in each shard.
///
/// Requires: the whole market is as Market says. find_bad_list() checks this, solve() does not.
template <class Space>
struct Shard {
  using MemorySpace = typename Space::memory_space;

  Constants<std::int64_t, MemorySpace> offsets;     ///< residents of this process + 1
  Constants<std::uint32_t, MemorySpace> hospitals;  ///< per entry: an id of the whole market
  Constants<std::uint32_t, MemorySpace> keys;       ///< per entry; the lowest is the best
  Constants<std::uint32_t, MemorySpace> seats;      ///< per hospital of this process

  std::uint64_t resident_count() const { return offsets.extent(0) > 0 ? offsets.extent(0) - 1 : 0; }
  std::uint64_t hospital_count() const { return seats.extent(0); }
};

}  // namespace taper::hospitals_residents
