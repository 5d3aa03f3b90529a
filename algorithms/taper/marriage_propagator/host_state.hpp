// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/changes.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/prune.hpp>
#include <taper/marriage_propagator/trail.hpp>
#include <taper/marriage_propagator/window.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace taper::marriage_propagator::detail {

/// The state that a solver sees, in the calling thread's memory, and all that
/// is noted about its changes.
template <class Id>
struct Ledger {
  using HostDomains = Domains<Kokkos::HostSpace>;
  using Candidates =
      Kokkos::View<CandidateWord<Id> const**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Windows = Kokkos::View<Window*, Kokkos::HostSpace>;

  HostArena arena;  ///< of all that follows, but for the tables and the trail
  std::uint32_t n;
  bool symmetric;
  std::array<Candidates, 2> candidates;
  std::array<HostDomains, 2> domains;
  /// Of proposers, values that are gone, but not because a receiver's offer took them out: whoever
  /// proposes past one has to try it. Not kept by parallel calls alone.
  std::array<HostRows, 2> missing;
  Pending pending;
  PeopleLists free;      ///< proposers whose minimum is gone
  PeopleLists singles;   ///< who has come to one value
  PeopleLists changed;   ///< whose domain the last call may have changed
  PeopleLists stale;     ///< whose domain the execution space has not seen as it is
  PeopleLists improved;  ///< receivers whose offer has fallen in this pass
  /// Of these, how many of the first ranks were kept before.
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> kept_before;
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> next;
  ChainQueue queue;  ///< who proposes, in turn
  /// Of proposers; zero until somebody needs one, or a call of a GPU has brought it.
  std::array<Windows, 2> windows;
  HostRows rebuilt;  ///< zero between calls
  Trail<Id> trail;
  std::uint64_t size;  ///< pairs left, counted by the men's values
  bool failed = false;

  /// Full domains, everybody free.
  Ledger(std::array<Candidates, 2> const& tables, Options const& options)
      : Ledger(HostArena(Kokkos::DefaultHostExecutionSpace{}, "taper::marriage_propagator::ledger",
                         Ledger(HostArena{}, tables, options).arena.used()),
               tables, options) {
    arena.wipe();
    if (options.levels > 0) {
      trail = Trail<Id>(n, options.levels);
    }
    for (People const people : {People::men, People::women}) {
      HostDomains const& mine = domains[index_of(people)];
      for (std::uint32_t person = 0; person < n; ++person) {
        for (std::uint32_t word = 0; word < words_for(n); ++word) {
          mine.rows(person, word) = bits_below(n, word);
        }
        mine.count(person) = n;
        mine.first(person) = 0;
        mine.offer(person) = open(n);
      }
      if (proposes(people)) {
        free.of(people).add_everyone();
      }
    }
  }

  Side<Id> side(People people) const {
    return domains[index_of(people)].template look<Id>(people, candidates[index_of(people)]);
  }
  bool proposes(People people) const { return people == People::men || symmetric; }

  /// Values have gone otherwise than by an offer.
  void miss(People people, std::uint32_t person, std::uint32_t word, Word values) {
    if (proposes(people)) {
      missing[index_of(people)](person, word) |= values;
    }
  }

  /// For a change that the execution space is not told of otherwise.
  void touch(People people, std::uint32_t person) {
    changed.of(people).add(person);
    stale.of(people).add(person);
  }

  /// The domains of another one with the same tables, and what is pending there; not its trail. Whatever
  /// this one was is gone.
  void copy_from(Ledger const& other_one) {
    pending.clear();
    for (PeopleLists* lists : {&changed, &stale, &improved}) {
      lists->clear();
    }
    queue.clear();
    trail.forget();
    for (auto const& side : windows) {
      std::fill_n(side.data(), side.extent(0), Window{});
    }
    for (std::size_t i = 0; i < 2; ++i) {
      HostDomains const& from = other_one.domains[i];
      std::copy_n(from.rows.data(), from.rows.span(), domains[i].rows.data());
      std::copy_n(other_one.missing[i].data(), missing[i].span(), missing[i].data());
      std::copy_n(from.count.data(), n, domains[i].count.data());
      std::copy_n(from.first.data(), n, domains[i].first.data());
      std::copy_n(from.offer.data(), n, domains[i].offer.data());
    }
    free.copy_from(other_one.free);
    singles.copy_from(other_one.singles);
    if (other_one.pending.values > 0) {
      pending.copy_from(other_one.pending);
    }
    size = other_one.size;
    failed = other_one.failed;
  }

  /// Others take `mask` out of a word of a person's own row; notes whom that
  /// sets free. The next call looks up the twins, which after a call of a GPU are in no cache of the
  /// host: they are asked for, unless so many go that it had better rebuild the rows.
  void remove(People people, std::uint32_t person, std::uint32_t word, Word mask) {
    Side<Id> const mine = side(people);
    Word const taken = mine.rows(person, word) & mask;
    if (taken == 0) {
      return;
    }
    mine.rows(person, word) &= ~mask;
    mine.count[person] -= count_bits(taken);
    miss(people, person, word, taken);
    pending.note(people, person, word, taken);
    if (count_bits(taken) <= few_values) {
      for_each_value(taken, word,
                     [&](std::uint32_t value) { prefetch(&mine.candidates(person, value)); });
    }
    if (people == People::men) {
      size -= count_bits(taken);
    }
    if (mine.count[person] == 0) {
      failed = true;
    } else if (mine.count[person] == 1) {
      singles.of(people).add(person);
    }
    auto const took = [&](std::uint32_t value) {
      return value / word_bits == word && (taken & bit_of(value)) != 0;
    };
    if (proposes(people) && took(mine.first[person])) {
      free.of(people).add(person);
    }
    Word const offer = mine.offer[person];
    if (is_engaged(offer) && took(kept(offer) - 1)) {
      free.of(other(people)).add(proposer_of(offer));
    }
  }

