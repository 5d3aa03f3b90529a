// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <taper/tree_search/fields.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <utility>

namespace taper::app {

namespace ts = tree_search;

namespace {

/// Reads the name of a sample tree, or a mapping. Its key `tree` names the sample tree to start
/// from; the other keys are fields of the tree.
TreeSpec read_tree(Node const& node) {
  auto const sample = [](Node const& name) {
    auto const words = sample_tree_names();
    return TreeSpec{std::string(words[name.choice(words)]),
                    ts::find_sample_tree(words[name.choice(words)])->tree};
  };
  if (!node.is_map()) {
    return sample(node);
  }
  node.allow_only(keys_of<ts::Tree>({"name", "tree"}));
  TreeSpec spec;
  if (auto const base = node.find("tree")) {
    spec = sample(*base);
  }
  spec.name = node.require("name").text();
  read_fields(node, spec.tree);
  return spec;
}

/// Reads a schedule, or a mapping. A list of thread or team counts makes an engine per count.
std::vector<TreeEngine> read_engine(Node const& node) {
  TreeEngine engine;
  if (!node.is_map()) {
    engine.options.schedule = read_enum<ts::Schedule>(node);
    engine.name = to_string(engine.options.schedule);
    return {engine};
  }
  node.allow_only(keys_of<ts::Options>({"name", "backend", "threads"}));
  read_fields(node, engine.options, {"teams"});
  engine.name = to_string(engine.options.schedule);
  read_backend_and_name(node, engine);
  std::vector<TreeEngine> engines{engine};
  vary_threads(engines, node);
  if (auto const teams = node.find("teams"); teams && teams->is_list() && engines.size() > 1) {
    teams->fail("only one of 'threads' and 'teams' can be a list");
  }
  vary_by_key(engines, node, "teams", 0, std::numeric_limits<std::int64_t>::max(), "x",
              [](TreeEngine& fresh, std::int64_t value) {
                fresh.options.teams = static_cast<std::uint64_t>(value);
              });
  return engines;
}

}  // namespace

std::vector<std::string_view> sample_tree_names() {
  return names_in(ts::sample_trees, &ts::SampleTree::name);
}

TreeExperiment read_tree_experiment(Node const& root) {
  root.allow_only({"algorithm", "name", "title", "trees", "engines", "repetitions", "warmup",
                   "threads", "baseline", "verify", "skip_missing_backends", "output"});
  TreeExperiment experiment;
  read_settings(root, experiment);
  experiment.trees = read_named(root.require("trees"), "tree", read_tree);
  experiment.engines = read_named_lists(root.require("engines"), "engine", read_engine);
  experiment.baseline = read_baseline(root, experiment.engines);
  return experiment;
}

nlohmann::ordered_json to_json(TreeExperiment const& experiment) {
  using Json = nlohmann::ordered_json;
  auto trees = Json::array();
  for (auto const& [name, tree] : experiment.trees) {
    auto& entry = trees.emplace_back(Json{{"name", name}});
    write_fields(entry, tree);
  }
  Json json{{"algorithm", "tree_search"}};
  json.update(to_json(static_cast<Settings const&>(experiment)));
  json.update(Json{{"trees", std::move(trees)},
                   {"engines", engines_json(experiment.engines)},
                   {"baseline", experiment.baseline}});
  return json;
}

}  // namespace taper::app
