// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/notes.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace taper::stable_marriage::detail {

/// Whom a receiver would prefer to her partner of some time ago: a bit for each proposer, all that a
/// long run needs of the n * n ranks for most of its proposals. Where lists agree in part, most are
/// refused without a look at the bits: each proposer has a label, his average rank in some lists, and
/// the circle of a popular receiver ends long before the labels do.
template <class Id_, class MemorySpace>
struct Circles {
  using Id = Id_;
  using Memory = MemorySpace;
  using Bits = Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, Memory>;
  static constexpr std::uint32_t window = 16;  ///< positions that a step looks at together

  /// bits(w, m % width) has bit m / width if m is in the circle of w, who has one. A row is as wide
  /// as what one of eight parts of all people take, a byte a person, so that vector code makes it.
  Bits bits;
  Kokkos::View<Id*, Memory> labels;
  Kokkos::View<Id*, Memory>
      reach;  ///< the largest label in her circle; of all as long as she has none

  template <ExecutionSpace Exec>
  Circles(Exec const& where, Bits const& room)
      : bits(room), labels(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                              "taper::stable_marriage::labels"),
                           room.extent(0)),
        reach(
            Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::reach"),
            room.extent(0)) {
    Kokkos::deep_copy(where, reach, std::numeric_limits<Id>::max());
  }

  std::uint32_t width() const { return static_cast<std::uint32_t>(bits.extent(1)); }
  std::uint64_t marks() const { return 8 * bits.extent(1); }

  /// The order in which proposers had best propose: neighbours in it share lines of bits.
  std::uint32_t turn_of(std::uint32_t proposer) const {
    return proposer % width() * 8 + proposer / width();
  }
  std::uint32_t proposer_of(std::uint32_t turn) const { return turn % 8 * width() + turn / 8; }

  /// Goes over certain rejections, to the end of a window at most; if it comes to a proposal that is
  /// not certain, that is it, of a rank that is not known.
  template <class Lists>
  Noted turn(Chain& chain, Lists const& lists, Proposal<Id>& proposal) const {
    Id const* const list = lists[chain.proposer] + chain.position;
    auto const n = static_cast<std::uint32_t>(labels.extent(0));
    Id const label = labels(chain.proposer);
    std::uint32_t const size = std::min(window, n - chain.position);
    std::uint32_t near = 0;
    if (size == window) {
      for (std::uint32_t k = 0; k < window; ++k) {
        near |= std::uint32_t{label <= reach(list[k])} << k;
      }
    } else {
      for (std::uint32_t k = 0; k < size; ++k) {
        near |= std::uint32_t{label <= reach(list[k])} << k;
      }
    }
    std::uint32_t const byte = chain.proposer % width();
    std::uint32_t const bit = chain.proposer / width();
    for (; near != 0; near &= near - 1) {
      auto const k = static_cast<std::uint32_t>(std::countr_zero(near));
      Id const receiver = list[k];
      if (reach(receiver) == std::numeric_limits<Id>::max() ||
          (bits(receiver, byte) >> bit & 1) != 0) {
        chain.position += k;
        proposal = {receiver, padding<Id>};
        return Noted::nothing;
      }
    }
    chain.position += size;
    return Noted::rejections;
  }
  void expect(Chain const& chain) const { prefetch(&labels(chain.proposer)); }

  /// A receiver whose circle are those whom she passes on the way down her list.
  class Look {
   public:
    Look(Circles const& circles, Id receiver, Mark* marks)
        : circles_(circles), receiver_(receiver), marks_(marks) {}
    /// Makes the circle, and nobody is marked any longer.
    ~Look() {
      std::uint32_t const width = circles_.width();
      pack_marks(&circles_.bits(receiver_, 0), marks_, width);
      circles_.reach(receiver_) = largest_label(
          circles_.labels.data(), marks_, static_cast<std::uint32_t>(circles_.labels.extent(0)));
      std::fill(marks_, marks_ + circles_.marks(), Mark{0});
    }
    Look(Look const&) = delete;
    Look& operator=(Look const&) = delete;

    void add_to_queue(std::uint32_t proposer) { marks_[proposer] = in_queue; }

    /// The position of the first who is in her queue; n if there is none.
    std::uint32_t first(Id const* list, std::uint32_t n) const {
      constexpr std::uint32_t run = 8;
      std::uint32_t position = 0;
      while (position + run <= n && pass(list + position)) {
        position += run;
      }
      for (; position < n && marks_[list[position]] == 0; ++position) {
        marks_[list[position]] = passed;
      }
      return position;
    }

   private:
    static constexpr Mark passed = 1;

    /// Marks eight people if nobody of them queues.
    bool pass(Id const* list) const {
      Mark any = 0;
      for (std::uint32_t k = 0; k < 8; ++k) {
        any |= marks_[list[k]];
      }
      for (std::uint32_t k = 0; any == 0 && k < 8; ++k) {
        marks_[list[k]] = passed;
      }
      return any == 0;
    }

    static void pack_marks(std::uint8_t* __restrict row, Mark const* __restrict marks,
                           std::uint32_t width) {
      for (std::uint32_t i = 0; i < width; ++i) {
        std::uint8_t eight = 0;
        for (std::uint32_t part = 0; part < 8; ++part) {
          eight |= static_cast<std::uint8_t>((marks[part * width + i] & passed) << part);
        }
        row[i] = eight;
      }
    }

    static Id largest_label(Id const* __restrict labels, Mark const* __restrict marks,
                            std::uint32_t n) {
      Id largest = 0;
      for (std::uint32_t i = 0; i < n; ++i) {  // without a branch, or g++ does not vectorise it
        auto const label = static_cast<Id>(labels[i] & -static_cast<Id>(marks[i] & passed));
        largest = label > largest ? label : largest;
      }
      return largest;
    }

    Circles const& circles_;
    Id receiver_;
    Mark* marks_;
  };
};

