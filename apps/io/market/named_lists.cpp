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
  return fmt::format("{}, list of {}", side.title, in_quotes(side.people.names()[person]));
}

/// For each name that `side` mentions, its number in `other`. Throws: InputError if it is unknown.
std::vector<std::uint32_t> resolve(NamedSide const& side, NamedSide const& other) {
  auto const& names = side.mentioned.names();
  std::vector<std::uint32_t> ids(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto id = other.people.find(names[i]);
    if (!id) {
      auto const& mention = side.first_mentions[i];
      throw InputError(side.file, mention.line,
                       fmt::format("{}, entry {}: {} is not among the {}{}",
                                   list_of(side, mention.person), mention.entry + 1,
                                   in_quotes(names[i]), other.title,
                                   did_you_mean(names[i], other.people.names())));
    }
    ids[i] = *id;
  }
  return ids;
}

[[noreturn]] void report_missing(NamedSide const& side, std::size_t person, NamedSide const& other,
                                 std::span<const std::uint32_t> listed,
                                 std::span<const std::uint32_t> ids) {
  std::vector<bool> is_listed(other.persons.size());
  for (const std::uint32_t mention : listed)
    is_listed[ids[mention]] = true;
  std::size_t missing = 0;
  while (is_listed[missing])
    ++missing;
  throw InputError(side.file, side.persons[person].line,
                   fmt::format("{}: {} is missing, found {} of {} names (incomplete lists are not "
                               "supported yet)",
                               list_of(side, person), in_quotes(other.people.names()[missing]),
                               listed.size(), other.persons.size()));
}

IdTable table_of(NamedSide const& side, NamedSide const& other,
                 std::span<const std::uint32_t> ids) {
  const std::size_t others = other.persons.size();
  std::size_t begin = 0;
  IdTable table(side.persons.size(), others);
  for (std::size_t person = 0; person < side.persons.size(); ++person) {
    const std::size_t end = side.persons[person].list_end;
    const auto listed = std::span(side.list_entries).subspan(begin, end - begin);
    // All names are known and distinct, so a list can only be too short.
    if (listed.size() < others)
      report_missing(side, person, other, listed, ids);
    for (std::size_t rank = 0; rank < others; ++rank)
      table.set(person, rank, ids[listed[rank]]);
    begin = end;
  }
  return table;
}

}  // namespace

std::optional<std::uint32_t> NameIndex::find(std::string_view name) const {
  const auto it = numbers_.find(name);
  return it == numbers_.end() ? std::nullopt : std::optional(it->second);
}

std::pair<std::uint32_t, bool> NameIndex::add(std::string name) {
  const auto [it, is_new] =
      numbers_.try_emplace(std::move(name), static_cast<std::uint32_t>(names_.size()));
  if (is_new)
    names_.push_back(it->first);
  return {it->second, is_new};
}

