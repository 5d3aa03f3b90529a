// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>
#include <taper/stable_marriage/distributed/fields.hpp>
#include <taper/stable_marriage/fields.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

namespace taper::app {

using Json = nlohmann::ordered_json;

namespace {

Json to_json(PhaseSeconds const& seconds) {
  Json json{{"solve_seconds", seconds.total()}};
  if (seconds.call > 0) {
    json["copy_seconds"] = seconds.copy;
  }
  json.update(Json{{"precheck_seconds", seconds.precheck},
                   {"initialisation_seconds", seconds.initialisation},
                   {"execution_seconds", seconds.execution},
                   {"postprocessing_seconds", seconds.postprocessing}});
  return json;
}

PhaseSeconds phases_from(Json const& json) {
  bool const copies = json.contains("copy_seconds");
  return {copies ? json.at("copy_seconds").get<double>() : 0,
          json.at("precheck_seconds"),
          json.at("initialisation_seconds"),
          json.at("execution_seconds"),
          json.at("postprocessing_seconds"),
          copies ? json.at("solve_seconds").get<double>() : 0};
}

/// The times of all repetitions of these cases.
std::vector<double> run_times(std::span<MarriageCase const* const> cases) {
  std::vector<double> seconds;
  for (auto const* result : cases) {
    for (auto const& run : result->runs) {
      seconds.push_back(run.seconds.total());
    }
  }
  return seconds;
}

/// What two engines have in common that differ in their devices alone.
Json without_devices(Json engine) {
  for (auto const* key : {"name", "devices", "shards"}) {
    engine.erase(key);
  }
  return engine;
}

/// The engine that does the same on one device; null if the configuration has none.
Json const* on_one_device(Json const& engines, Json const& engine) {
  auto const found = std::ranges::find_if(engines, [&](Json const& other) {
    return other.value("devices", 0) == 1 && without_devices(other) == without_devices(engine);
  });
  return found == engines.end() ? nullptr : &*found;
}

}  // namespace

std::string hash_matching(std::span<std::uint32_t const> partner_of_man) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (auto const id : partner_of_man) {
    for (int shift = 0; shift < 32; shift += 8) {
      hash = (hash ^ ((id >> shift) & 0xff)) * 0x100000001b3;
    }
  }
  return fmt::format("fnv1a:{:016x}", hash);
}

std::string MarriageCase::subject() const {
  return fmt::format("{}, n = {}, seed {}", workload, io::grouped(n), seed);
}

void to_json(Json& json, MarriageCase const& result) {
  std::vector<double> totals;
  auto runs = Json::array();
  for (auto const& run : result.runs) {
    totals.push_back(run.seconds.total());
    runs.push_back(to_json(run.seconds));
    write_fields(runs.back(), run.report);
  }
  json = {{"workload", result.workload},
          {"n", result.n},
          {"seed", result.seed},
          {"engine", result.engine},
          {"backend", result.backend},
          {"solve_seconds_median", median(totals)},
          {"generation_seconds", result.generation_seconds},
          {"runs", std::move(runs)}};
  if (!result.traffic.empty()) {
    json["traffic"] = detail::json_of(result.traffic);
  }
  json.update({{"matching_hash", result.matching_hash},
               {"blocking_pairs", result.blocking_pairs},
               {"verified", result.verified}});
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, MarriageCase& result) {
  result.workload = json.at("workload");
  result.n = IntegerAt(json, "n");
  result.seed = IntegerAt(json, "seed");
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.generation_seconds = json.at("generation_seconds");
  for (auto const& run : json.at("runs")) {
    auto& read = result.runs.emplace_back();
    read.seconds = phases_from(run);
    read_fields(run, read.report);
  }
  if (auto const traffic = json.find("traffic"); traffic != json.end()) {
    detail::read_value(*traffic, result.traffic);
  }
  result.matching_hash = json.at("matching_hash");
  result.blocking_pairs = IntegerAt(json, "blocking_pairs");
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
}

std::vector<SummaryRow> summarize_marriages(std::filesystem::path const& file) {
  std::vector<SummaryRow> rows;
  auto const stored = read_stored<MarriageCase>(file);
  for (auto const& group :
       grouped_by(std::span<MarriageCase const>(stored.cases), [](MarriageCase const& result) {
         return std::tie(result.workload, result.n, result.engine);
       })) {
    auto const& first = *group.front();
    rows.push_back(summary_row(fmt::format("{}, n = {}", first.workload, io::grouped(first.n)),
                               first.engine, first.backend, {}, run_times(group)));
  }
  return rows;
}

std::string marriage_details(std::filesystem::path const& file) {
  auto const stored = read_stored<MarriageCase>(file);
  auto const& engines = stored.configuration.at("engines");
  std::vector<std::vector<std::string>> table{
      {"workload", "engine", "devices", "time", "latency per device", "share of the time"}};
  for (auto const& subject :
       grouped_by(std::span<MarriageCase const>(stored.cases),
                  [](MarriageCase const& result) { return std::tie(result.workload, result.n); })) {
    auto const median_of = [&](Json const& engine) {
      std::vector<MarriageCase const*> seeds;
      std::ranges::copy_if(subject, std::back_inserter(seeds), [&](auto const* result) {
        return result->engine == engine.at("name").get<std::string>();
      });
      return median(run_times(seeds));
    };
    for (auto const& engine : engines) {
      auto const devices = engine.value("devices", 0);
      auto const seconds = median_of(engine);
      if (devices == 0 || seconds == 0) {
        continue;
      }
      auto const* alone = on_one_device(engines, engine);
      auto const alone_seconds = alone == nullptr ? 0 : median_of(*alone);
      auto& cells = table.emplace_back(std::vector<std::string>{
          fmt::format("{}, n = {}", subject.front()->workload, io::grouped(subject.front()->n)),
          engine.at("name"), std::to_string(devices), format_seconds(seconds), "-", "-"});
      if (alone_seconds > 0) {
        auto const latency = seconds - alone_seconds / devices;
        cells[4] = (latency < 0 ? "-" : "") + format_seconds(std::abs(latency));
        cells[5] = fmt::format("{:.1f} %", 100 * latency / seconds);
      }
    }
  }
  return table.size() == 1 ? "no engine has the key 'devices': no latency per device\n"
                           : align(table, 2);
}

std::string to_csv(MarriageExperiment const& experiment, std::span<MarriageCase const> cases) {
  auto const row = [&](MarriageCase const& result, std::size_t repetition) {
    auto const& engine = entry_named(experiment.engines, result.engine);
    auto const& options = engine.options;
    auto const& run = result.runs[repetition];
    auto const& seconds = run.seconds;
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{}", csv_field(result.workload), result.n,
                       result.seed, csv_field(result.engine), to_string(options.algorithm),
                       to_string(options.contention), to_string(options.schedule),
                       to_string(options.proposer), result.backend, to_string(engine.tables),
                       repetition + 1) +
           fmt::format(",{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}", seconds.total(),
                       seconds.copy, seconds.precheck, seconds.initialisation, seconds.execution,
                       seconds.postprocessing, result.generation_seconds) +
           fmt::format("{},{},{}", csv_values(run.report), result.matching_hash,
                       result.blocking_pairs);
  };
  return csv_of(experiment,
                "workload,n,seed,engine,algorithm,contention,schedule,proposer,backend,tables,"
                "repetition,solve_seconds,copy_seconds,precheck_seconds,initialisation_seconds,"
                "execution_seconds,postprocessing_seconds,generation_seconds" +
                    csv_header<stable_marriage::Report>() + ",matching_hash,blocking_pairs",
                cases, row);
}

}  // namespace taper::app
