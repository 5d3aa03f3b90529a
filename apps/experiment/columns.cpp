// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"

#include "result_files.hpp"

#include <support/text.hpp>

#include <fmt/format.h>

#include <utility>

namespace taper::app {
namespace {

using Row = std::vector<std::string>;

void widen(std::vector<std::size_t>& widths, std::span<Row const> rows) {
  for (auto const& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
}

std::string aligned_lines(std::span<Row const> rows, std::vector<std::size_t> const& widths,
                          std::size_t left) {
  std::string text;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      line += column < left ? fmt::format("  {:<{}}", row[column], widths[column])
                            : fmt::format("  {:>{}}", row[column], widths[column]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string ratio(Times const* baseline, Times const& times) {
  if (baseline == nullptr || times.median_seconds <= 0) {
    return "-";
  }
  return speedup(baseline->median_seconds, times.median_seconds);
}

}  // namespace

std::string speedup(double baseline_seconds, double seconds) {
  auto const value = baseline_seconds / seconds;
  return fmt::format("{:.{}f}x", value,
                     value < 0.0995  ? 3
                     : value < 9.995 ? 2
                     : value < 99.95 ? 1
                                     : 0);
}

Times times_of(std::string engine, std::string backend, std::vector<double> const& seconds) {
  Times times{std::move(engine), std::move(backend), median(seconds), 0, 0};
  if (!seconds.empty()) {
    times.min_seconds = std::ranges::min(seconds);
    times.max_seconds = std::ranges::max(seconds);
  }
  return times;
}

Section engine_section(std::string heading, Row header, std::span<EngineRow const> engines,
                       std::string_view baseline) {
  Section section{std::move(heading), {std::move(header)}};
  auto const base = std::ranges::find(
      engines, baseline, [](EngineRow const& row) { return std::string_view(row.times.engine); });
  for (auto const& [times, before, after] : engines) {
    auto& row = section.rows.emplace_back(Row{times.engine, times.backend});
    row.insert(row.end(), before.begin(), before.end());
    row.insert(row.end(), {format_seconds(times.median_seconds), format_seconds(times.min_seconds),
                           format_seconds(times.max_seconds),
                           ratio(base == engines.end() ? nullptr : &base->times, times)});
    row.insert(row.end(), after.begin(), after.end());
  }
  return section;
}

std::string align(std::span<Row const> rows, std::size_t left) {
  std::vector<std::size_t> widths;
  widen(widths, rows);
  return aligned_lines(rows, widths, left);
}

std::string align(std::span<Section const> sections, std::size_t left) {
  std::vector<std::size_t> widths;
  for (auto const& section : sections) {
    widen(widths, section.rows);
  }
  std::string text;
  for (auto const& section : sections) {
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", section.heading,
                        aligned_lines(section.rows, widths, left));
  }
  return text;
}

}  // namespace taper::app
