// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/report.hpp>

#include <cstdint>
#include <vector>

namespace taper::roommates {

/// Counters of solve().
struct Report {
  std::int32_t agents = 0;
  std::int32_t pairs = 0;        ///< of the stable matching; 0 if there is none
  std::int32_t unmatched = 0;    ///< agents without a partner in every stable matching
  std::int32_t odd_parties = 0;  ///< of three or more agents; 0 if there is a stable matching
  std::int64_t one_sided = 0;    ///< entries that were dropped
  std::int64_t proposals = 0;    ///< of phase 1
  std::int64_t rotations = 0;    ///< that phase 2 eliminated

  friend bool operator==(Report const&, Report const&) = default;
};

/// What solve() returns.
struct Result {
  Status status = Status::solved;  ///< stopped: nothing else is set
  bool solvable = false;
  /// Per agent: the partner in a stable matching, or no_partner. Empty if there is none.
  std::vector<std::int32_t> partner;
  /// Per agent: the next agent of its party in a stable partition; the agent itself if it is alone.
  std::vector<std::int32_t> successor;
  Report report;
};

}  // namespace taper::roommates
