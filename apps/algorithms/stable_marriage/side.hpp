// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver.hpp"

#include <io/market/read.hpp>
#include <io/market/write.hpp>
#include <taper/stable_marriage/options.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace taper::app {

class ProblemInParts;

/// The side that `name` means: a title in the market's file, else men (the first side) or women.
/// Empty: the first side. Throws ConfigError with the titles.
stable_marriage::Proposer proposer_named(std::string_view name, io::Market const& market);

io::Proposer io_proposer(stable_marriage::Proposer proposer);

/// The format with this name: auto, text, csv or json.
io::MatchingFormat matching_format_named(std::string_view name);

/// The rank of `person` in the list at `row`, from 1.
std::size_t rank_of(io::IdTable const& preferences, std::size_t row, std::uint32_t person);

/// The mean rank, from 1, that each side's agents give to their partners.
struct MeanRanks {
  double men = 0;
  double women = 0;
};
MeanRanks mean_partner_ranks(io::Market const& market,
                             std::span<std::uint32_t const> partner_of_man);

/// A market of complete lists and what solves it: in one process, or in process 0 of several, which
/// has no lists.
struct CompleteMarket {
  io::Market market;
  std::unique_ptr<Problem> problem = nullptr;
  ProblemInParts const* parts = nullptr;  ///< `problem`, if there are several processes

  MeanRanks mean_ranks(std::span<std::uint32_t const> partner_of_man) const;
  /// As rank_of(), in the list of an agent of a side of `market`.
  std::size_t rank(io::Side const& side, std::uint32_t agent, std::uint32_t other) const;
};

/// Reads complete lists in .npy over several processes: each its part. All processes call it.
/// `start`: starts the runtime. Returns nothing in the other processes, after they have served
/// process 0 to the end.
/// Throws: ConfigError in all processes.
std::optional<CompleteMarket> read_in_parts(std::span<std::filesystem::path const> files,
                                            io::MarketReadOptions const& options,
                                            std::function<void()> const& start);

}  // namespace taper::app
