// SPDX-License-Identifier: Apache-2.0
#include <io/graph/edge_table.hpp>
#include <io/market/csv_columns.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace taper::io {
namespace {

using Words = std::span<std::string_view const>;

constexpr std::array<std::string_view, 13> resident_words{
    "resident", "student", "applicant", "candidate", "doctor", "pupil",    "child",
    "person",   "man",     "men",       "proposer",  "agent",  "physician"};
constexpr std::array<std::string_view, 15> hospital_words{
    "hospital", "school", "program",  "programme", "college", "university", "course",    "woman",
    "women",    "firm",   "receiver", "job",       "project", "position",   "department"};
constexpr std::array<std::string_view, 6> rank_words{"rank",       "ranking",    "choice",
                                                     "preference", "choicerank", "preferencerank"};
constexpr std::array<std::string_view, 4> score_words{"score", "points", "examscore", "totalscore"};
constexpr std::array<std::string_view, 5> priority_words{
    "priority", "priorityclass", "hospitalrank", "schoolrank", "programrank"};
constexpr std::array<std::string_view, 7> seats_words{
    "seats", "capacity", "capacities", "quota", "vacancies", "places", "slots"};
constexpr std::array<std::string_view, 7> choice_words{"choice", "preference", "pref",    "rank",
                                                       "option", "school",     "hospital"};

bool contains(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Whether a word is one of `words`, or its plural.
bool is_one_of(Words words, std::string_view word) {
  return contains(words, word) ||
         (word.ends_with('s') && contains(words, word.substr(0, word.size() - 1)));
}

/// Whether a title has what its words say: "Points" is "points". Not "quota_id", which is a name.
bool is_titled(Words words, std::string_view title) {
  return is_one_of(words, plain_title(title));
}

/// Whether a title is of the agents of a side: "student_id" and "Student name" are "student".
bool is_side_titled(Words words, std::string_view title) {
  auto const plain = plain_title(title);
  std::string_view word = plain;
  for (std::string_view const ending : {"name", "id"}) {
    if (word.size() > ending.size() && word.ends_with(ending)) {
      word.remove_suffix(ending.size());
      break;
    }
  }
  return is_one_of(words, plain) || is_one_of(words, word);
}

/// The number of a choice in a title: 2 of "choice 2", "2nd choice", "pref_2" and "2".
std::optional<std::uint32_t> choice_number(std::string_view title) {
  auto const plain = plain_title(title);
  auto const begin = plain.find_first_of("0123456789");
  if (begin == std::string::npos) {
    return std::nullopt;
  }
  std::uint32_t number = 0;
  auto const [stop, error] =
      std::from_chars(plain.data() + begin, plain.data() + plain.size(), number);
  std::string_view const before(plain.data(), begin);
  std::string_view after(stop, static_cast<std::size_t>(plain.data() + plain.size() - stop));
  for (std::string_view const ending : {"st", "nd", "rd", "th"}) {
    if (before.empty() && after.starts_with(ending)) {
      after.remove_prefix(ending.size());
      break;
    }
  }
  auto const word = before.empty() ? after : before;
  auto const is_choice =
      (before.empty() || after.empty()) && (word.empty() || contains(choice_words, word));
  return error == std::errc{} && is_choice ? std::optional(number) : std::nullopt;
}

/// The columns of choices, in their order.
std::vector<std::size_t> find_choices(std::vector<std::string> const& titles) {
  std::vector<std::pair<std::uint32_t, std::size_t>> numbered;
  for (std::size_t column = 0; column < titles.size(); ++column) {
    if (auto const number = choice_number(titles[column])) {
      numbered.emplace_back(*number, column);
    }
  }
  std::ranges::sort(numbered);
  std::vector<std::size_t> choices;
  for (auto const& [number, column] : numbered) {
    choices.push_back(column);
  }
  return choices;
}

/// Finds the column of each role.
class RoleFinder {
 public:
  RoleFinder(CsvTable const& table) : table_(table), taken_(table.titles().size()) {}

  /// The column with the title that the user gives.
  void find_given(std::optional<std::size_t>& role, std::string_view title) {
    if (title.empty()) {
      return;
    }
    auto const& titles = table_.titles();
    auto const found = std::ranges::find(titles, title);
    if (found != titles.end()) {
      take(role, static_cast<std::size_t>(found - titles.begin()));
    }
  }
  /// The first column with the agents of a side.
  void find_side(std::optional<std::size_t>& role, Words words) {
    for (std::size_t column = 0; column < taken_.size() && !role; ++column) {
      if (!taken_[column] && is_side_titled(words, table_.titles()[column])) {
        take(role, column);
      }
    }
  }
  /// The only column whose title is one of the words.
  void find_word(std::optional<std::size_t>& role, Words words) {
    if (role) {
      return;
    }
    for (std::size_t column = 0; column < taken_.size(); ++column) {
      if (taken_[column] || !is_titled(words, table_.titles()[column])) {
        continue;
      }
      if (role) {
        table_.fail(fmt::format("the columns {} and {} may hold the same; say which with --columns",
                                in_quotes(table_.titles()[*role]),
                                in_quotes(table_.titles()[column])));
      }
      take(role, column);
    }
  }
  /// The first column that has no role. Returns a remark about it; empty if the role has one.
  std::string find_free(std::optional<std::size_t>& role, std::string_view what) {
    auto const free = std::ranges::find(taken_, false);
    if (role || free == taken_.end()) {
      return {};
    }
    take(role, static_cast<std::size_t>(free - taken_.begin()));
    return fmt::format("{}: the column {} is read as the agents of the {} side (set --columns)",
                       table_.file(), in_quotes(table_.titles()[*role]), what);
  }
  void take(std::vector<std::size_t> const& columns) {
    for (auto const column : columns) {
      taken_[column] = true;
    }
  }
  bool is_taken(std::size_t column) const { return taken_[column]; }

 private:
  void take(std::optional<std::size_t>& role, std::size_t column) {
    role = column;
    taken_[column] = true;
  }

  CsvTable const& table_;
  std::vector<bool> taken_;
};

}  // namespace

bool are_market_titles(std::vector<std::string> const& titles) {
  auto const has = [&](Words words, auto const& is) {
    return std::ranges::any_of(titles, [&](auto const& title) { return is(words, title); });
  };
  auto const has_side = has(resident_words, is_side_titled) || has(hospital_words, is_side_titled);
  return !find_choices(titles).empty() || has(seats_words, is_titled) ||
         (has_side && (has(rank_words, is_titled) || has(priority_words, is_titled) ||
                       has(score_words, is_titled)));
}

CsvRoles find_roles(CsvTable const& table, MarketColumns const& columns,
                    std::string_view first_title, std::string_view second_title, TableSide side) {
  CsvRoles roles;
  RoleFinder finder(table);
  for (auto const& [role, title] :
       {std::pair{&roles.resident, &columns.resident},
        std::pair{&roles.hospital, &columns.hospital}, std::pair{&roles.rank, &columns.rank},
        std::pair{&roles.score, &columns.score}, std::pair{&roles.priority, &columns.priority},
        std::pair{&roles.seats, &columns.seats}}) {
    finder.find_given(*role, *title);
  }
  if (!roles.resident) {
    finder.find_given(roles.resident, first_title);
  }
  if (!roles.hospital) {
    finder.find_given(roles.hospital, second_title);
  }
  finder.find_side(roles.resident, resident_words);
  finder.find_side(roles.hospital, hospital_words);
  finder.find_word(roles.rank, rank_words);
  finder.find_word(roles.score, score_words);
  finder.find_word(roles.priority, priority_words);
  finder.find_word(roles.seats, seats_words);
  if (!roles.rank) {
    std::erase_if(roles.choices = find_choices(table.titles()),
                  [&](std::size_t column) { return finder.is_taken(column); });
    finder.take(roles.choices);
  }
  auto const guess = [&](std::optional<std::size_t>& role, std::string_view what) {
    if (auto note = finder.find_free(role, what); !note.empty()) {
      roles.notes.push_back(std::move(note));
    }
  };
  // A row is an entry, which names both agents, or an agent with its choices or its seats.
  auto const both = roles.choices.empty() && roles.has_entries();
  if (side == TableSide::first) {
    guess(roles.resident, "first");
  }
  if (both || side == TableSide::second) {
    guess(roles.hospital, "second");
  }
  if (both) {
    guess(roles.resident, "first");
  }
  return roles;
}

NamedSeats read_seats_table(Source& source, MarketColumns const& columns) {
  CsvTable table(source);
  return read_seats_rows(table, find_roles(table, columns, {}, {}, TableSide::second));
}

NamedSeats read_seats_rows(CsvTable& table, CsvRoles const& roles) {
  if (!roles.hospital || !roles.seats) {
    table.fail(fmt::format("expected a column of hospitals and one of seats, found the titles {} "
                           "(--columns says what they mean)",
                           fmt::join(table.titles(), ", ")));
  }
  NamedSeats result;
  result.file = table.file();
  result.line = table.line();
  while (table.next_row()) {
    auto const name = table.cell(*roles.hospital);
    if (name.empty()) {
      table.fail(
          fmt::format("{}: expected a name, found an empty cell", table.titles()[*roles.hospital]));
    }
    auto const [number, is_new] = result.names.add(std::string(name));
    if (!is_new) {
      table.fail(fmt::format("{} appears twice (first on line {})", in_quotes(name),
                             result.seats[number].line));
    }
    result.seats.push_back({table.line(), seats_in(table, *roles.seats)});
  }
  return result;
}

}  // namespace taper::io
