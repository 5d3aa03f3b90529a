// SPDX-License-Identifier: Apache-2.0
#include <io/market/read_csv_market.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace taper::io {
namespace {

std::uint32_t number_of(NameIndex& index, std::string_view name) {
  auto const known = index.find(name);
  return known ? *known : index.add(std::string(name)).first;
}

/// The place in the list, for a table of entries: the rank, or what the score says.
double place_of(CsvTable const& table, CsvRoles const& roles, bool lowest_first) {
  if (roles.rank) {
    return number_in(table, *roles.rank, table.titles()[*roles.rank]);
  }
  auto const column = roles.score ? *roles.score : *roles.priority;
  auto const score = number_in(table, column, table.titles()[column]);
  return lowest_first ? score : -score;
}

/// The entries of each agent together, in the order of the rows.
std::vector<std::size_t> by_owner(std::span<std::uint32_t const> owners,
                                  std::vector<std::size_t>& ends) {
  for (auto const owner : owners) {
    ++ends[owner];
  }
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::size_t{0});
  std::vector<std::size_t> order(owners.size());
  for (std::size_t entry = 0; entry < owners.size(); ++entry) {
    order[ends[owners[entry]]++] = entry;
  }
  return order;
}

}  // namespace

CsvMarketReader::CsvMarketReader(MarketReadOptions const& options)
    : options_(options), lowest_first_(options.lowest_first) {
  auto const& columns = options.columns;
  for (auto const* const title : {&columns.resident, &columns.hospital, &columns.rank,
                                  &columns.score, &columns.priority, &columns.seats}) {
    if (!title->empty()) {
      missing_titles_.push_back(*title);
    }
  }
}

void CsvMarketReader::read(Source& source, std::size_t left_out) {
  CsvTable table(source, left_out);
  for (auto const& title : table.titles()) {
    std::erase(missing_titles_, title);
  }
  auto const side = tables_++ == 0 ? TableSide::first : TableSide::second;
  auto roles = find_roles(table, options_.columns, rows(TableSide::first).title,
                          rows(TableSide::second).title, side);
  std::ranges::move(roles.notes, std::back_inserter(notes_));
  if (roles.score && roles.priority) {
    table.fail(fmt::format("the columns {} and {} both say what the second side wants; keep one",
                           in_quotes(table.titles()[*roles.score]),
                           in_quotes(table.titles()[*roles.priority])));
  }
  lowest_first_ = lowest_first_ || roles.priority;
  if (side == TableSide::second && !roles.has_entries()) {
    if (roles.hospital && !second_is_titled_) {
      sides_[1].title = table.titles()[*roles.hospital];
    }
    read_seats(table, roles);
  } else if (side == TableSide::second && second_has_lists_) {
    table.fail("expected a table of seats, after two tables of lists");
  } else {
    read_lists(table, roles, side);
  }
}

void CsvMarketReader::read_lists(CsvTable& table, CsvRoles const& roles, TableSide side) {
  auto const is_first = side == TableSide::first;
  auto const& owner = is_first ? roles.resident : roles.hospital;
  auto const& other = is_first ? roles.hospital : roles.resident;
  auto const choices = !roles.choices.empty();
  if (!owner || (!choices && !other) || (is_first && !choices && !roles.rank)) {
    table.fail(fmt::format("expected a column of residents, and one of hospitals and one of ranks, "
                           "or columns choice1, choice2, ...; found the titles {} (--columns says "
                           "what they mean)",
                           fmt::join(table.titles(), ", ")));
  }
  rows(side).file = table.file();
  if (is_first) {
    sides_[0].title = table.titles()[*owner];
    sides_[1].title = other ? table.titles()[*other] : "hospital";
    second_is_titled_ = other.has_value();
  } else {
    sides_[1].title = table.titles()[*owner];
    second_is_titled_ = true;
    second_has_lists_ = true;
    if (!sides_[0].scores.empty()) {
      table.fail(fmt::format("the second side's wishes are in {} already", sides_[0].file));
    }
  }
  has_values_ = has_values_ || (is_first && roles.has_value());
  while (table.next_row()) {
    if (choices) {
      read_choices(table, roles, side);
    } else {
      read_entry(table, roles, side);
    }
  }
}

