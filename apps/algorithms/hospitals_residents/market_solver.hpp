// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/sparse_markets.hpp>

#include <taper/hospitals_residents/options.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace taper::app {

/// `taper match` and `taper verify` for markets with short lists, ties or seats.
std::unique_ptr<SparseMarketSolver> hospitals_residents_solver();

/// The remark about ties in lists of the first side.
std::string resident_tie_note(io::SparseMarket const& market);

/// The last line of the report of a solve. `fault`: why the result is no matching; else empty.
std::string check_in_words(std::string const& fault, std::uint64_t blocking_pairs,
                           hospitals_residents::Mechanism mechanism);

}  // namespace taper::app
