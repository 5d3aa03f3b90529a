// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>
#include <taper/vertex_cover/fields.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace taper::app {

using Json = nlohmann::ordered_json;

namespace {

/// "{2: 1,272; 3: 311}", as in the paper's Table III.
std::string histogram_label(std::vector<std::uint64_t> const& histogram) {
  std::string text;
  for (std::size_t components = 0; components < histogram.size(); ++components) {
    if (histogram[components] > 0) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", components,
                          io::grouped(histogram[components]));
    }
  }
  return text.empty() ? "-" : "{" + text + "}";
}

std::string time_label(CoverCase const& result) {
  auto const seconds = median(result.runs);
  if (!result.failure.empty()) {
    return "WRONG";
  }
  return (result.solved() ? "" : ">") + format_seconds(seconds);
}

std::string times_table(CoverExperiment const& experiment, std::span<CoverCase const> cases) {
  std::vector<std::vector<std::string>> table{{"graph", "question", "vertices", "edges", "answer"}};
  for (auto const& solver : experiment.solvers) {
    table.front().push_back(solver.name);
  }
  for (auto const& row : grouped_by(
           cases, [](CoverCase const& result) { return std::tie(result.graph, result.k); })) {
    // Shows the answer of a solver that ended, if there is one.
    auto const best =
        *std::ranges::max_element(row, {}, [](auto const* result) { return result->solved(); });
    auto& cells = table.emplace_back(
        std::vector<std::string>{best->graph, question_label(best->k), io::grouped(best->vertices),
                                 io::grouped(best->edges), answer_label(*best)});
    for (auto const& solver : experiment.solvers) {
      auto const found = std::ranges::find_if(
          row, [&](auto const* result) { return result->solver == solver.name; });
      cells.push_back(found == row.end() ? "-" : time_label(**found));
    }
  }
  return align(table, 2);
}

std::string counters_table(std::span<CoverCase const> cases) {
  std::vector<std::vector<std::string>> table{{"graph", "question", "solver", "kernel", "nodes",
                                               "branches on components",
                                               "{components: frequency}"}};
  for (auto const& row : grouped_by(
           cases, [](CoverCase const& result) { return std::tie(result.graph, result.k); })) {
    for (auto const* result : row) {
      auto const& report = result->report;
      table.push_back({result->graph, question_label(result->k), result->solver,
                       io::grouped(report.kernel_vertices),
                       (result->solved() ? "" : ">") + io::grouped(report.nodes),
                       io::grouped(report.component_branches),
                       histogram_label(report.components_histogram)});
    }
  }
  return align(table, 3);
}

/// The shares of the workers' time, as in the paper's Figure 4; empty if they were not counted.
std::string activities_table(std::span<CoverCase const> cases) {
  std::vector<std::vector<std::string>> table;
  for (auto const& result : cases) {
    if (result.activities.empty()) {
      continue;
    }
    if (table.empty()) {
      table.push_back({"graph", "question", "solver"});
      for (auto const& [name, share] : result.activities) {
        table.front().push_back(name);
      }
    }
    table.push_back({result.graph, question_label(result.k), result.solver});
    for (auto const& [name, share] : result.activities) {
      table.back().push_back(fmt::format("{:.1f} %", 100 * share));
    }
  }
  return table.empty() ? "" : "\n" + align(table, 3);
}

}  // namespace

std::string answer_label(CoverCase const& result) {
  auto const& report = result.report;
  if (result.k >= 0 && (report.found || result.solved())) {
    return report.found ? "yes" : "no";
  }
  return result.solved() ? io::grouped(report.cover_size)
                         : fmt::format("{}..{}", io::grouped(report.lower_bound),
                                       io::grouped(report.cover_size));
}

void to_json(Json& json, CoverCase const& result) {
  auto const& report = result.report;
  json = {{"graph", result.graph},
          {"vertices", result.vertices},
          {"edges", result.edges},
          {"k", result.k < 0 ? Json(nullptr) : Json(result.k)},
          {"solver", result.solver},
          {"backend", result.backend},
          {"solve_seconds_median", median(result.runs)},
          {"solve_seconds", result.runs},
          {"read_seconds", result.read_seconds},
          {"solved", result.solved()}};
  write_fields(json, report);
  json["verified"] = result.verified;
  for (auto const& [name, share] : result.activities) {
    json["activity_shares"][name] = share;
  }
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, CoverCase& result) {
  result.graph = json.at("graph");
  result.vertices = json.at("vertices");
  result.edges = json.at("edges");
  result.k = json.at("k").is_null() ? -1 : json.at("k").get<std::int64_t>();
  result.solver = json.at("solver");
  result.backend = json.at("backend");
  result.runs = json.at("solve_seconds").get<std::vector<double>>();
  result.read_seconds = json.at("read_seconds");
  auto& report = result.report;
  report.status = json.at("solved").get<bool>() ? Status::solved : Status::stopped;
  read_fields(json, report);
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
  if (auto const shares = json.find("activity_shares"); shares != json.end()) {
    for (auto const& [name, share] : shares->items()) {
      result.activities.emplace_back(name, share.get<double>());
    }
  }
}

std::string to_csv(CoverExperiment const& experiment, std::span<CoverCase const> cases) {
  std::string csv =
      "experiment,graph,vertices,edges,k,solver,mode,backend,repetition,solve_seconds,"
      "read_seconds,solved" +
      csv_header<vertex_cover::Report>() + ",verified\r\n";
  for (auto const& result : cases) {
    auto const mode = entry_named(experiment.solvers, result.solver).options.mode;
    for (std::size_t repetition = 0; repetition < result.runs.size(); ++repetition) {
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{}{},{}\r\n",
                         csv_field(experiment.name), csv_field(result.graph), result.vertices,
                         result.edges, result.k < 0 ? std::string{} : std::to_string(result.k),
                         csv_field(result.solver), to_string(mode), result.backend, repetition + 1,
                         result.runs[repetition], result.read_seconds, result.solved(),
                         csv_values(result.report), result.verified);
    }
  }
  return csv;
}

std::vector<SummaryRow> summarize_covers(std::filesystem::path const& file) {
  std::vector<SummaryRow> rows;
  for (auto const& result : read_stored<CoverCase>(file).cases) {
    rows.push_back(summary_row(fmt::format("{}, {}", result.graph, question_label(result.k)),
                               result.solver, result.backend, answer_label(result), result.runs));
  }
  return rows;
}

std::string result_table(CoverExperiment const& experiment, std::span<CoverCase const> cases) {
  auto text = times_table(experiment, cases);
  if (experiment.count) {
    text += "\n" + counters_table(cases) + activities_table(cases);
  }
  return text;
}

}  // namespace taper::app
