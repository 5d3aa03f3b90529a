// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

// Checks of preference lists and matchings.
// Used by: the verifier of stable marriage, post() of the stable marriage constraint, and users.

namespace taper::preferences {

/// Entry `entry` of row `row` of a table, both from 0: where a row stops being a permutation.
struct BadEntry {
  std::size_t row;
  std::size_t entry;

  friend bool operator==(BadEntry const&, BadEntry const&) = default;
};

/// Rows of bits. Each word belongs to one row. One worker writes a row, so setting a bit needs no
/// atomic. Not initialised.
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

/// One iteration per person. Used by: the functions below, and the verifier of stable marriage.
template <class Space>
using PersonRange = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>;

/// Compiles only if `Space` is an execution space that reaches the memory of `View`.
template <class Space, class View>
constexpr void assert_accessible() {
  static_assert(Kokkos::is_execution_space_v<Space>,
                "taper::preferences: `where` is a Kokkos execution space instance");
  static_assert(Kokkos::SpaceAccessibility<Space, typename View::memory_space>::accessible,
                "taper::preferences: Views must be accessible from the execution space");
}

namespace detail {

/// The result of a search that finds nothing. The searches below take minima.
inline constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

/// Assigns each woman to the lowest man that names her: claims(w) = n - man, so zeroed memory means
/// "no man". Atomic maxima commute, so the outcome is the same in any order.
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

/// The first man whose partner is out of range or was assigned to an earlier man.
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

/// The first entry, in the order of the rows, that is out of range or repeats one of its row.
/// Used by: GPUs.
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

/// The same for blocks of rows. A row has a mark per id, and one that those out of range share. It is
/// a permutation if its entries mark all ids. A store per entry takes a core half the time of a test
/// and an update of a bit.
/// Used by: hosts.
template <class Preferences, class Marks>
struct FirstBadEntryOfBlock {
  Preferences table;
  Marks marks;  ///< a row per block
  std::size_t blocks;

  KOKKOS_FUNCTION void operator()(std::size_t block, std::uint64_t& first) const {
    auto const rows = table.extent(0);
    std::uint8_t* const seen = &marks(block, 0);
    for (auto row = block * rows / blocks; row < (block + 1) * rows / blocks; ++row) {
      if (!is_permutation(row, seen)) {
        std::uint64_t const position =
            static_cast<std::uint64_t>(row) * table.extent(1) + first_bad_entry(row, seen);
        first = position < first ? position : first;
        return;
      }
    }
  }

 private:
  KOKKOS_FUNCTION std::size_t id(std::size_t row, std::size_t entry) const {
    return static_cast<std::size_t>(table(row, entry));
  }
  KOKKOS_FUNCTION void clear(std::uint8_t* seen) const {
    auto const columns = table.extent(1);
    for (std::size_t i = 0; i < columns; ++i) {
      seen[i] = 0;
    }
  }

  KOKKOS_FUNCTION bool is_permutation(std::size_t row, std::uint8_t* seen) const {
    // Locals: else each store of a byte might change them, for all that the compiler knows.
    auto const columns = table.extent(1);
    auto const* const list = &table(row, 0);
    auto const stride = static_cast<std::size_t>(table.stride(1));
    clear(seen);
    for (std::size_t entry = 0; entry < columns; ++entry) {
      auto const found = static_cast<std::size_t>(list[entry * stride]);
      seen[found < columns ? found : columns] = 1;
    }
    std::uint8_t all = 1;
    for (std::size_t i = 0; i < columns; ++i) {
      all &= seen[i];
    }
    return all != 0;
  }

  /// Requires: the row is no permutation.
  KOKKOS_FUNCTION std::size_t first_bad_entry(std::size_t row, std::uint8_t* seen) const {
    clear(seen);
    std::size_t entry = 0;
    while (id(row, entry) < table.extent(1) && seen[id(row, entry)] == 0) {
      seen[id(row, entry++)] = 1;
    }
    return entry;
  }
};

}  // namespace detail

/// The first man whose partner is out of range or is the partner of an earlier man. Returns nothing
/// if the matching is perfect.
///
/// Requires: partner_of(m) is the woman of man m, a rank-1 View that `where` can read; any values.
/// Cost:     O(n) work, two kernels, 8n bytes.
/// Async:    returns with `where` fenced.
template <class Space, class Partners>
std::optional<std::size_t> find_bad_partner(Space const& where, Partners const& partner_of) {
  assert_accessible<Space, Partners>();
  static_assert(Partners::rank == 1, "find_bad_partner: partner_of is a rank-1 View");
  using Claims = Kokkos::View<std::uint64_t*, typename Space::memory_space>;

  std::size_t const n = partner_of.extent(0);
  Claims const claims(Kokkos::view_alloc(where, "taper::preferences::claims"), n);
  Kokkos::parallel_for("taper::preferences::claim_partners", PersonRange<Space>(where, 0, n),
                       detail::ClaimPartners<Partners, Claims>{partner_of, claims});
  std::uint64_t first = detail::none;
  Kokkos::parallel_reduce("taper::preferences::find_bad_partner", PersonRange<Space>(where, 0, n),
                          detail::FirstBadPartner<Partners, Claims>{partner_of, claims},
                          Kokkos::Min<std::uint64_t>(first));
  return first == detail::none ? std::nullopt : std::optional<std::size_t>(first);
}

/// Whether partner_of is a bijection: every id is in range and appears once. See
/// find_bad_partner().
template <class Space, class Partners>
bool is_perfect_matching(Space const& where, Partners const& partner_of) {
  return !find_bad_partner(where, partner_of);
}

/// The first row of `table` that is no permutation of 0 .. columns-1, and in that row the first
/// entry that is out of range or repeats an earlier one. Returns nothing if every row is a
/// permutation.
///
/// Requires: table is a rank-2 View of ids that `where` can read; any values.
/// Cost:     O(rows * columns) work, one kernel; on a host 8 * columns bytes per thread, else
///           rows * columns / 8 bytes.
/// Async:    returns with `where` fenced.
template <class Space, class Preferences>
std::optional<BadEntry> find_bad_row(Space const& where, Preferences const& table) {
  assert_accessible<Space, Preferences>();
  static_assert(Preferences::rank == 2, "find_bad_row: the table is a rank-2 View");

  Region const region("taper::preferences::find_bad_row");
  std::size_t const rows = table.extent(0);
  std::size_t const columns = table.extent(1);
  if (columns == 0) {
    return std::nullopt;
  }
  std::uint64_t first = detail::none;
  if constexpr (HostExecutionSpace<Space>) {
    using Marks = Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, typename Space::memory_space>;
    std::size_t const blocks = std::min<std::size_t>(rows, 8 * concurrency(where));
    Marks const seen(
        Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::preferences::seen"), blocks,
        columns + 1);
    Kokkos::parallel_reduce("taper::preferences::find_bad_row",
                            PersonRange<Space>(where, 0, blocks),
                            detail::FirstBadEntryOfBlock<Preferences, Marks>{table, seen, blocks},
                            Kokkos::Min<std::uint64_t>(first));
  } else {
    using Bits = BitRows<Space>;
    Bits const seen(where, "taper::preferences::seen", rows, columns);
    Kokkos::parallel_reduce("taper::preferences::find_bad_row", PersonRange<Space>(where, 0, rows),
                            detail::FirstBadEntry<Preferences, Bits>{table, seen},
                            Kokkos::Min<std::uint64_t>(first));
  }
  if (first == detail::none) {
    return std::nullopt;
  }
  return BadEntry{first / columns, first % columns};
}

}  // namespace taper::preferences
