// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/fields.hpp>

#include <io/text/strings.hpp>
#include <taper/hospitals_residents/distributed/fields.hpp>
#include <taper/hospitals_residents/fields.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace taper::app {

using Json = nlohmann::ordered_json;

void to_json(Json& json, SparseMarketCase const& result) {
  json = {{"market", result.market},   {"engine", result.engine},
          {"backend", result.backend}, {"residents", result.residents},
          {"entries", result.entries}, {"seconds_median", median(result.runs)},
          {"seconds", result.runs}};
  write_fields(json, result.report);
  if (!result.traffic.empty()) {
    json["traffic"] = detail::json_of(result.traffic);
  }
  json["verified"] = result.verified;
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, SparseMarketCase& result) {
  result.market = json.at("market");
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.residents = json.at("residents");
  result.entries = json.at("entries");
  result.runs = json.at("seconds").get<std::vector<double>>();
  read_fields(json, result.report);
  if (auto const traffic = json.find("traffic"); traffic != json.end()) {
    detail::read_value(*traffic, result.traffic);
  }
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
}

std::string to_csv(SparseMarketExperiment const& experiment,
                   std::span<SparseMarketCase const> cases) {
  return csv_of(experiment,
                "market,engine,backend,residents,entries,repetition,seconds" +
                    csv_header<hospitals_residents::Report>(),
                cases, [](SparseMarketCase const& result, std::size_t repetition) {
                  return fmt::format("{},{},{},{},{},{},{:.9g}{}", csv_field(result.market),
                                     csv_field(result.engine), result.backend, result.residents,
                                     result.entries, repetition + 1, result.runs[repetition],
                                     csv_values(result.report));
                });
}

std::vector<SummaryRow> summarize_sparse_markets(std::filesystem::path const& file) {
  std::vector<SummaryRow> rows;
  for (auto const& result : read_stored<SparseMarketCase>(file).cases) {
    rows.push_back(summary_row(result.market, result.engine, result.backend,
                               io::grouped(result.report.assigned) + " assigned", result.runs));
  }
  return rows;
}

std::string result_table(SparseMarketExperiment const& experiment,
                         std::span<SparseMarketCase const> cases) {
  std::vector<Section> sections;
  for (auto const& group :
       grouped_by(cases, [](SparseMarketCase const& result) { return result.market; })) {
    std::vector<EngineRow> engines;
    for (auto const* result : group) {
      auto& row =
          engines.emplace_back(EngineRow{times_of(result->engine, result->backend, result->runs)})
              .after_times;
      row = {io::grouped(result->report.assigned), io::grouped(result->report.proposals),
             io::grouped(result->report.rounds)};
      if (!result->failure.empty()) {
        row.push_back("WRONG");
      }
    }
    auto const& first = *group.front();
    sections.push_back(engine_section(
        fmt::format("{}: {} residents, {} entries", first.market, io::grouped(first.residents),
                    io::grouped(first.entries)),
        {"engine", "backend", "median", "min", "max", "ratio", "assigned", "proposals", "rounds"},
        engines, experiment.baseline));
  }
  return align(sections, 2);
}

}  // namespace taper::app
