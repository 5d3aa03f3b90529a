// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

// Whether tables and matchings are what they should be, before anything trusts them.

namespace taper::stable_marriage {

/// Where a table's row is no permutation: entry `entry` of row `row`, both from 0.
struct BadEntry {
  std::size_t row;
  std::size_t entry;

  friend bool operator==(BadEntry const&, BadEntry const&) = default;
};

namespace detail {

inline constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

template <class Space>
using People = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>;

/// Rows of bits. Words belong to one row, and rows to one worker: setting a bit needs no atomic.
template <class Space>
struct BitRows {
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, typename Space::memory_space> words;

  BitRows(Space const& where, std::string const& label, std::size_t rows, std::size_t bits)
      : words(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label), rows,
              (bits + 31) / 32) {}

  KOKKOS_FUNCTION void clear(std::size_t row) const {
    for (std::size_t word = 0; word < words.extent(1); ++word) {
      words(row, word) = 0;
    }
  }
  KOKKOS_FUNCTION void set(std::size_t row, std::size_t bit) const {
    words(row, bit / 32) |= 1u << bit % 32;
  }
  KOKKOS_FUNCTION bool test(std::size_t row, std::size_t bit) const {
    return (words(row, bit / 32) >> bit % 32 & 1u) != 0;
  }
};

/// Each woman goes to the lowest man who names her: claims(w) = n - man, so that zeroed memory says
/// nobody. Atomic maxima commute: the outcome is the same in any order.
template <class Partners, class Claims>
struct ClaimPartners {
  Partners partner_of;
  Claims claims;

  KOKKOS_FUNCTION void operator()(std::size_t man) const {
    auto const n = claims.extent(0);
    auto const woman = static_cast<std::size_t>(partner_of(man));
    if (woman < n) {
      Kokkos::atomic_max(&claims(woman), static_cast<std::uint64_t>(n - man));
    }
  }
};

template <class Partners, class Claims>
struct FirstBadPartner {
  Partners partner_of;
  Claims claims;

  KOKKOS_FUNCTION void operator()(std::size_t man, std::uint64_t& first) const {
    auto const n = claims.extent(0);
    auto const woman = static_cast<std::size_t>(partner_of(man));
    if (man < first && (woman >= n || claims(woman) != n - man)) {
      first = man;
    }
  }
};

template <class Preferences, class Bits>
struct FirstBadEntry {
  Preferences table;
  Bits seen;

  KOKKOS_FUNCTION void operator()(std::size_t row, std::uint64_t& first) const {
    auto const columns = table.extent(1);
    seen.clear(row);
    for (std::size_t entry = 0; entry < columns; ++entry) {
      auto const id = static_cast<std::size_t>(table(row, entry));
      if (id >= columns || seen.test(row, id)) {
        std::uint64_t const position = static_cast<std::uint64_t>(row) * columns + entry;
        first = position < first ? position : first;
        return;
      }
      seen.set(row, id);
    }
  }
};

template <class Space, class View>
constexpr void assert_accessible() {
  static_assert(Kokkos::is_execution_space_v<Space>,
                "stable_marriage: `where` is a Kokkos execution space instance");
  static_assert(Kokkos::SpaceAccessibility<Space, typename View::memory_space>::accessible,
                "stable_marriage: Views must be accessible from the execution space");
}

}  // namespace detail

/// The first man whose partner is no id of 0 .. n-1, or the partner of a man before him; nothing if
/// the matching is perfect.
///
/// Requires: partner_of is a rank-1 View of ids, readable from `where`; any values.
/// Cost:     O(n) work, two kernels, 8n bytes.
/// Async:    returns with `where` fenced.
template <class Space, class Partners>
std::optional<std::size_t> find_bad_partner(Space const& where, Partners const& partner_of) {
  detail::assert_accessible<Space, Partners>();
  static_assert(Partners::rank == 1, "find_bad_partner: partner_of is a rank-1 View");
  using Claims = Kokkos::View<std::uint64_t*, typename Space::memory_space>;

  std::size_t const n = partner_of.extent(0);
  Claims const claims(Kokkos::view_alloc(where, "taper::stable_marriage::claims"), n);
  Kokkos::parallel_for("taper::stable_marriage::claim_partners", detail::People<Space>(where, 0, n),
                       detail::ClaimPartners<Partners, Claims>{partner_of, claims});
  std::uint64_t first = detail::none;
  Kokkos::parallel_reduce("taper::stable_marriage::find_bad_partner",
                          detail::People<Space>(where, 0, n),
                          detail::FirstBadPartner<Partners, Claims>{partner_of, claims},
                          Kokkos::Min<std::uint64_t>(first));
  return first == detail::none ? std::nullopt : std::optional<std::size_t>(first);
}

/// Whether partner_of is a bijection: every id in range, none twice. See find_bad_partner().
template <class Space, class Partners>
bool is_perfect_matching(Space const& where, Partners const& partner_of) {
  return !find_bad_partner(where, partner_of);
}

/// The first row of `table` that is no permutation of 0 .. columns-1, and in it the first entry
/// that is out of range or repeats an earlier one; nothing if every row is a permutation.
///
/// Requires: table is a rank-2 View of ids, readable from `where`; any values.
/// Cost:     O(rows * columns) work, one kernel, rows * columns / 8 bytes.
/// Async:    returns with `where` fenced.
template <class Space, class Preferences>
std::optional<BadEntry> find_bad_row(Space const& where, Preferences const& table) {
  detail::assert_accessible<Space, Preferences>();
  static_assert(Preferences::rank == 2, "find_bad_row: the table is a rank-2 View");
  using Bits = detail::BitRows<Space>;

  Region const region("taper::stable_marriage::find_bad_row");
  std::size_t const rows = table.extent(0);
  std::size_t const columns = table.extent(1);
  Bits const seen(where, "taper::stable_marriage::seen", rows, columns);
  std::uint64_t first = detail::none;
  Kokkos::parallel_reduce(
      "taper::stable_marriage::find_bad_row", detail::People<Space>(where, 0, rows),
      detail::FirstBadEntry<Preferences, Bits>{table, seen}, Kokkos::Min<std::uint64_t>(first));
  if (first == detail::none) {
    return std::nullopt;
  }
  return BadEntry{first / columns, first % columns};
}

}  // namespace taper::stable_marriage
