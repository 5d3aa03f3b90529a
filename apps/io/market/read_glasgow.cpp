// SPDX-License-Identifier: Apache-2.0
#include <io/market/tied_lists.hpp>
#include <io/text/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace taper::io {
AnyMarket read_glasgow(Source& source, MarketReadOptions const& options) {
  Cursor cursor(source);
  LineCounter lines(cursor);
  if (read_number_in_next_line(cursor, "0, the first line of an instance of the Glasgow solvers") !=
      0) {
    cursor.fail(cursor.position(), "expected 0, the first line of an instance of the Glasgow "
                                   "solvers; couples are not supported");
  }
  cursor.next_line();
  auto const residents = read_number_in_next_line(cursor, "the number of agents of the first side");
  cursor.next_line();
  auto const hospitals =
      read_number_in_next_line(cursor, "the number of agents of the second side");
  cursor.next_line();
  SideLists first, second;
  std::vector<std::uint32_t> seats;
  first.file = second.file = source.name();
  first.agents.title = "men";
  second.agents.title = "women";
  read_numbered_side(cursor, lines, first, residents, hospitals, nullptr);
  read_numbered_side(cursor, lines, second, hospitals, residents, &seats);
  if (cursor.skip_to_content()) {
    cursor.fail_expecting(
        fmt::format("the end of the file after {} lists", std::uint64_t{residents} + hospitals));
  }
  return market_of_numbers(std::move(first), std::move(second), std::move(seats), options);
}

}  // namespace taper::io
