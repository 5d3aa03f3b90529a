// SPDX-License-Identifier: Apache-2.0
#include <io/market/names.hpp>
#include <io/market/write.hpp>
#include <io/matrix/npy.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <ostream>
#include <string>

namespace taper::io {
namespace {

using Sides = std::array<Side const*, 2>;

void require_numbers(Market const& market, std::string_view form) {
  if (market.named())
    throw InputError(
        fmt::format("{} holds numbers, and this market has names; write JSON or YAML", form));
}

void write_lists(std::ostream& out, Market const& market) {
  require_numbers(market, "the lists form");
  const std::size_t n = market.size();
  const auto base = static_cast<std::uint64_t>(market.id_base);
  out << n << '\n';
  std::string line;
  for (Side const* side : Sides{&market.men, &market.women})
    for (std::size_t row = 0; row < n; ++row)
      side->preferences.visit_list(row, [&](auto list) {
        line.clear();
        for (const auto id : list) {
          std::array<char, 24> digits;
          const auto end =
              std::to_chars(digits.data(), digits.data() + digits.size(), id + base).ptr;
          line.append(digits.data(), end).append(1, ' ');
        }
        line.back() = '\n';
        out.write(line.data(), static_cast<std::streamsize>(line.size()));
      });
}

void write_npy(std::ostream& out, Market const& market) {
  require_numbers(market, "the .npy form");
  const std::size_t n = market.size();
  out << npy_header(fmt::format("<u{}", id_bytes(n)), std::array<std::uint64_t, 3>{2, n, n});
  for (Side const* side : Sides{&market.men, &market.women})
    for (std::size_t row = 0; row < n; ++row)
      side->preferences.visit_list(row, [&]<class Id>(std::span<const Id> list) {
        std::vector<Id> numbers(list.begin(), list.end());
        for (Id& number : numbers)
          number = static_cast<Id>(number + static_cast<Id>(market.id_base));
        out.write(reinterpret_cast<char const*>(numbers.data()),
                  static_cast<std::streamsize>(list.size_bytes()));
      });
}

/// Writes JSON (with braces) or YAML (without). All names are in double quotes, since other
/// programs would not read 010 and yes as names.
void write_names(std::ostream& out, Market const& market, bool braces) {
  const Sides sides{&market.men, &market.women};
  std::array<std::vector<std::string>, 2> names;
  for (std::size_t s = 0; s < 2; ++s)
    for (std::string const& name : names_of(market, *sides[s]))
      names[s].push_back(json_string(name));
  const std::size_t n = market.size();
  out << (braces ? "{\n" : "");
  for (std::size_t s = 0; s < 2; ++s) {
    out << (braces ? "  " : "") << json_string(title_of(market, *sides[s])) << ':';
    out << (braces ? " {" : n == 0 ? " {}" : "");
    for (std::size_t person = 0; person < n; ++person) {
      out << (braces && person > 0 ? ",\n" : "\n") << (braces ? "    " : "  ") << names[s][person]
          << ": [";
      for (std::size_t rank = 0; rank < n; ++rank)
        out << (rank > 0 ? ", " : "") << names[1 - s][sides[s]->preferences.get(person, rank)];
      out << ']';
    }
    out << (braces ? (n > 0 ? "\n  }" : "}") : "") << (braces && s == 0 ? ",\n" : "\n");
  }
  out << (braces ? "}\n" : "");
}

}  // namespace

MarketFormat market_format_of(std::filesystem::path path) {
  if (path.extension() == ".gz")
    path.replace_extension();
  const auto extension = path.extension();
  if (extension == ".json")
    return MarketFormat::json;
  if (extension == ".yaml" || extension == ".yml")
    return MarketFormat::yaml;
  if (extension == ".csv")
    return MarketFormat::csv;
  return extension == ".npy" ? MarketFormat::npy : MarketFormat::lists;
}

void write_market(std::ostream& out, Market const& market, MarketFormat format) {
  switch (format) {
  case MarketFormat::json:
    return write_names(out, market, true);
  case MarketFormat::yaml:
    return write_names(out, market, false);
  case MarketFormat::npy:
    return write_npy(out, market);
  default:
    return write_lists(out, market);
  }
}

}  // namespace taper::io
