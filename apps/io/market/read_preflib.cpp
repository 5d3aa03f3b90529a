// SPDX-License-Identifier: Apache-2.0
#include <io/market/read_preflib.hpp>
#include <io/market/tied_lists.hpp>
#include <io/text/cursor.hpp>
#include <io/text/error.hpp>
#include <io/text/fields.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

namespace taper::io {
namespace {

/// The value of a line of the header "# KEY: VALUE"; nothing if it has another key.
std::optional<std::string_view> header_value(std::string_view line, std::string_view key) {
  line = trimmed(line.substr(1));
  if (!line.starts_with(key) || !line.substr(key.size()).starts_with(':')) {
    return std::nullopt;
  }
  return trimmed(line.substr(key.size() + 1));
}

std::size_t header_number(Cursor const& cursor, std::string_view key, std::string_view value) {
  std::uint32_t number = 0;
  auto const [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || stop != value.data() + value.size()) {
    cursor.fail(cursor.position(),
                fmt::format("{}: expected a whole number, found {}", key, in_quotes(value)));
  }
  return number;
}

/// Reads a line of the header: the sizes, and the names of alternatives in the order of their
/// numbers.
void read_header_line(Cursor const& cursor, PrefLibOrders& orders,
                      std::optional<std::size_t>& alternatives,
                      std::optional<std::size_t>& voters) {
  auto const line = cursor.line();
  if (auto const value = header_value(line, "NUMBER ALTERNATIVES")) {
    alternatives = header_number(cursor, "NUMBER ALTERNATIVES", *value);
  } else if (auto const count = header_value(line, "NUMBER VOTERS")) {
    voters = header_number(cursor, "NUMBER VOTERS", *count);
  }
  auto const next = fmt::format("ALTERNATIVE NAME {}", orders.alternative_names.size() + 1);
  if (auto const name = header_value(line, next)) {
    if (find_invalid_utf8(*name) < name->size()) {
      cursor.fail(cursor.position(), fmt::format("expected UTF-8, found {}", in_quotes(*name)));
    }
    orders.alternative_names.emplace_back(*name);
  }
}

/// Reads a line "k: 1,{2,3}", the order of k voters.
void read_order(Cursor& cursor, LineCounter& lines, PrefLibOrders& orders) {
  orders.voters.push_back(read_number(cursor, "a number of voters before a colon", ":"));
  cursor.skip_separators();
  if (cursor.peek() != ':') {
    cursor.fail_expecting("a colon after the number of voters");
  }
  cursor.go_to(cursor.position() + 1);
  read_tied_list(cursor, lines, orders.lists, orders.alternative_names.size(),
                 fmt::format("order {}", orders.voters.size()), '{', '}');
}

/// The lists of all voters: those of one order have the same list.
SideLists lists_of_voters(PrefLibOrders const& orders) {
  SideLists result;
  auto const& lists = orders.lists;
  result.file = lists.file;
  for (std::size_t order = 0; order < orders.voters.size(); ++order) {
    for (std::uint32_t voter = 0; voter < orders.voters[order]; ++voter) {
      result.begin_list(lists.lines[order]);
      for (auto entry = lists.begin_of(order); entry < lists.ends[order]; ++entry) {
        auto const tied = entry > lists.begin_of(order) && !lists.tiers.empty() &&
                          lists.tiers[entry] == lists.tiers[entry - 1];
        result.append(lists.entries[entry], tied);
      }
    }
  }
  return result;
}

}  // namespace

std::uint64_t PrefLibOrders::voter_count() const {
  return std::accumulate(voters.begin(), voters.end(), std::uint64_t{0});
}

PrefLibOrders read_preflib(Source& source) {
  Cursor cursor(source);
  cursor.set_separators(",");
  LineCounter lines(cursor);
  PrefLibOrders orders;
  orders.lists.file = source.name();
  std::optional<std::size_t> alternatives, voters;
  for (; !cursor.at_end(); cursor.next_line()) {
    if (cursor.has_field()) {
      if (!alternatives || *alternatives != orders.alternative_names.size()) {
        cursor.fail(cursor.position(),
                    fmt::format("expected a header of PrefLib before the orders, with "
                                "'# NUMBER ALTERNATIVES: n' and n names, found {} names",
                                orders.alternative_names.size()));
      }
      read_order(cursor, lines, orders);
    } else if (cursor.peek() == '#') {
      read_header_line(cursor, orders, alternatives, voters);
    }
  }
  if (voters && *voters != orders.voter_count()) {
    throw InputError(source.name(), fmt::format("expected {} voters, as the header says, found {}",
                                                *voters, orders.voter_count()));
  }
  return orders;
}

AnyMarket join_orders(std::vector<PrefLibOrders> orders, NamedSeats const& seats,
                      MarketReadOptions const& options) {
  if (orders.size() != 2) {
    throw InputError(orders[0].lists.file,
                     "expected two files of PrefLib, with the orders of each side, found one");
  }
  std::array<NamedSide, 2> sides;
  for (std::size_t side = 0; side < 2; ++side) {
    auto const& mine = orders[side];
    auto const& other = orders[1 - side];
    if (mine.voter_count() != other.alternative_names.size()) {
      throw InputError(mine.lists.file,
                       fmt::format("expected as many voters as {} has alternatives, which are {}, "
                                   "found {}",
                                   other.lists.file, other.alternative_names.size(),
                                   mine.voter_count()));
    }
    for (auto const& name : other.alternative_names) {
      if (!sides[side].people.add(name).second) {
        throw InputError(other.lists.file,
                         fmt::format("two alternatives have the name {}", in_quotes(name)));
      }
    }
    for (auto const& name : mine.alternative_names) {
      sides[side].mentioned.add(name);
    }
    sides[side].lists = lists_of_voters(mine);
    sides[side].lists.agents.title = side == 0 ? "residents" : "hospitals";
  }
  return join(std::move(sides[0]), std::move(sides[1]), seats, options.strict);
}

}  // namespace taper::io
