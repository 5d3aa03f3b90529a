// SPDX-License-Identifier: Apache-2.0
#include "matmul_results.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>

namespace taper::app {

namespace mm = matmul;
using Json = nlohmann::ordered_json;

namespace {

std::string_view to_string(Operation operation) {
  return operation == Operation::add ? "add" : "multiply";
}

/// JSON has no NaN and no infinity: they are null.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double number_from(Json const& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json streaming_json(mm::Streaming const& streaming) {
  return {{"streams", streaming.streams},
          {"tile_rows", streaming.tile_rows},
          {"tile_columns", streaming.tile_columns},
          {"tiles", streaming.tiles},
          {"bytes_to_device", streaming.bytes_to_device},
          {"bytes_to_host", streaming.bytes_to_host},
          {"device_bytes", streaming.device_bytes},
          {"to_device_seconds", streaming.to_device_s},
          {"to_host_seconds", streaming.to_host_s},
          {"compute_seconds", streaming.compute_s},
          {"elapsed_seconds", streaming.elapsed_s},
          {"overlap", streaming.overlap()}};
}

mm::Streaming streaming_from(Json const& json) {
  mm::Streaming streaming;
  streaming.streams = json.at("streams");
  streaming.tile_rows = json.at("tile_rows");
  streaming.tile_columns = json.at("tile_columns");
  streaming.tiles = json.at("tiles");
  streaming.bytes_to_device = json.at("bytes_to_device");
  streaming.bytes_to_host = json.at("bytes_to_host");
  streaming.device_bytes = json.at("device_bytes");
  streaming.to_device_s = json.at("to_device_seconds");
  streaming.to_host_s = json.at("to_host_seconds");
  streaming.compute_s = json.at("compute_seconds");
  streaming.elapsed_s = json.at("elapsed_seconds");
  return streaming;
}

}  // namespace

std::string MatmulCase::subject() const {
  return fmt::format("{}, {}", extents_label(operation, extents), io::to_string(type));
}

double MatmulCase::gflops() const {
  auto const seconds = median(runs);
  return seconds > 0 ? static_cast<double>(report.operations) / seconds / 1e9 : 0;
}

void to_json(Json& json, MatmulCase const& result) {
  auto const& report = result.report;
  json = {{"operation", to_string(result.operation)},
          {"m", result.extents.m},
          {"n", result.extents.n},
          {"k", result.extents.k},
          {"type", io::to_string(result.type)},
          {"engine", result.engine},
          {"backend", result.backend},
          {"seconds_median", median(result.runs)},
          {"seconds", result.runs},
          {"operations", report.operations},
          {"gflops", result.gflops()},
          {"ran", mm::to_string(report.engine)},
          {"kernel_calls", report.kernel_calls},
          {"levels", report.levels},
          {"scratch_bytes", report.scratch_bytes},
          {"scaled_residual", number(result.deviation.scaled_residual)},
          {"residual_bound", result.deviation.bound},
          {"verified", result.verified}};
  if (report.streaming.streams > 0) {
    json["streaming"] = streaming_json(report.streaming);
  }
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, MatmulCase& result) {
  result.operation = json.at("operation") == "add" ? Operation::add : Operation::multiply;
  result.extents = {json.at("m"), json.at("n"), json.at("k")};
  result.type = json.at("type") == "float32" ? io::Scalar::float32 : io::Scalar::float64;
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.runs = json.at("seconds").get<std::vector<double>>();
  auto& report = result.report;
  report.operations = json.at("operations");
  report.engine =
      mm::parse<mm::Engine>(json.at("ran").get<std::string>()).value_or(mm::Engine::automatic);
  report.kernel_calls = json.at("kernel_calls");
  report.levels = json.at("levels");
  report.scratch_bytes = json.at("scratch_bytes");
  if (auto const streaming = json.find("streaming"); streaming != json.end()) {
    report.streaming = streaming_from(*streaming);
  }
  result.deviation = {number_from(json.at("scaled_residual")), json.at("residual_bound")};
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
}

std::string to_csv(MatmulExperiment const& experiment, std::span<MatmulCase const> cases) {
  std::string csv = "experiment,operation,m,n,k,type,engine,ran,kernel,threshold,threads,copies,"
                    "backend,repetition,seconds,gflops,scaled_residual,overlap,kernel_calls,levels,"
                    "scratch_bytes,verified\r\n";
  for (auto const& result : cases) {
    auto const entry = std::ranges::find(experiment.engines, result.engine, &MatmulEntry::name);
    auto const known = entry == experiment.engines.end() ? MatmulEntry{} : *entry;
    auto const& options = known.options;
    auto const& report = result.report;
    for (std::size_t repetition = 0; repetition < result.runs.size(); ++repetition) {
      auto const seconds = result.runs[repetition];
      csv += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.9g},{:.6g},{:.4g},{:.3g},{},{},{},{}\r\n",
          csv_field(experiment.name), to_string(result.operation), result.extents.m,
          result.extents.n, result.extents.k, io::to_string(result.type), csv_field(result.engine),
          mm::to_string(report.engine),
          mm::has_kernel(options.engine) ? mm::to_string(options.kernel) : "",
          options.threshold ? std::to_string(*options.threshold) : "", known.threads, known.copies,
          result.backend, repetition + 1, seconds,
          seconds > 0 ? static_cast<double>(report.operations) / seconds / 1e9 : 0,
          result.deviation.scaled_residual, report.streaming.overlap(), report.kernel_calls,
          report.levels, report.scratch_bytes, result.verified);
    }
  }
  return csv;
}

std::string result_table(MatmulExperiment const& experiment, std::span<MatmulCase const> cases) {
  std::vector<Section> sections;
  for (auto const& group :
       grouped_by(cases, [](MatmulCase const& result) { return result.subject(); })) {
    auto& [heading, rows] = sections.emplace_back();
    heading = group.front()->subject();
    rows.push_back(
        {"engine", "backend", "median", "min", "max", "ratio", "GFLOP/s", "residual", "overlap"});
    auto const base = std::ranges::find(group, experiment.baseline,
                                        [](auto const* result) { return result->engine; });
    auto const baseline = base == group.end() ? Times{} : (*base)->times();
    for (auto const* result : group) {
      auto& row = rows.emplace_back(std::vector<std::string>{result->engine, result->backend});
      std::ranges::move(time_columns(result->times(), base == group.end() ? nullptr : &baseline),
                        std::back_inserter(row));
      auto const overlap = result->report.streaming.streams > 0
                               ? fmt::format("{:.0f} %", 100 * result->report.streaming.overlap())
                               : "";
      row.insert(
          row.end(),
          {fmt::format("{:.3g}", result->gflops()),
           experiment.verify ? fmt::format("{:.2g}", result->deviation.scaled_residual) : "-",
           overlap});
      if (!result->verified && experiment.verify) {
        row.push_back("WRONG");
      }
    }
  }
  // Where nothing was streamed, there is no such column.
  auto const streamed = std::ranges::any_of(
      cases, [](MatmulCase const& result) { return result.report.streaming.streams > 0; });
  for (auto& section : sections) {
    for (auto& row : section.rows) {
      if (!streamed) {
        row.erase(row.begin() + 8);
      }
    }
  }
  return align(sections, 2);
}

}  // namespace taper::app
