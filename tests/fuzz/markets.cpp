// SPDX-License-Identifier: Apache-2.0
//
// For any bytes the market reader returns lists that are permutations, which can be written and
// read back, and so can a matching. Otherwise it throws an error of one line. A form feed parts an
// input into the two files of a market.
#include "fuzz.hpp"

#include <io/market/read.hpp>
#include <io/market/write.hpp>

#include <array>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace taper::io;
using taper::fuzz::check_error;
using taper::fuzz::file_name;
using taper::fuzz::files_in;
using taper::fuzz::require;

void check_lists(Side const& side, std::size_t n) {
  require(side.people() == n && side.preferences.columns() == n, "a table is square");
  require(side.names.empty() || side.names.size() == n, "all have names, or none has");
  for (std::size_t person = 0; person < n; ++person) {
    std::vector<bool> seen(n, false);
    for (std::size_t rank = 0; rank < n; ++rank) {
      auto const id = side.preferences.get(person, rank);
      require(id < n && !seen[id], "a list is a permutation");
      seen[id] = true;
    }
  }
}

void check_written(Market const& market, MarketFormat format) {
  if (market.named() && format != MarketFormat::json && format != MarketFormat::yaml) {
    return;
  }
  std::ostringstream written;
  write_market(written, market, format);
  auto const text = written.str();
  auto const again = parse_market(file_name, std::array{std::string_view(text)}, {format});
  require(again.men.preferences == market.men.preferences &&
              again.women.preferences == market.women.preferences,
          "a market is read back");
}

/// A matching that adds a number to that of each agent, written and read back; and the input as a matching.
void check_matching(Market const& market, std::string_view text) {
  auto const n = static_cast<std::uint32_t>(market.size());
  std::vector<std::uint32_t> partner_of(n);
  for (std::uint32_t man = 0; man < n; ++man) {
    partner_of[man] = static_cast<std::uint32_t>((man + text.size()) % n);
  }
  auto const format = static_cast<MatchingFormat>(1 + text.size() % 3);
  auto const proposer = static_cast<Proposer>(text.size() / 3 % 2);
  std::ostringstream written;
  write_matching(written, market, partner_of, format, proposer);
  require(parse_matching(file_name, written.str(), market, format, proposer) == partner_of,
          "a matching is read back");
  try {
    parse_matching(file_name, text, market, format, proposer);
  } catch (InputError const& error) {
    check_error(error);
  }
}

/// The size of an input chooses how it is read: most are read as their content suggests.
MarketReadOptions options_of(std::string_view text) {
  MarketReadOptions options;
  auto const choice = text.size() % 11;
  if (choice >= 1 && choice <= 4) {
    options.format = static_cast<MarketFormat>(choice);
  }
  options.preferences = choice == 5 ? ListMeaning::rank : ListMeaning::order;
  if (choice == 6 || choice == 7) {
    options.base = static_cast<IdBase>(choice - 5);
  }
  return options;
}

void check_market(std::string_view text) {
  auto const files = files_in(text);
  auto const market = parse_market(file_name, files, options_of(text));
  auto const n = market.size();
  check_lists(market.men, n);
  check_lists(market.women, n);
  for (auto const& note : market.notes) {
    require(note.find('\n') == std::string::npos, "a note is one line");
  }
  check_written(market, static_cast<MarketFormat>(1 + text.size() % 4));
  if (n > 0) {
    check_matching(market, files.back());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    check_market(taper::fuzz::text_of(data, size));
  } catch (InputError const& error) {
    check_error(error);
  }
  return 0;
}
