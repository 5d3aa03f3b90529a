// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <nlohmann/json.hpp>

#include <tuple>

namespace taper::app {

namespace sm = stable_marriage;

nlohmann::ordered_json to_json(Experiment const& experiment) {
  using Json = nlohmann::ordered_json;
  auto workloads = Json::array();
  for (auto const& workload : experiment.workloads) {
    Json entry{{"family", to_string(workload.family)}, {"n", workload.sizes}};
    if (workload.family == sm::Family::random) {
      entry["group_size"] = workload.group_size;
    } else if (workload.family == sm::Family::correlated) {
      entry["strength"] = workload.strength;
    }
    if (!workload.engines.empty()) {
      entry["engines"] = workload.engines;
    }
    workloads.push_back(std::move(entry));
  }
  auto engines = Json::array();
  for (auto const& engine : experiment.engines) {
    auto const& [options, sharing] = std::tie(engine.options, engine.sharing);
    engines.push_back({{"name", engine.name},
                       {"algorithm", to_string(options.algorithm)},
                       {"contention", to_string(options.contention)},
                       {"schedule", to_string(options.schedule)},
                       {"proposer", to_string(options.proposer)},
                       {"tail", to_string(options.tail)},
                       {"taper_live", options.taper_live},
                       {"backend", engine.backend}});
    if (engine.tapers_anywhere) {
      engines.back()["taper_live"] = "random";
    }
    if (engine.tables != Tables::device) {
      engines.back()["tables"] = to_string(engine.tables);
    }
    if (sharing.devices > 0) {
      engines.back()["devices"] = sharing.devices;
      engines.back()["shards"] = sharing.shards;
    }
    if (!options.tiers) {
      engines.back()["tiers"] = false;
    }
    if (options.courtship != sm::Courtship::automatic) {
      engines.back()["courtship"] = to_string(options.courtship);
    }
    if (options.people_a_worker) {
      engines.back()["people_a_worker"] = *options.people_a_worker;
    }
  }
  auto json = to_json(static_cast<Settings const&>(experiment));
  json.update(Json{{"scale", experiment.scale},
                   {"workloads", std::move(workloads)},
                   {"seeds", experiment.seeds},
                   {"engines", std::move(engines)},
                   {"baseline", experiment.baseline},
                   {"count", experiment.count}});
  return json;
}

}  // namespace taper::app
