// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/fields.hpp>

#include <io/text/strings.hpp>
#include <taper/tree_search/fields.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace taper::app {

using Json = nlohmann::ordered_json;

double TreeCase::nodes_per_second() const {
  auto const seconds = median(runs);
  return seconds > 0 ? static_cast<double>(report.nodes) / seconds : 0;
}

void to_json(Json& json, TreeCase const& result) {
  json = {{"tree", result.tree},       {"engine", result.engine},
          {"backend", result.backend}, {"seconds_median", median(result.runs)},
          {"seconds", result.runs},    {"nodes_per_second", result.nodes_per_second()}};
  write_fields(json, result.report);
  json["verified"] = result.verified;
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, TreeCase& result) {
  result.tree = json.at("tree");
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.runs = json.at("seconds").get<std::vector<double>>();
  read_fields(json, result.report);
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
}

std::string to_csv(TreeExperiment const& experiment, std::span<TreeCase const> cases) {
  return csv_of(experiment,
                "tree,engine,backend,repetition,seconds" + csv_header<tree_search::Report>(), cases,
                [](TreeCase const& result, std::size_t repetition) {
                  return fmt::format("{},{},{},{},{:.9g}{}", csv_field(result.tree),
                                     csv_field(result.engine), result.backend, repetition + 1,
                                     result.runs[repetition], csv_values(result.report));
                });
}

std::vector<SummaryRow> summarize_trees(std::filesystem::path const& file) {
  std::vector<SummaryRow> rows;
  for (auto const& result : read_stored<TreeCase>(file).cases) {
    rows.push_back(summary_row(result.tree, result.engine, result.backend,
                               io::grouped(result.report.nodes) + " nodes", result.runs));
  }
  return rows;
}

std::string result_table(TreeExperiment const& experiment, std::span<TreeCase const> cases) {
  std::vector<Section> sections;
  for (auto const& group : grouped_by(cases, [](TreeCase const& result) { return result.tree; })) {
    std::vector<EngineRow> engines;
    for (auto const* result : group) {
      auto& row =
          engines.emplace_back(EngineRow{times_of(result->engine, result->backend, result->runs)})
              .after_times;
      row = {fmt::format("{:.4g}", result->nodes_per_second() / 1e6),
             io::grouped(result->report.workers), io::grouped(result->report.moved)};
      if (!result->failure.empty()) {
        row.push_back("WRONG");
      }
    }
    auto const& counts = group.front()->report;
    sections.push_back(engine_section(
        fmt::format("{}: {} nodes, {} leaves, depth {}", group.front()->tree,
                    io::grouped(counts.nodes), io::grouped(counts.leaves),
                    io::grouped(counts.depth)),
        {"engine", "backend", "median", "min", "max", "ratio", "Mnodes/s", "workers", "moved"},
        engines, experiment.baseline));
  }
  return align(sections, 2);
}

}  // namespace taper::app
