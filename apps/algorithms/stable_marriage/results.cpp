// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// Those of Counts, under their names.
constexpr std::array counts{
    std::pair{"acceptances", &Counts::acceptances}, std::pair{"rejections", &Counts::rejections},
    std::pair{"atomic_operations", &Counts::atomic_operations},
    std::pair{"failed_compare_exchanges", &Counts::failed_compare_exchanges}};

Json counters_json(Solved const& run) {
  Json json{{"perfect_in_precheck", run.perfect}, {"proposals", run.proposals}};
  for (auto const& [name, count] : counts) {
    json[name] = run.counts ? Json((*run.counts).*count) : Json(nullptr);
  }
  json.update(Json{{"taper_step", run.taper_step},
                   {"taper_live", run.taper_live},
                   {"tiers", run.tiers},
                   {"rounds", run.rounds},
                   {"tail_side", to_string(run.tail_side)},
                   {"moved_bytes", run.bytes_moved},
                   {"copied_bytes", run.copied_bytes}});
  return json;
}

Side side_of(std::string_view name) {
  return name == to_string(Side::device) ? Side::device
         : name == to_string(Side::host) ? Side::host
                                         : Side::none;
}

void read_counters(Json const& json, Solved& run) {
  run.perfect = json.at("perfect_in_precheck");
  run.proposals = json.at("proposals");
  // Older files have zeros where nobody counted; no count of acceptances is 0.
  auto const acceptances = json.find("acceptances");
  if (acceptances != json.end() && !acceptances->is_null() && *acceptances != 0) {
    run.counts.emplace();
    for (auto const& [name, count] : counts) {
      (*run.counts).*count = json.at(name);
    }
  }
  run.taper_step = json.at("taper_step");
  run.taper_live = json.at("taper_live");
  run.tiers = json.value("tiers", std::uint64_t{0});
  run.rounds = json.value("rounds", std::uint64_t{0});
  run.tail_side = side_of(json.at("tail_side").get<std::string>());
  run.bytes_moved = json.at("moved_bytes");
  run.copied_bytes = json.value("copied_bytes", std::uint64_t{0});
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
    totals.push_back(run.seconds.total());
    runs.push_back(to_json(run.seconds));
    runs.back().update(counters_json(run));
  }
  json = {{"workload", result.workload},
          {"n", result.n},
          {"seed", result.seed},
          {"engine", result.engine},
          {"backend", result.backend},
          {"solve_seconds_median", median(totals)},
          {"generation_seconds", result.generation_seconds},
          {"runs", std::move(runs)},
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
    auto& read = result.runs.emplace_back();
    read.seconds = phases_from(run);
    // Older files have the counters of the last repetition alone, in the case.
    read_counters(run.contains("proposals") ? run : json, read);
  }
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
      "experiment,workload,n,seed,engine,algorithm,contention,schedule,proposer,backend,tables,"
      "repetition,solve_seconds,copy_seconds,precheck_seconds,initialisation_seconds,"
      "execution_seconds,postprocessing_seconds,generation_seconds,perfect_in_precheck,proposals,"
      "acceptances,rejections,atomic_operations,failed_compare_exchanges,taper_step,taper_live,"
      "tiers,rounds,tail_side,moved_bytes,copied_bytes,matching_hash,blocking_pairs,verified\r\n";
  for (auto const& result : cases) {
    auto const found = std::ranges::find(experiment.engines, result.engine, &Engine::name);
    auto const engine = found == experiment.engines.end() ? Engine{} : *found;
    auto const& options = engine.options;
    for (std::size_t repetition = 0; repetition < result.runs.size(); ++repetition) {
      auto const& run = result.runs[repetition];
      auto const& seconds = run.seconds;
      csv += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},", csv_field(experiment.name),
          csv_field(result.workload), result.n, result.seed, csv_field(result.engine),
          to_string(options.algorithm), to_string(options.contention), to_string(options.schedule),
          to_string(options.proposer), result.backend, to_string(engine.tables), repetition + 1);
      csv += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},", seconds.total(),
                         seconds.copy, seconds.precheck, seconds.initialisation, seconds.execution,
                         seconds.postprocessing, result.generation_seconds);
      csv += fmt::format("{},{},", run.perfect, run.proposals);
      for (auto const& [name, count] : counts) {
        csv += run.counts ? fmt::format("{},", (*run.counts).*count) : ",";
      }
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{}\r\n", run.taper_step, run.taper_live,
                         run.tiers, run.rounds, to_string(run.tail_side), run.bytes_moved,
                         run.copied_bytes, result.matching_hash, result.blocking_pairs,
                         result.verified);
    }
  }
  return csv;
}

}  // namespace taper::app
