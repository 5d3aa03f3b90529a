// SPDX-License-Identifier: Apache-2.0
#include <io/graph/edge_table.hpp>
#include <io/text/error.hpp>
#include <io/text/fields.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace taper::io {
namespace {

using Titles = std::span<std::string_view const>;
using Columns = std::pair<std::size_t, std::size_t>;

/// Titles of both ends, as plain_title() has them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> edge_titles{
    {{"source", "target"},
     {"source", "destination"},
     {"source", "dest"},
     {"from", "to"},
     {"src", "dst"},
     {"src", "dest"},
     {"src", "tgt"},
     {"origin", "destination"},
     {"fromnode", "tonode"},
     {"fromnodeid", "tonodeid"},
     {"fromid", "toid"},
     {"sourceid", "targetid"},
     {"sourcenode", "targetnode"},
     {"idfrom", "idto"},
     {"startnode", "endnode"},
     {"sender", "receiver"},
     {"ego", "alter"},
     {"follower", "followee"},
     {"node1", "node2"},
     {"vertex1", "vertex2"},
     {"id1", "id2"},
     {"nodea", "nodeb"},
     {"endnodes1", "endnodes2"},
     {"fromvertex", "tovertex"}}};

/// Titles that vertices might have as names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> short_titles{
    {{"u", "v"},
     {"i", "j"},
     {"a", "b"},
     {"x", "y"},
     {"s", "t"},
     {"v1", "v2"},
     {"n1", "n2"},
     {"row", "col"},
     {"row", "column"},
     {"start", "end"},
     {"head", "tail"},
     {"var1", "var2"}}};

/// Titles of a column that numbers the lines.
constexpr std::array<std::string_view, 9> index_titles{
    "", "id", "index", "unnamed0", "rowid", "rownames", "row", "no", "edgeid"};

/// The columns whose titles are a pair of `pairs`, in either order.
std::optional<Columns> find_pair(Titles titles, auto const& pairs) {
  std::vector<std::string> plain;
  std::ranges::transform(titles, std::back_inserter(plain), plain_title);
  auto const column = [&](std::string_view title) {
    return static_cast<std::size_t>(std::ranges::find(plain, title) - plain.begin());
  };
  for (auto const& [u, v] : pairs) {
    if (column(u) < plain.size() && column(v) < plain.size()) {
      return Columns{column(u), column(v)};
    }
  }
  return std::nullopt;
}

/// The first lines of a table, of at most 64 columns.
struct FirstLines {
  std::vector<std::string_view> titles;  ///< the first line
  std::array<std::vector<std::string_view>, 2> data;
  bool quoted = false;  ///< the first line and the next begin with a double quote

  std::string_view at(std::size_t line, std::size_t column) const {
    return column < data[line].size() ? data[line][column] : std::string_view{};
  }
  /// Whether the first column of the data is 0, 1 or 1, 2.
  bool counts_lines() const {
    return (at(0, 0) == "0" && at(1, 0) == "1") || (at(0, 0) == "1" && at(1, 0) == "2") ||
           (data[1].empty() && (at(0, 0) == "0" || at(0, 0) == "1"));
  }
};

FirstLines look_ahead(Cursor& cursor, char separator) {
  constexpr std::size_t most = 64;
  auto const* const begin = cursor.position();
  FirstLines lines;
  lines.quoted = cursor.line().starts_with('"');
  lines.titles = split(cursor.whole_line(), separator, most);
  for (auto& data : lines.data) {
    cursor.next_line();
    if (!cursor.skip_to_content()) {
      break;
    }
    data = split(cursor.whole_line(), separator, most);
    lines.quoted = lines.quoted && cursor.line().starts_with('"');
  }
  cursor.go_to(begin);
  return lines;
}

std::optional<std::size_t> column_named(std::string_view name, Titles titles) {
  auto const found = std::ranges::find_if(
      titles, [&](auto title) { return plain_title(title) == plain_title(name); });
  return found == titles.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - titles.begin()));
}

/// The columns of --columns A,B: numbers from 1, or titles, which makes the first line titles.
Columns given_columns(Cursor const& cursor, std::string_view columns, Titles titles, bool& titled) {
  auto const refuse = [&](std::string_view why) {
    throw InputError(cursor.name(), fmt::format("--columns {}: {}", columns, why));
  };
  auto const comma = columns.find(',');
  if (comma == std::string_view::npos) {
    refuse("expected two columns, A,B, by their numbers from 1 or their titles");
  }
  std::array<std::size_t, 2> found{};
  std::array const names{trimmed(columns.substr(0, comma)), trimmed(columns.substr(comma + 1))};
  for (std::size_t end = 0; end < 2; ++end) {
    auto const name = names[end];
    auto const error = std::from_chars(name.data(), name.data() + name.size(), found[end]).ec;
    if (all_digits(name) && error == std::errc{} && found[end] > 0) {
      --found[end];
      continue;
    }
    auto const column = column_named(name, titles);
    if (!column) {
      refuse(fmt::format("no column has the title {}; the first line is {}", in_quotes(name),
                         in_quotes(fmt::format("{}", fmt::join(titles, ",")))));
    }
    found[end] = *column;
    titled = true;
  }
  if (found[0] == found[1]) {
    refuse("expected two different columns");
  }
  return {found[0], found[1]};
}

