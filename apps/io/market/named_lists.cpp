// SPDX-License-Identifier: Apache-2.0
#include <io/market/named_lists.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <span>

namespace taper::io {
namespace {

constexpr std::uint32_t in_no_list = std::numeric_limits<std::uint32_t>::max();

std::string list_of(NamedSide const& side, std::size_t person) {
  return fmt::format("{}, list of {}", side.title(), in_quotes(side.people.names()[person]));
}

/// For each name that `side` mentions, its number in `other`. Throws: InputError if it is unknown.
std::vector<std::uint32_t> resolve(NamedSide const& side, NamedSide const& other) {
  auto const& names = side.mentioned.names();
  std::vector<std::uint32_t> ids(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto id = other.people.find(names[i]);
    if (!id) {
      auto const& mention = side.first_mentions[i];
      throw InputError(side.file(), mention.line,
                       fmt::format("{}, entry {}: {} is not among the {}{}",
                                   list_of(side, mention.person), mention.entry + 1,
                                   in_quotes(names[i]), other.title(),
                                   did_you_mean(names[i], other.people.names())));
    }
    ids[i] = *id;
  }
  return ids;
}

/// The lists of `side` with the numbers of the names that it mentions.
SideLists lists_of(NamedSide side, std::vector<std::uint32_t> const& ids) {
  SideLists lists = std::move(side.lists);
  for (auto& entry : lists.entries)
    entry = ids[entry];
  lists.agents.names = side.people.names();
  lists.agents.count = lists.agents.names.size();
  return lists;
}

/// The seats of each agent of `side`: 1 if the file does not say. Throws: InputError if a name is
/// unknown.
std::vector<std::uint32_t> resolve(NamedSeats const& seats, NamedSide const& side) {
  std::vector<std::uint32_t> seats_of(side.people.names().size(), 1);
  auto const& names = seats.names.names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto id = side.people.find(names[i]);
    if (!id)
      throw InputError(seats.file, seats.seats[i].line,
                       fmt::format("capacities: {} is not among the {}, the second side{}",
                                   in_quotes(names[i]), side.title(),
                                   did_you_mean(names[i], side.people.names())));
    seats_of[*id] = seats.seats[i].seats;
  }
  return seats_of;
}

}  // namespace

void NamedFile::open_map(std::size_t line) {
  switch (expected_) {
  case Expected::top_map:
    expected_ = Expected::top_key;
    return;
  case Expected::top_value:
    begin_side(key_, key_line_);
    expected_ = Expected::person;
    return;
  case Expected::seats_map:
    expected_ = Expected::seats_name;
    return;
  case Expected::first_item:
    begin_bare_person(line);
    [[fallthrough]];
  default:
    unexpected("a mapping", line);
  }
}

void NamedFile::close_map(std::size_t) {
  const bool top = bare_ || expected_ == Expected::top_key;
  if (top && sides_.empty() && seats_.line == 0) {  // an empty mapping is a side without people
    bare_ = true;
    begin_side(stem_, 1);
  }
  expected_ = top ? Expected::end : Expected::top_key;
}

void NamedFile::open_list(std::size_t line) {
  switch (expected_) {
  case Expected::top_value:
    expected_ = Expected::first_item;
    return;
  case Expected::first_item:
    expected_ = Expected::first_nested;
    nested_line_ = line;
    return;
  case Expected::id_list:
    begin_id_list(line);
    return;
  case Expected::list:
    expected_ = Expected::entry;
    return;
  case Expected::entry:
    expected_ = Expected::tied_entry;
    tie_has_begun_ = false;
    return;
  default:
    unexpected("a list", line);
  }
}

void NamedFile::close_list(std::size_t line) {
  if (expected_ == Expected::first_item)
    begin_bare_person(line);
  if (expected_ == Expected::first_nested)
    begin_indexed_side();
  switch (expected_) {
  case Expected::id_list:
    expected_ = Expected::top_key;
    return;
  case Expected::id:
    expected_ = Expected::id_list;
    return;
  case Expected::tied_entry:
    if (!tie_has_begun_)
      unexpected("an empty list", line);
    expected_ = Expected::entry;
    return;
  default:
    expected_ = Expected::person;
  }
}

/// A key of the top mapping: of a side, of the first person of a side without a key, or capacities.
void NamedFile::begin_top_value(std::string key, std::size_t line) {
  key_ = std::move(key);
  key_line_ = line;
  expected_ = Expected::top_value;
  if (key_ != "capacities")
    return;
  if (seats_.line != 0)
    throw InputError(
        file_, line,
        fmt::format("the key 'capacities' appears twice (first on line {})", seats_.line));
  seats_.file = file_;
  seats_.line = line;
  expected_ = Expected::seats_map;
}

