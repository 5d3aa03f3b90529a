// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/changes.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/ledger.hpp>
#include <taper/marriage_propagator/ledger_books.hpp>
#include <taper/marriage_propagator/prune.hpp>
#include <taper/marriage_propagator/tighten.hpp>
#include <taper/marriage_propagator/window.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace taper::marriage_propagator::detail {

/// The serial propagator (Section 3): one call, on the calling thread.
template <class Id>
class Serial {
 public:
  explicit Serial(Ledger<Id>& ledger)
      : ledger_(ledger), books_{ledger}, cuts_{.ledger = ledger, .by_offers = true} {}

  /// Leaves ledger.failed set, and the domains of no use, where somebody has
  /// nobody left.
  void propagate(bool engage) {
    make_coherent();
    pass(People::men);
    if (ledger_.symmetric) {
      pass(People::women);
    }
    if (engage) {
      engage_singles();
    }
  }

 private:
  /// Phase 1, and removeValue for both sexes.
  void make_coherent() {
    ledger_.trail_pending();
    for (People const people : {People::men, People::women}) {
      for (std::uint32_t const person : ledger_.pending.people.of(people).people()) {
        ledger_.stale.of(people).add(person);
      }
    }
    Side<Id> const men = ledger_.side(People::men);
    Side<Id> const women = ledger_.side(People::women);
    std::uint64_t const words = std::uint64_t{ledger_.n} * men.words();
    if (ledger_.pending.values * price_of_a_cut > 2 * (ledger_.size + words * price_of_a_word)) {
      rebuild(men, women, books_);
      rebuild(women, men, books_);
    } else {
      take_twins_of_pending(men, women);
      take_twins_of_pending(women, men);
    }
    ledger_.pending.clear();
  }

  void take_twins_of_pending(Side<Id> const& from, Side<Id> const& to) {
    Removals<Id> removals(from, to, books_);
    ledger_.pending.for_each_word(from.people,
                                  [&](std::uint32_t person, std::uint32_t word, Word taken) {
                                    removals.add(person, word, taken);
                                  });
    removals.flush();
  }

  /// deltaMin of everyone who is free, then deltaMax of everyone who has done
  /// better.
  void pass(People proposing) {
    PeopleList& free = ledger_.free.of(proposing);
    if (ledger_.failed || free.empty()) {
      return;
    }
    Side<Id> const proposers = ledger_.side(proposing);
    Side<Id> const receivers = ledger_.side(other(proposing));
    Tighten<Id> const tighten{proposers, receivers, ledger_.next.data()};
    ChainQueue& queue = ledger_.queue;
    while (!free.empty()) {
      std::uint32_t const proposer = free.pop();
      queue.push({proposer, proposers.first[proposer]});
    }
    while (!queue.empty() && !ledger_.failed) {
      Chain const chain = queue.pop();
      if (queue.size() > turns_ahead) {
        Chain const& soon = queue.ahead(turns_ahead);
        prefetch(&proposers.candidates(soon.proposer, soon.position));
      }
      // A full domain is sooner gone over value by value.
      if (proposers.count[chain.proposer] > ledger_.n / 4) {
        LedgerBooks<Id> turn{ledger_};
        tighten(OneLane{}, turn, chain);
      } else {
        propose(proposers, receivers, chain);
      }
    }
    queue.clear();
    PeopleList& improved = ledger_.improved.of(other(proposing));
    if (!ledger_.failed) {
      prune(proposers, receivers, improved);
    }
    improved.clear();
  }

  /// Tighten for a turn of one proposer, through windows.
  void propose(Side<Id> const& proposers, Side<Id> const& receivers, Chain chain) {
    auto const [proposer, begin] = chain;
    Window& window = ledger_.windows[index_of(proposers.people)](proposer);
    Word const* const missing = &ledger_.missing[index_of(proposers.people)](proposer, 0);
    for (std::uint32_t position = begin;;) {
      for (Word const entry : window.tries) {
        if (Window::end(entry) <= position) {
          continue;
        }
        std::uint32_t const value = Window::end(entry) - 1;
        if (value == proposers.n) {
          books_.fail();
          return;
        }
        position = value + 1;
        Twin const twin = Window::twin(entry);
        Word& offer = receivers.offer[twin.person];
        if (twin.value >= kept(offer)) {
          continue;
        }
        bool const accepted = proposers.has(proposer, value);
        Word const before =
            books_.lower(offer, accepted ? engaged(twin.value, proposer, value) : open(twin.value));
        if (before <= offer) {
          continue;
        }
        books_.improved(receivers, twin.person, before, offer);
        if (is_engaged(before)) {
          ledger_.queue.push({proposer_of(before), value_of(before) + 1});
        }
        if (accepted) {
          books_.moved(proposers, proposer, value);
          return;
        }
      }
      expect_window(proposers, proposer, position);
      window = window_from(proposers, missing, proposer, position);
      ledger_.touch(proposers.people, proposer);
    }
  }

