// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "picture.hpp"
#include "table.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace taper::app {

/// Stacked bars of the four phases, a bar for each engine and a panel for each workload, as in the
/// paper's Figure 8; at the size `n`, or each workload's largest.
Picture phases_picture(std::string const& title, std::span<SummaryGroup const> groups,
                       std::optional<std::uint64_t> n);

/// Time against n on logarithmic axes, a line for each engine and a panel for each workload; and
/// against the group size where `random` has several at one n, as in the paper's Figure 7. Bars go
/// from the fastest to the slowest run.
Picture scaling_picture(std::string const& title, std::span<SummaryGroup const> groups);

}  // namespace taper::app
