// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/join_lists.hpp>
#include <io/market/read.hpp>
#include <io/text/cursor.hpp>
#include <io/text/source.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

// Texts with numbered agents: instances of the Glasgow solvers, of algmatch, and of PrefLib.

/// The line of a position in a text, for positions that only move forward.
class LineCounter {
 public:
  explicit LineCounter(Cursor const& cursor) : last_(cursor.position()) {}

  std::size_t line_of(char const* position);

 private:
  char const* last_;
  std::size_t line_ = 1;
};

/// The number here, of up to 32 bits; goes past it. Ends at a separator, the end of the line, or a
/// character of `more_ends`. Throws: InputError "expected WHAT, found ...".
std::uint32_t read_number(Cursor& cursor, std::string_view what, std::string_view more_ends = {});

/// Reads the rest of the line as a list of ids from 1 to `others`, and appends it as the list of the
/// next agent. The signs `open` and `close` enclose a tie. `name` is the list in messages, such as
/// "residents, list 3".
/// Throws: InputError if an id is out of range or appears twice, or if a tie has no end or no id.
void read_tied_list(Cursor& cursor, LineCounter& lines, SideLists& lists, std::size_t others,
                    std::string const& name, char open, char close);

/// Reads the lines of `agents` agents, each with its number from 1, its seats if `seats` is not
/// null, and its list, with ties in round brackets.
void read_numbered_side(Cursor& cursor, LineCounter& lines, SideLists& lists, std::size_t agents,
                        std::size_t others, std::vector<std::uint32_t>* seats);

/// Goes to the next line with entries and reads the number there.
std::uint32_t read_number_in_next_line(Cursor& cursor, std::string_view what);

/// The market of two sides whose agents have numbers from 1: a Market if it can be one.
/// `seats` may be empty: one seat each. Throws: as join_lists().
AnyMarket market_of_numbers(SideLists first, SideLists second, std::vector<std::uint32_t> seats,
                            MarketReadOptions const& options);

/// Read a market of both sides from one file. Throw: InputError.
AnyMarket read_glasgow(Source& source, MarketReadOptions const& options);
/// `second_has_seats`: nothing: the lists decide which reading has fewer one-sided entries.
AnyMarket read_algmatch(Source& source, MarketReadOptions const& options,
                        std::optional<bool> second_has_seats);

}  // namespace taper::io