/// Reads a row that is an agent with its choices.
void CsvMarketReader::read_choices(CsvTable const& table, CsvRoles const& roles, TableSide side) {
  auto& agents = rows(side).agents;
  auto& lines = rows(side).agent_lines;
  auto const name = table.cell(side == TableSide::first ? *roles.resident : *roles.hospital);
  if (name.empty()) {
    table.fail(fmt::format("{}: expected a name, found an empty cell", rows(side).title));
  }
  auto const owner = number_of(agents, name);
  lines.resize(std::max<std::size_t>(lines.size(), agents.names().size()));
  if (lines[owner] != 0) {
    table.fail(fmt::format("{}: {} appears twice (first on line {})", rows(side).title,
                           in_quotes(name), lines[owner]));
  }
  lines[owner] = table.line();
  double place = 0;
  for (auto const column : roles.choices) {
    if (auto const choice = table.cell(column); !choice.empty()) {
      add_entry(table, roles, side, owner, choice, place++);
    }
  }
  if (side == TableSide::second) {
    set_seats(table, roles, owner);
  }
}

/// Reads a row that is an entry; or an agent alone, if the other cell is empty.
void CsvMarketReader::read_entry(CsvTable const& table, CsvRoles const& roles, TableSide side) {
  auto const resident = table.cell(*roles.resident), hospital = table.cell(*roles.hospital);
  if (resident.empty() && hospital.empty()) {
    table.fail(fmt::format("expected {} and {}, found empty cells", table.titles()[*roles.resident],
                           table.titles()[*roles.hospital]));
  }
  if (!resident.empty() && side == TableSide::first) {
    number_of(sides_[0].agents, resident);
  }
  if (!hospital.empty()) {
    set_seats(table, roles, number_of(sides_[1].agents, hospital));
  }
  if (resident.empty() || hospital.empty()) {
    return;
  }
  auto const& owner = side == TableSide::first ? resident : hospital;
  auto const& other = side == TableSide::first ? hospital : resident;
  add_entry(table, roles, side, *rows(side).agents.find(owner), other,
            place_of(table, roles, lowest_first_));
}

void CsvMarketReader::add_entry(CsvTable const& table, CsvRoles const& roles, TableSide side,
                                std::uint32_t owner, std::string_view other, double place) {
  auto& mine = rows(side);
  auto& others = sides_[side == TableSide::first ? 1 : 0].agents;
  auto const known = others.find(other);
  if (!known && side == TableSide::second) {
    if (unknown_.of_second++ == 0) {
      unknown_.example = InputError(table.file(), table.line(),
                                    fmt::format("{} lists {}, which has no row in {}",
                                                in_quotes(mine.agents.names()[owner]),
                                                in_quotes(other), sides_[0].file))
                             .what();
    }
    return;
  }
  mine.owners.push_back(owner);
  mine.ids.push_back(known ? *known : number_of(others, other));
  mine.places.push_back(place);
  mine.lines.push_back(table.line());
  if (roles.has_value()) {
    auto const column = roles.score ? *roles.score : *roles.priority;
    mine.scores.push_back(number_in(table, column, table.titles()[column]));
  }
}

void CsvMarketReader::set_seats(CsvTable const& table, CsvRoles const& roles,
                                std::uint32_t hospital) {
  if (!roles.seats || table.cell(*roles.seats).empty()) {
    return;
  }
  auto const seats = seats_in(table, *roles.seats);
  seats_.resize(std::max<std::size_t>(seats_.size(), std::size_t{hospital} + 1));
  auto& known = seats_[hospital];
  if (known.line != 0 && known.seats != seats) {
    table.fail(fmt::format("{} has {} seats, and {} in {}:{}",
                           in_quotes(sides_[1].agents.names()[hospital]), seats, known.seats,
                           known.file, known.line));
  }
  known = {seats, table.line(), table.file()};
}

/// Reads the rows of a table of hospitals with their seats.
void CsvMarketReader::read_seats(CsvTable& table, CsvRoles const& roles) {
  seats_file_ = table.file();
  auto const named = read_seats_rows(table, roles);
  for (std::size_t i = 0; i < named.seats.size(); ++i) {
    auto const& name = named.names.names()[i];
    auto const hospital = number_of(sides_[1].agents, name);
    seats_.resize(std::max<std::size_t>(seats_.size(), std::size_t{hospital} + 1));
    auto& known = seats_[hospital];
    if (known.line != 0) {
      throw InputError(named.file, named.seats[i].line,
                       fmt::format("the seats of {} are in {}:{} already", in_quotes(name),
                                   known.file, known.line));
    }
    known = {named.seats[i].seats, named.seats[i].line, named.file};
  }
}

