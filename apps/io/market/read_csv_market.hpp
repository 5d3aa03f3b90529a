// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/csv_columns.hpp>
#include <io/market/csv_table.hpp>
#include <io/market/join_lists.hpp>
#include <io/market/name_index.hpp>
#include <io/market/read.hpp>
#include <io/market/sparse_market.hpp>
#include <io/text/source.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// Collects a sparse market from tables: the lists of the first side, then what the second side
/// wants, then seats. Only the first is necessary. Agents are numbered by the first appearance of
/// their names.
class CsvMarketReader {
 public:
  explicit CsvMarketReader(MarketReadOptions const& options);

  /// One side: its agents, and the entries of their lists in the order of the rows.
  struct SideRows {
    std::string file;
    std::string title;
    NameIndex agents;
    std::vector<std::size_t> agent_lines;  ///< per agent, if a row is an agent with its choices
    std::vector<std::uint32_t> owners;     ///< per entry: whose list it is in
    std::vector<std::uint32_t> ids;        ///< per entry: the agent of the other side
    std::vector<double> places;            ///< per entry: its place in the list; the lowest is best
    std::vector<std::size_t> lines;        ///< per entry
    std::vector<double> scores;            ///< per entry; empty: the table has none
  };
  struct Seats {
    std::uint32_t seats = 0;
    std::size_t line = 0;  ///< 0: no table has the hospital's seats
    std::string file;
  };

  /// Reads the next table. `left_out`: lines that the file has between the titles and the first
  /// row.
  /// Throws: InputError.
  void read(Source& source, std::size_t left_out = 0);

  /// Returns the market of all tables. Throws: InputError.
  SparseMarket take();

  // What has been read so far, for processes that read parts of one table, and exchange rows before
  // take().
  SideRows& residents() { return sides_[0]; }
  NameIndex& hospitals() { return sides_[1].agents; }
  std::vector<Seats>& seats() { return seats_; }
  /// Whether the tables have scores or priorities of residents at hospitals.
  bool has_values() const { return has_values_; }
  bool lowest_first() const { return lowest_first_; }

 private:
  void read_lists(CsvTable& table, CsvRoles const& roles, TableSide side);
  void read_seats(CsvTable& table, CsvRoles const& roles);
  void read_choices(CsvTable const& table, CsvRoles const& roles, TableSide side);
  void read_entry(CsvTable const& table, CsvRoles const& roles, TableSide side);
  void add_entry(CsvTable const& table, CsvRoles const& roles, TableSide side, std::uint32_t owner,
                 std::string_view other, double place);
  void set_seats(CsvTable const& table, CsvRoles const& roles, std::uint32_t hospital);
  SideLists lists_of(SideRows const& side, SideRows const& other) const;
  std::vector<std::uint32_t> seats_of_hospitals() const;

  SideRows& rows(TableSide side) { return sides_[static_cast<std::size_t>(side)]; }

  MarketReadOptions options_;
  std::vector<std::string> missing_titles_;  ///< of --columns, which no table has had yet
  std::array<SideRows, 2> sides_;
  std::size_t tables_ = 0;
  bool second_is_titled_ = false;  ///< a table has a title for the second side
  bool second_has_lists_ = false;
  bool lowest_first_ = false;
  bool has_values_ = false;
  std::vector<Seats> seats_;  ///< per hospital
  std::string seats_file_;    ///< a table of seats alone, which has all hospitals
  OneSidedEntries unknown_;   ///< entries of hospitals whose resident has no row
  std::vector<std::string> notes_;
};

}  // namespace taper::io
