// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/stable_marriage/lazy_ranks/first_columns.hpp>
#include <taper/stable_marriage/lazy_ranks/membership_filter.hpp>
#include <taper/stable_marriage/receiver_queues.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// Receivers scan their lists, each up to the first proposer that is in its queue. This one becomes
/// the partner, and the others in the queue are free. On the way the scan writes ranks into the
/// first columns, for each proposer that has the receiver there.
///
/// Each worker repeats: take the next receiver. It has one mark per proposer.
/// Used by: LazyRankRun.
template <class Id_, class Lists, class MemorySpace>
struct ScanLists {
  using Id = Id_;
  /// The column of the proposer that has the receiver, counted from 1, and `in_queue`.
  using Mark = std::uint8_t;
  static constexpr Mark in_queue = 0x80;
  static_assert(FirstColumns<Id, MemorySpace>::columns < in_queue);

  FirstColumns<Id, MemorySpace> columns;
  Lists lists;
  StandingOffers<Id, MemorySpace> standing;
  ReceiverQueues<MemorySpace> queues;
  Kokkos::View<std::uint32_t const*, MemorySpace> scanning;      ///< receivers that scan
  std::uint32_t receivers;                                       ///< number of these
  Kokkos::View<Mark**, Kokkos::LayoutRight, MemorySpace> marks;  ///< workers x n, all 0
  Kokkos::View<Chain*, MemorySpace> free;                        ///< output: rejected proposers
  Kokkos::View<AtomicWord[2], MemorySpace> counts;  ///< receivers taken, proposers free
  std::uint32_t n;

  void operator()(std::uint64_t worker) const {
    Mark* const mark = &marks(worker, 0);
    std::uint64_t const workers = marks.extent(0);
    for (std::uint64_t i; (i = Kokkos::atomic_fetch_add(&counts(0), AtomicWord{1})) < receivers;) {
      if (i + workers < receivers) {
        prefetch_for(lists[scanning(i + workers)]);
      }
      choose(static_cast<Id>(scanning(i)), mark);
    }
  }

 private:
  /// The first KiB of a list. The hardware prefetches the rest of an ordered scan.
  static void prefetch_for(Id const* list) {
    for (std::uint32_t i = 0; i < 1024; i += 64) {
      prefetch(reinterpret_cast<char const*>(list) + i);
    }
  }

  /// The scan of one receiver, and its choice. `mark` is all 0 before and after.
  void choose(Id receiver, Mark* mark) const {
    AtomicWord const queue = standing.best(receiver);
    MembershipFilter<Id> filter(mark);
    for_each_cell(receiver, [&](std::uint32_t proposer, std::uint32_t column) {
      mark[proposer] = static_cast<Mark>(column + 1);
      filter.insert(proposer);
    });
    queues.for_each(queue, [&](std::uint32_t proposer) {
      mark[proposer] |= in_queue;
      filter.insert(proposer);
    });

    Id const* const list = lists[receiver];
    std::uint32_t const position = scan(receiver, list, mark, filter);
    // A list that is no permutation may lack the whole queue. Then all in it are rejected.
    std::uint32_t const rejected = queue_length(queue) - (position < n ? 1 : 0);
    std::uint64_t slot = Kokkos::atomic_fetch_add(&counts(1), AtomicWord{rejected});
    standing.best(receiver) = no_offer;
    queues.for_each(queue, [&](std::uint32_t proposer) {
      std::uint32_t const proposals = queues.links(proposer).proposals;
      if (position < n && list[position] == proposer) {
        standing.best(receiver) = Offer::pack(position, proposer, proposals);
      } else {
        free(slot++) = {proposer, proposals};
      }
      mark[proposer] = 0;
    });
    for_each_cell(receiver, [&](std::uint32_t proposer, std::uint32_t) { mark[proposer] = 0; });
  }

  /// The position of the first proposer in the queue; n if there is none. Writes the ranks of the
  /// marked proposers before it.
  std::uint32_t scan(Id receiver, Id const* list, Mark const* mark,
                     MembershipFilter<Id> const& filter) const {
    return find_first_member(filter, list, n, n, [&](std::uint32_t position) {
      std::uint32_t const proposer = list[position];
      std::uint32_t const column = mark[proposer] & Mark{0x7f};
      if (column != 0) {
        columns.set_rank(proposer * columns.columns + column - 1, receiver, position);
      }
      return (mark[proposer] & in_queue) != 0;
    });
  }

  /// Calls use(proposer, column) for each cell of the first columns that has the receiver.
  template <class Use>
  void for_each_cell(Id receiver, Use const& use) const {
    std::uint32_t const end = columns.column_index_begin(receiver + 1u);
    for (std::uint32_t i = columns.column_index_begin(receiver); i < end; ++i) {
      use(columns.column_index(i) / columns.columns, columns.column_index(i) % columns.columns);
    }
  }
};

}  // namespace taper::stable_marriage::detail
