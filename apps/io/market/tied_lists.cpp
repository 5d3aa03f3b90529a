// SPDX-License-Identifier: Apache-2.0
#include <io/market/named_lists.hpp>
#include <io/market/tied_lists.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

namespace taper::io {
namespace {

/// Throws InputError if the last list has an id twice.
void require_distinct(Cursor const& cursor, char const* line, SideLists const& lists,
                      std::string const& name) {
  auto const last = lists.ends.size() - 1;
  auto const list = std::span(lists.entries).subspan(lists.begin_of(last), lists.length_of(last));
  std::vector<std::uint32_t> sorted(list.begin(), list.end());
  std::ranges::sort(sorted);
  auto const twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) {
    return;
  }
  auto const first = std::ranges::find(list, *twice);
  auto const second = std::find(first + 1, list.end(), *twice);
  cursor.fail(line, fmt::format("{}, entry {}: {} appears twice (first in entry {})", name,
                                second - list.begin() + 1, *twice + 1, first - list.begin() + 1));
}

}  // namespace

std::uint32_t read_number(Cursor& cursor, std::string_view what, std::string_view more_ends) {
  cursor.skip_separators();
  if (cursor.at_end()) {
    cursor.fail_expecting(what);
  }
  std::uint32_t value = 0;
  auto const text = cursor.line();
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  auto const at_end = stop == text.data() + text.size() || *stop == ' ' || *stop == '\t' ||
                      more_ends.find(*stop) != std::string_view::npos;
  if (error != std::errc{} || !at_end || value == std::numeric_limits<std::uint32_t>::max()) {
    cursor.fail_expecting(what);
  }
  cursor.go_to(stop);
  return value;
}

std::size_t LineCounter::line_of(char const* position) {
  line_ += static_cast<std::size_t>(std::count(last_, position, '\n'));
  last_ = position;
  return line_;
}

std::uint32_t read_number_in_next_line(Cursor& cursor, std::string_view what) {
  cursor.skip_to_content();
  return read_number(cursor, what);
}

void read_numbered_side(Cursor& cursor, LineCounter& lines, SideLists& lists, std::size_t agents,
                        std::size_t others, std::vector<std::uint32_t>* seats) {
  for (std::size_t agent = 1; agent <= agents; ++agent) {
    auto const name = fmt::format("{}, list {}", lists.agents.title, agent);
    if (read_number_in_next_line(cursor, name) != agent) {
      cursor.fail(cursor.position(), fmt::format("expected {}, which begins with {}", name, agent));
    }
    if (seats != nullptr) {
      seats->push_back(read_number(cursor, name + ": a number of seats"));
    }
    read_tied_list(cursor, lines, lists, others, name, '(', ')');
    cursor.next_line();
  }
}

void read_tied_list(Cursor& cursor, LineCounter& lines, SideLists& lists, std::size_t others,
                    std::string const& name, char open, char close) {
  auto const* const line = cursor.position();
  auto const signs = std::string{open, close, ','};
  lists.begin_list(lines.line_of(line));
  auto in_tie = false, tie_has_begun = false;
  for (cursor.skip_separators(); cursor.has_field(); cursor.skip_separators()) {
    auto const sign = cursor.peek();
    if (sign == open || sign == close) {
      if (in_tie == (sign == open) || (sign == close && !tie_has_begun)) {
        cursor.fail(line, fmt::format("{}: expected {}, found '{}'", name,
                                      in_tie ? "an id" : "an id, or the begin of a tie", sign));
      }
      in_tie = sign == open;
      tie_has_begun = false;
      cursor.go_to(cursor.position() + 1);
      continue;
    }
    auto const id = read_number(cursor, name + ": an id", signs);
    if (id == 0 || id > others) {
      cursor.fail(line, fmt::format("{}, entry {}: {} is out of range 1..{}", name,
                                    lists.length_of(lists.ends.size() - 1) + 1, id, others));
    }
    lists.append(id - 1, std::exchange(tie_has_begun, in_tie));
  }
  if (in_tie) {
    cursor.fail(line, fmt::format("{}: expected '{}', the end of a tie, found the end of the line",
                                  name, close));
  }
  require_distinct(cursor, line, lists, name);
}

AnyMarket market_of_numbers(SideLists first, SideLists second, std::vector<std::uint32_t> seats,
                            MarketReadOptions const& options) {
  if (options.preferences == ListMeaning::rank) {
    throw InputError(first.file, "--preferences rank is for lists of numbers");
  }
  if (options.base == IdBase::zero) {
    throw InputError(first.file,
                     "--base 0 is for lists of numbers; agents of this form count from 1");
  }
  first.agents.count = first.ends.size();
  second.agents.count = second.ends.size();
  if (is_complete_marriage(first, second, seats)) {
    auto market = complete_market(first, second);
    market.id_base = 1;
    return market;
  }
  auto const one_each = std::ranges::all_of(seats, [](auto count) { return count == 1; });
  first.agents.title = one_each ? "men" : "residents";
  second.agents.title = one_each ? "women" : "hospitals";
  return join_lists(std::move(first), std::move(second), std::move(seats), 1, options.strict);
}

}  // namespace taper::io
