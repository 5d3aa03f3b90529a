// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>
#include <taper/clique/fields.hpp>

#include <fmt/format.h>

namespace taper::app {

using Json = nlohmann::ordered_json;

std::string CliqueCase::answer_text() const {
  auto const text = [](clique::Weight weight) {
    return io::grouped(static_cast<std::uint64_t>(weight));
  };
  return text(report.clique_weight) + (solved() ? "" : ".." + text(report.upper_bound));
}

void to_json(Json& json, CliqueCase const& result) {
  json = {{"graph", result.graph},     {"engine", result.engine},
          {"backend", result.backend}, {"vertices", result.vertices},
          {"edges", result.edges},     {"seconds_median", median(result.runs)},
          {"seconds", result.runs},    {"solved", result.solved()}};
  write_fields(json, result.report);
  json["verified"] = result.verified;
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, CliqueCase& result) {
  result.graph = json.at("graph");
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.vertices = integer_of<std::uint64_t>(json.at("vertices"));
  result.edges = integer_of<std::uint64_t>(json.at("edges"));
  result.runs = json.at("seconds").get<std::vector<double>>();
  result.report.status = json.at("solved").get<bool>() ? Status::solved : Status::stopped;
  read_fields(json, result.report);
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
}

std::string to_csv(CliqueExperiment const& experiment, std::span<CliqueCase const> cases) {
  return csv_of(experiment,
                "graph,engine,backend,vertices,edges,repetition,seconds,solved" +
                    csv_header<clique::Report>(),
                cases, [](CliqueCase const& result, std::size_t repetition) {
                  return fmt::format("{},{},{},{},{},{},{:.9g},{}{}", csv_field(result.graph),
                                     csv_field(result.engine), result.backend, result.vertices,
                                     result.edges, repetition + 1, result.runs[repetition],
                                     result.solved(), csv_values(result.report));
                });
}

std::vector<SummaryRow> summarize_cliques(std::filesystem::path const& file) {
  std::vector<SummaryRow> rows;
  for (auto const& result : read_stored<CliqueCase>(file).cases) {
    rows.push_back(summary_row(result.graph, result.engine, result.backend, result.answer_text(),
                               result.runs));
  }
  return rows;
}

std::string result_table(CliqueExperiment const& experiment, std::span<CliqueCase const> cases) {
  std::vector<Section> sections;
  for (auto const& group :
       grouped_by(cases, [](CliqueCase const& result) { return result.graph; })) {
    std::vector<EngineRow> engines;
    for (auto const* result : group) {
      auto& row =
          engines.emplace_back(EngineRow{times_of(result->engine, result->backend, result->runs)})
              .after_times;
      row = {result->answer_text(), io::grouped(result->report.nodes)};
      if (!result->failure.empty()) {
        row.push_back("WRONG");
      }
    }
    sections.push_back(
        engine_section(fmt::format("{}: {}, {}", group.front()->graph,
                                   counted(group.front()->vertices, "vertex", "vertices"),
                                   counted(group.front()->edges, "edge", "edges")),
                       {"engine", "backend", "median", "min", "max", "ratio", "answer", "nodes"},
                       engines, experiment.baseline));
  }
  return align(sections, 2);
}

}  // namespace taper::app
