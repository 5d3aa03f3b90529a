// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/large_view.hpp>
#include <taper/stable_marriage/court.hpp>
#include <taper/stable_marriage/sieve.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace taper::stable_marriage::detail {

/// Swaps bit j of word i with bit i of word j: halves, quarters and so on trade places (Warren,
/// "Hacker's Delight", section 7-3).
inline void transpose(std::array<std::uint64_t, 64>& words) {
  std::uint64_t mask = 0x00000000ffffffff;
  for (std::uint32_t width = 32; width != 0; width >>= 1, mask ^= mask << width) {
    for (std::uint32_t i = 0; i < 64; i = ((i | width) + 1) & ~width) {
      std::uint64_t const trade = ((words[i] >> width) ^ words[i | width]) & mask;
      words[i] ^= trade << width;
      words[i | width] ^= trade;
    }
  }
}

/// Proposers, the most popular first, by the sum of their ranks in some of the receivers' lists.
/// Cost: 128 lists read, O(n log n).
template <class Lists>
std::vector<std::uint32_t> by_popularity(Lists const& receivers, std::uint32_t n) {
  constexpr std::uint64_t most_lists = 128;
  std::uint64_t const lists = std::min<std::uint64_t>(most_lists, n);
  std::vector<std::uint64_t> keys(n, 0);
  for (std::uint64_t i = 0; i < lists; ++i) {
    auto const list = receivers[i * n / lists];
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      keys[list[rank]] += rank;
    }
  }
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t proposer = 0; proposer < n; ++proposer) {
    order[proposer] = proposer;
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
  });
  return order;
}

/// Who may still displace a receiver's partner: her list as far as him, her *shortlist* (the lists of
/// Gusfield and Irving 1989, section 1.2.4, on her side alone), a bit for each proposer. Proposers are
/// numbered by popularity here, so that those who propose at about the same time are beside each
/// other. A proposer has the same bits in a row of his own, as they were when his block began: bits
/// only go out, so one that is out rejects him for certain.
template <class MemorySpace>
struct Shortlists {
  using Word = std::uint64_t;
  static constexpr std::uint32_t word_bits = 64;
  using Bits = Kokkos::View<Word**, Kokkos::LayoutRight, MemorySpace>;

  /// (w, .): bit k if the k-th most popular proposer is on her shortlist, once she has a partner.
  Bits of_receivers;
  /// (k, .): bit w if he was on hers, or she had no partner.
  Bits of_proposers;
  Kokkos::View<std::uint32_t*, MemorySpace> place;  ///< of each proposer, by popularity

  template <ExecutionSpace Exec>
  Shortlists(Exec const& where, std::uint64_t n)
      : of_receivers(
            allocate_large<Bits>(where, "taper::stable_marriage::shortlists", padded(n), words(n))),
        of_proposers(allocate_large<Bits>(where, "taper::stable_marriage::proposers_shortlists",
                                          padded(n), words(n))),
        place(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                 "taper::stable_marriage::places"),
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

inline constexpr std::uint64_t words_a_line = 8;

/// A block of proposers, words [begin, end) of the receivers' rows, gets rows of its own: of 64
/// receivers a call.
template <class MemorySpace>
struct BeginBlock {
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
      for (std::uint64_t word = begin; word < end; word += words_a_line) {
        prefetch(&shortlists.of_receivers(next + k, word));
      }
    }
    for (std::uint64_t word = begin; word < end; ++word) {
      std::array<Word, word_bits> bits;
      for (std::uint64_t k = 0; k < word_bits; ++k) {
        bits[k] = shortlists.of_receivers(first + k, word);
      }
      transpose(bits);
      for (std::uint64_t k = 0; k < word_bits; ++k) {
        shortlists.of_proposers(word * word_bits + k, group) = bits[k] | without_partner;
      }
    }
  }
};

/// What workers share.
struct ShortlistTally {
  AtomicWord taken = 0;    ///< receivers, of those who look
  AtomicWord free = 0;     ///< proposers, by those looks
  AtomicWord entries = 0;  ///< of lists that receivers have read
  AtomicWord failed_joins = 0;
};

/// A free proposer goes down his list to the first who may take him, and waits in her queue. Nobody
/// decides anything meanwhile: partners and receivers' shortlists change between walks alone.
template <class Lists, class MemorySpace>
struct WalkDownLists {
  Lists lists;
  Shortlists<MemorySpace> shortlists;
  Kokkos::View<AtomicWord const*, MemorySpace> best;
  Queues<MemorySpace> queues;
  Kokkos::View<AtomicWord*, MemorySpace> queue_of;
  Kokkos::View<Chain const*, MemorySpace> free;
  std::uint64_t walkers;
  Kokkos::View<ShortlistTally, MemorySpace> tally;
  std::uint32_t enough;  ///< in the queue of one without a partner, for her to look
  std::uint32_t n;

  void operator()(std::uint64_t i) const {
    if (i + 1 < walkers) {
      expect(free(i + 1));
    }
    auto [proposer, position] = free(i);
    std::uint32_t const place = shortlists.place(proposer);
    auto const* const his = &shortlists.of_proposers(place, 0);
    auto const* const list = lists[proposer];
    while (position < n) {  // whoever is rejected by all: solve says so
      std::uint32_t const receiver = list[position++];
      if (Shortlists<MemorySpace>::has(his, receiver) && may_take(receiver, place)) {
        return join(receiver, {proposer, position});
      }
    }
  }

