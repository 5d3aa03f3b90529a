// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/report_page.hpp>

#include <filesystem>
#include <span>

namespace taper::app {

/// Writes the report_page() of the runs in `folders`, whole or not at all, and prints its path.
///
/// A folder is one that `taper run` wrote: all pictures of its results are drawn. Or it holds a
/// summary.csv and a provenance.json. `path` may name the standard output.
/// Throws ConfigError with the file and what was expected, also if `path` is a file of the runs.
/// Throws io::InputError if the page cannot be written.
void write_report(std::filesystem::path const& path, std::span<std::filesystem::path const> folders,
                  ReportHead const& head);

}  // namespace taper::app