void NamedFile::open_map(std::size_t line) {
  switch (expected_) {
  case Expected::top_map:
    expected_ = Expected::top_key;
    return;
  case Expected::top_value:
    begin_side(key_, key_line_);
    expected_ = Expected::person;
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
  if (top && sides_.empty()) {  // an empty mapping is a side without people
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
    begin_side(key_, key_line_);
    sides_.back().indexed = true;
    begin_id_list(line);
    return;
  case Expected::id_list:
    begin_id_list(line);
    return;
  case Expected::list:
    expected_ = Expected::entry;
    return;
  default:
    unexpected("a list", line);
  }
}

void NamedFile::close_list(std::size_t line) {
  if (expected_ == Expected::first_item)
    begin_bare_person(line);
  if (expected_ == Expected::id_list) {
    expected_ = Expected::top_key;
    return;
  }
  NamedSide& side = sides_.back();
  side.persons.back().list_end = side.list_entries.size();
  expected_ = expected_ == Expected::id ? Expected::id_list : Expected::person;
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

void NamedFile::begin_id_list(std::size_t line) {
  NamedSide& side = sides_.back();
  side.persons.push_back({line, side.list_entries.size()});
  expected_ = Expected::id;
}

void NamedFile::add_id(std::string const& text, std::size_t line) {
  std::uint32_t id = 0;
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || stop != text.data() + text.size() || id == in_no_list)
    unexpected(in_quotes(text), line);
  sides_.back().list_entries.push_back(id);
}

void NamedFile::text(std::string text, std::size_t line) {
  if (expected_ == Expected::first_item)
    begin_bare_person(line);
  switch (expected_) {
  case Expected::top_key:
    key_ = std::move(text);
    key_line_ = line;
    expected_ = Expected::top_value;
    return;
  case Expected::person:
    begin_person(std::move(text), line);
    expected_ = Expected::list;
    return;
  case Expected::entry:
    add_entry(std::move(text), line);
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
  unexpected(what, expected_ == Expected::list        ? sides_.back().persons.back().line
                   : expected_ == Expected::top_value ? key_line_
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
  const bool number = found.size() > 2 && found.find_first_not_of("'0123456789") == found.npos;
  if (expected_ == Expected::list && (number || found == "a mapping"))
    throw InputError(file_, line,
                     fmt::format("{}: expected a list of names, found {} (capacities are not "
                                 "supported yet: each agent has one partner)",
                                 list_of(sides_.back(), sides_.back().persons.size() - 1), found));
  const auto expected = [&]() -> std::string {
    switch (expected_) {
    case Expected::top_map:
      return "expected a mapping from names to lists of names";
    case Expected::top_key:
      return "expected a key";
    case Expected::top_value:
      return fmt::format("{}: expected a {}", in_quotes(key_),
                         sides_.empty() ? "mapping from names to lists, or a list of names"
                                        : "mapping from names to lists");
    case Expected::person:
      return fmt::format("{}: expected a name", sides_.back().title);
    case Expected::list:
      return fmt::format("{}: expected a list of names",
                         list_of(sides_.back(), sides_.back().persons.size() - 1));
    case Expected::entry: {
      NamedSide const& side = sides_.back();
      const std::size_t person = side.persons.size() - 1;
      const std::size_t begin = person > 0 ? side.persons[person - 1].list_end : 0;
      return fmt::format("{}, entry {}: expected a name{}", list_of(side, person),
                         side.list_entries.size() - begin + 1,
                         found == "a list" ? " (ties are not supported yet)" : "");
    }
    case Expected::id_list:
      return fmt::format("{}: expected a list of ids", sides_.back().title);
    case Expected::id: {
      NamedSide const& side = sides_.back();
      return fmt::format("{}, list {}, entry {}: expected an id, a whole number{}", side.title,
                         side.persons.size(),
                         side.list_entries.size() - side.persons.back().list_end + 1,
                         found == "a list" ? " (ties are not supported yet)" : "");
    }
    case Expected::first_item:
    case Expected::end:
      break;
    }
    return "expected the end of the file";
  };
  throw InputError(file_, line, fmt::format("{}, found {}", expected(), found));
}

void NamedFile::begin_side(std::string title, std::size_t line) {
  for (NamedSide const& side : sides_)
    if (side.title == title)
      throw InputError(
          file_, line,
          fmt::format("the key {} appears twice (first on line {})", in_quotes(title), side.line));
  NamedSide& side = sides_.emplace_back();
  side.file = file_;
  side.title = std::move(title);
  side.line = line;
}

void NamedFile::begin_person(std::string name, std::size_t line) {
  NamedSide& side = sides_.back();
  const auto [number, is_new] = side.people.add(std::move(name));
  if (!is_new)
    throw InputError(file_, line,
                     fmt::format("{}: {} appears twice (first on line {})", side.title,
                                 in_quotes(side.people.names()[number]),
                                 side.persons[number].line));
  side.persons.push_back({line, side.list_entries.size()});
}

void NamedFile::add_entry(std::string name, std::size_t line) {
  NamedSide& side = sides_.back();
  const std::size_t person = side.persons.size() - 1;
  const std::size_t begin = person > 0 ? side.persons[person - 1].list_end : 0;
  const std::size_t entry = side.list_entries.size() - begin;
  const auto [number, is_new] = side.mentioned.add(std::move(name));
  if (is_new) {
    side.first_mentions.push_back({line, person, entry});
    side.last_mentions.push_back(in_no_list);
  }
  if (side.last_mentions[number] == person) {
    std::size_t first = 0;
    while (side.list_entries[begin + first] != number)
      ++first;
    throw InputError(file_, line,
                     fmt::format("{}, entry {}: {} appears twice (first in entry {})",
                                 list_of(side, person), entry + 1,
                                 in_quotes(side.mentioned.names()[number]), first + 1));
  }
  side.last_mentions[number] = static_cast<std::uint32_t>(person);
  side.list_entries.push_back(number);
}

IdTable index_table(NamedSide const& side, Numbering& numbering) {
  const std::size_t n = side.persons.size();
  TableBuilder table(side.file, side.title, n, numbering);
  std::size_t begin = 0;
  for (auto const& [line, end] : side.persons) {
    if (end - begin != n)
      throw InputError(side.file, line,
                       fmt::format("{}: expected {} entries, as there are lists, found {}",
                                   table.list_name(), n, end - begin));
    table.add(std::span(side.list_entries).subspan(begin, n), line);
    begin = end;
  }
  return table.take();
}

void require_equal_sides(std::string_view file, std::size_t men, std::string_view men_title,
                         std::size_t women, std::string_view women_title) {
  if (men != women)
    throw InputError(file, fmt::format("{} {} and {} {}: unequal sides are not supported yet", men,
                                       men_title, women, women_title));
}

Market join(NamedSide men, NamedSide women) {
  // Two files of the same name give both sides the same title.
  if (men.title == women.title) {
    men.title = "men";
    women.title = "women";
  }
  const auto ids_for_men = resolve(men, women);
  const auto ids_for_women = resolve(women, men);
  const std::size_t n = men.persons.size();
  require_equal_sides(men.file, n, men.title, women.persons.size(), women.title);
  try {
    require_memory(n);
  } catch (InputError const& error) {
    throw InputError(men.file, error.what());
  }
  Market market;
  market.men = {men.title, men.people.names(), table_of(men, women, ids_for_men)};
  market.women = {women.title, women.people.names(), table_of(women, men, ids_for_women)};
  return market;
}

}  // namespace taper::io
