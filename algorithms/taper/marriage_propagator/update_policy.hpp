// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/host_state.hpp>
#include <taper/marriage_propagator/prune.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>

namespace taper::marriage_propagator::detail {

/// How the serial propagator applies and records changes: plain reads and writes, and lists.
/// The parallel counterpart is SharedUpdatePolicy.
///
/// A step is one accepted proposal; then the next proposer in the queue takes its turn. On similar
/// lists, following each chain to its end causes n * n / 4 displacements; by turns it is n ln n.
template <class Id>
struct HostUpdatePolicy {
  HostState<Id>& state;
  bool removed_by_offers =
      false;               ///< whether the removed values are those that offers no longer keep
  bool turn_used = false;  ///< whether this policy's step is done

  KOKKOS_FUNCTION bool should_stop() {
    bool const had = turn_used;
    turn_used = true;
    return had;
  }
  TAPER_SUPPRESS_HOST_DEVICE_WARNING
  KOKKOS_FUNCTION void park(Chain const& chain) const { state.queue.push(chain); }
  KOKKOS_FUNCTION void fail() const { state.failed = true; }
  /// False: there is no other worker.
  template <class Lanes>
  KOKKOS_FUNCTION bool hand_off(Lanes const&, Chain const&) const {
    return false;
  }
  template <class Lanes>
  KOKKOS_FUNCTION bool wait_for_chain(Lanes const&, Chain&) const {
    return false;
  }

  KOKKOS_FUNCTION Word lower_offer(Word& offer, Word value) const {
    Word const before = offer;
    offer = value < before ? value : before;
    return before;
  }
  KOKKOS_FUNCTION void fence() const {}
  Word clear_bits(Word& word, Word mask) const {
    Word const removed = word & mask;
    if (removed != 0) {
      word &= ~removed;
    }
    return removed;
  }
  /// Equivalent to: remove_values() of one value. Does not count bits.
  void remove_one(SideView<Id> const& view, ReversePair const& reverse) const {
    auto const [person, value] = reverse;
    Word& row = view.rows(person, value / word_bits);
    if ((row & bit_of(value)) == 0) {
      return;
    }
    row &= ~bit_of(value);
    list_removal(view, person, value / word_bits, bit_of(value), --view.count[person]);
    if (view.side == Side::men) {
      --state.size;
      if (state.trail.is_recording()) {
        state.trail.push(person, value);
      }
    }
  }
  std::uint32_t subtract(std::uint32_t& count, std::uint32_t by) const { return count -= by; }

  void note_removal(SideView<Id> const& view, std::uint32_t person, std::uint32_t word,
                    Word removed, std::uint32_t left) const {
    list_removal(view, person, word, removed, left);
    if (view.side == Side::men) {
      state.size -= count_bits(removed);
      state.trail_values(person, word, removed);
    }
  }
  /// Adds a person that lost values to the lists. `left`: the values in its domain.
  void list_removal(SideView<Id> const& view, std::uint32_t person, std::uint32_t word,
                    Word removed, std::uint32_t left) const {
    state.mark_changed(view.side, person);
    if (!removed_by_offers) {
      state.note_missing(view.side, person, word, removed);
    }
    if (left == 1) {
      state.assigned.of(view.side).add(person);
    } else if (left == 0) {
      state.failed = true;
    }
  }
  TAPER_SUPPRESS_HOST_DEVICE_WARNING
  KOKKOS_FUNCTION void note_improved(SideView<Id> const& receivers, std::uint32_t receiver,
                                     Word before, Word) const {
    if (state.improved.of(receivers.side).add(receiver)) {
      state.kept_ranks_before(receiver) = kept_ranks(before);
      state.mark_changed(receivers.side, receiver);
    }
  }
  TAPER_SUPPRESS_HOST_DEVICE_WARNING
  KOKKOS_FUNCTION void note_moved(SideView<Id> const& proposers, std::uint32_t proposer,
                                  std::uint32_t position) const {
    proposers.proposed[proposer] = position;
    state.mark_changed(proposers.side, proposer);
  }
};

/// Batches the removal of reverse pairs: values leave the rows of `from`, and the same pairs must
/// leave the rows of `to`.
///
/// It prefetches the reverse pairs when values are added, and all memory to be written before the
/// first write. After a call on a GPU none of this is in the host's caches.
template <class Id>
class ReverseRemovals {
 public:
  ReverseRemovals(SideView<Id> const& from, SideView<Id> const& to,
                  HostUpdatePolicy<Id> const& policy)
      : from_(from), to_(to), policy_(policy) {}

  void add(std::uint32_t person, std::uint32_t word, Word values) {
    for_each_value(values, word, [&](std::uint32_t value) {
      prefetch(&from_.candidates(person, value));
      batch_[size_++] = {person, value};
      if (size_ == batch_.size()) {
        flush();
      }
    });
  }
  void flush() {
    for (std::uint32_t i = 0; i < size_; ++i) {
      ReversePair const reverse = from_.reverse(batch_[i].person, batch_[i].value);
      std::uint32_t const word = reverse.value / word_bits;
      prefetch(&to_.rows(reverse.person, word));
      prefetch(&to_.count[reverse.person]);
      policy_.state.changed.of(to_.side).prefetch_flag(reverse.person);
      policy_.state.stale.of(to_.side).prefetch_flag(reverse.person);
      if (!policy_.removed_by_offers && policy_.state.proposes(to_.side)) {
        prefetch(&policy_.state.missing[index_of(to_.side)](reverse.person, word));
      }
      batch_[i] = reverse;
    }
    for (std::uint32_t i = 0; i < size_; ++i) {
      policy_.remove_one(to_, batch_[i]);
    }
    size_ = 0;
  }

 private:
  SideView<Id> from_;
  SideView<Id> to_;
  HostUpdatePolicy<Id> policy_;
  std::array<ReversePair, 32> batch_;
  std::uint32_t size_ = 0;
};

}  // namespace taper::marriage_propagator::detail
