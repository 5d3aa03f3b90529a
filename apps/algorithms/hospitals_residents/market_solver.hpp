// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/sparse_markets.hpp>

#include <io/market/assignment_words.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/stability.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace taper::app {

/// `taper match` and `taper verify` for markets with short lists, ties or seats.
std::unique_ptr<SparseMarketSolver> hospitals_residents_solver();

/// The remark about ties in lists of the first side.
std::string resident_tie_note(io::SparseMarket const& market);

/// The last line of the report of a solve. `fault`: why the result is no matching; else empty.
std::string check_in_words(std::string const& fault, std::uint64_t blocking_pairs,
                           hospitals_residents::Mechanism mechanism);

/// Prints what `taper verify` has found: `pairs` are the first of `blocking_pairs` blocking pairs.
/// Of `market` it needs titles, names, seats and scores. Returns the exit status.
int print_check(io::SparseMarket const& market, hospitals_residents::Stability stability,
                std::uint64_t assigned, std::uint64_t blocking_pairs,
                std::span<io::BlockingPairFacts const> pairs);

}  // namespace taper::app
