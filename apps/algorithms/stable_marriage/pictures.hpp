// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "table.hpp"

#include <experiment/picture.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace taper::app {

/// Stacked bars of the phases, as in the paper's Figure 8: a panel per workload, a bar per engine.
/// `n`: the size; none: the largest of each workload. Throws ConfigError if there is no such case.
Picture phases_picture(std::string const& title, std::span<SummaryGroup const> groups,
                       std::optional<std::uint64_t> n);

/// Time as a function of n on logarithmic axes: a panel per workload, a line per engine. If
/// `random` has several group sizes at one n, a panel with the group size on the x axis, as in the
/// paper's Figure 7. Error bars go from the fastest to the slowest run.
Picture scaling_picture(std::string const& title, std::span<SummaryGroup const> groups);

/// The panels of scaling_picture(), and after them the same with atomic operations instead of
/// times: the paper's Figure 7. Throws ConfigError if nothing was counted.
Picture atomics_picture(std::string const& title, std::span<SummaryGroup const> groups);

/// The share of look-ups in the rank matrix in the execution of MW-Seq-CPU, a panel per workload
/// and size: the paper's Figure 3. LA-Seq-CPU makes the same proposals in the same order without
/// these look-ups, so the share is 1 - its time / the time of MW-Seq-CPU. GS-Seq-CPU makes them in
/// another order, so no engine tells its share. Throws ConfigError if no workload has both engines.
Picture rank_share_picture(std::string const& title, std::span<SummaryGroup const> groups);

}  // namespace taper::app
