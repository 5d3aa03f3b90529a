// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/report.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace taper::vertex_cover {

/// The share of the teams' time that one activity took.
struct ActivityShare {
  std::string_view name;
  double share;
};

/// The result and the counters of a solve().
struct Report {
  /// solved: `found`, `cover_size` and `lower_bound` are the answer. stopped: a limit or
  /// Options::stop ended the run; the cover is the incumbent.
  Status status = Status::solved;
  /// Without k: always true. With k: whether the cover has at most k vertices; solved and not found
  /// means that no such cover exists.
  bool found = true;
  std::uint64_t cover_size = 0;   ///< vertices of the cover in in_cover, whatever the status
  std::uint64_t lower_bound = 0;  ///< no cover has fewer; equal to cover_size if that is proved

  std::uint64_t kernel_vertices = 0;     ///< vertices of the root's reduced graph
  std::uint64_t kernel_edges = 0;        ///< edges of the root's reduced graph
  std::uint64_t nodes = 0;               ///< search nodes visited
  std::uint64_t conflicts = 0;           ///< Mode::standard: conflicts of clause learning
  std::uint64_t component_branches = 0;  ///< nodes whose graph is disconnected
  /// With ComponentSearchOptions::count: entry i counts the nodes whose graph had i components, up
  /// to the last entry that is not 0; entry 4095 counts 4095 and more.
  std::vector<std::uint64_t> components_histogram;

  // Mode::paper:
  std::uint64_t teams = 0;          ///< workers
  std::uint64_t steals = 0;         ///< nodes stolen, or taken from the queue
  std::uint64_t registry_full = 0;  ///< disconnected graphs searched as one: the registry was full
  std::uint64_t storage_full = 0;   ///< branches without room for a stored search node
  /// With ComponentSearchOptions::count: shares of the time of all teams; empty without a search.
  std::vector<ActivityShare> activities;
};

}  // namespace taper::vertex_cover
