// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/lanes.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <utility>

/// What a wide run leaves is fewer proposers than a GPU has threads, or a host cores. Then several
/// lanes, or a whole team, follow one chain together: a run of rejections needs no order in itself,
/// so they look for the next receiver who would accept, and make that one proposal. All before it
/// are rejections for certain, since standing ranks only fall, and a bar was one.
namespace taper::stable_marriage::detail {

/// Follows each chain by the lanes of one thread, `lanes` candidates at a time. Good where runs of
/// rejections are short. A chain whose runs are long is parked: it wants a team. So is the last
/// one, if the leg says so.
///
/// Equivalent to: Propose on each chain, to its end or to where it is parked.
template <ExecutionSpace Exec, class Lookup, class Contention, class Counters>
struct FollowByLanes {
  using Id = typename Lookup::Id;
  using Memory = typename Contention::Memory;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::uint32_t lanes = Lanes<Exec>::count;

  struct Control {
    AtomicWord live;
    AtomicWord parked;
  };

  Propose<Lookup, Contention, Counters> propose;
  Kokkos::View<Chain*, Memory> waiting;
  Kokkos::View<Chain*, Memory> parked;
  Kokkos::View<Control, Memory> control;
  std::uint32_t chains;
  std::uint32_t stop_at;     ///< once no more than so many chains are live
  std::uint64_t most_looks;  ///< of one chain, before it is parked

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint32_t const i = team.league_rank() * team.team_size() + team.team_rank();
    if (i < chains) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes),
                           [&](std::uint32_t lane) { follow(waiting(i), lane); });
    }
  }

 private:
  /// Looks at a group of candidates are paid from a credit, and an acceptance earns some: a team
  /// finds the next receiver in the time of a few looks, whatever the run. So a chain may make 128
  /// looks in vain, or go on as long as one look in eight is answered.
  static constexpr int most_credit = 128;
  static constexpr int acceptance_earns = 8;

  /// The candidate that a lane looks at, and the offer to her; past the end no_offer, which nobody
  /// takes.
  struct Look {
    Proposal<Id> proposal;
    AtomicWord offer;
  };

  KOKKOS_FUNCTION Look look(Chain const& chain, std::uint32_t lane) const {
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

  KOKKOS_FUNCTION void follow(Chain chain, std::uint32_t lane) const {
    Tally tally{};
    int credit = most_credit;
    bool at_end = false;
    Look mine = look(chain, lane);
    for (std::uint64_t looks = 0; !at_end && credit > 0 && looks < most_looks; ++looks) {
      --credit;
      AtomicWord const stands =
          mine.offer == no_offer ? 0 : propose.contention.stands(mine.proposal.receiver);
      // One lane looks at the count, so that all get the same answer.
      bool const stop = lane == 0 && stop_at > 0 && relaxed_load(control().live) <= stop_at;
      if (Lanes<Exec>::first(stop) == 0) {
        break;
      }
      std::uint32_t const first = Lanes<Exec>::first(mine.offer < stands);
      if (first == lanes) {
        chain.position = Kokkos::min(chain.position + lanes, propose.n);
        at_end = chain.position == propose.n;  // rejected by all
        mine = look(chain, lane);
        continue;
      }
      // While the offer is answered, the next look is on its way, at whom she would most likely
      // leave.
      AtomicWord const likely = Lanes<Exec>::from(first, stands);
      AtomicWord before = 0;
      if (lane == first) {
        before = propose.contention(mine.proposal, mine.offer, tally);
        tally.acceptances += before != mine.offer;
      }
      Lanes<Exec>::sync();  // what that lane wrote, all lanes read in the next round
      Look const next = look(likely == no_offer ? chain : chain_of(likely), lane);
      before = Lanes<Exec>::from(first, before);
      at_end = before == no_offer;
      std::uint32_t const offered = chain.proposer;
      chain = chain_of(before);  // his own offer if she rejected it: he goes on behind it
      mine = before == likely ? next : look(chain, lane);
      if (chain.proposer != offered) {
        credit = Kokkos::min(credit + acceptance_earns, +most_credit);
      }
    }
    propose.publish(tally);
    if (lane == 0) {
      if (at_end) {
        Kokkos::atomic_sub(&control().live, AtomicWord{1});
      } else {
        parked(Kokkos::atomic_fetch_add(&control().parked, AtomicWord{1})) = chain;
      }
    }
  }
};

/// Follows all chains of `frontier` at once, while more than `stop_at` are live, by `most_looks` at
/// `lanes` candidates each at most; those left are the last ones, and ones with long runs.
/// Cost: one launch, one fence, two 16-byte copies.
template <ExecutionSpace Exec, class Lookup, class Contention, class Counters>
void follow_by_lanes(Exec const& where, std::string const& label,
                     Propose<Lookup, Contention, Counters> const& propose,
                     Frontier<Chain, typename Contention::Memory>& frontier, std::uint32_t stop_at,
                     std::uint64_t most_looks = unlimited) {
  using Follow = FollowByLanes<Exec, Lookup, Contention, Counters>;
  using Control = Kokkos::View<typename Follow::Control, typename Contention::Memory>;
  if (frontier.live <= stop_at) {
    return;
  }
  Control const control(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::control"));
  auto const control_here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, control);
  control_here() = {frontier.live, 0};
  Kokkos::deep_copy(where, control, control_here);
  int const threads = RowTeams<Exec>::chains_a_team;
  Kokkos::TeamPolicy<Exec> const policy(where,
                                        static_cast<int>((frontier.live + threads - 1) / threads),
                                        threads, RowTeams<Exec>::lanes);
  Kokkos::parallel_for(label, policy,
                       Follow{propose, frontier.waiting, frontier.parked, control,
                              static_cast<std::uint32_t>(frontier.live), stop_at, most_looks});
  Kokkos::deep_copy(where, control_here, control);
  where.fence(label + ": how many chains are left");
  frontier.live = control_here().parked;
  std::swap(frontier.waiting, frontier.parked);
}

}  // namespace taper::stable_marriage::detail
