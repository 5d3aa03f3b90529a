// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "table.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace taper::app {

/// A gnuplot string: in single quotes, where only the quote itself means something.
std::string gnuplot_string(std::string_view text);

/// A gnuplot program and what it draws on.
struct Picture {
  std::string script;
  int width = 0;  ///< pixels
  int height = 0;
};

/// Stacked bars of the four phases, a bar for each engine and a panel for each workload, as in the
/// paper's Figure 8; at the size `n`, or each workload's largest.
Picture phases_picture(std::string const& title, std::span<SummaryGroup const> groups,
                       std::optional<std::uint64_t> n);

/// Time against n on logarithmic axes, a line for each engine and a panel for each workload; and
/// against the group size where `random` has several at one n, as in the paper's Figure 7. Bars go
/// from the fastest to the slowest run.
Picture scaling_picture(std::string const& title, std::span<SummaryGroup const> groups);

/// Runs gnuplot on it and moves the result into place; .svg or .png by the extension.
/// Throws ConfigError where gnuplot is missing or fails.
void draw(Picture const& picture, std::filesystem::path const& output);

}  // namespace taper::app
