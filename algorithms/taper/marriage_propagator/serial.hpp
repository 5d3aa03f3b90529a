// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/change_lists.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/host_state.hpp>
#include <taper/marriage_propagator/next_values.hpp>
#include <taper/marriage_propagator/propose.hpp>
#include <taper/marriage_propagator/prune.hpp>
#include <taper/marriage_propagator/update_policy.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace taper::marriage_propagator::detail {

/// The serial propagator (the paper's Section 3). One object per call; runs on the calling thread.
///
/// Used by: Propagator, and equal in results to ParallelPropagator.
template <class Id>
class SerialPropagator {
 public:
  explicit SerialPropagator(HostState<Id>& state)
      : state_(state), policy_{state}, cut_policy_{.state = state, .removed_by_offers = true} {}

  /// If some domain becomes empty, it sets state.failed, and the domains are then meaningless.
  void propagate(bool binds_partners) {
    make_coherent();
    propose_and_prune(Side::men);
    if (state_.symmetric) {
      propose_and_prune(Side::women);
    }
    if (binds_partners) {
      bind_partners();
    }
  }

 private:
  /// Phase 1, the paper's removeValue for both sides.
  void make_coherent() {
    state_.trail_pending();
    for (Side const side : {Side::men, Side::women}) {
      for (std::uint32_t const person : state_.pending.persons.of(side).persons()) {
        state_.stale.of(side).add(person);
      }
    }
    SideView<Id> const men = state_.view_of(Side::men);
    SideView<Id> const women = state_.view_of(Side::women);
    std::uint64_t const words = std::uint64_t{state_.n} * men.words();
    if (state_.pending.values * cost_per_cut > 2 * (state_.size + words * cost_per_word)) {
      rebuild(men, women, policy_);
      rebuild(women, men, policy_);
    } else {
      remove_reverse_of_pending(men, women);
      remove_reverse_of_pending(women, men);
    }
    state_.pending.clear();
  }

  void remove_reverse_of_pending(SideView<Id> const& from, SideView<Id> const& to) {
    ReverseRemovals<Id> removals(from, to, policy_);
    state_.pending.for_each_word(from.side,
                                 [&](std::uint32_t person, std::uint32_t word, Word removed) {
                                   removals.add(person, word, removed);
                                 });
    removals.flush();
  }

  /// The paper's deltaMin for each free proposer, then its deltaMax for each receiver whose offer
  /// fell.
  void propose_and_prune(Side proposing) {
    PersonList& free = state_.free.of(proposing);
    if (state_.failed || free.empty()) {
      return;
    }
    SideView<Id> const proposers = state_.view_of(proposing);
    SideView<Id> const receivers = state_.view_of(other(proposing));
    Propose<Id> const propose{proposers, receivers, state_.backlog_links.data()};
    ChainQueue& queue = state_.queue;
    while (!free.empty()) {
      std::uint32_t const proposer = free.pop();
      queue.push({proposer, proposers.proposed[proposer]});
    }
    while (!queue.empty() && !state_.failed) {
      Chain const chain = queue.pop();
      if (queue.size() > turns_ahead) {
        Chain const& soon = queue.ahead(turns_ahead);
        prefetch(&proposers.candidates(soon.proposer, soon.position));
      }
      // Over a full domain it is faster to test value by value.
      if (proposers.count[chain.proposer] > state_.n / 4) {
        HostUpdatePolicy<Id> turn{state_};
        propose(OneThread{}, turn, chain);
      } else {
        propose_by_next_values(proposers, receivers, chain);
      }
    }
    queue.clear();
    PersonList& improved = state_.improved.of(other(proposing));
    if (!state_.failed) {
      prune(proposers, receivers, improved);
    }
    improved.clear();
  }

  /// Equivalent to: Propose until one proposal is accepted. Tests only the values in NextValues.
  void propose_by_next_values(SideView<Id> const& proposers, SideView<Id> const& receivers,
                              Chain chain) {
    auto const [proposer, begin] = chain;
    NextValues& next_values = state_.next_values[index_of(proposers.side)](proposer);
    Word const* const missing = &state_.missing[index_of(proposers.side)](proposer, 0);
    for (std::uint32_t position = begin;;) {
      for (Word const entry : next_values.entries) {
        if (NextValues::next_position(entry) <= position) {
          continue;
        }
        std::uint32_t const value = NextValues::next_position(entry) - 1;
        if (value == proposers.n) {
          policy_.fail();
          return;
        }
        position = value + 1;
        ReversePair const reverse = NextValues::reverse(entry);
        Word& offer = receivers.offer[reverse.person];
        if (reverse.value >= kept_ranks(offer)) {
          continue;
        }
        bool const accepted = proposers.has(proposer, value);
        Word const before = policy_.lower_offer(
            offer, accepted ? engaged(reverse.value, proposer, value) : unengaged(reverse.value));
        if (before <= offer) {
          continue;
        }
        policy_.note_improved(receivers, reverse.person, before, offer);
        if (is_engaged(before)) {
          state_.queue.push({proposer_of(before), value_of(before) + 1});
        }
        if (accepted) {
          policy_.note_moved(proposers, proposer, value);
          return;
        }
      }
      prefetch_next_values(proposers, proposer, position);
      next_values = find_next_values(proposers, missing, proposer, position);
      state_.mark_changed(proposers.side, proposer);
    }
  }

