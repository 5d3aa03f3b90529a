// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/change_lists.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/next_values.hpp>
#include <taper/marriage_propagator/prune.hpp>
#include <taper/marriage_propagator/published/bounds.hpp>
#include <taper/marriage_propagator/trail.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace taper::marriage_propagator::detail {

/// The propagator's state in host memory: the domains that a solver sees, and lists of their
/// changes.
///
/// Used by: Propagator, which owns one, and all propagators (serial.hpp, parallel.hpp, published/).
template <class Id>
struct HostState {
  using HostDomains = Domains<Kokkos::HostSpace>;
  using Candidates =
      Kokkos::View<CandidateWord<Id> const**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using NextValuesView = Kokkos::View<NextValues*, Kokkos::HostSpace>;

  HostArena arena;  ///< holds all members below except the tables and the trail
  std::uint32_t n;
  bool symmetric;
  std::array<Candidates, 2> candidates;
  std::array<HostDomains, 2> domains;
  /// Per proposer, the values that left its domain for other reasons than offers. A proposer that
  /// passes such a value must still propose with it. Kept only if serial calls are possible.
  std::array<HostRows, 2> missing;
  Pending pending;
  PersonLists free;      ///< proposers whose minimum is gone
  PersonLists assigned;  ///< persons with one value left
  PersonLists changed;   ///< persons whose domain the last call may have changed
  PersonLists stale;     ///< persons that the execution space has not seen in their present state
  PersonLists improved;  ///< receivers whose offer has fallen in this pass
  /// Per improved receiver, how many ranks it kept before the pass.
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> kept_ranks_before;
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> backlog_links;
  ChainQueue queue;  ///< free proposers of a serial call, in the order of their turns
  /// Per proposer. Zero until the serial propagator needs them, or a call on a GPU brings them.
  std::array<NextValuesView, 2> next_values;
  HostRows rebuilt;              ///< zero between calls
  published::HostBounds bounds;  ///< without extent if the engine is Taper's
  Trail<Id> trail;
  std::uint64_t size;  ///< pairs left: the sum of the men's counts
  bool failed = false;

  /// All domains full, all proposers free.
  HostState(std::array<Candidates, 2> const& tables, Options const& options)
      : HostState(HostArena(Kokkos::DefaultHostExecutionSpace{},
                            "taper::marriage_propagator::host_state",
                            HostState(HostArena{}, tables, options).arena.used()),
                  tables, options) {
    arena.zero_fill();
    if (options.max_levels > 0) {
      trail = Trail<Id>(n, options.max_levels);
    }
    for (Side const side : {Side::men, Side::women}) {
      HostDomains const& full = domains[index_of(side)];
      for (std::uint32_t person = 0; person < n; ++person) {
        for (std::uint32_t word = 0; word < words_for(n); ++word) {
          full.rows(person, word) = bits_below(n, word);
        }
        full.count(person) = n;
        full.proposed(person) = 0;
        full.offer(person) = unengaged(n);
        if (bounds.is_kept()) {
          bounds.set(side, person, 0, n - 1, n);
        }
      }
      if (proposes(side)) {
        free.of(side).add_all();
      }
    }
  }

  SideView<Id> view_of(Side side) const {
    return domains[index_of(side)].template view<Id>(side, candidates[index_of(side)]);
  }
  bool proposes(Side side) const { return side == Side::men || symmetric; }

  /// Records that values left a proposer's domain for another reason than an offer.
  void note_missing(Side side, std::uint32_t person, std::uint32_t word, Word values) {
    if (proposes(side)) {
      missing[index_of(side)](person, word) |= values;
    }
  }

  /// Records a change that the execution space must be sent.
  void mark_changed(Side side, std::uint32_t person) {
    changed.of(side).add(person);
    stale.of(side).add(person);
  }

  /// Copies the domains and the pending values of another state with the same tables, but not its
  /// trail. Discards the contents of this state.
  void copy_from(HostState const& other_state) {
    pending.clear();
    for (PersonLists* lists : {&changed, &stale, &improved}) {
      lists->clear();
    }
    queue.clear();
    trail.reset();
    for (auto const& side : next_values) {
      std::fill_n(side.data(), side.extent(0), NextValues{});
    }
    for (std::size_t i = 0; i < 2; ++i) {
      HostDomains const& from = other_state.domains[i];
      std::copy_n(from.rows.data(), from.rows.span(), domains[i].rows.data());
      std::copy_n(other_state.missing[i].data(), missing[i].span(), missing[i].data());
      std::copy_n(from.count.data(), n, domains[i].count.data());
      std::copy_n(from.proposed.data(), n, domains[i].proposed.data());
      std::copy_n(from.offer.data(), n, domains[i].offer.data());
    }
    free.copy_from(other_state.free);
    assigned.copy_from(other_state.assigned);
    if (other_state.pending.values > 0) {
      pending.copy_from(other_state.pending);
    }
    bounds.copy_from(other_state.bounds);
    size = other_state.size;
    failed = other_state.failed;
  }

