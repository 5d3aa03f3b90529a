// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/ledger.hpp>
#include <taper/marriage_propagator/prune.hpp>

#include <Kokkos_Core.hpp>

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
  /// There is no other worker.
  template <class Lanes>
  KOKKOS_FUNCTION bool give(Lanes const&, Chain const&) const {
    return false;
  }
  template <class Lanes>
  KOKKOS_FUNCTION bool receive(Lanes const&, Chain&) const {
    return false;
  }

  KOKKOS_FUNCTION Word lower(Word& offer, Word value) const {
    Word const before = offer;
    offer = value < before ? value : before;
    return before;
  }
  KOKKOS_FUNCTION void fence() const {}
  Word take(Word& word, Word mask) const {
    Word const taken = word & mask;
    if (taken != 0) {
      word &= ~taken;
    }
    return taken;
  }
  /// take() of one value, without counting bits.
  void take_one(Side<Id> const& side, Twin const& twin) const {
    auto const [person, value] = twin;
    Word& row = side.rows(person, value / word_bits);
    if ((row & bit_of(value)) == 0) {
      return;
    }
    row &= ~bit_of(value);
    note_loss(side, person, value / word_bits, bit_of(value), --side.count[person]);
    if (side.people == People::men) {
      --ledger.size;
      if (ledger.trail.records()) {
        ledger.trail.push(person, value);
      }
    }
  }
  std::uint32_t subtract(std::uint32_t& count, std::uint32_t by) const { return count -= by; }

  void lost(Side<Id> const& side, std::uint32_t person, std::uint32_t word, Word taken,
            std::uint32_t left) const {
    note_loss(side, person, word, taken, left);
    if (side.people == People::men) {
      ledger.size -= count_bits(taken);
      ledger.trail_values(person, word, taken);
    }
  }
  void note_loss(Side<Id> const& side, std::uint32_t person, std::uint32_t word, Word taken,
                 std::uint32_t left) const {
    ledger.touch(side.people, person);
    if (!by_offers) {
      ledger.miss(side.people, person, word, taken);
    }
    if (left == 1) {
      ledger.singles.of(side.people).add(person);
    } else if (left == 0) {
      ledger.failed = true;
    }
  }
  TAPER_EITHER_SIDE
  KOKKOS_FUNCTION void improved(Side<Id> const& receivers, std::uint32_t receiver, Word before,
                                Word) const {
    if (ledger.improved.of(receivers.people).add(receiver)) {
      ledger.kept_before(receiver) = kept(before);
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

/// Values that leave side `from`'s rows take their twins out of side `to`'s, a batch at a time: the
/// twins are asked for as values come, and all that is written before the first is. After a call of
/// a GPU it is in no cache of the host.
template <class Id>
class Removals {
 public:
  Removals(Side<Id> const& from, Side<Id> const& to, LedgerBooks<Id> const& books)
      : from_(from), to_(to), books_(books) {}

  void add(std::uint32_t person, std::uint32_t word, Word values) {
    for_each_value(values, word, [&](std::uint32_t value) {
      prefetch(&from_.candidates(person, value));
      waiting_[size_++] = {person, value};
      if (size_ == waiting_.size()) {
        flush();
      }
    });
  }
  void flush() {
    for (std::uint32_t i = 0; i < size_; ++i) {
      Twin const twin = from_.twin(waiting_[i].person, waiting_[i].value);
      std::uint32_t const word = twin.value / word_bits;
      prefetch(&to_.rows(twin.person, word));
      prefetch(&to_.count[twin.person]);
      books_.ledger.changed.of(to_.people).expect(twin.person);
      books_.ledger.stale.of(to_.people).expect(twin.person);
      if (!books_.by_offers && books_.ledger.proposes(to_.people)) {
        prefetch(&books_.ledger.missing[index_of(to_.people)](twin.person, word));
      }
      waiting_[i] = twin;
    }
    for (std::uint32_t i = 0; i < size_; ++i) {
      books_.take_one(to_, waiting_[i]);
    }
    size_ = 0;
  }

 private:
  Side<Id> from_;
  Side<Id> to_;
  LedgerBooks<Id> books_;
  std::array<Twin, 32> waiting_;
  std::uint32_t size_ = 0;
};

}  // namespace taper::marriage_propagator::detail
