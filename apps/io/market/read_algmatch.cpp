// SPDX-License-Identifier: Apache-2.0
#include <io/market/tied_lists.hpp>
#include <io/text/error.hpp>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace taper::io {
namespace {

/// The lines of the second side, read with or without seats.
struct SecondSide {
  SideLists lists;
  std::vector<std::uint32_t> seats;
};

SecondSide read_second_side(Cursor& cursor, LineCounter lines, std::size_t agents,
                            std::size_t others, bool has_seats) {
  SecondSide side;
  side.lists.file = cursor.name();
  side.lists.agents.title = has_seats ? "hospitals" : "women";
  read_numbered_side(cursor, lines, side.lists, agents, others, has_seats ? &side.seats : nullptr);
  if (cursor.skip_to_content()) {
    cursor.fail_expecting(
        fmt::format("the end of the file after {} lists", std::uint64_t{agents} + others));
  }
  return side;
}

/// Whether each entry of both sides is returned.
bool is_mutual(SideLists const& first, SideLists const& second) {
  auto const joined = join_lists(first, second, {}, 1, false);
  return joined.one_sided.count() == 0;
}

/// The second side as its numbers suggest: algmatch writes hospitals with seats and women without,
/// and the files do not say which they have.
SecondSide guess_second_side(Cursor& cursor, LineCounter const& lines, SideLists const& first,
                             std::size_t agents) {
  auto const* const begin = cursor.position();
  std::optional<SecondSide> readings[2];
  std::optional<InputError> error;
  for (auto const has_seats : {true, false}) {
    cursor.go_to(begin);
    try {
      readings[has_seats] = read_second_side(cursor, lines, agents, first.ends.size(), has_seats);
    } catch (InputError const& why) {
      error = error ? error : why;
    }
  }
  auto& [women, hospitals] = readings;
  if (!women && !hospitals) {
    throw *error;
  }
  if (women && hospitals) {
    auto const without = is_mutual(first, women->lists), with = is_mutual(first, hospitals->lists);
    if (without == with) {
      throw InputError(cursor.name(), "the first number of a list of the second side may be its "
                                      "seats or its best; give --format algmatch-hr or "
                                      "algmatch-sm");
    }
    return std::move(with ? *hospitals : *women);
  }
  return std::move(women ? *women : *hospitals);
}

}  // namespace

AnyMarket read_algmatch(Source& source, MarketReadOptions const& options,
                        std::optional<bool> second_has_seats) {
  Cursor cursor(source);
  LineCounter lines(cursor);
  auto const residents = read_number_in_next_line(cursor, "the number of agents of the first side");
  auto const hospitals = read_number(cursor, "the number of agents of the second side");
  if (cursor.has_field()) {
    cursor.fail_expecting("the end of the line after two numbers of agents");
  }
  cursor.next_line();
  SideLists first;
  first.file = source.name();
  first.agents.title = second_has_seats.value_or(false) ? "residents" : "men";
  read_numbered_side(cursor, lines, first, residents, hospitals, nullptr);
  auto second = second_has_seats
                    ? read_second_side(cursor, lines, hospitals, residents, *second_has_seats)
                    : guess_second_side(cursor, lines, first, hospitals);
  return market_of_numbers(std::move(first), std::move(second.lists), std::move(second.seats),
                           options);
}

}  // namespace taper::io
