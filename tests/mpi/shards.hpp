// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "processes.hpp"

#include <taper/hospitals_residents/distributed/shard.hpp>
#include <taper/hospitals_residents/generate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

// Markets that every process knows, and the shards that it takes of them.

namespace taper::testing {

/// Where the blocks of a side begin, and the end of the last: processes + 1.
using Cuts = std::vector<std::uint64_t>;

/// How a side is divided.
enum class Division { even, first_has_all, last_has_all, random };

inline Cuts cut(Division division, std::uint64_t agents, RandomStream& stream) {
  std::uint64_t const processes = process_count();
  Cuts cuts(processes + 1, 0);
  cuts.back() = agents;
  for (std::uint64_t process = 1; process < processes; ++process) {
    switch (division) {
    case Division::even:
      cuts[process] = agents * process / processes;
      break;
    case Division::first_has_all:
      cuts[process] = agents;
      break;
    case Division::last_has_all:
      break;
    case Division::random:
      cuts[process] = stream.below(static_cast<std::uint32_t>(agents) + 1);
      break;
    }
  }
  std::ranges::sort(cuts);
  return cuts;
}

/// This process' shard of a market, and room for its part of a matching.
template <class Space>
struct OwnShard {
  using Memory = typename Space::memory_space;

  std::uint64_t begin, end;  ///< its residents
  Kokkos::View<std::int64_t*, Memory> offsets;
  hospitals_residents::Shard<Memory> shard;
  Kokkos::View<std::uint32_t*, Memory> hospital_of;

  OwnShard(hospitals_residents::Market<Memory> const& market, Cuts const& residents,
           Cuts const& hospitals)
      : begin(residents[own_process()]), end(residents[own_process() + 1]),
        offsets("offsets", end - begin + 1), hospital_of("hospital_of", end - begin) {
    for (std::uint64_t resident = begin; resident <= end; ++resident) {
      offsets(resident - begin) = market.offsets(resident) - market.offsets(begin);
    }
    auto const entries = std::pair(market.offsets(begin), market.offsets(end));
    auto const seats = std::pair(hospitals[own_process()], hospitals[own_process() + 1]);
    shard = {offsets, Kokkos::subview(market.hospitals, entries),
             Kokkos::subview(market.keys, entries), Kokkos::subview(market.seats, seats)};
  }

  /// Whether the own part is that of a matching of the whole market.
  template <class Whole>
  bool has_part_of(Whole const& whole) const {
    for (std::uint64_t resident = begin; resident < end; ++resident) {
      if (hospital_of(resident - begin) != whole[resident]) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace taper::testing