 private:
  void expect(Chain const& chain) const {
    std::uint64_t const words = shortlists.of_proposers.extent(1);
    auto const* const his = &shortlists.of_proposers(shortlists.place(chain.proposer), 0);
    for (std::uint64_t word = 0; word < words; word += words_a_line) {
      prefetch(his + word);
    }
    auto const* const list = lists[chain.proposer] + chain.position;
    for (std::uint32_t line = 0; line < 4; ++line) {
      prefetch(reinterpret_cast<char const*>(list) + 64 * line);
    }
  }

  bool has_partner(std::uint32_t receiver) const { return best(receiver) != no_offer; }

  bool may_take(std::uint32_t receiver, std::uint32_t place) const {
    return !has_partner(receiver) ||
           Shortlists<MemorySpace>::has(&shortlists.of_receivers(receiver, 0), place);
  }

  void join(std::uint32_t receiver, Chain const& chain) const {
    AtomicWord before = relaxed_load(queue_of(receiver));
    AtomicWord queue;
    AtomicWord joined;
    AtomicWord tries = 0;
    do {
      queue = before;
      queues.places(chain.proposer) = {queue_last(queue), chain.position};
      joined = queue_with(queue, chain.proposer);
      before = Kokkos::atomic_compare_exchange(&queue_of(receiver), queue, joined);
      ++tries;
    } while (before != queue);
    if (tries > 1) {
      Kokkos::atomic_add(&tally().failed_joins, tries - 1);
    }
    if (queue_length(joined) == (has_partner(receiver) ? 1 : enough)) {
      queues.crowded(Kokkos::atomic_fetch_add(&queues.crowds(), 1u)) = receiver;
    }
  }
};

/// Receivers look for the first of their queues, and cut their shortlists down to him; the others,
/// and whose place he takes, are free. Each worker takes the next receiver and has a mark for each
/// proposer.
template <class Id_, class Lists, class MemorySpace>
struct CutShortlists {
  using Id = Id_;
  using Mark = std::uint8_t;

  Lists lists;
  Shortlists<MemorySpace> shortlists;
  Kokkos::View<AtomicWord*, MemorySpace> best;
  Queues<MemorySpace> queues;
  Kokkos::View<AtomicWord*, MemorySpace> queue_of;
  std::uint32_t receivers;
  Kokkos::View<Mark**, Kokkos::LayoutRight, MemorySpace> marks;  ///< workers x n, all 0
  Kokkos::View<Chain*, MemorySpace> free;
  Kokkos::View<ShortlistTally, MemorySpace> tally;
  std::uint32_t n;

  void operator()(std::uint64_t worker) const {
    Mark* const mark = &marks(worker, 0);
    std::uint64_t entries = 0;
    for (std::uint64_t i;
         (i = Kokkos::atomic_fetch_add(&tally().taken, AtomicWord{1})) < receivers;) {
      entries += choose(queues.crowded(i), mark);
    }
    Kokkos::atomic_add(&tally().entries, AtomicWord{entries});
  }

 private:
  std::uint32_t choose(std::uint32_t receiver, Mark* mark) const {
    AtomicWord const queue = queue_of(receiver);
    AtomicWord const partner = best(receiver);
    bool const has_partner = partner != no_offer;
    Sieve<Id> sieve(mark);
    queues.each(queue, [&](std::uint32_t proposer) {
      mark[proposer] = 1;
      sieve.put(proposer);
    });
    Id const* const list = lists[receiver];
    std::uint32_t const end =
        has_partner ? static_cast<std::uint32_t>(Offer::get<offer_rank>(partner)) : n;
    std::uint32_t const position =
        first_held(sieve, list, end, n, [&](std::uint32_t i) { return mark[list[i]] != 0; });

    // Lists that are no permutations may have none of them.
    bool const found = position < end;
    bool const leaves = found && has_partner;
    std::uint64_t slot = Kokkos::atomic_fetch_add(
        &tally().free, AtomicWord{queue_length(queue) - (found ? 1u : 0u) + (leaves ? 1u : 0u)});
    queues.each(queue, [&](std::uint32_t proposer) {
      std::uint32_t const proposals = queues.places(proposer).proposals;
      if (found && list[position] == proposer) {
        best(receiver) = Offer::pack(position, proposer, proposals);
      } else {
        free(slot++) = {proposer, proposals};
      }
      mark[proposer] = 0;
    });
    if (leaves) {
      free(slot) = {static_cast<std::uint32_t>(Offer::get<offer_proposer>(partner)),
                    static_cast<std::uint32_t>(Offer::get<offer_proposals>(partner))};
    }
    queue_of(receiver) = no_offer;
    if (found) {
      cut(receiver, list, position, has_partner ? end : 0);
    }
    return position;
  }

  /// The shortlist was as far as `before`, 0 if there was none; it is as far as `position` now.
  void cut(std::uint32_t receiver, Id const* list, std::uint32_t position,
           std::uint32_t before) const {
    auto* const hers = &shortlists.of_receivers(receiver, 0);
    for (std::uint32_t i = position; i < before; ++i) {
      Shortlists<MemorySpace>::clear(hers, shortlists.place(list[i]));
    }
    for (std::uint32_t i = 0; before == 0 && i < position; ++i) {
      Shortlists<MemorySpace>::set(hers, shortlists.place(list[i]));
    }
  }
};

}  // namespace taper::stable_marriage::detail
