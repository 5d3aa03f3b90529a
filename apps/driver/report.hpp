// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/report_page.hpp>

#include <filesystem>
#include <span>

namespace taper::app {

/// Reads a folder of `taper run`, and draws all pictures of its results. Or reads a folder with a
/// summary.csv and a provenance.json, which has no pictures: they need the cases.
/// Throws ConfigError with the file and what was expected.
RunRecord read_run(std::filesystem::path const& folder);

/// Writes report_page() to a file, whole or not at all, and prints its path. `path` may name the
/// standard output. Throws ConfigError if it is one of `inputs`, and io::InputError if it cannot be
/// written.
void write_report(std::filesystem::path const& path, std::span<std::filesystem::path const> inputs,
                  ReportHead const& head, std::span<RunRecord const> runs);

}  // namespace taper::app
