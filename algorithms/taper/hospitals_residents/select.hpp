// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/propose.hpp>
#include <taper/hospitals_residents/rounds.hpp>
#include <taper/hospitals_residents/seats.hpp>
#include <taper/warp.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

// A hospital with more offers than seats keeps the best, and its cut-off falls to the worst of
// them. The residents of the others wait for the next round.

namespace taper::hospitals_residents::detail {

/// One worker of a host selects for one hospital, by quickselect. A scan: the residents that it
/// rejects come after those of all hospitals before it.
template <class MemorySpace>
struct SelectBest {
  Market<MemorySpace> market;
  OfferFormat format;
  Seats<MemorySpace> seats;
  Kokkos::View<std::uint32_t*, MemorySpace> touched;
  Kokkos::View<ResidentChain*, MemorySpace> waiting;
  std::uint64_t waiting_before;  ///< entries of `waiting` in use

  KOKKOS_FUNCTION void operator()(std::uint64_t item, std::uint64_t& before, bool final) const {
    std::uint64_t const hospital = touched.extent(0) > 0 ? touched(item) : item;
    Desk const desk = seats.desks(hospital);
    std::uint32_t const count = Kokkos::min(seats.offers(hospital), word_count(desk.seats));
    if (count <= desk.seats) {
      return;
    }
    if (final) {
      AtomicWord* const words = &seats.words(desk.first);
      move_best_to_front(words, count, desk.seats);
      AtomicWord worst = 0;
      for (std::uint32_t i = 0; i < desk.seats; ++i) {
        worst = Kokkos::max(worst, words[i]);
      }
      for (std::uint32_t i = desk.seats; i < count; ++i) {
        std::uint32_t const resident = format.resident_of(words[i], hospital);
        waiting(waiting_before + before + i - desk.seats) = {
            resident, position_of(market, format, resident, hospital, words[i]) + 1};
      }
      seats.offers(hospital) = desk.seats;
      seats.desks(hospital).cutoff = static_cast<std::uint32_t>(worst >> 32);
    }
    before += count - desk.seats;
  }

 private:
  /// Partitions `count` different words so that the `best` least come first: quickselect with the
  /// median of three as pivot, and Hoare's partition.
  KOKKOS_FUNCTION static void move_best_to_front(AtomicWord* words, std::uint32_t count,
                                                 std::uint32_t best) {
    if (count - best <= few) {
      for (; count > best; --count) {
        move_worst_to_end(words, count);
      }
      return;
    }
    std::uint32_t begin = 0;
    std::uint32_t end = count;
    while (end - begin > 2) {
      std::uint32_t const middle = partition(words, begin, end);
      if (middle == best) {
        return;
      }
      (middle > best ? end : begin) = middle;
    }
    if (end - begin == 2 && words[begin + 1] < words[begin]) {
      swap(words[begin], words[begin + 1]);
    }
  }

  /// Rejections for which passes over all words are faster: they have no branches that are hard to
  /// predict.
  static constexpr std::uint32_t few = 16;

  KOKKOS_FUNCTION static void move_worst_to_end(AtomicWord* words, std::uint32_t count) {
    AtomicWord worst = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      worst = Kokkos::max(worst, words[i]);
    }
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      at = words[i] == worst ? i : at;
    }
    swap(words[at], words[count - 1]);
  }

  /// Divides three words or more: those before the returned place are at most the pivot, the others
  /// at least. Both parts have a word, since the pivot is neither the least nor the greatest.
  KOKKOS_FUNCTION static std::uint32_t partition(AtomicWord* words, std::uint32_t begin,
                                                 std::uint32_t end) {
    AtomicWord const pivot = median(words[begin], words[begin + (end - begin) / 2], words[end - 1]);
    std::uint32_t low = begin;
    std::uint32_t high = end - 1;
    while (true) {
      for (; words[low] < pivot; ++low) {
      }
      for (; words[high] > pivot; --high) {
      }
      if (low >= high) {
        return high + 1;
      }
      swap(words[low++], words[high--]);
    }
  }
  KOKKOS_FUNCTION static AtomicWord median(AtomicWord a, AtomicWord b, AtomicWord c) {
    return Kokkos::max(Kokkos::min(a, b), Kokkos::min(Kokkos::max(a, b), c));
  }
  KOKKOS_FUNCTION static void swap(AtomicWord& a, AtomicWord& b) {
    AtomicWord const kept = a;
    a = b;
    b = kept;
  }
};

template <class Kernel>
struct ScanOneAfterAnother {
  Kernel kernel;
  std::uint64_t items;
  KOKKOS_FUNCTION void operator()(std::uint64_t, std::uint64_t& before) const {
    for (std::uint64_t item = 0; item < items; ++item) {
      kernel(item, before, true);
    }
  }
};

/// A warp of a GPU selects for one hospital, by bisection over the values of the words.
template <class Exec, class MemorySpace>
struct SelectBestByWarp {
  using Lanes = Warp<Exec>;
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int threads = RowTeams<Exec>::chain_team_threads;

