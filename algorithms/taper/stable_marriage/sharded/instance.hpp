// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/large_view.hpp>
#include <taper/shards.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace taper::stable_marriage {

/// An Instance whose lists lie on several devices: shard k has those of the men, and of the women,
/// of homes' range k, a table of homes.size(k) rows of n ids each.
template <class Preferences>
struct ShardedInstance {
  using Id = typename Instance<Preferences>::Id;
  using MemorySpace = typename Instance<Preferences>::MemorySpace;

  Homes homes;
  std::vector<Preferences> men;
  std::vector<Preferences> women;

  std::size_t size() const { return homes.people(); }
};

template <class Id, class Space>
using ShardedTables = std::vector<Table<Id, typename Space::memory_space>>;

/// One side's lists, each shard's in the memory of its instance, not initialised.
template <class Id, ExecutionSpace Exec>
ShardedTables<Id, Exec> allocate_lists(Shards<Exec> const& shards, Homes const& homes,
                                       std::string const& label) {
  ShardedTables<Id, Exec> tables;
  for (std::uint32_t k = 0; k < shards.size(); ++k) {
    tables.push_back(allocate_large<Table<Id, typename Exec::memory_space>>(
        shards[k], label, std::size_t{homes.size(k)}, std::size_t{homes.people()}));
  }
  return tables;
}

/// A Workspace for each shard, and one more for what the first copies of the others' rows.
template <class Id, class MemorySpace>
using ShardedWorkspace = std::vector<Workspace<Id, MemorySpace>>;

namespace detail {

/// Throws unless there is an instance and a table a side for each shard, of its people.
template <ExecutionSpace Exec, class Lists>
void require_shards(std::string const& function, Shards<Exec> const& shards, Homes const& homes,
                    std::vector<Lists> const& men, std::vector<Lists> const& women) {
  auto const text = [](std::size_t size) { return std::to_string(size); };
  std::uint32_t const count = homes.shards();
  TAPER_REQUIRE(shards.size() == count && men.size() == count && women.size() == count,
                function + ": people in " + text(count) + " shards, but " + text(shards.size()) +
                    " instances, " + text(men.size()) + " tables of men and " + text(women.size()) +
                    " of women");
  for (std::uint32_t k = 0; k < count; ++k) {
    for (auto const& [side, table] : {std::pair{"men", men[k]}, std::pair{"women", women[k]}}) {
      TAPER_REQUIRE(table.extent(0) == homes.size(k) && table.extent(1) == homes.people(),
                    function + ": shard " + text(k) + " has a table of " + side + " that is " +
                        text(table.extent(0)) + " x " + text(table.extent(1)) + ", not " +
                        text(homes.size(k)) + " x " + text(homes.people()));
    }
  }
}

}  // namespace detail
}  // namespace taper::stable_marriage
