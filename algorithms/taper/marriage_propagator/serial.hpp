// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/changes.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/ledger.hpp>
#include <taper/marriage_propagator/prune.hpp>
#include <taper/marriage_propagator/tighten.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace taper::marriage_propagator::detail {

/// How the only worker books what it does: plain reads and writes, and every
/// change on a list. A turn is one proposal that is taken: where lists are alike, men who follow
/// their chains to the end one after another displace each other n * n / 4 times, in turn
/// n ln n times.
template <class Id>
struct LedgerBooks {
  Ledger<Id>& ledger;
  bool by_offers = false;  ///< whether what is taken out is what offers no longer keep
  bool had_its_turn = false;

  KOKKOS_FUNCTION bool halts() {
    bool const had = had_its_turn;
    had_its_turn = true;
    return had;
  }
  TAPER_EITHER_SIDE
  KOKKOS_FUNCTION void park(Chain const& chain) const { ledger.queue.push(chain); }
  KOKKOS_FUNCTION void fail() const { ledger.failed = true; }

  KOKKOS_FUNCTION Word lower(Word& offer, Word value) const {
    Word const before = offer;
    offer = value < before ? value : before;
    return before;
  }
  Word take(Word& word, Word mask) const {
    Word const taken = word & mask;
    word &= ~mask;
    return taken;
  }
  std::uint32_t subtract(std::uint32_t& count, std::uint32_t by) const { return count -= by; }

  void lost(Side<Id> const& side, std::uint32_t person, std::uint32_t word, Word taken,
            std::uint32_t left) const {
    ledger.touch(side.people, person);
    if (!by_offers) {
      ledger.missing[index_of(side.people)](person, word) |= taken;
    }
    if (side.people == People::men) {
      ledger.size -= count_bits(taken);
      ledger.trail_values(person, word, taken);
    }
    if (left == 1) {
      ledger.singles.of(side.people).add(person);
    } else if (left == 0) {
      ledger.failed = true;
    }
  }
  TAPER_EITHER_SIDE
  KOKKOS_FUNCTION void improved(Side<Id> const& receivers, std::uint32_t receiver, Word,
                                Word) const {
    if (ledger.improved.of(receivers.people).add(receiver)) {
      ledger.touch(receivers.people, receiver);
    }
  }
  TAPER_EITHER_SIDE
  KOKKOS_FUNCTION void moved(Side<Id> const& proposers, std::uint32_t proposer,
                             std::uint32_t position) const {
    proposers.first[proposer] = position;
    ledger.touch(proposers.people, proposer);
  }
};

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
      Side<Id> const from = ledger_.side(people);
      Side<Id> const to = ledger_.side(other(people));
      ledger_.pending.for_each_word(people,
                                    [&](std::uint32_t person, std::uint32_t word, Word taken) {
                                      ledger_.stale.of(people).add(person);
                                      take_twins(from, to, books_, person, word, taken);
                                    });
    }
    ledger_.pending.clear();
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
    auto const missing = rows_of(ledger_.missing[index_of(proposing)]);
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
      LedgerBooks<Id> turn{ledger_};
      // A full domain is sooner gone over value by value.
      if (proposers.count[chain.proposer] > ledger_.n / 4) {
        tighten(OneLane{}, turn, chain);
      } else {
        tighten(SparseLane{{}, proposers.rows[chain.proposer], missing[chain.proposer]}, turn,
                chain);
      }
    }
    queue.clear();
    PeopleList& improved = ledger_.improved.of(other(proposing));
    if (!ledger_.failed) {
      prune(proposers, receivers, improved);
    }
    improved.clear();
  }

  void prune(Side<Id> const& proposers, Side<Id> const& receivers, PeopleList const& improved) {
    std::uint64_t gone = 0;
    for_each_cut(receivers, improved, [&](std::uint32_t receiver, std::uint32_t word) {
      gone += count_bits(receivers.rows(receiver, word) &
                         ~bits_below(kept(receivers.offer[receiver]), word));
    });
    std::uint64_t const words = std::uint64_t{ledger_.n} * proposers.words();
    if (gone * price_of_a_cut <= ledger_.size - gone + words * price_of_a_word) {
      for_each_cut(receivers, improved, [&](std::uint32_t receiver, std::uint32_t word) {
        cut_word(receivers, proposers, cuts_, receiver, word);
      });
    } else {
      for_each_cut(receivers, improved, [&](std::uint32_t receiver, std::uint32_t word) {
        cut_own_word(receivers, cuts_, receiver, word);
      });
      rebuild(proposers, receivers);
    }
  }

  template <class Use>
  void for_each_cut(Side<Id> const& receivers, PeopleList const& improved, Use const& use) const {
    for (std::uint32_t const receiver : improved.people()) {
      for (std::uint32_t word = kept(receivers.offer[receiver]) / word_bits;
           word < receivers.words(); ++word) {
        use(receiver, word);
      }
    }
  }

  /// The proposers' rows from the receivers': looks up the pairs that stay,
  /// where they are the fewer.
  void rebuild(Side<Id> const& proposers, Side<Id> const& receivers) {
    auto const& rebuilt = ledger_.rebuilt;
    std::uint32_t const words = proposers.words();
    std::fill_n(rebuilt.data(), rebuilt.span(), Word{0});
    for (std::uint32_t receiver = 0; receiver < ledger_.n; ++receiver) {
      for (std::uint32_t word = 0; word < words; ++word) {
        for_each_value(receivers.rows(receiver, word), word, [&](std::uint32_t value) {
          Twin const twin = receivers.twin(receiver, value);
          rebuilt(twin.person, twin.value / word_bits) |= bit_of(twin.value);
        });
      }
    }
    for (std::uint32_t proposer = 0; proposer < ledger_.n; ++proposer) {
      for (std::uint32_t word = 0; word < words; ++word) {
        take(proposers, cuts_, proposer, word, ~rebuilt(proposer, word));
      }
    }
  }

  void engage_singles() {
    while (!ledger_.failed && !ledger_.singles.empty()) {
      for (People const people : {People::men, People::women}) {
        PeopleList& singles = ledger_.singles.of(people);
        while (!singles.empty()) {
          detail::engage(ledger_.side(people), ledger_.side(other(people)), books_, singles.pop());
        }
      }
    }
  }

  static constexpr std::uint32_t turns_ahead = 4;

  /// Taking a pair out by itself, with its bookkeeping, takes as long as looking up so many that
  /// stay; going over a word of the proposers' rows, of which all are rebuilt, as long as so many.
  static constexpr std::uint64_t price_of_a_cut = 4;
  static constexpr std::uint64_t price_of_a_word = 2;

  Ledger<Id>& ledger_;
  LedgerBooks<Id> books_;
  LedgerBooks<Id> cuts_;
};

}  // namespace taper::marriage_propagator::detail
