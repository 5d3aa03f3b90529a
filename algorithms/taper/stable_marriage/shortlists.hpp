// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/huge_pages.hpp>
#include <taper/stable_marriage/lazy_ranks/membership_filter.hpp>
#include <taper/stable_marriage/receiver_queues.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

// The data and kernels of a run with shortlists. Used by: ShortlistRun (shortlist_run.hpp).
namespace taper::stable_marriage::detail {

/// Transposes a 64 x 64 matrix of bits: swaps bit j of word i with bit i of word j. It swaps
/// halves, then quarters and so on (Warren, "Hacker's Delight", section 7-3).
inline void transpose_bits(std::array<std::uint64_t, 64>& words) {
  std::uint64_t mask = 0x00000000ffffffff;
  for (std::uint32_t width = 32; width != 0; width >>= 1, mask ^= mask << width) {
    for (std::uint32_t i = 0; i < 64; i = ((i | width) + 1) & ~width) {
      std::uint64_t const swapped = ((words[i] >> width) ^ words[i | width]) & mask;
      words[i] ^= swapped << width;
      words[i | width] ^= swapped;
    }
  }
}

/// The proposers, the most popular first: sorted by the sum of their ranks in a sample of the
/// receivers' lists, then by id.
/// Cost: reads 128 lists; O(n log n).
template <class Lists>
std::vector<std::uint32_t> sort_by_popularity(Lists const& receivers, std::uint32_t n) {
  constexpr std::uint64_t max_lists = 128;
  std::uint64_t const lists = std::min<std::uint64_t>(max_lists, n);
  std::vector<std::uint64_t> rank_sums(n, 0);
  for (std::uint64_t i = 0; i < lists; ++i) {
    auto const list = receivers[i * n / lists];
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      rank_sums[list[rank]] += rank;
    }
  }
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t proposer = 0; proposer < n; ++proposer) {
    order[proposer] = proposer;
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank_sums[a] != rank_sums[b] ? rank_sums[a] < rank_sums[b] : a < b;
  });
  return order;
}

/// The shortlist of each receiver: its list up to its partner, one bit per proposer. Only these
/// proposers can displace the partner. These are the lists of Gusfield and Irving (1989, section
/// 1.2.4), on the receivers' side alone.
///
/// Bits are numbered by popularity. Proposers that propose at about the same time then have
/// neighbouring bits. Each proposer has the transposed bits in a row of its own, copied when it
/// starts. They may be old, but bits are only cleared: a proposer whose bit is clear is rejected
/// for certain.
template <class MemorySpace>
struct Shortlists {
  using Word = std::uint64_t;
  static constexpr std::uint32_t word_bits = 64;
  using Bits = Kokkos::View<Word**, Kokkos::LayoutRight, MemorySpace>;

  /// (w, .): bit k is set if the k-th most popular proposer is on the shortlist of receiver w.
  /// Valid if w has a partner.
  Bits of_receivers;
  /// (k, .): bit w is set if proposer k was on the shortlist of w, or if w had no partner.
  Bits of_proposers;
  Kokkos::View<std::uint32_t*, MemorySpace> popularity;  ///< of each proposer, 0 the most popular

  template <ExecutionSpace Exec>
  Shortlists(Exec const& where, std::uint64_t n)
      : of_receivers(
            allocate_large<Bits>(where, "taper::stable_marriage::shortlists", padded(n), words(n))),
        of_proposers(allocate_large<Bits>(where, "taper::stable_marriage::proposers_shortlists",
                                          padded(n), words(n))),
        popularity(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                      "taper::stable_marriage::popularity"),
                   n) {
    Kokkos::deep_copy(where, of_receivers, Word{0});
  }

  static std::uint64_t words(std::uint64_t n) { return (n + word_bits - 1) / word_bits; }
  static std::uint64_t padded(std::uint64_t n) { return words(n) * word_bits; }

  static bool has(Word const* row, std::uint32_t bit) {
    return (row[bit / word_bits] >> bit % word_bits & 1) != 0;
  }
  static void set(Word* row, std::uint32_t bit) {
    row[bit / word_bits] |= Word{1} << bit % word_bits;
  }
  static void clear(Word* row, std::uint32_t bit) {
    row[bit / word_bits] &= ~(Word{1} << bit % word_bits);
  }
};

/// Words per cache line.
inline constexpr std::uint64_t words_per_line = 8;

/// Writes the rows of the proposers that start now, from words [begin, end) of the receivers' rows.
/// One call copies the bits of 64 receivers.
template <class MemorySpace>
struct StartBlock {
  using Word = typename Shortlists<MemorySpace>::Word;
  static constexpr std::uint32_t word_bits = Shortlists<MemorySpace>::word_bits;

