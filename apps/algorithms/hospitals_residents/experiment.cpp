// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <experiment/fields.hpp>

#include <taper/hospitals_residents/fields.hpp>

#include <nlohmann/json.hpp>

#include <utility>

namespace taper::app {

namespace hr = hospitals_residents;

namespace {

SparseMarketSpec read_market_spec(Node const& node) {
  node.allow_only(keys_of<hr::Workload>({"name"}));
  SparseMarketSpec spec;
  spec.name = node.require("name").text();
  read_fields(node, spec.workload);
  if (spec.workload.residents > 0 && spec.workload.hospitals == 0) {
    node.fail("expected 'hospitals' of 1 or more");
  }
  return spec;
}

/// Reads a schedule, or a mapping. A list of thread counts makes an engine per count.
std::vector<SparseMarketEngine> read_engine(Node const& node) {
  SparseMarketEngine engine;
  if (!node.is_map()) {
    engine.options.schedule = read_enum<hr::Schedule>(node);
    engine.name = to_string(engine.options.schedule);
    return {engine};
  }
  node.allow_only(keys_of<hr::Options>({"name", "backend", "threads"}));
  read_fields(node, engine.options);
  engine.name = to_string(engine.options.schedule);
  read_backend_and_name(node, engine);
  std::vector<SparseMarketEngine> engines{engine};
  vary_threads(engines, node);
  return engines;
}

}  // namespace

SparseMarketExperiment read_sparse_market_experiment(Node const& root) {
  root.allow_only({"algorithm", "name", "title", "markets", "engines", "repetitions", "warmup",
                   "threads", "baseline", "verify", "skip_missing_backends", "output"});
  SparseMarketExperiment experiment;
  read_settings(root, experiment);
  experiment.markets = read_named(root.require("markets"), "market", read_market_spec);
  experiment.engines = read_named_lists(root.require("engines"), "engine", read_engine);
  experiment.baseline = read_baseline(root, experiment.engines);
  return experiment;
}

nlohmann::ordered_json to_json(SparseMarketExperiment const& experiment) {
  using Json = nlohmann::ordered_json;
  auto markets = Json::array();
  for (auto const& [name, workload] : experiment.markets) {
    auto& entry = markets.emplace_back(Json{{"name", name}});
    write_fields(entry, workload);
  }
  Json json{{"algorithm", "hospitals_residents"}};
  json.update(to_json(static_cast<Settings const&>(experiment)));
  json.update(Json{{"markets", std::move(markets)},
                   {"engines", engines_json(experiment.engines)},
                   {"baseline", experiment.baseline}});
  return json;
}

}  // namespace taper::app
