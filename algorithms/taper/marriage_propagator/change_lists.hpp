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

// Lists in host memory of what has changed: persons, free proposers, pending values.
// Used by: HostState.

namespace taper::marriage_propagator::detail {

/// Prefetches all cache lines of a View in host memory.
template <class View>
void prefetch_all(View const& entries) {
  constexpr std::size_t entries_per_line = 64 / sizeof(*entries.data());
  for (std::size_t i = 0; i < entries.span(); i += entries_per_line) {
    prefetch(entries.data() + i);
  }
}

/// One allocation in host memory that holds all these lists. It is zero when they begin.
using HostArena = Arena<Kokkos::HostSpace>;

/// Persons of one side, each once, in the order in which they were added. The paper's stacks of
/// modified persons.
class PersonList {
 public:
  PersonList(HostArena& arena, std::uint32_t n)
      : list_(arena.take<decltype(list_)>(n)), listed_(arena.take<decltype(listed_)>(n)) {}

  /// Adds a person. Returns whether it was not in the list.
  bool add(std::uint32_t person) {
    if (listed_(person) == mark_) {
      return false;
    }
    listed_(person) = mark_;
    list_(size_++) = person;
    return true;
  }
  /// Prefetches what add(person) reads.
  void prefetch_flag(std::uint32_t person) const { prefetch(&listed_(person)); }
  void prefetch_lists() const {
    prefetch_all(list_);
    prefetch_all(listed_);
  }
  /// Takes constant time: after a call on a GPU thousands may be listed, with their flags in no
  /// cache. Only every 255th call resets the flags.
  void clear() {
    size_ = 0;
    if (++mark_ == unlisted) {
      std::fill_n(listed_.data(), listed_.extent(0), unlisted);
      ++mark_;
    }
  }
  void add_all() {
    for (std::uint32_t person = 0; person < list_.extent(0); ++person) {
      add(person);
    }
  }
  /// Requires: the other list is for at most as many persons.
  void copy_from(PersonList const& other) {
    clear();
    for (std::uint32_t const person : other.persons()) {
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
  std::span<std::uint32_t const> persons() const { return {list_.data(), size_}; }

 private:
  static constexpr std::uint8_t unlisted = 0;

  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> list_;
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> listed_;
  std::uint32_t size_ = 0;
  std::uint8_t mark_ = 1;  ///< the flag of listed persons
};

/// A first-in first-out queue of free proposers, each once.
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
  /// The chain that is `turns` places behind the front. Requires: turns < size().
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
struct PersonLists {
  std::array<PersonList, 2> sides;

  PersonLists(HostArena& arena, std::uint32_t n)
      : sides{PersonList(arena, n), PersonList(arena, n)} {}

  PersonList& of(Side side) { return sides[index_of(side)]; }
  PersonList const& of(Side side) const { return sides[index_of(side)]; }
  void clear() {
    sides[0].clear();
    sides[1].clear();
  }
  void copy_from(PersonLists const& other) {
    sides[0].copy_from(other.sides[0]);
    sides[1].copy_from(other.sides[1]);
  }
  void prefetch_lists() const {
    sides[0].prefetch_lists();
    sides[1].prefetch_lists();
  }
  std::uint32_t size() const { return sides[0].size() + sides[1].size(); }
  bool empty() const { return size() == 0; }
};

/// A side's rows in the calling thread's memory.
using HostRows = Kokkos::View<Word**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Rows of n empty domains. Requires: the arena's memory is zero.
inline HostRows empty_rows(HostArena& arena, std::uint32_t n) {
  return arena.take<HostRows>(n, words_for(n));
}

/// Values that the solver has removed since the last call. A value leaves the person's own row at
/// once. The reverse pair follows in phase 1.
struct Pending {
  PersonLists persons;
  std::array<HostRows, 2> rows;  ///< the values of listed persons; zero for all others
  std::uint64_t values = 0;

  Pending(HostArena& arena, std::uint32_t n)
      : persons(arena, n), rows{empty_rows(arena, n), empty_rows(arena, n)} {}

  void add(Side side, std::uint32_t person, std::uint32_t word, Word removed) {
    persons.of(side).add(person);
    rows[index_of(side)](person, word) |= removed;
    values += count_bits(removed);
  }

  /// Requires: nothing is pending here.
  void copy_from(Pending const& other) {
    persons.copy_from(other.persons);
    for (std::size_t side = 0; side < 2; ++side) {
      std::copy_n(other.rows[side].data(), rows[side].span(), rows[side].data());
    }
    values = other.values;
  }

  /// Calls use(person, word, values) for each word with pending values of one side.
  template <class Use>
  void for_each_word(Side side, Use const& use) const {
    HostRows const& pending = rows[index_of(side)];
    for (std::uint32_t const person : persons.of(side).persons()) {
      for (std::uint32_t word = 0; word < pending.extent(1); ++word) {
        if (pending(person, word) != 0) {
          use(person, word, pending(person, word));
        }
      }
    }
  }

  void clear() {
    for (Side const side : {Side::men, Side::women}) {
      HostRows const& pending = rows[index_of(side)];
      for (std::uint32_t const person : persons.of(side).persons()) {
        for (std::uint32_t word = 0; word < pending.extent(1); ++word) {
          pending(person, word) = 0;
        }
      }
    }
    persons.clear();
    values = 0;
  }
};

}  // namespace taper::marriage_propagator::detail
