// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/blocks.hpp>
#include <taper/distributed/communicator.hpp>
#include <taper/hospitals_residents/distributed/shard.hpp>
#include <taper/hospitals_residents/market.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

// The blocks of residents and hospitals, and the check that the shards of all processes fit
// together. Used by: solve() and the checks over several processes.

namespace taper::hospitals_residents::detail {

using distributed::Blocks;
using distributed::Communicator;

/// What is wrong with the shard of this process; empty if nothing is. The second overload also
/// checks the number of entries of `hospital_of`.
template <class Space>
std::string shard_problem(Shard<Space> const& shard) {
  if (shard.keys.extent(0) != shard.hospitals.extent(0)) {
    return "the shard has " + std::to_string(shard.hospitals.extent(0)) + " entries, but " +
           std::to_string(shard.keys.extent(0)) + " keys";
  }
  if (shard.offsets.extent(0) == 0 && shard.hospitals.extent(0) > 0) {
    return "the shard has entries, but no offsets";
  }
  return {};
}
template <class Space, class Assignment>
std::string shard_problem(Shard<Space> const& shard, Assignment const& hospital_of) {
  if (hospital_of.extent(0) != shard.resident_count()) {
    return "hospital_of has " + std::to_string(hospital_of.extent(0)) + " entries, the shard has " +
           std::to_string(shard.resident_count()) + " residents";
  }
  return shard_problem(shard);
}

/// Which process has which agents.
template <class Memory>
struct Sides {
  Blocks<Memory> residents;
  Blocks<Memory> hospitals;
};

/// Gathers the sizes of all shards. All processes call it.

template <class Space>
Sides<typename Shard<Space>::MemorySpace> gather_sides(Communicator const& communicator,
                                                       Shard<Space> const& shard) {
  using Memory = typename Shard<Space>::MemorySpace;
  return {distributed::make_blocks<Memory>(communicator.gather(shard.resident_count())),
          distributed::make_blocks<Memory>(communicator.gather(shard.hospital_count()))};
}

/// Throws: CollectiveError if a side has more agents than there are ids.
template <class Memory>
void require_ids(std::string const& function, Sides<Memory> const& sides) {
  Communicator::require(sides.residents.all() < unassigned && sides.hospitals.all() < unassigned,
                        function + ": a side has at most 2^32 - 2 agents");
}

}  // namespace taper::hospitals_residents::detail
