// SPDX-License-Identifier: Apache-2.0
#include <io/market/numbered_lists.hpp>
#include <io/text/cursor.hpp>
#include <io/text/error.hpp>

#include <fmt/format.h>

#include <limits>

namespace taper::io {
namespace {

/// Reads the number here. Throws: InputError if there is none in this line.
std::uint32_t read_number(Cursor& cursor, std::string_view what) {
  if (!cursor.skip_to_content())
    cursor.fail_expecting(what);
  const auto number = cursor.number();
  if (!number || *number >= std::numeric_limits<std::uint32_t>::max())
    cursor.fail_expecting(what);
  return static_cast<std::uint32_t>(*number);
}

/// Reads the line of one agent: its number, its capacity if it is of the second side, its list.
void read_agent(Cursor& cursor, TableBuilder& table, std::size_t agent, bool has_capacity,
                std::vector<std::uint32_t>& row) {
  const auto name = table.list_name();
  if (read_number(cursor, name) != agent)
    cursor.fail(cursor.position(), fmt::format("expected {}, which begins with {}", name, agent));
  const auto line = cursor.line_of(cursor.position());
  if (has_capacity && cursor.has_field()) {
    const auto capacity = read_number(cursor, "a capacity");
    if (capacity != 1)
      cursor.fail(cursor.position(),
                  fmt::format("{}: the capacity is {}; other capacities than 1 are not supported "
                              "yet: each agent has one partner",
                              name, capacity));
  }
  row.clear();
  while (cursor.has_field())
    row.push_back(read_number(cursor, fmt::format("{}: an id", name)));
  if (row.size() != table.n())
    cursor.fail(
        cursor.position(),
        fmt::format("{}: expected {} entries, found {}{}", name, table.n(), row.size(),
                    row.size() < table.n() ? " (incomplete lists are not supported yet)" : ""));
  table.add(row, line);
  cursor.next_line();
}

}  // namespace

std::vector<IdTable> read_glasgow(Source& source, std::span<const std::string> titles,
                                  Numbering& numbering) {
  Cursor cursor(source);
  if (titles.size() != 2)
    throw InputError(source.name(), "an instance of the Glasgow solvers has both sides: give one "
                                    "file");
  if (read_number(cursor, "0, the first line of an instance of the Glasgow solvers") != 0)
    cursor.fail(cursor.position(), "expected 0, the first line of an instance of the Glasgow "
                                   "solvers");
  const auto men = read_number(cursor, "the number of agents of the first side");
  const auto women = read_number(cursor, "the number of agents of the second side");
  if (men != women)
    cursor.fail(cursor.position(), fmt::format("sides of {} and {}: unequal sides are not "
                                               "supported yet",
                                               men, women));
  std::vector<IdTable> tables;
  std::vector<std::uint32_t> row;
  for (std::size_t side = 0; side < 2; ++side) {
    TableBuilder table(source.name(), titles[side], men, numbering);
    for (std::size_t agent = 1; agent <= men; ++agent)
      read_agent(cursor, table, agent, side == 1, row);
    tables.push_back(table.take());
  }
  if (cursor.skip_to_content())
    cursor.fail_expecting(fmt::format("the end of the file after {} lists", 2 * men));
  return tables;
}

}  // namespace taper::io
