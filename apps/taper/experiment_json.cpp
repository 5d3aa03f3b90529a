// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <nlohmann/json.hpp>

#include <tuple>

namespace taper::app {

namespace sm = stable_marriage;

using Json = nlohmann::ordered_json;

Json to_json(WorkloadSpec const& lists) {
  Json json{{"family", to_string(lists.family)}};
  if (lists.family == sm::Family::random) {
    json["group_size"] = lists.group_size;
  } else if (lists.family == sm::Family::correlated) {
    json["strength"] = lists.strength;
  }
  return json;
}

Json to_json(Experiment const& experiment) {
  auto workloads = Json::array();
  for (auto const& workload : experiment.workloads) {
    auto entry = to_json(workload);
    entry["n"] = workload.sizes;
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
                       {"tiers", options.tiers},
                       {"courtship", to_string(options.courtship)},
                       {"tables", to_string(engine.tables)},
                       {"backend", engine.backend}});
    if (engine.tapers_anywhere) {
      engines.back()["taper_live"] = "random";
    }
    if (sharing.devices > 0) {
      engines.back()["devices"] = sharing.devices;
      engines.back()["shards"] = sharing.shards;
    }
    if (options.people_a_worker) {
      engines.back()["people_a_worker"] = *options.people_a_worker;
    }
  }
  Json json{{"algorithm", "stable_marriage"}};
  json.update(to_json(static_cast<Settings const&>(experiment)));
  json.update(Json{{"workloads", std::move(workloads)},
                   {"seeds", experiment.seeds},
                   {"engines", std::move(engines)},
                   {"baseline", experiment.baseline},
                   {"count", experiment.count}});
  return json;
}

}  // namespace taper::app
