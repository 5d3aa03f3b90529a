// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/sparse_market.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace taper::io {

/// The figures of a matching of a sparse market that reports show.
struct AssignmentSummary {
  /// One agent of the second side.
  struct Hospital {
    std::uint32_t filled = 0;               ///< seats with a resident
    std::optional<std::uint32_t> last_key;  ///< the key of the worst resident, if it holds any
  };

  std::vector<std::uint32_t> unassigned;  ///< residents, in the order of the file
  std::uint64_t assigned = 0;             ///< residents with a seat
  std::uint64_t seats = 0;                ///< seats of all hospitals
  std::vector<std::uint64_t> by_choice;   ///< entry k: residents that got their choice k, from 0
  double mean_choice = 0;                 ///< mean choice of the assigned, from 1; 0: none assigned
  std::vector<Hospital> hospitals;
};

/// Requires: hospital_of has, per resident, a hospital of its list or `unassigned`.
AssignmentSummary summarize_assignment(SparseMarket const& market,
                                       std::span<std::uint32_t const> hospital_of);

/// The entry of `hospital` in the list of `resident`; nothing if it is not listed.
std::optional<std::size_t> entry_of(SparseMarket const& market, std::uint32_t resident,
                                    std::uint32_t hospital);

}  // namespace taper::io
