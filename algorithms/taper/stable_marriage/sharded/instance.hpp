// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/sharded/shards.hpp>
#include <taper/stable_marriage/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace taper::stable_marriage {

/// An Instance that is distributed over several devices. Shard k has the lists of range k of the
/// men, and of the same range of the women. Each is a table of partition.size(k) rows of n ids.
template <class Preferences>
struct ShardedInstance {
  using Id = typename Instance<Preferences>::Id;
  using MemorySpace = typename Instance<Preferences>::MemorySpace;

  RowPartition partition;          ///< of the n men, and of the n women
  std::vector<Preferences> men;    ///< one table per shard
  std::vector<Preferences> women;  ///< one table per shard

  std::size_t size() const { return partition.rows(); }
};

template <class Id, class Space>
using ShardedTables = std::vector<Table<Id, typename Space::memory_space>>;

/// Allocates the lists of one side, not initialised. The table of each shard is in the memory of
/// its device.
template <class Id, ExecutionSpace Exec>
ShardedTables<Id, Exec> allocate_lists(Shards<Exec> const& shards, RowPartition const& partition,
                                       std::string const& label) {
  ShardedTables<Id, Exec> tables;
  for (std::uint32_t k = 0; k < shards.size(); ++k) {
    tables.push_back(allocate_large<Table<Id, typename Exec::memory_space>>(
        shards[k], label, std::size_t{partition.size(k)}, std::size_t{partition.rows()}));
  }
  return tables;
}

/// A Workspace per shard, and one more for the leader's copies of the other shards' rows. Start
/// with an empty vector; solve() sets its size.
template <class Id, class MemorySpace>
using ShardedWorkspace = std::vector<Workspace<Id, MemorySpace>>;

namespace detail {

/// Throws: taper::Error unless each shard of `partition` has an execution space instance and, per
/// side, a table of its rows.
template <ExecutionSpace Exec, class Lists>
void require_shards(std::string const& function, Shards<Exec> const& shards,
                    RowPartition const& partition, std::vector<Lists> const& men,
                    std::vector<Lists> const& women) {
  auto const text = [](std::size_t size) { return std::to_string(size); };
  std::uint32_t const count = partition.shards();
  TAPER_REQUIRE(shards.size() == count && men.size() == count && women.size() == count,
                function + ": " + text(count) + " shards need as many execution spaces and tables" +
                    " per side, got " + text(shards.size()) + " execution spaces, " +
                    text(men.size()) + " tables of men and " + text(women.size()) + " of women");
  for (std::uint32_t k = 0; k < count; ++k) {
    for (auto const& [side, table] : {std::pair{"men", men[k]}, std::pair{"women", women[k]}}) {
      TAPER_REQUIRE(table.extent(0) == partition.size(k) && table.extent(1) == partition.rows(),
                    function + ": shard " + text(k) + " needs a table of " + side + " of " +
                        text(partition.size(k)) + " x " + text(partition.rows()) + ", got " +
                        text(table.extent(0)) + " x " + text(table.extent(1)));
    }
  }
}

}  // namespace detail
}  // namespace taper::stable_marriage
