// SPDX-License-Identifier: Apache-2.0
//
// For any bytes the readers of sparse markets return lists that agree with each other, which can be
// written and read back, and so can a matching. Otherwise they throw an error of one line. A form
// feed parts an input into the two files of a market.
#include "fuzz.hpp"

#include <io/market/assignment_summary.hpp>
#include <io/market/hospital_lists.hpp>
#include <io/market/read.hpp>
#include <io/market/write.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace {

using namespace taper::io;
using taper::fuzz::check_error;
using taper::fuzz::file_name;
using taper::fuzz::files_in;
using taper::fuzz::require;

void check_list(SparseMarket const& market, std::uint32_t resident, std::vector<bool>& seen) {
  auto const begin = market.begin_of(resident), end = market.end_of(resident);
  require(begin <= end && end <= market.entries(), "offsets do not fall");
  for (auto entry = begin; entry < end; ++entry) {
    require(market.hospitals[entry] < market.second.count, "an id is in range");
    require(!seen[market.hospitals[entry]], "a list has a hospital once");
    seen[market.hospitals[entry]] = true;
    auto const tier = market.tier(resident, entry);
    auto const before = entry > begin ? market.tier(resident, entry - 1) : 0;
    require(entry > begin ? tier == before || tier == before + 1 : tier == 0,
            "classes are consecutive");
    require(market.scores.empty() || market.keys[entry] < market.scores.size(),
            "a key is an index of the scores");
  }
  for (auto entry = begin; entry < end; ++entry) {
    seen[market.hospitals[entry]] = false;
  }
}

void check_lists(SparseMarket const& market) {
  require(market.offsets.size() == market.first.count + 1 && market.offsets.front() == 0 &&
              static_cast<std::size_t>(market.offsets.back()) == market.entries(),
          "a list per resident");
  require(market.keys.size() == market.entries() && market.seats.size() == market.second.count &&
              (market.resident_tiers.empty() || market.resident_tiers.size() == market.entries()),
          "a key per entry, seats per hospital");
  for (auto const* const side : {&market.first, &market.second}) {
    require(side->names.empty() || side->names.size() == side->count, "all have names, or none");
  }
  std::vector<bool> seen(market.second.count);
  for (std::uint32_t resident = 0; resident < market.first.count; ++resident) {
    check_list(market, resident, seen);
  }
  for (auto const& note : market.notes) {
    require(note.find('\n') == std::string::npos, "a note is one line");
  }
  require((market.one_sided.count() == 0) == market.one_sided.example.empty(),
          "dropped entries have an example");
}

/// Whether both have the same lists, ties and seats. Keys may be other numbers.
bool are_same(SparseMarket const& a, SparseMarket const& b) {
  if (a.offsets != b.offsets || a.hospitals != b.hospitals || a.seats != b.seats ||
      a.resident_tiers != b.resident_tiers) {
    return false;
  }
  HospitalLists const of_a(a), of_b(b);
  for (std::size_t hospital = 0; hospital < a.second.count; ++hospital) {
    auto const one = of_a.of(hospital), other = of_b.of(hospital);
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i].resident != other[i].resident ||
          (i > 0 && (one[i].key == one[i - 1].key) != (other[i].key == other[i - 1].key))) {
        return false;
      }
    }
  }
  return true;
}

void check_written(SparseMarket const& market, MarketFormat format) {
  std::ostringstream written;
  try {
    write_market(written, market, format);
  } catch (InputError const&) {
    return;  // CSV cannot hold each name
  }
  auto const text = written.str();
  auto const again = parse_any_market(file_name, std::array{std::string_view(text)}, {format});
  auto const* const sparse = std::get_if<SparseMarket>(&again);
  require(sparse == nullptr || are_same(*sparse, market), "a market is read back");
}

/// The matching that gives each resident, in turn, the first hospital of its list with a free seat.
void check_matching(SparseMarket const& market, std::string_view text) {
  std::vector<std::uint32_t> hospital_of(market.first.count, unassigned);
  auto free = market.seats;
  for (std::uint32_t resident = 0; resident < market.first.count; ++resident) {
    for (auto entry = market.begin_of(resident); entry < market.end_of(resident); ++entry) {
      if (free[market.hospitals[entry]] > 0) {
        --free[market.hospitals[entry]];
        hospital_of[resident] = market.hospitals[entry];
        break;
      }
    }
  }
  auto const format = static_cast<MatchingFormat>(1 + text.size() % 3);
  std::ostringstream written;
  write_matching(written, market, hospital_of, format);
  require(parse_matching(file_name, written.str(), market, format) == hospital_of,
          "a matching is read back");
  auto const summary = summarize_assignment(market, hospital_of);
  require(summary.assigned + summary.unassigned.size() == market.first.count,
          "each resident is assigned or not");
  try {
    parse_matching(file_name, text, market, format);
  } catch (InputError const& error) {
    check_error(error);
  }
}

/// The size of an input chooses how it is read: most are read as their content suggests.
MarketReadOptions options_of(std::string_view text) {
  MarketReadOptions options;
  constexpr std::array formats{MarketFormat::csv, MarketFormat::algmatch_hr,
                               MarketFormat::algmatch_sm, MarketFormat::preflib,
                               MarketFormat::glasgow};
  if (auto const choice = text.size() % 13; choice < formats.size()) {
    options.format = formats[choice];
  }
  options.strict = text.size() % 17 == 3;
  options.lowest_first = text.size() % 2 == 1;
  return options;
}

void check_market(std::string_view text) {
  auto const files = files_in(text);
  auto options = options_of(text);
  if (text.starts_with("PK")) {
    options.format = MarketFormat::arrays;
  }
  auto const any = parse_any_market(file_name, files, options);
  auto const* const market = std::get_if<SparseMarket>(&any);
  if (market == nullptr) {
    return;  // which the target `markets` checks
  }
  check_lists(*market);
  require(!options.strict || market->one_sided.count() == 0, "strict: no entry is dropped");
  if (market->second.count > 100'000) {
    return;  // a large id in an array
  }
  check_written(*market, text.size() % 3 == 0 ? MarketFormat::json : MarketFormat::csv);
  check_matching(*market, files.back());
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