  /// Asks for what the next serial call reads and writes of anybody at random, but for rows and windows:
  /// some 40 bytes a person, which the records of a call of a GPU have driven out of the caches.
  void expect_serial_call() const {
    for (HostDomains const& side : domains) {
      prefetch_all(side.count);
      prefetch_all(side.first);
      prefetch_all(side.offer);
    }
    for (PeopleLists const* lists : {&free, &singles, &changed, &stale, &improved}) {
      lists->expect_anybody();
    }
    prefetch_all(kept_before);
  }

  /// Whoever is free is engaged to nobody: a partner keeps whom she likes
  /// better.
  void release(People proposing) {
    Side<Id> const proposers = side(proposing);
    Side<Id> const receivers = side(other(proposing));
    for (std::uint32_t const proposer : free.of(proposing).people()) {
      Twin const twin = proposers.twin(proposer, proposers.first[proposer]);
      Word& offer = receivers.offer[twin.person];
      if (is_engaged(offer) && proposer_of(offer) == proposer) {
        offer = open(twin.value);
        touch(receivers.people, twin.person);
      }
    }
  }

  /// Trails what men have lost by others; what women have lost so is trailed
  /// with the men's twins.
  void trail_pending() {
    if (trail.records()) {
      pending.for_each_word(People::men, [&](std::uint32_t man, std::uint32_t word, Word taken) {
        trail_values(man, word, taken);
      });
    }
  }
  void trail_values(std::uint32_t man, std::uint32_t word, Word taken) {
    if (trail.records()) {
      for_each_value(taken, word, [&](std::uint32_t value) { trail.push(man, value); });
    }
  }

  /// Back to the last save(), whatever has happened since, a call that failed
  /// half-way included.
  void restore() {
    undo_pending();
    Side<Id> const men = side(People::men);
    Side<Id> const women = side(People::women);
    trail.restore([&](std::uint32_t man, std::uint32_t value) {
      Twin const twin = men.twin(man, value);
      put_back(men, man, value / word_bits, bit_of(value));
      put_back(women, twin.person, twin.value / word_bits, bit_of(twin.value));
      ++men.count[man];
      ++women.count[twin.person];
      ++size;
      touch(People::men, man);
      touch(People::women, twin.person);
    });
    for (People const people : {People::men, People::women}) {
      for (std::uint32_t const person : changed.of(people).people()) {
        reset_bounds(side(people), person);
      }
    }
    free.clear();
    singles.clear();
    improved.clear();
    failed = false;
  }

 private:
  static constexpr std::uint32_t few_values = 4;  ///< of a word

  /// With nothing written yet; of an arena without memory, only to learn how much it takes.
  Ledger(HostArena memory, std::array<Candidates, 2> const& tables, Options const& options)
      : arena(std::move(memory)), n(static_cast<std::uint32_t>(tables[0].extent(0))),
        symmetric(options.symmetric),
        candidates(tables), domains{HostDomains(arena, n), HostDomains(arena, n)},
        missing{empty_rows(arena, n), empty_rows(arena, symmetric ? n : 0)}, pending(arena, n),
        free(arena, n), singles(arena, n), changed(arena, n), stale(arena, n), improved(arena, n),
        kept_before(arena.take<decltype(kept_before)>(n)), next(arena.take<decltype(next)>(n)),
        queue(arena, n), windows{arena.take<Windows>(n), arena.take<Windows>(symmetric ? n : 0)},
        rebuilt(empty_rows(arena, n)), size(std::uint64_t{n} * n) {}

  void undo_pending() {
    for (People const people : {People::men, People::women}) {
      Side<Id> const mine = side(people);
      pending.for_each_word(people, [&](std::uint32_t person, std::uint32_t word, Word taken) {
        put_back(mine, person, word, taken);
        mine.count[person] += count_bits(taken);
        size += people == People::men ? count_bits(taken) : 0;
        touch(people, person);
      });
    }
    pending.clear();
  }

  void put_back(Side<Id> const& mine, std::uint32_t person, std::uint32_t word, Word values) {
    mine.rows(person, word) |= values;
    if (proposes(mine.people)) {
      missing[index_of(mine.people)](person, word) &= ~values;
    }
  }

  /// At a fixpoint a proposer stands at the least value, and a receiver is
  /// engaged to the greatest.
  void reset_bounds(Side<Id> const& mine, std::uint32_t person) const {
    if (proposes(mine.people)) {
      mine.first[person] = least_value(mine, person);
      windows[index_of(mine.people)](person) = {};
    }
    if (proposes(other(mine.people))) {
      std::uint32_t const rank = greatest_value(mine, person);
      Twin const twin = mine.twin(person, rank);
      mine.offer[person] = engaged(rank, twin.person, twin.value);
    }
  }
};

}  // namespace taper::marriage_propagator::detail
