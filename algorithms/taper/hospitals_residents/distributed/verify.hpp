// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/blocks.hpp>
#include <taper/distributed/communicator.hpp>
#include <taper/hospitals_residents/distributed/shard.hpp>
#include <taper/hospitals_residents/distributed/sides.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/stability.hpp>
#include <taper/hospitals_residents/verify.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Checks of markets and matchings over the processes of MPI. Each process checks its residents. For
// that it gathers the seats of all hospitals and what they hold. The checks share no code with the
// rounds, except for the messages.

namespace taper::hospitals_residents {
namespace detail {

/// The market of the residents of this process and of all hospitals.
template <class Memory>
struct CheckedShard {
  std::uint64_t first_resident;  ///< the id in the whole market of its first resident
  Market<Memory> market;
};

template <class Space>
CheckedShard<typename Shard<Space>::MemorySpace> make_checked(std::string const& function,
                                                              Communicator const& communicator,
                                                              Shard<Space> const& shard) {
  using Memory = typename Shard<Space>::MemorySpace;
  auto const sides = gather_sides(communicator, shard);
  require_ids(function, sides);
  return {sides.residents.first(communicator.process()),
          Market<Memory>{shard.offsets, shard.hospitals, shard.keys,
                         distributed::gather_blocks(communicator, sides.hospitals, shard.seats)}};
}

/// What each hospital holds, of the residents of all processes. Sets `first_bad` to the first
/// resident of the whole market whose hospital is not in its list, or to no_agent.
template <class Exec, class Memory, class Assignment>
Holdings<Memory> collect_holdings(Communicator const& communicator, Exec const& where,
                                  CheckedShard<Memory> const& shard, Assignment const& hospital_of,
                                  std::uint64_t& first_bad) {
  auto const holdings = collect_holdings(where, shard.market, hospital_of, first_bad);
  where.fence("taper::hospitals_residents: wait for the holdings");
  communicator.add_up(holdings.residents.data(), holdings.residents.extent(0));
  communicator.take_largest(holdings.worst_key.data(), holdings.worst_key.extent(0));
  first_bad =
      communicator.least_of(first_bad == no_agent ? no_agent : first_bad + shard.first_resident);
  return holdings;
}

}  // namespace detail

/// Finds the first resident of the whole market whose list is not as Market requires. Returns
/// nothing if all lists are right. All processes call it, and get the same result.
///
/// Equivalent to: find_bad_list() of one process. Cost: as there, for the lists of the shard.
/// Throws: CollectiveError if extents of a shard disagree.
template <HostExecutionSpace Exec, class Space>
std::optional<std::uint64_t> find_bad_list(Exec const& where, MPI_Comm communicator,
                                           Shard<Space> const& shard) {
  std::string const function = "taper::hospitals_residents::find_bad_list";
  detail::Communicator const processes(function, communicator);
  processes.agree(function, detail::shard_problem(shard));
  auto const checked = detail::make_checked(function, processes, shard);
  auto const own = find_bad_list(where, checked.market);
  std::uint64_t const first =
      processes.least_of(own ? *own + checked.first_resident : detail::no_agent);
  return first == detail::no_agent ? std::nullopt : std::optional(first);
}

/// Finds out why the assignment of all processes is no matching; nothing if it is one. The id in
/// the result is one of the whole market. All processes call it, and get the same result.
///
/// Equivalent to: find_bad_assignment() of one process.
/// Cost: as for one process, and 16 bytes of memory and 12 of messages per hospital of the market.
/// Throws: CollectiveError if extents of a shard disagree.
template <HostExecutionSpace Exec, class Space, class Assignment>
std::optional<BadAssignment> find_bad_assignment(Exec const& where, MPI_Comm communicator,
                                                 Shard<Space> const& shard,
                                                 Assignment const& hospital_of) {
  std::string const function = "taper::hospitals_residents::find_bad_assignment";
  detail::Communicator const processes(function, communicator);
  processes.agree(function, detail::shard_problem(shard, hospital_of));
  auto const checked = detail::make_checked(function, processes, shard);
  std::uint64_t first_bad = detail::no_agent;
  auto const holdings = detail::collect_holdings(processes, where, checked, hospital_of, first_bad);
  if (first_bad != detail::no_agent) {
    return BadAssignment{BadAssignment::Kind::not_listed, first_bad};
  }
  std::uint64_t const overfull = detail::first_overfull(where, checked.market, holdings);
  if (overfull != detail::no_agent) {
    return BadAssignment{BadAssignment::Kind::too_many, overfull};
  }
  return std::nullopt;
}

/// Finds the blocking pairs of the whole market, with ids of the whole market. All processes call
/// it with the same limit and stability, and get the same result.
///
/// `tiers`: the tie class of each entry of this process, or without entries; see
///   find_blocking_pairs() for one process.
/// Equivalent to: find_blocking_pairs() of one process.
/// Requires: find_bad_assignment() finds nothing.
/// Cost: as for one process, and 16 bytes of memory and 12 of messages per hospital of the market.
/// Throws: CollectiveError if extents of a shard disagree.
template <HostExecutionSpace Exec, class Space, class Assignment>
BlockingPairs find_blocking_pairs(
    Exec const& where, MPI_Comm communicator, Shard<Space> const& shard,
    Assignment const& hospital_of, std::uint64_t limit = 0, Stability stability = Stability::weak,
    Constants<std::uint32_t, typename Shard<Space>::MemorySpace> const& tiers = {}) {
  using Memory = typename Exec::memory_space;
  std::string const function = "taper::hospitals_residents::find_blocking_pairs";
  detail::Communicator const processes(function, communicator);
  auto problem = detail::shard_problem(shard, hospital_of);
  if (problem.empty() && tiers.extent(0) > 0 && tiers.extent(0) != shard.hospitals.extent(0)) {
    problem = "tiers has " + std::to_string(tiers.extent(0)) + " entries, the shard has " +
              std::to_string(shard.hospitals.extent(0));
  }
  processes.agree(function, problem);
  Region const region(function);
  auto const checked = detail::make_checked(function, processes, shard);
  std::uint64_t first_bad = detail::no_agent;
  auto const holdings = detail::collect_holdings(processes, where, checked, hospital_of, first_bad);
  detail::BlockingHospitals<Memory, Assignment> const finder{checked.market, hospital_of, holdings,
                                                             tiers, stability};
  auto pairs = detail::blocking_pairs_of(where, finder, limit);
  for (auto& pair : pairs.first) {
    pair.resident += static_cast<std::uint32_t>(checked.first_resident);
  }
  pairs.first = distributed::gather_first(processes, pairs.first, limit);
  pairs.count = processes.sum_of(pairs.count);
  return pairs;
}

}  // namespace taper::hospitals_residents
