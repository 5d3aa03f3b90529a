// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// The measurements of one engine on one subject, summarised: a row of summary.csv.
struct SummaryRow {
  std::string subject;  ///< the instance with its size: "random(5), n = 1,000"
  std::string engine;
  std::string backend;
  std::string answer;     ///< the answer, if it is a number or a word; else empty
  std::size_t count = 0;  ///< measurements: repetitions over all seeds or instances
  double median_s = 0;
  double lower_quartile_s = 0;
  double upper_quartile_s = 0;
};

/// The row for these times, in seconds.
SummaryRow summary_row(std::string subject, std::string engine, std::string backend,
                       std::string answer, std::vector<double> seconds);

/// The text of a summary.csv: a header and a row per SummaryRow.
std::string to_csv(std::span<SummaryRow const> rows);
/// Reads a summary.csv. Throws ConfigError with file and line.
std::vector<SummaryRow> read_summary(std::filesystem::path const& file);
/// The same for a text in a stream. `file`: its name, for messages.
std::vector<SummaryRow> parse_summary(std::istream& text, std::string const& file);

/// A table of medians, aligned for a terminal or in Markdown: a row per subject, a column per
/// engine. A column `answer` precedes the engines if a row has an answer.
std::string summary_table(std::span<SummaryRow const> rows, bool markdown);

}  // namespace taper::app
