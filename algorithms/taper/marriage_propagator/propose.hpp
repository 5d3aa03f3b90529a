// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/worker_lanes.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace taper::marriage_propagator::detail {

/// No person: the end of a linked list, or no limit.
inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Phase 2, the constraint itself (the paper's Algorithm 3). A free proposer goes down its list,
/// missing values included, until a receiver accepts it. The worker goes on with the displaced
/// proposer.
///
/// Used by: the serial propagator, and the parallel one through ProposeKernel.
///
/// A missing value can displace a proposer while the current one stays free. The displaced proposer
/// then goes to an idle worker. If no worker waits, it joins this worker's backlog, a list linked
/// through `backlog_links`, until the current chain ends.
///
/// Domains are not written here. A pair (m, w) is left if and only if m's bit is set and w's offer
/// keeps m's rank. So n offers imply all removals, and prune.hpp writes these out row by row.
///
/// The sides can be exchanged; then the women propose.
template <class Id>
struct Propose {
  SideView<Id> proposers;
  SideView<Id> receivers;
  std::uint32_t* backlog_links;

  /// One value of a proposer: its receiver, and the offer that the proposal makes.
  struct Proposal {
    std::uint32_t receiver;
    Word offer;
  };

  KOKKOS_FORCEINLINE_FUNCTION Proposal make_proposal(std::uint32_t proposer,
                                                     std::uint32_t value) const {
    ReversePair const reverse = proposers.reverse(proposer, value);
    return {reverse.person, proposers.has(proposer, value) ? engaged(reverse.value, proposer, value)
                                                           : unengaged(reverse.value)};
  }

  /// Whether a value's proposal lowers the receiver's offer: the receiver accepts the proposer, or
  /// must learn that the value is missing. A predicate for find_first().
  struct LowersOffer {
    Propose const& propose;
    std::uint32_t proposer;
    std::uint32_t match_at = none;  ///< the first match that this lane has found
    Word match_offer = 0;           ///< the receiver's offer there

    KOKKOS_FORCEINLINE_FUNCTION Proposal prepare(std::uint32_t value) const {
      return propose.make_proposal(proposer, value);
    }
    /// Relaxed: offers only fall, so an old offer that rejects a proposal rejects it for certain.
    /// An old offer that accepts is checked by the atomic minimum of lower_offer().
    KOKKOS_FORCEINLINE_FUNCTION Word observe(Proposal const& prepared) const {
      return relaxed_load(propose.receivers.offer[prepared.receiver]);
    }
    KOKKOS_FORCEINLINE_FUNCTION bool matches(std::uint32_t value, Proposal const& prepared,
                                             Word current) {
      bool const lowers = prepared.offer < current;
      bool const is_first = lowers & (value < match_at);
      match_at = is_first ? value : match_at;
      match_offer = is_first ? current : match_offer;
      return lowers;
    }
  };

  /// Advances `chain`, and all proposers that it displaces, until none is free.
  ///
  /// A rejected proposal changes nothing, whether its value is missing or not.
  ///
  /// `policy` lowers offers and records changes. It also knows the idle workers. If should_stop()
  /// says so, the proposers that are still free go to park().
  template <class Lanes, class UpdatePolicy>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, UpdatePolicy& policy, Chain chain) const {
    std::uint32_t backlog = none;
    for (;;) {
      if (lanes.once([&] { return policy.should_stop(); })) {
        lanes.once([&] {
          policy.park(chain);
          // relaxed: only this worker advances the proposers of its backlog.
          for (; backlog != none; backlog = backlog_links[backlog]) {
            policy.park({backlog, relaxed_load(proposers.proposed[backlog])});
          }
          return 0;
        });
        return;
      }
      LowersOffer search{*this, chain.proposer};
      std::uint32_t const value = lanes.find_first(chain.position, proposers.n, search);
      if (value == proposers.n) {
        lanes.once([&] {
          policy.fail();
          return 0;
        });
        return;
      }
      if (search.match_at == value && is_engaged(search.match_offer)) {
        // The displaced proposer goes on from here. The line arrives while the offer is lowered.
        prefetch(
            &proposers.candidates(proposer_of(search.match_offer), value_of(search.match_offer)));
      }
      Proposal const proposal = make_proposal(chain.proposer, value);
      Word const before = lanes.once(
          [&] { return policy.lower_offer(receivers.offer[proposal.receiver], proposal.offer); });
      if (before <= proposal.offer) {
        chain.position = value + 1;
        continue;
      }
      bool const accepted = is_engaged(proposal.offer);
      bool const displaces = is_engaged(before);
      Chain const displaced{proposer_of(before), value_of(before) + 1};
      lanes.once([&] {
        policy.note_improved(receivers, proposal.receiver, before, proposal.offer);
        if (accepted) {
          policy.note_moved(proposers, chain.proposer, value);
        } else if (displaces) {
          policy.note_moved(proposers, displaced.proposer, displaced.position);
        }
        return 0;
      });
      if (!accepted) {
        chain.position = value + 1;
        if (displaces) {
          bool const handed_off = policy.hand_off(lanes, displaced);
          if (!handed_off) {
            lanes.once([&] {
              // Acquire: the last worker that had this proposer in its backlog has read the link.
              policy.fence();
              backlog_links[displaced.proposer] = backlog;
              return 0;
            });
            backlog = displaced.proposer;
          }
        }
      } else if (displaces) {
        chain = displaced;
      } else if (backlog == none) {
        bool const received = policy.wait_for_chain(lanes, chain);
        if (!received) {
          return;
        }
      } else {
        Word const popped = lanes.once([&] {
          // At least what this worker noted itself, which is the latest position: only the worker
          // that has a displaced proposer advances it.
          Word const position = relaxed_load(proposers.proposed[backlog]);
          Word const link = backlog_links[backlog];
          // Release: the link is read before any worker can displace this proposer again.
          policy.fence();
          return position << 32 | link;
        });
        chain = {backlog, static_cast<std::uint32_t>(popped >> 32)};
        backlog = static_cast<std::uint32_t>(popped);
      }
    }
  }
};

}  // namespace taper::marriage_propagator::detail
