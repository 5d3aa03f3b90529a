// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace taper::app {
namespace {

/// Reads a mapping. A list of sizes makes a market per size.
std::vector<RotationMarket> read_market(Node const& node) {
  node.allow_only(keys_of<RotationMarket>({"name"}));
  RotationMarket market;
  read_fields(node, market, {"n"});
  std::vector<std::int64_t> sizes{market.n};
  if (auto const n = node.find("n")) {
    sizes = read_distinct_integers(*n, 1, 30'000);
  }
  auto const name = node.find("name");
  std::vector<RotationMarket> markets;
  for (std::int64_t const n : sizes) {
    market.n = static_cast<std::int32_t>(n);
    market.name =
        fmt::format("{}, n = {}", name ? name->text() : std::string(to_string(market.family)), n);
    markets.push_back(market);
  }
  return markets;
}

/// Reads a task, or a mapping.
RotationEngine read_engine(Node const& node) {
  RotationEngine engine;
  engine.backend = "host";
  if (!node.is_map()) {
    engine.options.task = read_enum<RotationTask>(node);
    engine.name = to_string(engine.options.task);
    return engine;
  }
  node.allow_only(keys_of<RotationOptions>({"name"}));
  read_fields(node, engine.options);
  engine.name = to_string(engine.options.task);
  read_if_given(node, "name", [&](Node const& name) { engine.name = name.text(); });
  return engine;
}

}  // namespace

RotationExperiment read_rotation_experiment(Node const& root) {
  root.allow_only({"algorithm", "name", "title", "markets", "engines", "repetitions", "warmup",
                   "threads", "baseline", "verify", "skip_missing_backends", "output"});
  RotationExperiment experiment;
  read_settings(root, experiment);
  experiment.markets = read_named_lists(root.require("markets"), "market", read_market);
  experiment.engines = read_named(root.require("engines"), "engine", read_engine);
  experiment.baseline = read_baseline(root, experiment.engines);
  return experiment;
}

nlohmann::ordered_json to_json(RotationExperiment const& experiment) {
  using Json = nlohmann::ordered_json;
  auto markets = Json::array();
  for (auto const& market : experiment.markets) {
    write_fields(markets.emplace_back(Json{{"name", market.name}}), market);
  }
  auto engines = Json::array();
  for (auto const& engine : experiment.engines) {
    write_fields(engines.emplace_back(Json{{"name", engine.name}}), engine.options);
  }
  Json json{{"algorithm", "rotations"}};
  json.update(to_json(static_cast<Settings const&>(experiment)));
  json.update(Json{{"markets", std::move(markets)},
                   {"engines", std::move(engines)},
                   {"baseline", experiment.baseline}});
  return json;
}

}  // namespace taper::app
