// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/changes.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/prune.hpp>
#include <taper/marriage_propagator/tighten.hpp>
#include <taper/marriage_propagator/trail.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace taper::marriage_propagator::detail {

/// The state that a solver sees, in the calling thread's memory, and all that is noted about its changes.
template <class Id>
struct Ledger {
  using HostDomains = Domains<Kokkos::HostSpace>;
  using Candidates =
      Kokkos::View<CandidateWord<Id> const**, Kokkos::LayoutRight, Kokkos::HostSpace>;

  std::uint32_t n;
  std::array<Candidates, 2> candidates;
  std::array<HostDomains, 2> domains;
  Pending pending;
  PeopleLists free;      ///< proposers whose minimum is gone
  PeopleLists singles;   ///< who has come to one value
  PeopleLists changed;   ///< whose domain the last call may have changed
  PeopleLists stale;     ///< whose domain the execution space has not seen as it is
  PeopleLists improved;  ///< receivers whose offer has fallen in this pass
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> next;
  Kokkos::View<Word**, Kokkos::LayoutRight, Kokkos::HostSpace> rebuilt;
  Trail<Id> trail;
  std::uint64_t size;  ///< pairs left, counted by the men's values
  bool failed = false;

  Ledger(std::array<Candidates, 2> const& tables, std::uint32_t levels)
      : n(static_cast<std::uint32_t>(tables[0].extent(0))),
        candidates(tables), domains{HostDomains("taper::marriage_propagator::men", n),
                                    HostDomains("taper::marriage_propagator::women", n)},
        pending(n), free("taper::marriage_propagator::free", n),
        singles("taper::marriage_propagator::singles", n),
        changed("taper::marriage_propagator::changed", n),
        stale("taper::marriage_propagator::stale", n),
        improved("taper::marriage_propagator::improved", n),
        next(Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::marriage_propagator::next"),
             n),
        rebuilt(
            Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::marriage_propagator::rebuilt"),
            n, words_for(n)),
        trail(n, levels), size(std::uint64_t{n} * n) {
    for (HostDomains const& side : domains) {
      for (std::uint32_t person = 0; person < n; ++person) {
        for (std::uint32_t word = 0; word < words_for(n); ++word) {
          side.rows(person, word) = bits_below(n, word);
        }
        side.count(person) = n;
        side.first(person) = 0;
        side.offer(person) = open(n);
      }
    }
  }

  Side<Id> side(People people) const {
    return domains[index_of(people)].template look<Id>(people, candidates[index_of(people)]);
  }

  /// For a change that the execution space is not told of otherwise.
  void touch(People people, std::uint32_t person) {
    changed.of(people).add(person);
    stale.of(people).add(person);
  }
};

/// How the only worker books what it does: plain reads and writes, and every change on a list.
template <class Id>
struct LedgerBooks {
  Ledger<Id>& ledger;

  static constexpr bool halts() { return false; }
  void park(Chain const&) const {}
  void fail() const { ledger.failed = true; }

  Word lower(Word& offer, Word value) const {
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
    if (side.people == People::men) {
      ledger.size -= count_bits(taken);
      if (ledger.trail.records()) {
        for_each_value(taken, word, [&](std::uint32_t value) { ledger.trail.push(person, value); });
      }
    }
    if (left == 1) {
      ledger.singles.of(side.people).add(person);
    } else if (left == 0) {
      ledger.failed = true;
    }
  }
  void improved(Side<Id> const& receivers, std::uint32_t receiver, Word, Word) const {
    ledger.improved.of(receivers.people).add(receiver);
    ledger.touch(receivers.people, receiver);
  }
  void moved(Side<Id> const& proposers, std::uint32_t proposer) const {
    ledger.touch(proposers.people, proposer);
  }
};

/// The serial propagator (Section 3): one call, on the calling thread.
template <class Id>
class Serial {
 public:
  explicit Serial(Ledger<Id>& ledger) : ledger_(ledger), books_{ledger} {}

  /// Leaves ledger.failed set, and the domains of no use, where somebody has nobody left.
  void propagate(bool symmetric, bool engage) {
    make_coherent();
    pass(People::men);
    if (symmetric) {
      pass(People::women);
    }
    if (engage) {
      engage_singles();
    }
  }

 private:
  /// Phase 1, and removeValue for both sexes.
  void make_coherent() {
    // A pair is trailed by whoever takes the man's value: the man's own removals are.
    if (ledger_.trail.records()) {
      ledger_.pending.for_each_word(People::men, [&](std::uint32_t man, std::uint32_t word,
                                                     Word taken) {
        for_each_value(taken, word, [&](std::uint32_t value) { ledger_.trail.push(man, value); });
      });
    }
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

  /// deltaMin of everyone who is free, then deltaMax of everyone who has done better.
  void pass(People proposing) {
    PeopleList& free = ledger_.free.of(proposing);
    if (ledger_.failed || free.empty()) {
      return;
    }
    Side<Id> const proposers = ledger_.side(proposing);
    Side<Id> const receivers = ledger_.side(other(proposing));
    Tighten<Id> const tighten{proposers, receivers, ledger_.next.data()};
    while (!free.empty() && !ledger_.failed) {
      std::uint32_t const proposer = free.pop();
      tighten(OneLane{}, books_, {proposer, proposers.first[proposer]});
    }
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
    if (gone <= ledger_.size - gone) {
      for_each_cut(receivers, improved, [&](std::uint32_t receiver, std::uint32_t word) {
        cut_word(receivers, proposers, books_, receiver, word);
      });
    } else {
      for_each_cut(receivers, improved, [&](std::uint32_t receiver, std::uint32_t word) {
        cut_own_word(receivers, books_, receiver, word);
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

  /// The proposers' rows from the receivers': looks up the pairs that stay, where they are the fewer.
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
        take(proposers, books_, proposer, word, ~rebuilt(proposer, word));
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

  Ledger<Id>& ledger_;
  LedgerBooks<Id> books_;
};

}  // namespace taper::marriage_propagator::detail