  Shortlists<MemorySpace> shortlists;
  Kokkos::View<AtomicWord const*, MemorySpace> best;
  std::uint64_t begin;
  std::uint64_t end;

  void operator()(std::uint64_t group) const {
    std::uint64_t const first = group * word_bits;
    Word without_partner = 0;
    for (std::uint64_t k = 0; k < word_bits && first + k < best.extent(0); ++k) {
      without_partner |= Word{best(first + k) == no_offer} << k;
    }
    std::uint64_t const next =
        std::min(first + word_bits, shortlists.of_receivers.extent(0) - word_bits);
    for (std::uint64_t k = 0; k < word_bits; ++k) {
      for (std::uint64_t word = begin; word < end; word += words_per_line) {
        prefetch(&shortlists.of_receivers(next + k, word));
      }
    }
    for (std::uint64_t word = begin; word < end; ++word) {
      std::array<Word, word_bits> bits;
      for (std::uint64_t k = 0; k < word_bits; ++k) {
        bits[k] = shortlists.of_receivers(first + k, word);
      }
      transpose_bits(bits);
      for (std::uint64_t k = 0; k < word_bits; ++k) {
        shortlists.of_proposers(word * word_bits + k, group) = bits[k] | without_partner;
      }
    }
  }
};

/// Counters that all workers share.
struct ShortlistCounters {
  AtomicWord taken = 0;    ///< receivers that a worker has taken in this scan
  AtomicWord free = 0;     ///< proposers that this scan has rejected
  AtomicWord entries = 0;  ///< list entries that all scans have read
  AtomicWord failed_joins = 0;
};

/// A free proposer follows its list to the first receiver that may accept it, and joins the queue
/// of that receiver. Partners and the receivers' shortlists do not change during this kernel, only
/// between two of them.
template <class Lists, class MemorySpace>
struct JoinQueues {
  Lists lists;
  Shortlists<MemorySpace> shortlists;
  Kokkos::View<AtomicWord const*, MemorySpace> best;
  ReceiverQueues<MemorySpace> queues;
  Kokkos::View<AtomicWord*, MemorySpace> queue_of;
  Kokkos::View<Chain const*, MemorySpace> free;
  std::uint64_t free_count;
  Kokkos::View<ShortlistCounters, MemorySpace> counters;
  /// A receiver without a partner becomes pending when its queue has this length; one with a
  /// partner, when its queue has one proposer.
  std::uint32_t scan_length;
  std::uint32_t n;

  void operator()(std::uint64_t i) const {
    if (i + 1 < free_count) {
      prefetch_for(free(i + 1));
    }
    auto [proposer, position] = free(i);
    std::uint32_t const popularity = shortlists.popularity(proposer);
    auto const* const row = &shortlists.of_proposers(popularity, 0);
    auto const* const list = lists[proposer];
    while (position < n) {  // at n: rejected by all, and solve() reports it
      std::uint32_t const receiver = list[position++];
      if (Shortlists<MemorySpace>::has(row, receiver) && may_accept(receiver, popularity)) {
        return join(receiver, {proposer, position});
      }
    }
  }

 private:
  void prefetch_for(Chain const& chain) const {
    std::uint64_t const words = shortlists.of_proposers.extent(1);
    auto const* const row = &shortlists.of_proposers(shortlists.popularity(chain.proposer), 0);
    for (std::uint64_t word = 0; word < words; word += words_per_line) {
      prefetch(row + word);
    }
    auto const* const list = lists[chain.proposer] + chain.position;
    for (std::uint32_t line = 0; line < 4; ++line) {
      prefetch(reinterpret_cast<char const*>(list) + 64 * line);
    }
  }

  bool has_partner(std::uint32_t receiver) const { return best(receiver) != no_offer; }

  bool may_accept(std::uint32_t receiver, std::uint32_t popularity) const {
    return !has_partner(receiver) ||
           Shortlists<MemorySpace>::has(&shortlists.of_receivers(receiver, 0), popularity);
  }