/// The bytes of a row of circles of n people: an odd number of lines, so that neighbours in a column
/// are not all in the same few sets of a cache.
inline std::uint64_t circle_bytes(std::uint64_t n) {
  constexpr std::uint64_t line = 64;
  return (((n + 7) / 8 + line - 1) / line | 1) * line;
}

/// Each worker sums the ranks in every workers-th list of a sample.
template <class Lists, class Memory>
struct SumRanks {
  Lists lists;
  std::uint64_t sample;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Memory> sums;  ///< workers x n

  void operator()(std::uint64_t worker) const {
    std::uint64_t const n = sums.extent(1);
    std::uint32_t* const sum = &sums(worker, 0);
    for (std::uint64_t k = worker; k < sample; k += sums.extent(0)) {
      auto const* const list = lists[k * n / sample];
      for (std::uint32_t rank = 0; rank < n; ++rank) {
        sum[list[rank]] += rank;
      }
    }
  }
};

template <class Id, class Memory>
struct LabelPeople {
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Memory> sums;
  std::uint64_t sample;
  Kokkos::View<Id*, Memory> labels;

  void operator()(std::uint64_t person) const {
    std::uint64_t sum = 0;
    for (std::uint64_t worker = 0; worker < sums.extent(0); ++worker) {
      sum += sums(worker, person);
    }
    labels(person) = static_cast<Id>(sum / sample);
  }
};

/// Circles of nobody yet, in the room that is given, by labels from the receivers' lists.
/// Cost: 128 lists read.
template <ExecutionSpace Exec, class Id, class Lists>
Circles<Id, typename Exec::memory_space>
label_circles(Exec const& where, Lists const& receivers, std::uint64_t workers,
              typename Circles<Id, typename Exec::memory_space>::Bits const& room) {
  using Memory = typename Exec::memory_space;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  Circles<Id, Memory> const circles(where, room);
  std::uint64_t const n = room.extent(0);
  // Ranks and their sums fit 32 bits: fewer than 2^21 in each of 128 lists.
  std::uint64_t const sample = std::min<std::uint64_t>(n, 128);
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Memory> const sums(
      Kokkos::view_alloc(where, "taper::stable_marriage::rank_sums"), workers, n);
  Kokkos::parallel_for("taper::stable_marriage::sum_ranks", Range(where, 0, workers),
                       SumRanks<Lists, Memory>{receivers, sample, sums});
  Kokkos::parallel_for("taper::stable_marriage::label_people", Range(where, 0, n),
                       LabelPeople<Id, Memory>{sums, sample, circles.labels});
  return circles;
}

}  // namespace taper::stable_marriage::detail
