// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/report.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace taper::vertex_cover {

/// What part of the teams' time went into one activity.
struct ActivityShare {
  std::string_view name;
  double share;
};

/// What a run found, and what it did for it.
struct Report {
  /// solved: the question is answered, see `found`, `cover_size`, `lower_bound`. stopped: a limit
  /// or the caller's flag came first; the cover is the best so far.
  Status status = Status::solved;
  /// Without k: always. With k: in_cover is a cover of at most k vertices; solved and not found
  /// means that none exists.
  bool found = true;
  std::uint64_t cover_size = 0;   ///< vertices of the cover in in_cover, which covers in any case
  std::uint64_t lower_bound = 0;  ///< no cover has fewer; equal to cover_size where that is proved

  std::uint64_t kernel_vertices = 0;  ///< what the root's reductions left
  std::uint64_t kernel_edges = 0;
  std::uint64_t nodes = 0;               ///< search nodes visited
  std::uint64_t conflicts = 0;           ///< mode default: clauses that were learned
  std::uint64_t component_branches = 0;  ///< nodes whose graph had fallen apart
  /// Where counted, entry i: nodes whose graph fell apart into i components, as far as there are any;
  /// entry 4095: that or more.
  std::vector<std::uint64_t> components_histogram;

  // Mode paper.
  std::uint64_t teams = 0;   ///< workers that searched
  std::uint64_t steals = 0;  ///< nodes that changed hands, by theft or through the shared list
  std::uint64_t registry_full = 0;  ///< component branches that were searched as one graph instead
  std::uint64_t storage_full = 0;   ///< branches that no search node could be stored for
  /// Where counted: shares of the search's time, summed over teams; empty where nothing was searched.
  std::vector<ActivityShare> activities;
};

}  // namespace taper::vertex_cover