  /// What a window from `begin` on has lies on these lines as a rule; the row only says where.
  static void expect_window(Side<Id> const& proposers, std::uint32_t proposer,
                            std::uint32_t begin) {
    constexpr std::uint32_t values_a_line = 64 / sizeof(CandidateWord<Id>);
    for (std::uint32_t line = 0; line < 5; ++line) {
      prefetch(&proposers.candidates(proposer, begin) + line * values_a_line);
    }
  }

  void prune(Side<Id> const& proposers, Side<Id> const& receivers, PeopleList const& improved) {
    std::uint64_t at_most = 0;
    for (std::uint32_t const receiver : improved.people()) {
      at_most += std::min(ledger_.kept_before(receiver) - kept(receivers.offer[receiver]),
                          receivers.count[receiver]);
    }
    std::uint64_t const words = std::uint64_t{ledger_.n} * proposers.words();
    if (at_most * price_of_a_cut <=
        ledger_.size - std::min(at_most, ledger_.size) + words * price_of_a_word) {
      Removals<Id> removals(receivers, proposers, cuts_);
      for_each_cut(receivers, improved, [&](std::uint32_t receiver, std::uint32_t word, Word gone) {
        take(receivers, cuts_, receiver, word, gone);
        removals.add(receiver, word, gone);
      });
      removals.flush();
    } else {
      for_each_cut(receivers, improved, [&](std::uint32_t receiver, std::uint32_t word, Word gone) {
        take(receivers, cuts_, receiver, word, gone);
      });
      rebuild(proposers, receivers, cuts_);
    }
  }

  /// Calls use(receiver, word, values) for each word with values that her offer no longer keeps.
  template <class Use>
  void for_each_cut(Side<Id> const& receivers, PeopleList const& improved, Use const& use) const {
    for (std::uint32_t i = 0; i < improved.size(); ++i) {
      if (i + receivers_ahead < improved.size()) {
        expect(receivers, improved[i + receivers_ahead]);
      }
      std::uint32_t const receiver = improved[i];
      std::uint32_t const now = kept(receivers.offer[receiver]);
      for (std::uint32_t word = now / word_bits; word * word_bits < ledger_.kept_before(receiver);
           ++word) {
        Word const gone = receivers.rows(receiver, word) & ~bits_below(now, word);
        if (gone != 0) {
          use(receiver, word, gone);
        }
      }
    }
  }

  /// Her row where it is cut, and whom she was engaged to, who is certain to go.
  void expect(Side<Id> const& receivers, std::uint32_t receiver) const {
    prefetch(&receivers.rows(receiver, kept(receivers.offer[receiver]) / word_bits));
    prefetch(&receivers.candidates(receiver, ledger_.kept_before(receiver) - 1));
  }

  /// One side's rows from the other's: looks up the pairs that stay, where they are the fewer.
  void rebuild(Side<Id> const& side, Side<Id> const& others, LedgerBooks<Id>& books) {
    auto const& rebuilt = ledger_.rebuilt;
    for (std::uint32_t person = 0; person < ledger_.n; ++person) {
      std::uint32_t const end = kept(others.offer[person]);
      for (std::uint32_t word = 0; word * word_bits < end; ++word) {
        for_each_value(others.rows(person, word), word, [&](std::uint32_t value) {
          Twin const twin = others.twin(person, value);
          rebuilt(twin.person, twin.value / word_bits) |= bit_of(twin.value);
        });
      }
    }
    for (std::uint32_t person = 0; person < ledger_.n; ++person) {
      for (std::uint32_t word = 0; word < side.words(); ++word) {
        Word const gone = side.rows(person, word) & ~rebuilt(person, word);
        rebuilt(person, word) = 0;
        if (gone != 0) {
          take(side, books, person, word, gone);
        }
      }
    }
  }

  void engage_singles() {
    while (!ledger_.failed && !ledger_.singles.empty()) {
      for (People const people : {People::men, People::women}) {
        PeopleList& singles = ledger_.singles.of(people);
        Side<Id> const side = ledger_.side(people);
        Side<Id> const others = ledger_.side(other(people));
        Removals<Id> removals(others, side, books_);
        while (!singles.empty()) {
          detail::engage(side, others, books_, singles.pop(),
                         [&](std::uint32_t partner, std::uint32_t word, Word values) {
                           removals.add(partner, word, values);
                         });
          removals.flush();
        }
      }
    }
  }

  static constexpr std::uint32_t turns_ahead = 4;
  static constexpr std::uint32_t receivers_ahead = 4;

  /// Taking a pair out by itself, with its bookkeeping, takes as long as looking up so many that
  /// stay; going over a word of the proposers' rows, of which all are rebuilt, as long as so many.
  static constexpr std::uint64_t price_of_a_cut = 4;
  static constexpr std::uint64_t price_of_a_word = 2;

  Ledger<Id>& ledger_;
  LedgerBooks<Id> books_;
  LedgerBooks<Id> cuts_;
};

}  // namespace taper::marriage_propagator::detail
