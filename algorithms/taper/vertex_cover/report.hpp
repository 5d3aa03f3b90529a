// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/report.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace taper::vertex_cover {

/// The share of the time that one activity took: of the host before the search, or of the teams.
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
  std::uint64_t conflicts = 0;           ///< Mode::taper: conflicts of clause learning
  std::uint64_t component_branches = 0;  ///< nodes whose graph is disconnected
  /// With ComponentSearchOptions::count: entry i counts the nodes whose graph had i components, up
  /// to the last entry that is not 0; entry 4095 counts 4095 and more.
  std::vector<std::uint64_t> components_histogram;

  // Component search:
  std::uint64_t teams = 0;           ///< workers
  std::uint64_t steals = 0;          ///< nodes stolen, or taken from the queue
  std::uint64_t registry_full = 0;   ///< disconnected graphs searched as one: the registry was full
  std::uint64_t storage_full = 0;    ///< branches without room for a stored search node
  std::uint64_t array_vertices = 0;  ///< vertices in the degree array: of the largest root
  std::uint64_t degree_bits = 0;     ///< per entry of the degree array; 0: nothing was searched
  std::uint64_t stack_bytes = 0;     ///< memory for stored nodes, of all teams
  std::uint64_t scratch_bytes = 0;   ///< scratch per team, in a GPU's shared memory
  bool in_scratch = false;           ///< whether the degree array lies in scratch
  /// With ComponentSearchOptions::count: shares of the time of the host's reduction and the search
  /// (Figure 4). The search's time is divided as the sum of the times of all teams.
  std::vector<ActivityShare> activities;
};

}  // namespace taper::vertex_cover
