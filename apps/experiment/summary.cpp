// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include "columns.hpp"
#include "result_files.hpp"

#include <support/config_error.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

namespace taper::app {
namespace {

using Row = std::vector<std::string>;

constexpr std::string_view header =
    "subject,engine,backend,answer,count,median_s,lower_quartile_s,upper_quartile_s";

/// The cells of one line of an RFC 4180 CSV whose cells have no line ends.
Row cells_of(std::string const& line) {
  Row cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char const c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::string markdown_of(std::span<Row const> table) {
  std::string text;
  for (std::size_t row = 0; row < table.size(); ++row) {
    text += fmt::format("| {} |\n", fmt::join(table[row], " | "));
    if (row == 0) {
      text += "|---|";
      for (std::size_t column = 1; column < table[0].size(); ++column) {
        text += "---:|";
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace

SummaryRow summary_row(std::string subject, std::string engine, std::string backend,
                       std::string answer, std::vector<double> seconds) {
  SummaryRow row{std::move(subject), std::move(engine), std::move(backend), std::move(answer),
                 seconds.size()};
  if (!seconds.empty()) {
    std::ranges::sort(seconds);
    row.median_s = quantile(seconds, 0.5);
    row.lower_quartile_s = quantile(seconds, 0.25);
    row.upper_quartile_s = quantile(seconds, 0.75);
  }
  return row;
}

std::string to_csv(std::span<SummaryRow const> rows) {
  auto csv = std::string(header) + "\n";
  for (auto const& row : rows) {
    csv += fmt::format("{},{},{},{},{},{:.4g},{:.4g},{:.4g}\n", csv_field(row.subject),
                       csv_field(row.engine), csv_field(row.backend), csv_field(row.answer),
                       row.count, row.median_s, row.lower_quartile_s, row.upper_quartile_s);
  }
  return csv;
}

std::vector<SummaryRow> read_summary(std::filesystem::path const& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw ConfigError(fmt::format("{}: cannot be read", file.string()));
  }
  return parse_summary(stream, file.string());
}

std::vector<SummaryRow> parse_summary(std::istream& text, std::string const& file) {
  std::vector<SummaryRow> rows;
  std::string line;
  for (std::size_t number = 1; std::getline(text, line); ++number) {
    if (number == 1) {
      if (line != header) {
        throw ConfigError(fmt::format("{}:1: expected '{}'", file, header));
      }
      continue;
    }
    auto const cells = cells_of(line);
    std::optional<std::int64_t> count;
    std::array<std::optional<double>, 3> seconds;
    if (cells.size() == 8) {
      count = parse_integer(cells[4]);
      std::transform(cells.begin() + 5, cells.end(), seconds.begin(), parse_real);
    }
    if (count.value_or(-1) < 0 ||
        !std::ranges::all_of(seconds, [](auto const& cell) { return cell.has_value(); })) {
      throw ConfigError(fmt::format("{}:{}: expected eight columns, the last four of them numbers",
                                    file, number));
    }
    rows.push_back({cells[0], cells[1], cells[2], cells[3], static_cast<std::size_t>(*count),
                    *seconds[0], *seconds[1], *seconds[2]});
  }
  return rows;
}

std::string summary_table(std::span<SummaryRow const> rows, bool markdown) {
  auto const subjects = distinct(rows, &SummaryRow::subject);
  auto const engines = distinct(rows, &SummaryRow::engine);
  auto const answers =
      std::ranges::any_of(rows, [](auto const& row) { return !row.answer.empty(); });
  std::vector<Row> table{{"case"}};
  if (answers) {
    table[0].push_back("answer");
  }
  table[0].insert(table[0].end(), engines.begin(), engines.end());
  for (auto const& subject : subjects) {
    auto& cells = table.emplace_back(Row{subject});
    auto const is_of = [&](SummaryRow const& row) { return row.subject == subject; };
    if (answers) {
      cells.push_back(std::ranges::find_if(rows, is_of)->answer);
    }
    for (auto const& engine : engines) {
      auto const found = std::ranges::find_if(
          rows, [&](SummaryRow const& row) { return is_of(row) && row.engine == engine; });
      cells.push_back(found == rows.end() ? "-" : format_seconds(found->median_s));
    }
  }
  return markdown ? markdown_of(table) : align(table, answers ? 2 : 1);
}

}  // namespace taper::app