/// The first item of two lists that were opened shows what they are.
void NamedFile::begin_nested(std::string_view item, std::size_t line) {
  if (item.find_first_not_of("0123456789") == item.npos && !item.empty())
    return begin_indexed_side();
  begin_bare_person(line);
  expected_ = Expected::tied_entry;
  tie_has_begun_ = false;
}

/// The list that was opened belongs to the first person of a mapping without a key.
void NamedFile::begin_bare_person(std::size_t line) {
  if (!sides_.empty()) {
    expected_ = Expected::top_value;
    unexpected("a list", line);
  }
  bare_ = true;
  begin_side(stem_, key_line_);
  begin_person(key_, key_line_);
  expected_ = Expected::entry;
}

/// The two lists that were opened are a numbered side and its first list.
void NamedFile::begin_indexed_side() {
  begin_side(key_, key_line_);
  sides_.back().indexed = true;
  begin_id_list(nested_line_);
}

void NamedFile::begin_id_list(std::size_t line) {
  sides_.back().lists.begin_list(line);
  expected_ = Expected::id;
}

void NamedFile::add_id(std::string const& text, std::size_t line) {
  std::uint32_t id = 0;
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || stop != text.data() + text.size() || id == in_no_list)
    unexpected(in_quotes(text), line);
  sides_.back().lists.append(id);
}

void NamedFile::add_seats(std::string const& text, std::size_t line) {
  std::uint32_t seats = 0;
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seats);
  if (error != std::errc{} || stop != text.data() + text.size())
    unexpected(in_quotes(text), line);
  auto const [number, is_new] = seats_.names.add(key_);
  if (!is_new)
    throw InputError(file_, key_line_,
                     fmt::format("capacities: {} appears twice (first on line {})", in_quotes(key_),
                                 seats_.seats[number].line));
  seats_.seats.push_back({key_line_, seats});
  expected_ = Expected::seats_name;
}

void NamedFile::text(std::string text, std::size_t line) {
  if (expected_ == Expected::first_item)
    begin_bare_person(line);
  if (expected_ == Expected::first_nested)
    begin_nested(text, line);
  switch (expected_) {
  case Expected::top_key:
    begin_top_value(std::move(text), line);
    return;
  case Expected::seats_name:
    key_ = std::move(text);
    key_line_ = line;
    expected_ = Expected::seats;
    return;
  case Expected::seats:
    add_seats(text, line);
    return;
  case Expected::tied_entry:
    add_entry(std::move(text), line, std::exchange(tie_has_begun_, true));
    return;
  case Expected::person:
    begin_person(std::move(text), line);
    expected_ = Expected::list;
    return;
  case Expected::entry:
    add_entry(std::move(text), line, false);
    return;
  case Expected::id:
    add_id(text, line);
    return;
  default:
    unexpected(in_quotes(text), line);
  }
}

void NamedFile::other(std::string_view what, std::size_t line) {
  if (expected_ == Expected::first_item)
    begin_bare_person(line);
  // YAML reports an omitted value as null, at the line of what follows. The line of its key is
  // better.
  unexpected(what, expected_ == Expected::list ? sides_.back().lists.lines.back()
                   : expected_ == Expected::top_value || expected_ == Expected::seats_map ||
                           expected_ == Expected::seats
                       ? key_line_
                       : line);
}

std::vector<NamedSide> NamedFile::take(std::size_t count) {
  if (sides_.size() != count)
    throw InputError(
        file_, count == 2 && bare_
                   ? "expected two mappings from names to lists, each under a key, or a second "
                     "file; found one mapping"
                   : fmt::format("expected {} from names to lists, found {}",
                                 count == 2 ? "two mappings" : "one mapping", sides_.size()));
  return std::move(sides_);
}

void NamedFile::unexpected(std::string_view found, std::size_t line) const {
  throw InputError(file_, line, fmt::format("{}, found {}", expected_in_words(found), found));
}

