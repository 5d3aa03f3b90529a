// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>
#include <taper/warp.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <utility>

/// Tails. A parallel part leaves fewer free proposers than a GPU has threads or a host has cores.
/// Then the lanes of a warp, or all threads of a team, work on one chain. The proposals of a run of
/// rejections need no order. So the lanes search for the next receiver that would accept, and make
/// that one proposal. The receivers before it reject for certain: the proposer was compared with a
/// rank that their standing offer had at some time, and that rank only falls.
namespace taper::stable_marriage::detail {

/// Advances each chain by one warp, which checks `lanes` candidates at a time. Good while runs of
/// rejections are short. A chain with long runs is parked for a team. Chains are also parked once
/// at most `stop_at_live` are live.
///
/// Equivalent to: Propose on each chain until it retires or is parked.
/// Used by: tail_warp() and tail_warp_then_host(); `taper tune` times it.
template <ExecutionSpace Exec, class Lookup, class Contention, class Counters>
struct WarpTail {
  using Id = typename Lookup::Id;
  using Memory = typename Contention::Memory;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::uint32_t lanes = Warp<Exec>::count;

  struct Control {
    AtomicWord live;    ///< chains that have not retired
    AtomicWord parked;  ///< entries of `parked`
  };

  Propose<Lookup, Contention, Counters> propose;
  Kokkos::View<Chain*, Memory> waiting;
  Kokkos::View<Chain*, Memory> parked;
  Kokkos::View<Control, Memory> control;
  std::uint32_t chains;
  std::uint32_t stop_at_live;
  std::uint64_t max_checks;  ///< checks of a chain before it is parked

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const i =
        static_cast<std::uint32_t>(team.league_rank() * team.team_size() + team.team_rank());
    if (i < chains) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes),
                           [&](std::uint32_t lane) { advance(waiting(i), lane); });
    }
  }

 private:
  /// A check of a group of candidates costs one credit, an acceptance earns some. A team finds the
  /// next receiver in the time of a few checks, however long the run is. So a chain may make 128
  /// checks in vain, or continue as long as one check in eight leads to an acceptance.
  static constexpr int max_credit = 128;
  static constexpr int credit_per_acceptance = 8;

  /// What a lane checks: its candidate, and the offer that the proposer would make there. Past the
  /// end of the list the offer is no_offer, which no receiver accepts.
  struct Check {
    Proposal<Id> proposal;
    AtomicWord offer;
  };

  KOKKOS_FUNCTION Check make_check(Chain const& chain, std::uint32_t lane) const {
    std::uint32_t const position = chain.position + lane;
    if (position >= propose.n) {
      return {{0, 0}, no_offer};
    }
    auto const proposal = propose.lookup({chain.proposer, position});
    return {proposal, Offer::pack(std::uint32_t{proposal.rank}, chain.proposer, position + 1)};
  }

  KOKKOS_FUNCTION static Chain chain_of(AtomicWord offer) {
    return {static_cast<std::uint32_t>(Offer::get<offer_proposer>(offer)),
            static_cast<std::uint32_t>(Offer::get<offer_proposals>(offer))};
  }

  KOKKOS_FUNCTION void advance(Chain chain, std::uint32_t lane) const {
    Tally tally{};
    int credit = max_credit;
    bool retired = false;
    Check own = make_check(chain, lane);
    for (std::uint64_t checks = 0; !retired && credit > 0 && checks < max_checks; ++checks) {
      --credit;
      AtomicWord const standing =
          own.offer == no_offer ? 0 : propose.contention.standing_offer(own.proposal.receiver);
      // One lane reads the count, so that all lanes decide alike.
      bool const stop =
          lane == 0 && stop_at_live > 0 && relaxed_load(control().live) <= stop_at_live;
      if (Warp<Exec>::first_lane(stop) == 0) {
        break;
      }
      std::uint32_t const first = Warp<Exec>::first_lane(own.offer < standing);
      if (first == lanes) {
        chain.position = Kokkos::min(chain.position + lanes, propose.n);
        retired = chain.position == propose.n;  // rejected by all
        own = make_check(chain, lane);
        continue;
      }
      // The next check overlaps with the offer. It guesses that the offer displaces the proposer
      // whose standing offer lane `first` has just read.
      AtomicWord const likely = Warp<Exec>::shuffle(first, standing);
      AtomicWord before = 0;
      if (lane == first) {
        before = propose.contention(own.proposal, own.offer, tally);
        tally.acceptances += before != own.offer;
      }
      Warp<Exec>::sync();  // all lanes read in the next round what lane `first` has written
      Check const next = make_check(likely == no_offer ? chain : chain_of(likely), lane);
      before = Warp<Exec>::shuffle(first, before);
      retired = before == no_offer;
      std::uint32_t const offered = chain.proposer;
      chain = chain_of(before);  // after a rejection the own offer: the position behind it
      own = before == likely ? next : make_check(chain, lane);
      if (chain.proposer != offered) {
        credit = Kokkos::min(credit + credit_per_acceptance, +max_credit);
      }
    }
    propose.publish(tally);
    if (lane == 0) {
      if (retired) {
        Kokkos::atomic_sub(&control().live, AtomicWord{1});
      } else {
        parked(Kokkos::atomic_fetch_add(&control().parked, AtomicWord{1})) = chain;
      }
    }
  }
};

/// Advances all chains of `frontier` at once, while more than `stop_at_live` are live, with at most
/// `max_checks` checks of `lanes` candidates per chain. The chains that are left are the last ones
/// and those with long runs of rejections.
/// Cost: one launch, one fence, two 16-byte copies.
template <ExecutionSpace Exec, class Lookup, class Contention, class Counters>
void run_warp_tail(Exec const& where, std::string const& label,
                   Propose<Lookup, Contention, Counters> const& propose,
                   Frontier<Chain, typename Contention::Memory>& frontier,
                   std::uint32_t stop_at_live, std::uint64_t max_checks = unlimited) {
  using Tail = WarpTail<Exec, Lookup, Contention, Counters>;
  using Control = Kokkos::View<typename Tail::Control, typename Contention::Memory>;
  if (frontier.live <= stop_at_live) {
    return;
  }
  Control const control(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::control"));
  auto const host_control = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, control);
  host_control() = {frontier.live, 0};
  Kokkos::deep_copy(where, control, host_control);
  int const threads = RowTeams<Exec>::chain_team_threads;
  Kokkos::TeamPolicy<Exec> const policy(where,
                                        static_cast<int>((frontier.live + threads - 1) / threads),
                                        threads, RowTeams<Exec>::lanes);
  Kokkos::parallel_for(label, policy,
                       Tail{propose, frontier.waiting, frontier.parked, control,
                            static_cast<std::uint32_t>(frontier.live), stop_at_live, max_checks});
  Kokkos::deep_copy(where, host_control, control);
  where.fence(label + ": wait for the number of parked chains");
  frontier.live = host_control().parked;
  std::swap(frontier.waiting, frontier.parked);
}

}  // namespace taper::stable_marriage::detail
