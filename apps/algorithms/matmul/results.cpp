// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <taper/matmul/fields.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace taper::app {

namespace mm = matmul;
using Json = nlohmann::ordered_json;

namespace {

std::string_view to_string(Operation operation) {
  return operation == Operation::add ? "add" : "multiply";
}

/// JSON has no NaN and no infinity; they become null.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double number_from(Json const& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
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
          {"gflops", result.gflops()}};
  write_fields(json, report);
  json.update(Json{{"scaled_residual", number(result.deviation.scaled_residual)},
                   {"residual_bound", result.deviation.bound},
                   {"verified", result.verified}});
  if (report.streaming.streams > 0) {
    write_fields(json["streaming"], report.streaming);
    json["streaming"]["overlap"] = report.streaming.overlap();
  }
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, MatmulCase& result) {
  result.operation = json.at("operation") == "add" ? Operation::add : Operation::multiply;
  result.extents = {IntegerAt(json, "m"), IntegerAt(json, "n"), IntegerAt(json, "k")};
  result.type = json.at("type") == "float32" ? io::Scalar::float32 : io::Scalar::float64;
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.runs = json.at("seconds").get<std::vector<double>>();
  auto& report = result.report;
  read_fields(json, report);
  if (auto const streaming = json.find("streaming"); streaming != json.end()) {
    read_fields(*streaming, report.streaming);
  }
  result.deviation = {number_from(json.at("scaled_residual")), json.at("residual_bound")};
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
}

std::string to_csv(MatmulExperiment const& experiment, std::span<MatmulCase const> cases) {
  auto const row = [&](MatmulCase const& result, std::size_t repetition) {
    auto const& entry = entry_named(experiment.engines, result.engine);
    auto const& options = entry.options;
    auto const& report = result.report;
    auto const seconds = result.runs[repetition];
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{:.9g},{:.6g},{:.4g},{:.3g},{},{},{}",
        to_string(result.operation), result.extents.m, result.extents.n, result.extents.k,
        io::to_string(result.type), csv_field(result.engine), mm::to_string(report.engine),
        mm::has_kernel(options.engine) ? mm::to_string(options.kernel) : "",
        options.threshold ? std::to_string(*options.threshold) : "", entry.threads, entry.copies,
        result.backend, repetition + 1, seconds,
        seconds > 0 ? static_cast<double>(report.operations) / seconds / 1e9 : 0,
        result.deviation.scaled_residual, report.streaming.overlap(), report.kernel_calls,
        report.levels, report.scratch_bytes);
  };
  return csv_of(
      experiment,
      "operation,m,n,k,type,engine,ran,kernel,threshold,threads,copies,backend,repetition,"
      "seconds,gflops,scaled_residual,overlap,kernel_calls,levels,scratch_bytes",
      cases, row);
}

std::vector<SummaryRow> summarize_products(std::filesystem::path const& file) {
  std::vector<SummaryRow> rows;
  for (auto const& result : read_stored<MatmulCase>(file).cases) {
    rows.push_back(summary_row(result.subject(), result.engine, result.backend, {}, result.runs));
  }
  return rows;
}

std::string result_table(MatmulExperiment const& experiment, std::span<MatmulCase const> cases) {
  // Without a streamed product there is no column "overlap".
  auto const streamed = std::ranges::any_of(
      cases, [](MatmulCase const& result) { return result.report.streaming.streams > 0; });
  std::vector<std::string> header{"engine", "backend", "median",  "min",
                                  "max",    "ratio",   "GFLOP/s", "residual"};
  if (streamed) {
    header.push_back("overlap");
  }
  std::vector<Section> sections;
  for (auto const& group :
       grouped_by(cases, [](MatmulCase const& result) { return result.subject(); })) {
    std::vector<EngineRow> engines;
    for (auto const* result : group) {
      auto& row = engines.emplace_back(EngineRow{result->times()}).after_times;
      row = {fmt::format("{:.3g}", result->gflops()),
             experiment.verify ? fmt::format("{:.2g}", result->deviation.scaled_residual) : "-"};
      if (streamed) {
        row.push_back(result->report.streaming.streams > 0
                          ? fmt::format("{:.0f} %", 100 * result->report.streaming.overlap())
                          : "");
      }
      if (!result->verified && experiment.verify) {
        row.push_back("WRONG");
      }
    }
    sections.push_back(
        engine_section(group.front()->subject(), header, engines, experiment.baseline));
  }
  return align(sections, 2);
}

}  // namespace taper::app
