// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/blocks.hpp>
#include <taper/distributed/communicator.hpp>
#include <taper/stable_marriage/distributed/shard.hpp>
#include <taper/stable_marriage/instance.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

// The blocks of men and women, and the check that the shards of all processes fit together.
// Used by: solve() and the checks over several processes.

namespace taper::stable_marriage::detail {

using distributed::Blocks;
using distributed::Communicator;

/// Which process has which people.
template <class Memory>
struct Sides {
  Blocks<Memory> men;
  Blocks<Memory> women;

  std::uint64_t n() const { return men.all(); }
};

/// What is wrong with the shard of this process in an instance of `men` men and `women` women;
/// empty if nothing is.
template <class Preferences>
std::string shard_problem(Shard<Preferences> const& shard, std::uint64_t men, std::uint64_t women) {
  auto const text = [](std::size_t size) { return std::to_string(size); };
  if (men != women) {
    return "the processes have " + text(men) + " men, but " + text(women) + " women";
  }
  for (auto const& table : {shard.men, shard.women}) {
    if (table.extent(0) > 0 && table.extent(1) != men) {
      return "all processes have " + text(men) + " people per side, but a list here has " +
             text(table.extent(1)) + " entries";
    }
  }
  return {};
}

/// Gathers the sizes of all shards. All processes call it. `problem`: another problem of this
/// process, or empty.
///
/// Throws: CollectiveError if a process has a problem, or if the shards do not fit together.
template <class Preferences>
Sides<typename Preferences::memory_space>
require_sides(std::string const& function, Communicator const& communicator,
              Shard<Preferences> const& shard, std::string const& problem) {
  using Memory = typename Preferences::memory_space;
  Sides<Memory> const sides{
      distributed::make_blocks<Memory>(communicator.gather(shard.men.extent(0))),
      distributed::make_blocks<Memory>(communicator.gather(shard.women.extent(0)))};
  auto const misfit = shard_problem(shard, sides.men.all(), sides.women.all());
  communicator.agree(function, problem.empty() ? misfit : problem);
  communicator.alike(
      [&] { preferences::require_ids<typename Shard<Preferences>::Id>(function, sides.n()); });
  return sides;
}

/// What is wrong with the size of `partner_of`; empty if nothing is.
template <class Preferences, class Partners>
std::string partners_problem(Shard<Preferences> const& shard, Partners const& partner_of) {
  return partner_of.extent(0) == shard.men.extent(0)
             ? std::string()
             : "partner_of has " + std::to_string(partner_of.extent(0)) +
                   " entries, the shard has " + std::to_string(shard.men.extent(0)) + " men";
}

}  // namespace taper::stable_marriage::detail
