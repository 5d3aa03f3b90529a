// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/picture.hpp>

#include <cstdint>
#include <filesystem>

namespace taper::app {

/// Bars of the median times on a logarithmic axis: a group of bars per question, a bar per solver.
/// The bar of a run that the time limit stopped is only a frame. `n` is not used. Throws
/// ConfigError if there is no case.
Picture covers_picture(std::filesystem::path const& results, std::uint64_t n);

/// The same for the numbers of search nodes.
Picture cover_nodes_picture(std::filesystem::path const& results, std::uint64_t n);

/// A stacked bar per question and solver: the shares of the time per activity. Throws ConfigError
/// if no case has counted them.
Picture cover_activities_picture(std::filesystem::path const& results, std::uint64_t n);

}  // namespace taper::app
