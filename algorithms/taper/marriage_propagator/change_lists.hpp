// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/arena.hpp>
#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace taper::marriage_propagator::detail {

/// Asks for all lines of a View in the calling thread's memory.
template <class View>
void prefetch_all(View const& entries) {
  constexpr std::size_t entries_a_line = 64 / sizeof(*entries.data());
  for (std::size_t i = 0; i < entries.span(); i += entries_a_line) {
    prefetch(entries.data() + i);
  }
}

/// What holds the changes lies in one allocation of the calling thread's memory, which is zero when they
/// begin.
using HostArena = Arena<Kokkos::HostSpace>;

/// People on the calling thread's list, each once, in the order in which they
/// came: the paper's stacks of modified people.
class PeopleList {
 public:
  PeopleList(HostArena& arena, std::uint32_t n)
      : list_(arena.take<decltype(list_)>(n)), listed_(arena.take<decltype(listed_)>(n)) {}

  /// Whether the person was not on it.
  bool add(std::uint32_t person) {
    if (listed_(person) == mark_) {
      return false;
    }
    listed_(person) = mark_;
    list_(size_++) = person;
    return true;
  }
  /// For one who may be added soon.
  void expect(std::uint32_t person) const { prefetch(&listed_(person)); }
  void expect_anybody() const {
    prefetch_all(list_);
    prefetch_all(listed_);
  }
  /// Takes no time for each: thousands may be listed after a GPU's call, with their flags in no
  /// cache. Every 255th time all flags are wiped.
  void clear() {
    size_ = 0;
    if (++mark_ == unlisted) {
      std::fill_n(listed_.data(), listed_.extent(0), unlisted);
      ++mark_;
    }
  }
  void add_everyone() {
    for (std::uint32_t person = 0; person < list_.extent(0); ++person) {
      add(person);
    }
  }
  /// The people of another list of as many at most.
  void copy_from(PeopleList const& other) {
    clear();
    for (std::uint32_t const person : other.people()) {
      add(person);
    }
  }
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint32_t operator[](std::uint32_t i) const { return list_(i); }
  std::uint32_t pop() {
    std::uint32_t const person = list_(--size_);
    listed_(person) = unlisted;
    return person;
  }
  std::span<std::uint32_t const> people() const { return {list_.data(), size_}; }

 private:
  static constexpr std::uint8_t unlisted = 0;

  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> list_;
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> listed_;
  std::uint32_t size_ = 0;
  std::uint8_t mark_ = 1;  ///< what whoever is listed bears
};

/// Proposers who wait for their turn, each once, the first to come first.
class ChainQueue {
 public:
  ChainQueue(HostArena& arena, std::uint32_t n) : ring_(arena.take<decltype(ring_)>(n)) {}

  void push(Chain const& chain) { ring_(wrapped(begin_ + size_++)) = chain; }
  Chain pop() {
    Chain const chain = ring_(begin_);
    begin_ = wrapped(begin_ + 1);
    --size_;
    return chain;
  }
  /// The one whose turn is `turns` later; `turns` < size().
  Chain const& ahead(std::uint32_t turns) const { return ring_(wrapped(begin_ + turns)); }
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }

 private:
  std::uint32_t wrapped(std::uint32_t place) const {
    std::uint32_t const n = static_cast<std::uint32_t>(ring_.extent(0));
    return place < n ? place : place - n;
  }

  Kokkos::View<Chain*, Kokkos::HostSpace> ring_;
  std::uint32_t begin_ = 0;
  std::uint32_t size_ = 0;
};

/// A list for each side.
struct PeopleLists {
  std::array<PeopleList, 2> sides;

  PeopleLists(HostArena& arena, std::uint32_t n)
      : sides{PeopleList(arena, n), PeopleList(arena, n)} {}

  PeopleList& of(People side) { return sides[index_of(side)]; }
  PeopleList const& of(People side) const { return sides[index_of(side)]; }
  void clear() {
    sides[0].clear();
    sides[1].clear();
  }
  void copy_from(PeopleLists const& other) {
    sides[0].copy_from(other.sides[0]);
    sides[1].copy_from(other.sides[1]);
  }
  void expect_anybody() const {
    sides[0].expect_anybody();
    sides[1].expect_anybody();
  }
  std::uint32_t size() const { return sides[0].size() + sides[1].size(); }
  bool empty() const { return size() == 0; }
};

/// A side's rows in the calling thread's memory.
using HostRows = Kokkos::View<Word**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Of an arena's memory, which is zero: without any value.
inline HostRows empty_rows(HostArena& arena, std::uint32_t n) {
  return arena.take<HostRows>(n, words_for(n));
}

/// Values that others have taken out of domains since the last call. They are
/// gone from the person's own row at once; their twins go in phase 1.
struct Pending {
  PeopleLists people;
  std::array<HostRows, 2> rows;  ///< the values, of whoever is listed; else zero
  std::uint64_t values = 0;

  Pending(HostArena& arena, std::uint32_t n)
      : people(arena, n), rows{empty_rows(arena, n), empty_rows(arena, n)} {}

  void note(People side, std::uint32_t person, std::uint32_t word, Word taken) {
    people.of(side).add(person);
    rows[index_of(side)](person, word) |= taken;
    values += count_bits(taken);
  }

  /// Requires: nothing is noted here.
  void copy_from(Pending const& other) {
    people.copy_from(other.people);
    for (std::size_t side = 0; side < 2; ++side) {
      std::copy_n(other.rows[side].data(), rows[side].span(), rows[side].data());
    }
    values = other.values;
  }

  /// Calls use(person, word, values) for each word with pending values of one
  /// side.
  template <class Use>
  void for_each_word(People side, Use const& use) const {
    HostRows const& pending = rows[index_of(side)];
    for (std::uint32_t const person : people.of(side).people()) {
      for (std::uint32_t word = 0; word < pending.extent(1); ++word) {
        if (pending(person, word) != 0) {
          use(person, word, pending(person, word));
        }
      }
    }
  }

  void clear() {
    for (People const side : {People::men, People::women}) {
      HostRows const& pending = rows[index_of(side)];
      for (std::uint32_t const person : people.of(side).people()) {
        for (std::uint32_t word = 0; word < pending.extent(1); ++word) {
          pending(person, word) = 0;
        }
      }
    }
    people.clear();
    values = 0;
  }
};

}  // namespace taper::marriage_propagator::detail