/// The columns of the vertices under the first line as titles.
Columns columns_under(FirstLines const& lines) {
  if (auto const pair = find_pair(lines.titles, edge_titles)) {
    return *pair;
  }
  if (auto const pair = find_pair(lines.titles, short_titles)) {
    return *pair;
  }
  auto const first = lines.titles.empty() ? std::string() : plain_title(lines.titles[0]);
  auto const index = lines.titles.size() >= 3 && lines.counts_lines() &&
                     std::ranges::find(index_titles, first) != index_titles.end();
  return index || (lines.titles.size() >= 3 && first.empty()) ? Columns{1, 2} : Columns{0, 1};
}

/// Whether the first line is titles, by the titles themselves or by numbers below them. Titles
/// above words are found later, by their words. `named`: the columns were found by their titles.
bool has_titles(FirstLines const& lines, Columns columns, bool named) {
  auto const& titles = lines.titles;
  auto const [u, v] = columns;
  // A line of data may have such words among its attributes.
  auto const numbers =
      std::ranges::any_of(titles, [](auto title) { return begins_as_number(title); });
  if ((are_edge_titles(titles) && !(numbers && columns != Columns{0, 1})) ||
      (titles.size() >= 3 && titles[0].empty() && !lines.at(0, 0).empty())) {
    return true;
  }
  auto const is_title = [&](std::size_t column) {
    return column < titles.size() && !titles[column].empty() && !begins_as_number(titles[column]);
  };
  auto const occurs = [&](std::size_t column) {
    return std::ranges::any_of(lines.data, [&](auto const& row) {
      return (u < row.size() && row[u] == titles[column]) ||
             (v < row.size() && row[v] == titles[column]);
    });
  };
  auto const above_numbers = all_digits(lines.at(0, u)) && all_digits(lines.at(0, v));
  auto const elsewhere = named && !numbers && columns != Columns{0, 1};
  return is_title(u) && is_title(v) && (above_numbers || (elsewhere && !occurs(u) && !occurs(v)));
}

/// R's write.table gives row names a column without a title: a line has one field more than the
/// titles. `given`: the user has named the columns, so that nothing is unclear.
std::size_t untitled_columns(Cursor const& cursor, FirstLines const& lines, bool given) {
  if (lines.data[0].size() != lines.titles.size() + 1 || lines.titles.size() < 2) {
    return 0;
  }
  auto const numbered =
      lines.counts_lines() && !lines.data[1].empty() && !begins_as_number(lines.titles[0]);
  if (!lines.quoted && numbered && !given) {
    cursor.fail(cursor.position(),
                "a line has one column more than the titles, and the first may number the lines: "
                "give --columns 1,2 or --columns 2,3");
  }
  return lines.quoted || (numbered && given) ? 1 : 0;
}

/// "sep=;", which Excel reads and writes.
void take_separator_line(Cursor& cursor, char& separator) {
  auto const line = cursor.line();
  if (line.size() == 5 && line.starts_with("sep=")) {
    separator = line.back();
    cursor.next_line();
    cursor.skip_to_content();
  }
}

}  // namespace

std::string plain_title(std::string_view title) {
  std::string plain;
  for (auto const c : title) {
    if (std::string_view(" \t_-.:\"").find(c) == std::string_view::npos) {
      plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return plain;
}

bool are_edge_titles(Titles titles) {
  return find_pair(titles, edge_titles).has_value();
}

bool are_common_titles(std::string_view u, std::string_view v) {
  std::array const titles{u, v};
  return are_edge_titles(titles) || find_pair(titles, short_titles).has_value();
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

EdgeTable find_edge_table(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options) {
  EdgeTable table;
  cursor.go_to(cursor.whole_line().data());  // a tab may stand after an empty first title
  table.separator = separator_of(cursor);
  take_separator_line(cursor, table.separator);
  if (cursor.at_end()) {
    return table;
  }
  auto lines = look_ahead(cursor, table.separator);
  auto const automatic = options.titles == EdgeListTitles::automatic;
  table.titled = options.titles == EdgeListTitles::yes;
  auto const shift = options.titles == EdgeListTitles::no
                         ? 0
                         : untitled_columns(cursor, lines, !options.columns.empty());
  lines.titles.insert(lines.titles.begin(), shift, std::string_view{});
  auto columns = Columns{0, 1};
  if (!options.columns.empty()) {
    columns = given_columns(cursor, options.columns, lines.titles, table.titled);
    table.titled = table.titled || (automatic && has_titles(lines, columns, false));
  } else if (options.titles != EdgeListTitles::no) {
    auto const named = columns_under(lines);
    table.titled = table.titled || has_titles(lines, named, true);
    columns = table.titled ? named : columns;
  }
  std::tie(table.u, table.v) = columns;
  if (table.titled) {
    auto const title = [&](std::size_t column) {
      return column < lines.titles.size() ? in_quotes(lines.titles[column]) : "''";
    };
    if (automatic || options.columns.empty()) {
      graph.notes.push_back(
          fmt::format("{}:{}: read as titles; the vertices are in column {}, {}, and column {}, {} "
                      "(--titles, --columns)",
                      cursor.name(), cursor.line_of(cursor.position()), table.u + 1, title(table.u),
                      table.v + 1, title(table.v)));
    }
    cursor.next_line();
  }
  return table;
}

}  // namespace taper::io
