// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/report.hpp>
#include <taper/stable_marriage/next_candidates.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

namespace taper::stable_marriage::detail {

/// Follows the last few chains of a GPU's run by one core of the host. A chain is a series of
/// acceptances, each waiting for the one before, and a core waits for its cache where a GPU waits
/// for memory: a fifth of the time. The host gets the matching and everybody's next candidates; a
/// proposer who has come to the end of these gets more. Where that happens more often than once in
/// `acceptances_a_fetch`, runs of rejections are long, and the chains are parked: they want a team.
///
/// Equivalent to: Propose on each chain, to its end or to where it is parked.
/// Cost: two copies of the matching (10 bytes a receiver with 16-bit ids), one of the candidates
///   (516 bytes a proposer); a launch and a fence a refill.
template <ExecutionSpace Device, ExecutionSpace Host, class Tables, class Memory, class Counters>
Migration follow_on_host(Device const& device, Host const& host, std::uint64_t acceptances_a_fetch,
                         NextCandidatesLookup<Tables, Memory> const& lookup,
                         Standing<typename Tables::Id, Memory> const& standing,
                         HostCopy<typename Tables::Id> const& here, Counters const& counts,
                         Frontier<Chain, Memory>& frontier) {
  using Id = typename Tables::Id;
  using HostMemory = typename HostCopy<Id>::Memory;
  constexpr std::uint64_t refills_granted = 16;

  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  std::pair<std::uint64_t, std::uint64_t> const live{0, frontier.live};
  auto const [arrived, chain_bytes] =
      migrate(device, host, "taper::stable_marriage::frontier", frontier);
  Kokkos::deep_copy(device, here.standing.best, standing.best);
  Kokkos::deep_copy(device, here.standing.bar, standing.bar);
  Kokkos::deep_copy(device, here.next.first, lookup.next.first);
  Kokkos::deep_copy(device, here.next.candidates, lookup.next.candidates);
  device.fence("taper::stable_marriage: the last chains' matching and candidates have arrived");

  Propose<NextCandidates<Id, HostMemory>, Alone<Id, HostMemory>, Counters> const propose{
      here.next, {here.standing}, counts, n};
  Tally tally{};
  std::uint64_t refills = 0;
  frontier.live = 0;
  for (std::uint64_t i = live.first; i < live.second; ++i) {
    Chain chain = arrived.waiting(i);
    Outcome outcome = Outcome::again;
    while (outcome != Outcome::retired) {
      if (chain.position < n && !here.next.has(chain)) {
        if (refills > refills_granted + tally.acceptances / acceptances_a_fetch) {
          arrived.parked(frontier.live++) = chain;
          break;
        }
        ++refills;
        here.next.first(chain.proposer) = chain.position;
        Kokkos::parallel_for(
            "taper::stable_marriage::more_candidates",
            Kokkos::RangePolicy<Device, Kokkos::IndexType<std::uint64_t>>(device, 0,
                                                                          next_candidates),
            GatherCandidates<Tables, HostMemory>{lookup.tables, here.next, chain.proposer, n});
        device.fence("taper::stable_marriage: more candidates have arrived");
      }
      outcome = propose(chain, tally);
    }
  }
  propose.publish(tally);

  Kokkos::deep_copy(device, standing.best, here.standing.best);
  Kokkos::deep_copy(device, standing.bar, here.standing.bar);
  Kokkos::deep_copy(device, Kokkos::subview(frontier.waiting, live), arrived.parked);
  device.fence("taper::stable_marriage: the host's offers stand on the device");
  std::uint64_t const matching_bytes =
      standing.best.span() * sizeof(AtomicWord) + standing.bar.span() * sizeof(Id);
  std::uint64_t const candidates = lookup.next.candidates.span() + refills * next_candidates;
  return {Side::device, Side::host, live.second,
          2 * chain_bytes + 2 * matching_bytes + lookup.next.first.span() * sizeof(std::uint32_t) +
              candidates * sizeof(CandidateWord<Id>)};
}

}  // namespace taper::stable_marriage::detail
