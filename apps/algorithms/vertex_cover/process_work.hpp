// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/distributed/report.hpp>

#include <span>
#include <string>

namespace taper::app {

/// What several processes did, the nodes of each and what they sent to each other: two lines of a
/// report, each behind a line end. No processes: empty.
/// Used by: the commands cover, clique and independent-set.
std::string lines_of_work(std::span<vertex_cover::ProcessWork const> processes);

}  // namespace taper::app