  /// Removes `mask` from a word of a person's own row, on behalf of the solver. Lists the persons
  /// that become free.
  ///
  /// The next call looks up the reverse pairs, which are in no cache after a call on a GPU. This
  /// prefetches them if few values go. If many go, the next call should rebuild the rows instead.
  void remove(Side side, std::uint32_t person, std::uint32_t word, Word mask) {
    SideView<Id> const view = view_of(side);
    Word const removed = view.rows(person, word) & mask;
    if (removed == 0) {
      return;
    }
    view.rows(person, word) &= ~mask;
    view.count[person] -= count_bits(removed);
    note_missing(side, person, word, removed);
    pending.add(side, person, word, removed);
    if (count_bits(removed) <= few_values) {
      for_each_value(removed, word,
                     [&](std::uint32_t value) { prefetch(&view.candidates(person, value)); });
    }
    if (side == Side::men) {
      size -= count_bits(removed);
    }
    if (view.count[person] == 0) {
      failed = true;
    } else if (view.count[person] == 1) {
      assigned.of(side).add(person);
    }
    auto const was_removed = [&](std::uint32_t value) {
      return value / word_bits == word && (removed & bit_of(value)) != 0;
    };
    if (proposes(side) && was_removed(view.proposed[person])) {
      free.of(side).add(person);
    }
    Word const offer = view.offer[person];
    if (is_engaged(offer) && was_removed(kept_ranks(offer) - 1)) {
      free.of(other(side)).add(proposer_of(offer));
    }
  }

  /// Prefetches what the next serial call accesses at random, except rows and next values: some
  /// 40 bytes per person. The records of a call on a GPU have evicted it from the caches.
  void prefetch_for_serial_call() const {
    for (HostDomains const& of_side : domains) {
      prefetch_all(of_side.count);
      prefetch_all(of_side.proposed);
      prefetch_all(of_side.offer);
    }
    for (PersonLists const* lists : {&free, &assigned, &changed, &stale, &improved}) {
      lists->prefetch_lists();
    }
    prefetch_all(kept_ranks_before);
  }

  /// Ends the engagements of free proposers. The receiver of a free proposer is engaged to none,
  /// and keeps the ranks before that proposer.
  void disengage_free(Side proposing) {
    SideView<Id> const proposers = view_of(proposing);
    SideView<Id> const receivers = view_of(other(proposing));
    for (std::uint32_t const proposer : free.of(proposing).persons()) {
      ReversePair const reverse = proposers.reverse(proposer, proposers.proposed[proposer]);
      Word& offer = receivers.offer[reverse.person];
      if (is_engaged(offer) && proposer_of(offer) == proposer) {
        offer = unengaged(reverse.value);
        mark_changed(receivers.side, reverse.person);
      }
    }
  }

  /// Adds to the trail the pending values that the men lost. The women's are added with the reverse
  /// pairs of the men.
  void trail_pending() {
    if (trail.is_recording()) {
      pending.for_each_word(Side::men, [&](std::uint32_t man, std::uint32_t word, Word removed) {
        trail_values(man, word, removed);
      });
    }
  }
  void trail_values(std::uint32_t man, std::uint32_t word, Word removed) {
    if (trail.is_recording()) {
      for_each_value(removed, word, [&](std::uint32_t value) { trail.push(man, value); });
    }
  }

  /// Sets the bounds of a person's domain at a fixpoint. A proposer stands at its least value, and
  /// a receiver is engaged to its greatest. Without `bounds` the other value is not read.
  void set_bounds(Side side, std::uint32_t person, std::uint32_t least,
                  std::uint32_t greatest) const {
    SideView<Id> const view = view_of(side);
    if (proposes(side)) {
      view.proposed[person] = least;
      next_values[index_of(side)](person) = {};
    }
    if (proposes(other(side))) {
      ReversePair const reverse = view.reverse(person, greatest);
      view.offer[person] = engaged(greatest, reverse.person, reverse.value);
    }
    if (bounds.is_kept()) {
      bounds.set(side, person, least, greatest, view.count[person]);
    }
  }

