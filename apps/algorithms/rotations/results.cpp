// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>
#include <taper/rotations/fields.hpp>

#include <fmt/format.h>

namespace taper::app {

using Json = nlohmann::ordered_json;

std::string RotationCase::answer_text() const {
  return io::grouped(answer) + (proved ? "" : " (limit)");
}

void to_json(Json& json, RotationCase const& result) {
  json = {{"market", result.market},
          {"n", result.n},
          {"engine", result.engine},
          {"backend", result.backend},
          {"seconds_median", median(result.runs)},
          {"seconds", result.runs},
          {"answer", result.answer},
          {"proved", result.proved}};
  write_fields(json, result.report);
  json["verified"] = result.verified;
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, RotationCase& result) {
  result.market = json.at("market");
  result.n = integer_of<std::int64_t>(json.at("n"));
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.runs = json.at("seconds").get<std::vector<double>>();
  result.answer = integer_of<std::uint64_t>(json.at("answer"));
  result.proved = json.at("proved");
  read_fields(json, result.report);
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
}

std::string to_csv(RotationExperiment const& experiment, std::span<RotationCase const> cases) {
  return csv_of(experiment,
                "market,n,engine,backend,repetition,seconds,answer,proved" +
                    csv_header<rotations::Report>(),
                cases, [](RotationCase const& result, std::size_t repetition) {
                  return fmt::format("{},{},{},{},{},{:.9g},{},{}{}", csv_field(result.market),
                                     result.n, csv_field(result.engine), result.backend,
                                     repetition + 1, result.runs[repetition], result.answer,
                                     result.proved, csv_values(result.report));
                });
}

std::vector<SummaryRow> summarize_rotations(std::filesystem::path const& file) {
  std::vector<SummaryRow> rows;
  for (auto const& result : read_stored<RotationCase>(file).cases) {
    rows.push_back(
        summary_row(result.market, result.engine, result.backend,
                    io::grouped(static_cast<std::uint64_t>(result.report.rotations)) + " rotations",
                    result.runs));
  }
  return rows;
}

std::string result_table(RotationExperiment const& experiment,
                         std::span<RotationCase const> cases) {
  std::vector<Section> sections;
  for (auto const& group :
       grouped_by(cases, [](RotationCase const& result) { return result.market; })) {
    std::vector<EngineRow> engines;
    for (auto const* result : group) {
      auto& row =
          engines.emplace_back(EngineRow{times_of(result->engine, result->backend, result->runs)})
              .after_times;
      row = {result->answer_text()};
      if (!result->failure.empty()) {
        row.push_back("WRONG");
      }
    }
    auto const& report = group.front()->report;
    sections.push_back(engine_section(
        fmt::format("{}: {}, {}, {}", group.front()->market,
                    counted(static_cast<std::uint64_t>(report.rotations), "rotation", "rotations"),
                    counted(static_cast<std::uint64_t>(report.edges), "edge", "edges"),
                    counted(static_cast<std::uint64_t>(report.stable_pairs), "stable pair",
                            "stable pairs")),
        {"engine", "backend", "median", "min", "max", "ratio", "answer"}, engines,
        experiment.baseline));
  }
  return align(sections, 2);
}

}  // namespace taper::app