/// The lists of a side, sorted by the places of their entries; equal places are ties.
SideLists CsvMarketReader::lists_of(SideRows const& side, SideRows const& other) const {
  SideLists lists;
  lists.file = side.file;
  lists.agents = {side.title, side.agents.names(), side.agents.names().size()};
  lists.lowest_first = lowest_first_;
  std::vector<std::size_t> ends(lists.agents.count);
  auto order = by_owner(side.owners, ends);
  std::vector<std::size_t> last_line(other.agents.names().size());
  std::vector<std::uint32_t> last_owner(other.agents.names().size(), ~std::uint32_t{0});
  std::size_t begin = 0;
  for (std::uint32_t owner = 0; owner < ends.size(); begin = ends[owner++]) {
    auto const list = std::span(order).subspan(begin, ends[owner] - begin);
    std::ranges::stable_sort(list, {}, [&](std::size_t entry) { return side.places[entry]; });
    lists.begin_list(list.empty() ? 0 : side.lines[list.front()]);
    auto last_place = 0.0;
    for (auto const entry : list) {
      auto const id = side.ids[entry];
      if (last_owner[id] == owner) {
        auto const [first, second] = std::minmax(last_line[id], side.lines[entry]);
        throw InputError(side.file, second,
                         fmt::format("{}, list of {}: {} appears twice (first on line {})",
                                     side.title, in_quotes(lists.agents.names[owner]),
                                     in_quotes(other.agents.names()[id]), first));
      }
      last_owner[id] = owner;
      last_line[id] = side.lines[entry];
      auto const is_first = lists.length_of(owner) == 0;
      lists.append(id, !is_first && side.places[entry] == last_place);
      last_place = side.places[entry];
      if (!side.scores.empty()) {
        lists.scores.push_back(side.scores[entry]);
      }
    }
  }
  return lists;
}

/// The seats of each hospital: 1 if no table has them. Throws: InputError if a table of seats
/// lacks a hospital.
std::vector<std::uint32_t> CsvMarketReader::seats_of_hospitals() const {
  auto const& names = sides_[1].agents.names();
  std::vector<std::uint32_t> seats(names.size(), 1);
  std::vector<std::string> known_names;
  for (std::size_t hospital = 0; hospital < names.size(); ++hospital) {
    auto const known = hospital < seats_.size() && seats_[hospital].line != 0;
    if (known) {
      seats[hospital] = seats_[hospital].seats;
      known_names.push_back(names[hospital]);
    }
  }
  if (seats_file_.empty() || known_names.size() == names.size()) {
    return seats;
  }
  for (std::size_t hospital = 0; hospital < names.size(); ++hospital) {
    if (hospital >= seats_.size() || seats_[hospital].line == 0) {
      throw InputError(seats_file_, fmt::format("expected the seats of {}, which {} names{}",
                                                in_quotes(names[hospital]), sides_[0].file,
                                                did_you_mean(names[hospital], known_names)));
    }
  }
  return seats;
}

SparseMarket CsvMarketReader::take() {
  if (!missing_titles_.empty()) {
    throw InputError(sides_[0].file, fmt::format("--columns: no table has the title {}",
                                                 in_quotes(missing_titles_.front())));
  }
  if (options_.strict && unknown_.count() > 0) {
    throw InputError(unknown_.example);
  }
  auto seats = seats_of_hospitals();
  auto first = lists_of(sides_[0], sides_[1]);
  auto second = lists_of(sides_[1], sides_[0]);
  SparseMarket market;
  if (second_has_lists_) {
    market = join_lists(std::move(first), std::move(second), std::move(seats), 0, options_.strict);
    market.one_sided.of_second += unknown_.of_second;
    if (market.one_sided.example.empty()) {
      market.one_sided.example = unknown_.example;
    }
  } else {
    if (!has_values_) {
      notes_.push_back(fmt::format("{}: no column is a score or a priority: all tie at each {}",
                                   sides_[0].file, sides_[1].title));
    }
    market = market_of(std::move(first), std::move(second.agents), std::move(seats));
  }
  market.notes = std::move(notes_);
  return market;
}

}  // namespace taper::io
