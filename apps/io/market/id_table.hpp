// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace taper::io {

/// Bytes per id for n people: 2 if n <= 65,535 (1-based ids fit too), else 4.
constexpr std::size_t id_bytes(std::size_t n) {
  return n <= 65'535 ? 2 : 4;
}

/// The offset of (row, rank) in a row-major table with `columns` columns, in 64 bits.
constexpr std::uint64_t table_offset(std::size_t columns, std::size_t row, std::size_t rank) {
  return std::uint64_t{row} * columns + rank;
}

/// The preference lists of one side, row-major. Row p is the list of person p: entry r is the id of
/// the person of rank r (0 is the best) on the other side. Lists are complete.
class IdTable {
 public:
  IdTable() = default;

  /// A table with all ids 0. Cost: people * others * id_bytes(others) bytes; see require_memory().
  IdTable(std::size_t people, std::size_t others);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  std::uint32_t get(std::size_t row, std::size_t rank) const {
    return std::visit(
        [&](auto const& ids) -> std::uint32_t { return ids[table_offset(columns_, row, rank)]; },
        ids_);
  }

  void set(std::size_t row, std::size_t rank, std::uint32_t id) {
    std::visit(
        [&](auto& ids) {
          using Id = typename std::remove_reference_t<decltype(ids)>::value_type;
          ids[table_offset(columns_, row, rank)] = static_cast<Id>(id);
        },
        ids_);
  }

  /// Calls use(list) with the list of one person, a std::span of const std::uint16_t or
  /// std::uint32_t.
  template <class Use>
  decltype(auto) visit_list(std::size_t row, Use&& use) const {
    return visit([&](auto ids) -> decltype(auto) {
      return use(ids.subspan(table_offset(columns_, row, 0), columns_));
    });
  }

  /// Calls use(ids) with all rows * columns ids, a std::span of (const) std::uint16_t or
  /// std::uint32_t.
  template <class Use>
  decltype(auto) visit(Use&& use) const {
    return std::visit([&](auto const& ids) -> decltype(auto) { return use(std::span(ids)); }, ids_);
  }
  template <class Use>
  decltype(auto) visit(Use&& use) {
    return std::visit([&](auto& ids) -> decltype(auto) { return use(std::span(ids)); }, ids_);
  }

  friend bool operator==(IdTable const&, IdTable const&) = default;

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>> ids_;
};

/// Bytes of both preference tables of a market with n people per side; the largest 64-bit value on
/// overflow.
std::uint64_t market_bytes(std::size_t n);

/// The free memory in bytes: of this machine, or of the process's control group if that is less.
std::uint64_t free_memory();

/// Bytes for which no reader asks free_memory(), which reads files: every machine has them.
inline constexpr std::uint64_t always_free_bytes = std::uint64_t{1} << 20;

/// Throws InputError, with the needed and the free bytes, if a market with n people per side does
/// not fit into `free` bytes; without a number: into free_memory().
void require_memory(std::size_t n, std::optional<std::uint64_t> free = std::nullopt);

}  // namespace taper::io
