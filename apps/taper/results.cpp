// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taper::app {

using Json = nlohmann::ordered_json;

namespace {

Json phases_json(PhaseSeconds const& seconds) {
  return {{"solve_seconds", seconds.total()},
          {"precheck_seconds", seconds.precheck},
          {"initialisation_seconds", seconds.initialisation},
          {"execution_seconds", seconds.execution},
          {"postprocessing_seconds", seconds.postprocessing}};
}

Side side_of(std::string_view name) {
  return name == to_string(Side::device) ? Side::device
         : name == to_string(Side::host) ? Side::host
                                         : Side::none;
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

std::string CaseResult::subject() const {
  return fmt::format("{}, n = {}, seed {}", workload, io::grouped(n), seed);
}

void to_json(Json& json, CaseResult const& result) {
  std::vector<double> totals;
  auto runs = Json::array();
  for (auto const& run : result.runs) {
    totals.push_back(run.total());
    runs.push_back(phases_json(run));
  }
  auto const& counters = result.counters;
  json = {{"workload", result.workload},
          {"n", result.n},
          {"seed", result.seed},
          {"engine", result.engine},
          {"backend", result.backend},
          {"solve_seconds_median", median(totals)},
          {"generation_seconds", result.generation_seconds},
          {"runs", std::move(runs)},
          {"perfect_in_precheck", counters.perfect},
          {"proposals", counters.proposals},
          {"acceptances", counters.acceptances},
          {"rejections", counters.rejections},
          {"atomic_operations", counters.atomic_operations},
          {"failed_compare_exchanges", counters.failed_compare_exchanges},
          {"taper_step", counters.taper_step},
          {"taper_live", counters.taper_live},
          {"rounds", counters.rounds},
          {"tail_side", to_string(counters.tail_side)},
          {"moved_bytes", counters.bytes_moved},
          {"matching_hash", result.matching_hash},
          {"blocking_pairs", result.blocking_pairs},
          {"verified", result.verified}};
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, CaseResult& result) {
  result.workload = json.at("workload");
  result.n = json.at("n");
  result.seed = json.at("seed");
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.generation_seconds = json.at("generation_seconds");
  for (auto const& run : json.at("runs")) {
    result.runs.push_back({run.at("precheck_seconds"), run.at("initialisation_seconds"),
                           run.at("execution_seconds"), run.at("postprocessing_seconds")});
  }
  auto& counters = result.counters;
  counters.perfect = json.at("perfect_in_precheck");
  counters.proposals = json.at("proposals");
  counters.acceptances = json.at("acceptances");
  counters.rejections = json.at("rejections");
  counters.atomic_operations = json.at("atomic_operations");
  counters.failed_compare_exchanges = json.at("failed_compare_exchanges");
  counters.taper_step = json.at("taper_step");
  counters.taper_live = json.at("taper_live");
  counters.rounds = json.value("rounds", std::uint64_t{0});
  counters.tail_side = side_of(json.at("tail_side").get<std::string>());
  counters.bytes_moved = json.at("moved_bytes");
  result.matching_hash = json.at("matching_hash");
  result.blocking_pairs = json.at("blocking_pairs");
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
}

StoredResults read_results(std::filesystem::path const& file) {
  return read_stored<CaseResult>(file);
}

std::string to_csv(Experiment const& experiment, std::span<CaseResult const> cases) {
  std::string csv =
      "experiment,workload,n,seed,engine,algorithm,contention,schedule,proposer,backend,repetition,"
      "solve_seconds,precheck_seconds,initialisation_seconds,execution_seconds,postprocessing_"
      "seconds,"
      "generation_seconds,perfect_in_precheck,proposals,acceptances,rejections,atomic_operations,"
      "failed_compare_exchanges,taper_step,taper_live,tail_side,moved_bytes,matching_hash,blocking_"
      "pairs,"
      "verified\r\n";
  for (auto const& result : cases) {
    auto const engine = std::ranges::find(experiment.engines, result.engine, &Engine::name);
    auto const options =
        engine == experiment.engines.end() ? stable_marriage::Options{} : engine->options;
    auto const& counters = result.counters;
    for (std::size_t repetition = 0; repetition < result.runs.size(); ++repetition) {
      auto const& run = result.runs[repetition];
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},", csv_field(experiment.name),
                         csv_field(result.workload), result.n, result.seed,
                         csv_field(result.engine), to_string(options.algorithm),
                         to_string(options.contention), to_string(options.schedule),
                         to_string(options.proposer), result.backend, repetition + 1);
      csv += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},", run.total(), run.precheck,
                         run.initialisation, run.execution, run.postprocessing,
                         result.generation_seconds);
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", counters.perfect,
                         counters.proposals, counters.acceptances, counters.rejections,
                         counters.atomic_operations, counters.failed_compare_exchanges,
                         counters.taper_step, counters.taper_live, to_string(counters.tail_side),
                         counters.bytes_moved, result.matching_hash, result.blocking_pairs,
                         result.verified);
    }
  }
  return csv;
}

}  // namespace taper::app
