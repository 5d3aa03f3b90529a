// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/sparse_markets.hpp>

#include <memory>

namespace taper::app {

/// `taper match` and `taper verify` for markets with short lists, ties or seats.
std::unique_ptr<SparseMarketSolver> hospitals_residents_solver();

}  // namespace taper::app
