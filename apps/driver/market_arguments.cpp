// SPDX-License-Identifier: Apache-2.0
#include "market_arguments.hpp"

#include "cli_options.hpp"

#include <support/config_error.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace taper::app {

namespace {

struct FormatName {
  std::string_view name;
  io::MarketFormat format;
};

constexpr std::array formats{FormatName{"auto", io::MarketFormat::automatic},
                             FormatName{"lists", io::MarketFormat::lists},
                             FormatName{"json", io::MarketFormat::json},
                             FormatName{"yaml", io::MarketFormat::yaml},
                             FormatName{"csv", io::MarketFormat::csv},
                             FormatName{"npy", io::MarketFormat::npy},
                             FormatName{"arrays", io::MarketFormat::arrays},
                             FormatName{"glasgow", io::MarketFormat::glasgow},
                             FormatName{"algmatch", io::MarketFormat::algmatch},
                             FormatName{"algmatch-hr", io::MarketFormat::algmatch_hr},
                             FormatName{"algmatch-sm", io::MarketFormat::algmatch_sm},
                             FormatName{"preflib", io::MarketFormat::preflib}};

/// Reads "resident=TITLE,rank=TITLE". Throws ConfigError.
io::MarketColumns parse_columns(std::string_view text) {
  io::MarketColumns columns;
  constexpr std::array<std::string_view, 6> roles{"resident", "hospital", "rank",
                                                  "score",    "priority", "seats"};
  std::array<std::string*, 6> const titles{&columns.resident, &columns.hospital, &columns.rank,
                                           &columns.score,    &columns.priority, &columns.seats};
  while (!text.empty()) {
    auto const part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    auto const equals = part.find('=');
    auto const role = part.substr(0, equals);
    auto const at = std::ranges::find(roles, role);
    if (equals == part.npos || equals + 1 == part.size() || at == roles.end()) {
      throw ConfigError(fmt::format("--columns: expected ROLE=TITLE with one of {}, found {}",
                                    enumerate(roles), io::in_quotes(part)));
    }
    *titles[static_cast<std::size_t>(at - roles.begin())] = part.substr(equals + 1);
  }
  return columns;
}

}  // namespace

void MarketArguments::add_options(CLI::App& command) {
  add_choice(command, "--format", format, "the form of the files (default: auto)",
             names_in(formats, &FormatName::name));
  add_checked(command, "--preferences", preferences, one_of({"order", "rank"}), "MEANING",
              "the meaning of a row of numbers: 'order', the ids from best to worst (default), or "
              "'rank', the rank of each id");
  add_checked(command, "--base", base, one_of({"0", "1", "auto"}), "BASE",
              "the first id: 0, 1 or auto (default: auto, from the ids in the file)");
  command
      .add_option("--columns", columns,
                  "CSV: what columns hold, as ROLE=TITLE,...; roles: resident, hospital, rank, "
                  "score, priority, seats (default: by common titles)")
      ->type_name("LIST");
  add_checked(command, "--scores", scores, one_of({"higher", "lower"}), "ORDER",
              "the better scores of residents: higher (default) or lower");
  command.add_option("--seats", seats, "a table with the seats of the second side (CSV)")
      ->type_name("FILE");
  command.add_flag("--strict", strict,
                   "refuse a file in which one agent lists another that does not list it; without "
                   "it such entries are dropped and counted");
}

bool MarketArguments::are_npy(std::span<std::filesystem::path const> markets) const {
  return format == "npy" || (format == "auto" && std::ranges::all_of(markets, [](auto const& file) {
                               return file.extension() == ".npy";
                             }));
}

void MarketArguments::require_npy_options(CLI::App const& command) const {
  for (auto const* const option : {"--seats", "--strict", "--columns", "--scores"}) {
    if (command.count(option) > 0) {
      throw ConfigError(fmt::format("{} is not for complete lists in .npy", option));
    }
  }
}

std::filesystem::path
MarketArguments::require_parts(CLI::App const& command,
                               std::span<std::filesystem::path const> markets) const {
  for (auto const* const option : {"--preferences", "--base", "--seats", "--strict"}) {
    reject_with_processes(command, option);
  }
  bool const is_read = format == "auto" || format == "csv" || format == "arrays";
  if (markets.size() != 1 || !is_read) {
    throw ConfigError(
        "expected one table (CSV), one folder or archive of NumPy arrays, or complete "
        "lists in .npy, which several processes can read");
  }
  if (markets.front() == "-") {
    throw ConfigError("several processes cannot read the standard input: name a file");
  }
  return markets.front();
}

io::MarketReadOptions MarketArguments::read_options() const {
  io::MarketReadOptions options;
  auto const named = std::ranges::find(formats, format, &FormatName::name);
  if (named == formats.end()) {
    throw ConfigError(fmt::format("unknown format '{}'{}", format,
                                  expected_instead(format, names_in(formats, &FormatName::name))));
  }
  options.format = named->format;
  options.preferences = preferences == "rank" ? io::ListMeaning::rank : io::ListMeaning::order;
  options.base = base == "0"   ? io::IdBase::zero
                 : base == "1" ? io::IdBase::one
                               : io::IdBase::automatic;
  options.columns = parse_columns(columns);
  options.lowest_first = scores == "lower";
  options.seats = seats;
  options.strict = strict;
  return options;
}

}  // namespace taper::app
