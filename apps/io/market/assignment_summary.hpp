// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/sparse_market.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace taper::io {

/// What people ask about a matching of a sparse market.
struct AssignmentSummary {
  /// One agent of the second side.
  struct Hospital {
    std::uint32_t filled = 0;               ///< seats
    std::optional<std::uint32_t> last_key;  ///< of the worst resident that it holds
  };

  std::vector<std::uint32_t> unassigned;  ///< residents, in the order of the file
  std::uint64_t assigned = 0;             ///< residents
  std::uint64_t seats = 0;                ///< of all hospitals
  std::vector<std::uint64_t> by_choice;   ///< entry k: residents that got their choice k, from 0
  double mean_choice = 0;                 ///< of those assigned, from 1; 0 if there is none
  std::vector<Hospital> hospitals;
};

/// Requires: hospital_of has, per resident, a hospital of its list or `unassigned`.
AssignmentSummary summarize_assignment(SparseMarket const& market,
                                       std::span<std::uint32_t const> hospital_of);

/// The entry of `hospital` in the list of `resident`; nothing if it is not listed.
std::optional<std::size_t> entry_of(SparseMarket const& market, std::uint32_t resident,
                                    std::uint32_t hospital);

}  // namespace taper::io
