// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/change_lists.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/rows.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// The bounds of all domains, as the paper keeps them, and the operations that find them.
// Values are `int`, since Algorithms 2 and 3 lower a maximum to -1 if no candidate is left.

namespace taper::marriage_propagator::published {

/// The least and the greatest value of each person's domain.
///
/// Two of these are kept. `old` holds the bounds at the end of the last call, the paper's
/// old_min_men (Algorithm 2: xlb), old_max_women (yub), old_min_women and old_max_men. `now` holds
/// the present ones, its max_women, min_women and max_men.
struct Bounds {
  int* min_men;
  int* min_women;
  int* max_men;
  int* max_women;
};

/// The memory of Bounds: 4 x n, a row per member.
template <class Memory>
using BoundsTable = Kokkos::View<int**, Kokkos::LayoutRight, Memory>;

template <class Memory>
Bounds bounds_of(BoundsTable<Memory> const& table) {
  Rows<int> const rows = rows_of(table);
  return {rows[0], rows[1], rows[2], rows[3]};
}

/// The least value from `begin` on in a row of a domain; n if there is none.
KOKKOS_INLINE_FUNCTION int next_value(Word const* row, int n, int begin) {
  constexpr int bits = static_cast<int>(word_bits);
  for (int word = begin / bits; word * bits < n; ++word) {
    Word const values = row[word] & ~bits_below(static_cast<std::uint32_t>(begin),
                                                static_cast<std::uint32_t>(word));
    if (values != 0) {
      return word * bits + static_cast<int>(Kokkos::Experimental::countr_zero_builtin(values));
    }
  }
  return n;
}

/// The greatest value up to `end`, included, in a row of a domain; -1 if there is none.
KOKKOS_INLINE_FUNCTION int last_value(Word const* row, int end) {
  constexpr int bits = static_cast<int>(word_bits);
  for (int word = end / bits; end >= 0 && word >= 0; --word) {
    Word const values = row[word] & bits_below(static_cast<std::uint32_t>(end) + 1,
                                               static_cast<std::uint32_t>(word));
    if (values != 0) {
      return word * bits + bits - 1 -
             static_cast<int>(Kokkos::Experimental::countl_zero_builtin(values));
    }
  }
  return -1;
}

/// The bounds of all domains in host memory, and their sizes at the end of the last call. The
/// paper's backtrackable arrays: HostState::restore() sets them by the restored domains.
class HostBounds {
 public:
  /// `n`: persons per side; 0 with Taper's engine, which needs no such bounds.
  HostBounds(detail::HostArena& arena, std::uint32_t n)
      : old_(arena.take<Table>(4u, n)), now_(arena.take<Table>(4u, n)),
        old_size_(arena.take<Sizes>(2u, n)) {}

  bool is_kept() const { return old_.extent(1) > 0; }

  BoundsTable<Kokkos::HostSpace> const& old_table() const { return old_; }
  BoundsTable<Kokkos::HostSpace> const& now_table() const { return now_; }
  Bounds old() const { return bounds_of(old_); }
  Bounds now() const { return bounds_of(now_); }
  std::uint32_t old_size(Side side, std::uint32_t person) const {
    return old_size_(index_of(side), person);
  }

  /// Records the bounds and the size of a person's domain at the end of a call.
  void set(Side side, std::uint32_t person, std::uint32_t least, std::uint32_t greatest,
           std::uint32_t size) const {
    std::size_t const min_row = index_of(side);
    std::size_t const max_row = 2 + index_of(side);
    old_(min_row, person) = now_(min_row, person) = static_cast<int>(least);
    old_(max_row, person) = now_(max_row, person) = static_cast<int>(greatest);
    old_size_(index_of(side), person) = size;
  }

  void copy_from(HostBounds const& other) const {
    std::copy_n(other.old_.data(), old_.span(), old_.data());
    std::copy_n(other.now_.data(), now_.span(), now_.data());
    std::copy_n(other.old_size_.data(), old_size_.span(), old_size_.data());
  }

 private:
  using Table = BoundsTable<Kokkos::HostSpace>;
  using Sizes = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Kokkos::HostSpace>;

  Table old_;
  Table now_;
  Sizes old_size_;
};

}  // namespace taper::marriage_propagator::published
