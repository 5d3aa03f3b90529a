// SPDX-License-Identifier: Apache-2.0
#include "sparse_markets.hpp"
#include "algorithm.hpp"

namespace taper::app {

std::unique_ptr<SparseMarketSolver> sparse_market_solver() {
  for (auto const* const algorithm : algorithms()) {
    if (algorithm->sparse_market_solver != nullptr) {
      return algorithm->sparse_market_solver();
    }
  }
  return nullptr;
}

}  // namespace taper::app