  void join(std::uint32_t receiver, Chain const& chain) const {
    // relaxed: the exchange decides, and the links are read after this kernel.
    AtomicWord before = relaxed_load(queue_of(receiver));
    AtomicWord queue;
    AtomicWord joined;
    AtomicWord tries = 0;
    do {
      queue = before;
      queues.links(chain.proposer) = {queue_last(queue), chain.position};
      joined = queue_with(queue, chain.proposer);
      before = Kokkos::atomic_compare_exchange(&queue_of(receiver), queue, joined);
      ++tries;
    } while (before != queue);
    if (tries > 1) {
      Kokkos::atomic_add(&counters().failed_joins, tries - 1);
    }
    if (queue_length(joined) == (has_partner(receiver) ? 1 : scan_length)) {
      queues.pending(Kokkos::atomic_fetch_add(&queues.pending_count(), 1u)) = receiver;
    }
  }
};

/// Pending receivers scan their lists for the first proposer in their queue. It becomes the
/// partner, and the shortlist ends before it. The others in the queue and the previous partner are
/// free. If no proposer in the queue is before the previous partner, the partner stays.
///
/// Each worker repeats: take the next receiver. It has one mark per proposer.
template <class Id_, class Lists, class MemorySpace>
struct CutShortlists {
  using Id = Id_;
  using Mark = std::uint8_t;

  Lists lists;
  Shortlists<MemorySpace> shortlists;
  Kokkos::View<AtomicWord*, MemorySpace> best;
  ReceiverQueues<MemorySpace> queues;
  Kokkos::View<AtomicWord*, MemorySpace> queue_of;
  std::uint32_t receivers;
  Kokkos::View<Mark**, Kokkos::LayoutRight, MemorySpace> marks;  ///< workers x n, all 0
  Kokkos::View<Chain*, MemorySpace> free;
  Kokkos::View<ShortlistCounters, MemorySpace> counters;
  std::uint32_t n;

  void operator()(std::uint64_t worker) const {
    Mark* const mark = &marks(worker, 0);
    std::uint64_t entries = 0;
    for (std::uint64_t i;
         (i = Kokkos::atomic_fetch_add(&counters().taken, AtomicWord{1})) < receivers;) {
      entries += choose(queues.pending(i), mark);
    }
    Kokkos::atomic_add(&counters().entries, AtomicWord{entries});
  }

 private:
  /// The scan of one receiver, and its choice. Returns the number of list entries that it reads.
  /// `mark` is all 0 before and after.
  std::uint32_t choose(std::uint32_t receiver, Mark* mark) const {
    AtomicWord const queue = queue_of(receiver);
    AtomicWord const partner = best(receiver);
    bool const has_partner = partner != no_offer;
    MembershipFilter<Id> filter(mark);
    queues.for_each(queue, [&](std::uint32_t proposer) {
      mark[proposer] = 1;
      filter.insert(proposer);
    });
    Id const* const list = lists[receiver];
    std::uint32_t const end =
        has_partner ? static_cast<std::uint32_t>(Offer::get<offer_rank>(partner)) : n;
    std::uint32_t const position = find_first_member(
        filter, list, end, n, [&](std::uint32_t i) { return mark[list[i]] != 0; });

    // A list that is no permutation may lack the whole queue. Then all in it are rejected.
    bool const found = position < end;
    bool const displaces = found && has_partner;
    std::uint64_t slot = Kokkos::atomic_fetch_add(
        &counters().free,
        AtomicWord{queue_length(queue) - (found ? 1u : 0u) + (displaces ? 1u : 0u)});
    queues.for_each(queue, [&](std::uint32_t proposer) {
      std::uint32_t const proposals = queues.links(proposer).proposals;
      if (found && list[position] == proposer) {
        best(receiver) = Offer::pack(position, proposer, proposals);
      } else {
        free(slot++) = {proposer, proposals};
      }
      mark[proposer] = 0;
    });
    if (displaces) {
      free(slot) = {static_cast<std::uint32_t>(Offer::get<offer_proposer>(partner)),
                    static_cast<std::uint32_t>(Offer::get<offer_proposals>(partner))};
    }
    queue_of(receiver) = no_offer;
    if (found) {
      cut(receiver, list, position, has_partner ? end : 0);
    }
    return position;
  }

  /// Moves the end of a shortlist from position `before` to `position`. If `before` is 0, there was
  /// no shortlist.
  void cut(std::uint32_t receiver, Id const* list, std::uint32_t position,
           std::uint32_t before) const {
    auto* const row = &shortlists.of_receivers(receiver, 0);
    for (std::uint32_t i = position; i < before; ++i) {
      Shortlists<MemorySpace>::clear(row, shortlists.popularity(list[i]));
    }
    for (std::uint32_t i = 0; before == 0 && i < position; ++i) {
      Shortlists<MemorySpace>::set(row, shortlists.popularity(list[i]));
    }
  }
};

}  // namespace taper::stable_marriage::detail
