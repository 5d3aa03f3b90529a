// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>
#include <taper/report.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tails/next_candidates.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/stop.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

// The tail of a GPU's run on one core of a host that has its own memory.
// Used by: tails.hpp and Execution.
namespace taper::stable_marriage::detail {

/// Advances the chains of `arrived` one after another, each until it retires.
///
/// Before each step it calls prepare(chain, outcome) with the outcome of the step before, which is
/// `handed_over` at first. prepare() makes readable what the step reads; if it returns false, the
/// chain is parked. Returns the number of parked chains.
/// Throws: Stopped, between steps.
template <class Step, class Chains, class Prepare>
std::uint64_t advance_on_host(Step const& propose, Chains const& arrived, Tally& tally,
                              StopFlag stop, Prepare const& prepare) {
  constexpr std::uint64_t steps_between_checks = 1 << 16;
  std::uint64_t parked = 0;
  std::uint64_t steps = 0;
  for (std::uint64_t i = 0; i < arrived.live; ++i) {
    Chain chain = arrived.waiting(i);
    Outcome outcome = Outcome::handed_over;
    while (outcome != Outcome::retired) {
      if (++steps % steps_between_checks == 0) {
        stop.check();
      }
      if (!prepare(chain, outcome)) {
        arrived.parked(parked++) = chain;
        break;
      }
      outcome = propose(chain, tally);
    }
  }
  propose.publish(tally);
  return parked;
}

/// Advances the last few chains of a GPU's run on one core of the host.
///
/// A chain is a series of acceptances, each of which waits for the one before. A core waits for its
/// cache, a GPU for its memory: the core takes a fifth of the time. The host gets the standing
/// offers and the next candidates of all proposers. If a proposer has used up its candidates, a
/// kernel gathers more: a *refill*. If refills are more frequent than one per
/// `min_acceptances_per_refill`, runs of rejections are long and need a team. Then the chains are
/// parked.
///
/// Equivalent to: Propose on each chain until it retires or is parked.
/// Throws: Stopped.
/// Cost: two copies of the standing offers (10 bytes per receiver with 16-bit ids), one of the
///   candidates (516 bytes per proposer); one launch and one fence per refill.
template <ExecutionSpace Device, ExecutionSpace Host, class Tables, class Memory, class Counters>
Migration run_host_tail(Device const& device, Host const& host,
                        std::uint64_t min_acceptances_per_refill,
                        NextCandidatesLookup<Tables, Memory> const& lookup,
                        StandingOffers<typename Tables::Id, Memory> const& standing,
                        HostCopy<typename Tables::Id> const& copy, Counters const& counts,
                        Frontier<Chain, Memory>& frontier, StopFlag stop) {
  using Id = typename Tables::Id;
  using HostMemory = typename HostCopy<Id>::Memory;
  constexpr std::uint64_t free_refills = 16;  // refills that no acceptance has to repay

  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  std::pair<std::uint64_t, std::uint64_t> const live{0, frontier.live};
  auto const [arrived, chain_bytes] =
      migrate(device, host, "taper::stable_marriage::frontier", frontier);
  Kokkos::deep_copy(device, copy.standing.best, standing.best);
  Kokkos::deep_copy(device, copy.standing.rank_limit, standing.rank_limit);
  Kokkos::deep_copy(device, copy.next.first, lookup.next.first);
  Kokkos::deep_copy(device, copy.next.candidates, lookup.next.candidates);
  device.fence("taper::stable_marriage: wait for the offers and candidates of the last chains");

  Propose<NextCandidates<Id, HostMemory>, PlainAccess<Id, HostMemory>, Counters> const propose{
      copy.next, {copy.standing}, counts, n};
  Tally tally{};
  std::uint64_t refills = 0;
  frontier.live = advance_on_host(propose, arrived, tally, stop, [&](Chain const& chain, Outcome) {
    if (chain.position == n || copy.next.has(chain)) {
      return true;
    }
    if (refills > free_refills + tally.acceptances / min_acceptances_per_refill) {
      return false;
    }
    ++refills;
    copy.next.first(chain.proposer) = chain.position;
    Kokkos::parallel_for(
        "taper::stable_marriage::more_candidates",
        Kokkos::RangePolicy<Device, Kokkos::IndexType<std::uint64_t>>(device, 0, copy.next.columns),
        GatherCandidates<Tables, HostMemory>{lookup.tables, copy.next, chain.proposer, n});
    device.fence("taper::stable_marriage: wait for more candidates");
    return true;
  });

  Kokkos::deep_copy(device, standing.best, copy.standing.best);
  Kokkos::deep_copy(device, standing.rank_limit, copy.standing.rank_limit);
  Kokkos::deep_copy(device, Kokkos::subview(frontier.waiting, live), arrived.parked);
  device.fence("taper::stable_marriage: wait for the host's offers");
  std::uint64_t const offer_bytes =
      standing.best.span() * sizeof(AtomicWord) + standing.rank_limit.span() * sizeof(Id);
  std::uint64_t const candidates = lookup.next.candidates.span() + refills * copy.next.columns;
  return {Location::device, Location::host, live.second,
          2 * chain_bytes + 2 * offer_bytes + lookup.next.first.span() * sizeof(std::uint32_t) +
              candidates * sizeof(CandidateWord<Id>)};
}

/// Advances all chains of a GPU's run on one core of the host, until they retire, on a copy of the
/// PRMatrix: the host's part of Algorithm 2.
///
/// Equivalent to: Propose on each chain until it retires.
/// Throws: Stopped.
/// Cost: one copy of the PRMatrix (two ids per pair), two copies of the standing offers (8 bytes
///   per receiver).
template <ExecutionSpace Device, ExecutionSpace Host, class Candidates, class Id, class Memory,
          class Counters>
Migration run_host_tail_on_copy(Device const& device, Host const& host, Candidates const& pr_matrix,
                                HostPRMatrix<Id> const& copy,
                                StandingOffers<Id, Memory> const& standing, Counters const& counts,
                                Frontier<Chain, Memory>& frontier, StopFlag stop) {
  using HostMemory = typename Host::memory_space;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  auto const [arrived, chain_bytes] =
      migrate(device, host, "taper::stable_marriage::frontier", frontier);
  StandingOffers<Id, HostMemory> const on_host(host, n);
  host.fence("taper::stable_marriage: wait for empty offers on the host");
  Kokkos::deep_copy(device, on_host.best, standing.best);
  Kokkos::deep_copy(device, copy, pr_matrix);
  device.fence("taper::stable_marriage: wait for the host's PRMatrix and the standing offers");

  Propose<PRMatrixLookup<Id>, PlainAccess<Id, HostMemory>, Counters> const propose{
      {rows_of(typename HostPRMatrix<Id>::const_type(copy))}, {on_host}, counts, n};
  Tally tally{};
  advance_on_host(propose, arrived, tally, stop, [](Chain const&, Outcome) { return true; });

  Kokkos::deep_copy(device, standing.best, on_host.best);
  device.fence("taper::stable_marriage: wait for the host's offers");
  frontier.live = 0;
  return {Location::device, Location::host, arrived.live,
          chain_bytes + copy.span() * sizeof(CandidateWord<Id>) + 2 * n * sizeof(AtomicWord)};
}

/// Advances all chains of a GPU's run on one core of the host, until they retire. The tables stay
/// on the device. The host gets the standing offers and, per acceptance, the two rows that the free
/// proposer reads: its list and its row of the transposed ranks.
///
/// Equivalent to: Propose on each chain until it retires.
/// Throws: Stopped.
/// Cost: two copies of the standing offers (8 bytes per receiver), two rows per acceptance.
template <ExecutionSpace Device, ExecutionSpace Host, class Lists, class Counters>
Migration run_host_tail_by_rows(
    Device const& device, Host const& host, Lists const& lists,
    Table<typename Lists::non_const_value_type, typename Lists::memory_space> const& ranks,
    StandingOffers<typename Lists::non_const_value_type, typename Lists::memory_space> const&
        standing,
    Counters const& counts, Frontier<Chain, typename Lists::memory_space>& frontier,
    StopFlag stop) {
  using Id = typename Lists::non_const_value_type;
  using HostMemory = typename Host::memory_space;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  std::uint64_t const row_bytes = n * sizeof(Id);
  std::pair<std::size_t, std::size_t> const columns{0, n};  // without the padding of the ranks

  auto const [arrived, chain_bytes] =
      migrate(device, host, "taper::stable_marriage::frontier", frontier);
  StandingOffers<Id, HostMemory> const on_host(host, n);
  Kokkos::View<Id*, HostMemory> const list(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::stable_marriage::list"), n);
  Kokkos::View<Id*, HostMemory> const list_ranks(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::stable_marriage::ranks"), n);
  host.fence("taper::stable_marriage: wait for empty offers on the host");
  Kokkos::deep_copy(device, on_host.best, standing.best);
  device.fence("taper::stable_marriage: wait for the standing offers");
  std::uint64_t bytes = chain_bytes + n * sizeof(AtomicWord);

  // One row of each table: a stride of 0 makes it the row of every proposer.
  Propose<ProposerRowsLookup<Id>, PlainAccess<Id, HostMemory>, Counters> const propose{
      {{list.data(), 0}, {list_ranks.data(), 0}}, {on_host}, counts, n};
  Tally tally{};
  advance_on_host(propose, arrived, tally, stop, [&](Chain const& chain, Outcome outcome) {
    if (outcome == Outcome::handed_over) {
      Kokkos::deep_copy(device, list, Kokkos::subview(lists, chain.proposer, Kokkos::ALL));
      Kokkos::deep_copy(device, list_ranks, Kokkos::subview(ranks, chain.proposer, columns));
      device.fence("taper::stable_marriage: wait for the rows of the free proposer");
      bytes += 2 * row_bytes;
    }
    return true;
  });

  Kokkos::deep_copy(device, standing.best, on_host.best);
  device.fence("taper::stable_marriage: wait for the host's offers");
  bytes += n * sizeof(AtomicWord);
  frontier.live = 0;
  return {Location::device, Location::host, arrived.live, bytes};
}

}  // namespace taper::stable_marriage::detail
