// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <taper/clique/fields.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <utility>

namespace taper::app {
namespace {

constexpr double max_seconds = 1e9;

/// The family with its parameters: "johnson 16, ones 2, distance 4".
std::string family_label(clique::Workload const& workload) {
  using clique::Family;
  auto const label = fmt::format("{} {}", to_string(workload.family), workload.n);
  auto const drawn = fmt::format("density {:g}", workload.density);
  switch (workload.family) {
  case Family::gnp:
    return fmt::format("{}, {}, seed {}", label, drawn, workload.seed);
  case Family::p_hat:
    return fmt::format("{}, {}, spread {:g}, seed {}", label, drawn, workload.spread,
                       workload.seed);
  case Family::hidden_clique:
    return fmt::format("{}, {}, clique {}, seed {}", label, drawn, workload.clique, workload.seed);
  case Family::hamming:
    return fmt::format("{}, distance {}", label, workload.distance);
  case Family::johnson:
    return fmt::format("{}, ones {}, distance {}", label, workload.ones, workload.distance);
  case Family::steiner:
    break;
  }
  return label;
}

/// Reads the name of a file, or a mapping with a file or a family.
CliqueGraph read_graph_entry(Node const& node) {
  CliqueGraph graph;
  if (!node.is_map()) {
    graph.file = node.text();
    graph.name = file_label(graph.file);
    return graph;
  }
  if (auto const file = node.find("file")) {
    node.allow_only({"file", "name", "weights", "maximum"});
    graph.file = file->text();
    graph.name = file_label(graph.file);
  } else {
    node.allow_only(keys_of<clique::Workload>({"name", "weights", "maximum"}));
    node.require("family");
    node.require("n");
    read_fields(node, graph.workload);
    if (auto const fault = fault_of(graph.workload); !fault.empty()) {
      node.fail(fault);
    }
    graph.name = family_label(graph.workload);
  }
  read_if_given(node, "weights", [&](Node const& key) {
    graph.weights = read_weight_source(key, graph.file.empty());
    graph.name += graph.weights.label();
  });
  read_if_given(node, "name", [&](Node const& name) { graph.name = name.text(); });
  if (auto const known = known_maximum(graph.workload);
      known && graph.file.empty() && !graph.weights.given()) {
    graph.maximum = static_cast<std::int64_t>(*known);
  }
  read_if_given(node, "maximum", [&](Node const& key) {
    graph.maximum = key.integer(0, std::numeric_limits<std::int64_t>::max());
  });
  return graph;
}

/// Reads a bound, or a mapping. A list of threads makes an engine per number.
std::vector<CliqueEngine> read_engine(Node const& node) {
  CliqueEngine engine;
  engine.backend = "host";
  if (!node.is_map()) {
    engine.options.bound = read_enum<clique::Bound>(node);
    engine.name = to_string(engine.options.bound);
    return {engine};
  }
  node.allow_only(keys_of<clique::Options>({"name", "threads"}));
  read_fields(node, engine.options);
  engine.name = to_string(engine.options.bound);
  read_if_given(node, "name", [&](Node const& name) { engine.name = name.text(); });
  std::vector<CliqueEngine> engines{engine};
  vary_threads(engines, node);
  return engines;
}

}  // namespace

CliqueExperiment read_clique_experiment(Node const& root) {
  root.allow_only({"algorithm", "name", "title", "data", "graphs", "engines", "time_limit_s",
                   "repetitions", "warmup", "threads", "baseline", "verify",
                   "skip_missing_backends", "output"});
  CliqueExperiment experiment;
  read_settings(root, experiment);
  read_if_given(root, "data", [&](Node const& node) { experiment.data = node.text(); });
  experiment.graphs = read_named(root.require("graphs"), "graph", read_graph_entry);
  experiment.engines = read_named_lists(root.require("engines"), "engine", read_engine);
  experiment.baseline = read_baseline(root, experiment.engines);
  read_if_given(root, "time_limit_s",
                [&](Node const& node) { experiment.time_limit_s = node.real(0, max_seconds); });
  for (auto& engine : experiment.engines) {
    engine.options.time_limit_s = experiment.time_limit_s;
  }
  return experiment;
}

nlohmann::ordered_json to_json(CliqueExperiment const& experiment) {
  using Json = nlohmann::ordered_json;
  auto graphs = Json::array();
  for (auto const& graph : experiment.graphs) {
    auto& entry = graphs.emplace_back(Json{{"name", graph.name}});
    if (graph.file.empty()) {
      write_fields(entry, graph.workload);
    } else {
      entry["file"] = graph.file.string();
    }
    entry["weights"] = graph.weights.text();
    if (graph.maximum) {
      entry["maximum"] = *graph.maximum;
    }
  }
  Json json{{"algorithm", "clique"}};
  json.update(to_json(static_cast<Settings const&>(experiment)));
  json.update(Json{{"graphs", std::move(graphs)},
                   {"engines", engines_json(experiment.engines)},
                   {"baseline", experiment.baseline},
                   {"time_limit_s", experiment.time_limit_s}});
  return json;
}

}  // namespace taper::app
