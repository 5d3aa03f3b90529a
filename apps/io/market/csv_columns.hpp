// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/csv_table.hpp>
#include <io/market/named_lists.hpp>
#include <io/market/read.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// What the columns of a market's table hold: numbers of columns from 0.
struct CsvRoles {
  std::optional<std::size_t> resident;
  std::optional<std::size_t> hospital;
  std::optional<std::size_t> rank;
  std::optional<std::size_t> score;
  std::optional<std::size_t> priority;
  std::optional<std::size_t> seats;
  std::vector<std::size_t> choices;  ///< in the order of the choices
  std::vector<std::string> notes;    ///< one-line remarks about columns that were guessed

  bool has_value() const { return score || priority; }
  bool has_entries() const { return rank || has_value() || !choices.empty(); }
};

/// Whether the titles are those of a table for a market: with choices, ranks, or seats.
bool are_market_titles(std::vector<std::string> const& titles);

/// Which side's agents a table has first.
enum class TableSide { first, second };

/// The roles of the columns: as `columns` says, else by the titles that another table has for the
/// sides (`first_title` and `second_title`), else by common titles, else by their order.
/// Throws: InputError if two columns may hold the same.
CsvRoles find_roles(CsvTable const& table, MarketColumns const& columns,
                    std::string_view first_title, std::string_view second_title, TableSide side);

/// Reads a table of agents of the second side and their seats. Throws: InputError.
NamedSeats read_seats_table(Source& source, MarketColumns const& columns);
/// The same, of a table whose titles have been read.
NamedSeats read_seats_rows(CsvTable& table, CsvRoles const& roles);

}  // namespace taper::io