  Market<MemorySpace> market;
  OfferFormat format;
  Seats<MemorySpace> seats;
  Kokkos::View<std::uint32_t*, MemorySpace> touched;
  Kokkos::View<ResidentChain*, MemorySpace> waiting;
  Kokkos::View<RoundCounts, MemorySpace> counts;
  std::uint64_t items;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const item = static_cast<std::uint64_t>(team.league_rank()) * threads +
                      static_cast<std::uint64_t>(team.team_rank());
    if (item >= items) {
      return;
    }
    std::uint64_t const hospital = touched.extent(0) > 0 ? touched(item) : item;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Lanes::count),
                         [&](std::uint32_t lane) { select(lane, hospital); });
  }

 private:
  /// The words of one hospital, as each lane sees them.
  struct Words {
    AtomicWord* data;
    std::uint32_t count;
    std::uint32_t seats;
    std::uint32_t lane;

    /// Calls use(place, word, is_there) for the words of all lanes, in steps of a word per lane.
    template <class Use>
    KOKKOS_FUNCTION void for_each(std::uint32_t begin, std::uint32_t end, Use const& use) const {
      for (std::uint32_t place = begin + lane; place - lane < end; place += Lanes::count) {
        use(place, place < end ? data[place] : 0, place < end);
      }
    }
  };

  KOKKOS_FUNCTION void select(std::uint32_t lane, std::uint64_t hospital) const {
    Desk const desk = seats.desks(hospital);
    Words const words{&seats.words(desk.first),
                      Kokkos::min(seats.offers(hospital), word_count(desk.seats)), desk.seats,
                      lane};
    if (words.count <= words.seats) {
      return;
    }
    AtomicWord const last = last_admitted(words);
    reject_after(words, last, hospital);
    std::uint32_t const cutoff = close_gaps(words, last);
    if (lane == 0) {
      seats.offers(hospital) = desk.seats;
      seats.desks(hospital).cutoff = cutoff;
    }
  }

  /// A value that as many words as there are seats do not exceed.
  KOKKOS_FUNCTION static AtomicWord last_admitted(Words const& words) {
    AtomicWord low = 0;
    AtomicWord high = empty_seat;
    while (low < high) {
      AtomicWord const middle = low + (high - low) / 2;
      std::uint32_t own = 0;
      words.for_each(0, words.count, [&](std::uint32_t, AtomicWord word, bool is_there) {
        own += is_there && word <= middle;
      });
      std::uint32_t const below = Lanes::sum_of(own);
      if (below == words.seats) {
        return middle;
      }
      if (below > words.seats) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /// The number of lanes before this one with a true flag, and of all lanes.
  struct Ranked {
    std::uint32_t before;
    std::uint32_t all;
  };
  KOKKOS_FUNCTION static Ranked rank(std::uint32_t lane, bool flag) {
    std::uint32_t const flags = Lanes::ballot(flag);
    auto const ones = [](std::uint32_t bits) {
      return static_cast<std::uint32_t>(Kokkos::popcount(bits));
    };
    return {ones(flags & ((1u << lane) - 1)), ones(flags)};
  }

  KOKKOS_FUNCTION void reject_after(Words const& words, AtomicWord last,
                                    std::uint64_t hospital) const {
    AtomicWord first = 0;
    if (words.lane == 0) {
      first = Kokkos::atomic_fetch_add(&counts().waiting, AtomicWord{words.count - words.seats});
    }
    first = Lanes::shuffle(0, first);
    words.for_each(0, words.count, [&](std::uint32_t, AtomicWord word, bool is_there) {
      bool const rejected = is_there && word > last;
      auto const [before, all] = rank(words.lane, rejected);
      if (rejected) {
        std::uint32_t const resident = format.resident_of(word, hospital);
        waiting(first + before) = {resident,
                                   position_of(market, format, resident, hospital, word) + 1};
      }
      first += all;
    });
  }

  /// Moves the admitted words behind the seats to the seats of the rejected ones. Returns the
  /// cut-off: the greatest upper half of an admitted word.
  KOKKOS_FUNCTION static std::uint32_t close_gaps(Words const& words, AtomicWord last) {
    Lanes::sync();
    std::uint32_t cutoff = 0;
    std::uint32_t to = words.seats;
    words.for_each(words.seats, words.count, [&](std::uint32_t, AtomicWord word, bool is_there) {
      bool const admitted = is_there && word <= last;
      auto const [before, all] = rank(words.lane, admitted);
      Lanes::sync();  // all lanes have read before one writes
      if (admitted) {
        words.data[to + before] = word;
      }
      Lanes::sync();
      to += all;
    });
    std::uint32_t from = words.seats;
    words.for_each(0, words.seats, [&](std::uint32_t place, AtomicWord word, bool is_there) {
      bool const gap = is_there && word > last;
      auto const [before, all] = rank(words.lane, gap);
      if (gap) {
        word = words.data[from + before];
        words.data[place] = word;
      }
      from += all;
      cutoff = is_there ? Kokkos::max(cutoff, static_cast<std::uint32_t>(word >> 32)) : cutoff;
    });
    return Lanes::max_of(cutoff);
  }
};

}  // namespace taper::hospitals_residents::detail