  /// Returns to the last save(), from any later state. This includes a call that failed half-way.
  void restore() {
    undo_pending();
    SideView<Id> const men = view_of(Side::men);
    SideView<Id> const women = view_of(Side::women);
    if (failed && bounds.is_kept()) {
      match_women_to_men(men, women);
    }
    trail.restore([&](std::uint32_t man, std::uint32_t value) {
      ReversePair const reverse = men.reverse(man, value);
      put_back(men, man, value / word_bits, bit_of(value));
      put_back(women, reverse.person, reverse.value / word_bits, bit_of(reverse.value));
      ++men.count[man];
      ++women.count[reverse.person];
      ++size;
      mark_changed(Side::men, man);
      mark_changed(Side::women, reverse.person);
    });
    for (Side const side : {Side::men, Side::women}) {
      for (std::uint32_t const person : changed.of(side).persons()) {
        reset_bounds(side, person);
      }
    }
    free.clear();
    assigned.clear();
    improved.clear();
    failed = false;
  }

 private:
  static constexpr std::uint32_t few_values = 4;  ///< per word; see remove()

  /// Lays out the members in `memory` and writes nothing. Without memory, it measures the size.
  HostState(HostArena memory, std::array<Candidates, 2> const& tables, Options const& options)
      : arena(std::move(memory)), n(static_cast<std::uint32_t>(tables[0].extent(0))),
        symmetric(options.symmetric),
        candidates(tables), domains{HostDomains(arena, n), HostDomains(arena, n)},
        missing{empty_rows(arena, n), empty_rows(arena, symmetric ? n : 0)}, pending(arena, n),
        free(arena, n), assigned(arena, n), changed(arena, n), stale(arena, n), improved(arena, n),
        kept_ranks_before(arena.take<decltype(kept_ranks_before)>(n)),
        backlog_links(arena.take<decltype(backlog_links)>(n)),
        queue(arena, n), next_values{arena.take<NextValuesView>(n),
                                     arena.take<NextValuesView>(symmetric ? n : 0)},
        rebuilt(empty_rows(arena, n)), bounds(arena, options.engine == Engine::taper ? 0 : n),
        size(std::uint64_t{n} * n) {}

  void undo_pending() {
    for (Side const side : {Side::men, Side::women}) {
      SideView<Id> const view = view_of(side);
      pending.for_each_word(side, [&](std::uint32_t person, std::uint32_t word, Word removed) {
        put_back(view, person, word, removed);
        view.count[person] += count_bits(removed);
        size += side == Side::men ? count_bits(removed) : 0;
        mark_changed(side, person);
      });
    }
    pending.clear();
  }

  void put_back(SideView<Id> const& view, std::uint32_t person, std::uint32_t word, Word values) {
    view.rows(person, word) |= values;
    if (proposes(view.side)) {
      missing[index_of(view.side)](person, word) &= ~values;
    }
  }

  /// The published serial propagator stops at a failure, when some pairs have left one of the two
  /// domains only. This gives the women what the men have, which is what the trail knows.
  void match_women_to_men(SideView<Id> const& men, SideView<Id> const& women) const {
    auto const match = [&](std::uint32_t woman, std::uint32_t value) {
      ReversePair const reverse = women.reverse(woman, value);
      bool const wanted = men.has(reverse.person, reverse.value);
      if (wanted != women.has(woman, value)) {
        women.rows(woman, value / word_bits) ^= bit_of(value);
        women.count[woman] += wanted ? 1u : ~0u;
      }
    };
    for (std::uint32_t const woman : changed.of(Side::women).persons()) {
      for (std::uint32_t value = 0; value < n; ++value) {
        match(woman, value);
      }
    }
    for (std::uint32_t const man : changed.of(Side::men).persons()) {
      for (std::uint32_t value = 0; value < n; ++value) {
        ReversePair const reverse = men.reverse(man, value);
        match(reverse.person, reverse.value);
      }
    }
  }

  /// Derives a person's bounds from its row, which is at a fixpoint.
  void reset_bounds(Side side, std::uint32_t person) const {
    SideView<Id> const view = view_of(side);
    bool const has_least = proposes(side) || bounds.is_kept();
    bool const has_greatest = proposes(other(side)) || bounds.is_kept();
    set_bounds(side, person, has_least ? least_value(view, person) : 0,
               has_greatest ? greatest_value(view, person) : 0);
  }
};

}  // namespace taper::marriage_propagator::detail
