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

}  // namespace taper::app
