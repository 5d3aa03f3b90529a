// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/report.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/paper/control.hpp>

#include <cstdint>
#include <vector>

namespace taper::vertex_cover::paper {

/// The graph to search, on the host, and the bounds from which the search starts.
struct Task {
  HostGraph graph;          ///< rows sorted
  std::vector<Root> roots;  ///< its parts, of which no two are adjacent
  /// Of each root, covers of less than so many vertices are looked for.
  std::vector<std::uint32_t> bounds;
  std::uint32_t enough = 0;  ///< stop when the covers of all roots have so many together
  // Of the input:
  std::uint64_t taken = 0;  ///< vertices in its cover beside the task's
  std::uint64_t below = 0;  ///< covers of less than so many vertices are looked for
};

/// What a search has found.
struct Outcome {
  /// solved: no root has a cover smaller than the one here, or than its bound; or `enough` is reached.
  Status status = Status::solved;
  std::vector<std::uint32_t> sizes;    ///< of the roots' best covers, or the bound
  std::vector<std::uint8_t> improved;  ///< whether `in_cover` has a cover of that size
  std::vector<std::uint8_t> in_cover;  ///< of the roots that improved
};

}  // namespace taper::vertex_cover::paper