std::string NamedFile::expected_in_words(std::string_view found) const {
  const auto here = [&] {  // the list and the entry that is next
    auto const& lists = sides_.back().lists;
    const std::size_t agent = lists.ends.size() - 1;
    return fmt::format("{}, entry {}",
                       sides_.back().indexed
                           ? fmt::format("{}, list {}", lists.agents.title, agent + 1)
                           : list_of(sides_.back(), agent),
                       lists.length_of(agent) + 1);
  };
  switch (expected_) {
  case Expected::top_map:
    return "expected a mapping from names to lists of names";
  case Expected::top_key:
    return "expected a key";
  case Expected::top_value:
    return fmt::format("{}: expected a {}", in_quotes(key_),
                       sides_.empty() ? "mapping from names to lists, or a list of names"
                                      : "mapping from names to lists");
  case Expected::first_nested:
    return fmt::format("{}: expected a name or an id", in_quotes(key_));
  case Expected::person:
    return fmt::format("{}: expected a name", sides_.back().title());
  case Expected::list: {
    const bool number = found.size() > 2 && found.find_first_not_of("'0123456789") == found.npos;
    return fmt::format("{}: expected a list of names{}",
                       list_of(sides_.back(), sides_.back().lists.ends.size() - 1),
                       number || found == "a mapping"
                           ? " (seats belong into a mapping under the key capacities)"
                           : "");
  }
  case Expected::entry:
    return here() + ": expected a name, or a list of names that are a tie";
  case Expected::tied_entry:
    return here() + ": expected a name in a tie";
  case Expected::id_list:
    return fmt::format("{}: expected a list of ids", sides_.back().title());
  case Expected::id:
    return fmt::format("{}: expected an id, a whole number{}", here(),
                       found == "a list" ? " (lists of ids have no ties; use names)" : "");
  case Expected::seats_map:
    return "capacities: expected a mapping from names to numbers of seats";
  case Expected::seats_name:
    return "capacities: expected a name";
  case Expected::seats:
    return fmt::format("capacities, {}: expected a number of seats", in_quotes(key_));
  case Expected::first_item:
  case Expected::end:
    break;
  }
  return "expected the end of the file";
}

void NamedFile::begin_side(std::string title, std::size_t line) {
  for (NamedSide const& side : sides_)
    if (side.title() == title)
      throw InputError(
          file_, line,
          fmt::format("the key {} appears twice (first on line {})", in_quotes(title), side.line));
  NamedSide& side = sides_.emplace_back();
  side.lists.file = file_;
  side.lists.agents.title = std::move(title);
  side.line = line;
}

void NamedFile::begin_person(std::string name, std::size_t line) {
  NamedSide& side = sides_.back();
  const auto [number, is_new] = side.people.add(std::move(name));
  if (!is_new)
    throw InputError(file_, line,
                     fmt::format("{}: {} appears twice (first on line {})", side.title(),
                                 in_quotes(side.people.names()[number]), side.lists.lines[number]));
  side.lists.begin_list(line);
}

void NamedFile::add_entry(std::string name, std::size_t line, bool tied_with_last) {
  NamedSide& side = sides_.back();
  const std::size_t person = side.lists.ends.size() - 1;
  const std::size_t entry = side.lists.length_of(person);
  const auto [number, is_new] = side.mentioned.add(std::move(name));
  if (is_new) {
    side.first_mentions.push_back({line, person, entry});
    side.last_mentions.push_back(in_no_list);
  }
  if (side.last_mentions[number] == person) {
    const std::size_t begin = side.lists.begin_of(person);
    std::size_t first = 0;
    while (side.lists.entries[begin + first] != number)
      ++first;
    throw InputError(file_, line,
                     fmt::format("{}, entry {}: {} appears twice (first in entry {})",
                                 list_of(side, person), entry + 1,
                                 in_quotes(side.mentioned.names()[number]), first + 1));
  }
  side.last_mentions[number] = static_cast<std::uint32_t>(person);
  side.lists.append(number, tied_with_last);
}

IdTable index_table(NamedSide const& side, Numbering& numbering) {
  SideLists const& lists = side.lists;
  const std::size_t n = lists.ends.size();
  TableBuilder table(side.file(), side.title(), n, numbering);
  for (std::size_t agent = 0; agent < n; ++agent) {
    if (lists.length_of(agent) != n)
      throw InputError(side.file(), lists.lines[agent],
                       fmt::format("{}: expected {} entries, as there are lists, found {}",
                                   table.list_name(), n, lists.length_of(agent)));
    table.add(std::span(lists.entries).subspan(lists.begin_of(agent), n), lists.lines[agent]);
  }
  return table.take();
}

void require_equal_sides(std::string_view file, std::size_t men, std::string_view men_title,
                         std::size_t women, std::string_view women_title) {
  if (men != women)
    throw InputError(file, fmt::format("{} {} and {} {}: unequal sides are not supported in this "
                                       "form; JSON, YAML and CSV have them",
                                       men, men_title, women, women_title));
}

AnyMarket join(NamedSide men, NamedSide women, NamedSeats const& seats, bool strict) {
  // Two files of the same name give both sides the same title.
  if (men.title() == women.title()) {
    men.lists.agents.title = "men";
    women.lists.agents.title = "women";
  }
  const auto ids_for_men = resolve(men, women);
  const auto ids_for_women = resolve(women, men);
  auto seats_of = resolve(seats, women);
  auto men_lists = lists_of(std::move(men), ids_for_men);
  auto women_lists = lists_of(std::move(women), ids_for_women);
  if (!is_complete_marriage(men_lists, women_lists, seats_of))
    return join_lists(std::move(men_lists), std::move(women_lists), std::move(seats_of), 0, strict);
  return complete_market(std::move(men_lists), std::move(women_lists));
}

}  // namespace taper::io