  /// Prefetches the lines that the next values from `begin` on usually lie on. Only the row tells
  /// the exact ones.
  static void prefetch_next_values(SideView<Id> const& proposers, std::uint32_t proposer,
                                   std::uint32_t begin) {
    constexpr std::uint32_t values_per_line = 64 / sizeof(CandidateWord<Id>);
    for (std::uint32_t line = 0; line < 5; ++line) {
      prefetch(&proposers.candidates(proposer, begin) + line * values_per_line);
    }
  }

  /// Phase 3: pair by pair, or by rebuild() if more pairs go than stay.
  void prune(SideView<Id> const& proposers, SideView<Id> const& receivers,
             PersonList const& improved) {
    std::uint64_t at_most = 0;
    for (std::uint32_t const receiver : improved.persons()) {
      at_most +=
          std::min(state_.kept_ranks_before(receiver) - kept_ranks(receivers.offer[receiver]),
                   receivers.count[receiver]);
    }
    std::uint64_t const words = std::uint64_t{state_.n} * proposers.words();
    if (at_most * cost_per_cut <=
        state_.size - std::min(at_most, state_.size) + words * cost_per_word) {
      ReverseRemovals<Id> removals(receivers, proposers, cut_policy_);
      for_each_cut(receivers, improved, [&](std::uint32_t receiver, std::uint32_t word, Word gone) {
        remove_values(receivers, cut_policy_, receiver, word, gone);
        removals.add(receiver, word, gone);
      });
      removals.flush();
    } else {
      for_each_cut(receivers, improved, [&](std::uint32_t receiver, std::uint32_t word, Word gone) {
        remove_values(receivers, cut_policy_, receiver, word, gone);
      });
      rebuild(proposers, receivers, cut_policy_);
    }
  }

  /// Calls use(receiver, word, values) for each word with values that an offer no longer keeps.
  template <class Use>
  void for_each_cut(SideView<Id> const& receivers, PersonList const& improved,
                    Use const& use) const {
    for (std::uint32_t i = 0; i < improved.size(); ++i) {
      if (i + receivers_ahead < improved.size()) {
        prefetch_cut(receivers, improved[i + receivers_ahead]);
      }
      std::uint32_t const receiver = improved[i];
      std::uint32_t const now = kept_ranks(receivers.offer[receiver]);
      for (std::uint32_t word = now / word_bits;
           word * word_bits < state_.kept_ranks_before(receiver); ++word) {
        Word const gone = receivers.rows(receiver, word) & ~bits_below(now, word);
        if (gone != 0) {
          use(receiver, word, gone);
        }
      }
    }
  }

  /// Prefetches the receiver's row at the cut, and the proposer that it leaves, whose pair surely
  /// goes.
  void prefetch_cut(SideView<Id> const& receivers, std::uint32_t receiver) const {
    prefetch(&receivers.rows(receiver, kept_ranks(receivers.offer[receiver]) / word_bits));
    prefetch(&receivers.candidates(receiver, state_.kept_ranks_before(receiver) - 1));
  }

  /// Rebuilds one side's rows from the other's. It looks up the pairs that stay, so it pays if
  /// fewer stay than go.
  void rebuild(SideView<Id> const& view, SideView<Id> const& others, HostUpdatePolicy<Id>& policy) {
    auto const& rebuilt = state_.rebuilt;
    for (std::uint32_t person = 0; person < state_.n; ++person) {
      std::uint32_t const end = kept_ranks(others.offer[person]);
      for (std::uint32_t word = 0; word * word_bits < end; ++word) {
        for_each_value(others.rows(person, word), word, [&](std::uint32_t value) {
          ReversePair const reverse = others.reverse(person, value);
          rebuilt(reverse.person, reverse.value / word_bits) |= bit_of(reverse.value);
        });
      }
    }
    for (std::uint32_t person = 0; person < state_.n; ++person) {
      for (std::uint32_t word = 0; word < view.words(); ++word) {
        Word const gone = view.rows(person, word) & ~rebuilt(person, word);
        rebuilt(person, word) = 0;
        if (gone != 0) {
          remove_values(view, policy, person, word, gone);
        }
      }
    }
  }

  void bind_partners() {
    while (!state_.failed && !state_.assigned.empty()) {
      for (Side const side : {Side::men, Side::women}) {
        PersonList& assigned = state_.assigned.of(side);
        SideView<Id> const view = state_.view_of(side);
        SideView<Id> const others = state_.view_of(other(side));
        ReverseRemovals<Id> removals(others, view, policy_);
        while (!assigned.empty()) {
          detail::bind_partner(view, others, policy_, assigned.pop(),
                               [&](std::uint32_t partner, std::uint32_t word, Word values) {
                                 removals.add(partner, word, values);
                               });
          removals.flush();
        }
      }
    }
  }

  // How far ahead the loops prefetch.
  static constexpr std::uint32_t turns_ahead = 4;
  static constexpr std::uint32_t receivers_ahead = 4;

  // Costs in units of one lookup of a pair that stays, in rebuild(): removing one pair by itself,
  // with its bookkeeping; and passing one word of the rows, all of which rebuild() passes.
  static constexpr std::uint64_t cost_per_cut = 4;
  static constexpr std::uint64_t cost_per_word = 2;

  HostState<Id>& state_;
  HostUpdatePolicy<Id> policy_;
  HostUpdatePolicy<Id> cut_policy_;
};

}  // namespace taper::marriage_propagator::detail
