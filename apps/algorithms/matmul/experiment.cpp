// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>
#include <taper/matmul/fields.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace taper::app {

namespace mm = matmul;

namespace {

constexpr std::int64_t max_extent = mm::largest_extent;

/// Reads n for square matrices, or a list: [m, n, k] for a product, [m, n] for a sum.
Extents read_extents(Node const& node, Operation operation) {
  if (!node.is_list()) {
    auto const n = static_cast<std::uint64_t>(node.integer(0, max_extent));
    return {n, n, n};
  }
  auto const list = read_integers(node, 0, max_extent);
  auto const wanted = operation == Operation::multiply ? 3u : 2u;
  if (list.size() != wanted) {
    node.fail(fmt::format("expected n or {}, found a list of {}",
                          wanted == 3 ? "[m, n, k]" : "[m, n]", list.size()));
  }
  auto const m = static_cast<std::uint64_t>(list[0]), n = static_cast<std::uint64_t>(list[1]);
  return {m, n, wanted == 3 ? static_cast<std::uint64_t>(list[2]) : n};
}

mm::Workload read_workload(Node const& root) {
  mm::Workload workload;
  read_if_given(root, "family",
                [&](Node const& node) { workload.family = read_enum<mm::Family>(node); });
  if (auto const key = find_of_family(root, "largest", workload.family, mm::Family::integers)) {
    workload.largest =
        static_cast<std::uint32_t>(key->integer(1, std::numeric_limits<std::uint32_t>::max()));
  }
  if (auto const key =
          find_of_family(root, "condition", workload.family, mm::Family::ill_conditioned)) {
    workload.condition = key->real(1, 1e30);
  }
  read_if_given(root, "seed", [&](Node const& node) {
    workload.seed =
        static_cast<std::uint64_t>(node.integer(0, std::numeric_limits<std::int64_t>::max()));
  });
  return workload;
}

/// Reads the name of a rung or an engine.
MatmulEngine read_engine_name(Node const& node, Operation operation) {
  try {
    return matmul_engine(node.text(), operation);
  } catch (ConfigError const& error) {
    node.fail(error.what());
  }
}

/// Reads one entry of `engines`. A list of values makes an engine per value.
std::vector<MatmulEntry> read_entry(Node const& node, Operation operation) {
  MatmulEntry entry;
  auto& options = entry.options;
  if (!node.is_map()) {
    static_cast<MatmulEngine&>(entry) = read_engine_name(node, operation);
    entry.series = entry.name;
    return {entry};
  }
  node.allow_only(keys_of<mm::Options>(
      {"name", "series", "engine", "backend", "threads", "copies", "pinned", "max_n"}));
  static_cast<MatmulEngine&>(entry) = read_engine_name(node.require("engine"), operation);
  auto const require_reader = [&](std::string_view key, bool is_read) {
    if (auto const found = node.find(key); found && !is_read) {
      found->fail(fmt::format("the engine '{}' has no such key", to_string(options.engine)));
    }
  };
  for (auto const key : field_names<mm::Options>()) {
    require_reader(key, reads_field(operation, options.engine, key));
  }
  require_reader("pinned", options.engine == mm::Engine::streamed);
  read_fields(node, options, {"block", "threshold"});
  read_if_given(node, "pinned", [&](Node const& key) { entry.pinned = key.boolean(); });
  read_if_given(node, "copies", [&](Node const& key) { entry.copies = key.boolean(); });
  read_if_given(node, "max_n", [&](Node const& key) {
    entry.max_n = static_cast<std::uint64_t>(key.integer(1, max_extent));
  });
  read_backend_and_name(node, entry);
  entry.series = entry.name;
  read_if_given(node, "series", [&](Node const& key) { entry.series = key.text(); });

  std::vector<MatmulEntry> entries{entry};
  vary_by_key(entries, node, "block", 1, max_extent, "b",
              [](MatmulEntry& fresh, std::int64_t value) { fresh.options.block = value; });
  vary_by_key(entries, node, "threshold", 1, max_extent, "T",
              [](MatmulEntry& fresh, std::int64_t value) { fresh.options.threshold = value; });
  vary_threads(entries, node);
  return entries;
}

std::vector<MatmulEntry> read_engines(Node const& node, Operation operation) {
  return read_named_lists(node, "engine",
                          [&](Node const& item) { return read_entry(item, operation); });
}

}  // namespace

bool MatmulEntry::runs(Extents const& extents) const {
  return max_n == 0 || std::max({extents.m, extents.n, extents.k}) <= max_n;
}

std::string extents_label(Operation operation, Extents const& extents) {
  auto const [m, n, k] = extents;
  if (m == n && n == k) {
    return fmt::format("n = {}", io::grouped(n));
  }
  auto const label = fmt::format("m = {}, n = {}", io::grouped(m), io::grouped(n));
  return operation == Operation::add ? label : label + fmt::format(", k = {}", io::grouped(k));
}

MatmulExperiment read_matmul_experiment(Node const& root) {
  root.allow_only({"algorithm", "name", "title", "operation", "sizes", "max_n", "types", "family",
                   "largest", "condition", "seed", "engines", "repetitions", "warmup", "threads",
                   "baseline", "verify", "skip_missing_backends", "output"});
  MatmulExperiment experiment;
  read_settings(root, experiment);
  constexpr std::array<std::string_view, 2> operations{"multiply", "add"};
  read_if_given(root, "operation", [&](Node const& node) {
    experiment.operation = static_cast<Operation>(node.choice(operations));
  });

  auto largest = std::numeric_limits<std::uint64_t>::max();
  read_if_given(root, "max_n", [&](Node const& node) {
    largest = static_cast<std::uint64_t>(node.integer(1, max_extent));
  });
  for (auto const& item : root.require("sizes").each()) {
    auto const extents = read_extents(item, experiment.operation);
    if (std::ranges::find(experiment.sizes, extents) != experiment.sizes.end()) {
      item.fail("this size occurs twice");
    }
    if (std::max({extents.m, extents.n, extents.k}) <= largest) {
      experiment.sizes.push_back(extents);
    }
  }
  if (experiment.sizes.empty()) {
    root.require("max_n").fail("all sizes are larger");
  }

  constexpr std::array<std::string_view, 2> scalars{"float32", "float64"};
  experiment.types = {io::Scalar::float64};
  read_if_given(root, "types", [&](Node const& node) {
    experiment.types.clear();
    for (auto const& item : node.each()) {
      experiment.types.push_back(static_cast<io::Scalar>(item.choice(scalars)));
    }
  });
  experiment.workload = read_workload(root);
  experiment.engines = read_engines(root.require("engines"), experiment.operation);
  experiment.baseline = read_baseline(root, experiment.engines);
  return experiment;
}

nlohmann::ordered_json to_json(MatmulExperiment const& experiment) {
  using Json = nlohmann::ordered_json;
  auto sizes = Json::array();
  for (auto const& [m, n, k] : experiment.sizes) {
    sizes.push_back(experiment.operation == Operation::add ? Json::array({m, n})
                                                           : Json::array({m, n, k}));
  }
  auto types = Json::array();
  for (auto const type : experiment.types) {
    types.push_back(io::to_string(type));
  }
  auto engines = Json::array();
  for (auto const& entry : experiment.engines) {
    auto const& options = entry.options;
    Json json{{"name", entry.name},
              {"series", entry.series},
              {"engine", to_string(options.engine)},
              {"backend", entry.backend},
              {"copies", entry.copies}};
    if (entry.threads > 0) {
      json["threads"] = entry.threads;
    }
    if (entry.max_n > 0) {
      json["max_n"] = entry.max_n;
    }
    if (options.engine == mm::Engine::streamed) {
      json["pinned"] = entry.pinned;
    }
    Json all;
    write_fields(all, options);
    for (auto const& [key, value] : all.items()) {
      if (reads_field(experiment.operation, options.engine, key)) {
        json[key] = value;
      }
    }
    engines.push_back(std::move(json));
  }
  Json json{{"algorithm", "matmul"}};
  json.update(to_json(static_cast<Settings const&>(experiment)));
  json.update(Json{{"operation", experiment.operation == Operation::add ? "add" : "multiply"},
                   {"sizes", std::move(sizes)},
                   {"types", std::move(types)},
                   {"family", to_string(experiment.workload.family)}});
  if (experiment.workload.family == mm::Family::integers) {
    json["largest"] = experiment.workload.largest;
  }
  if (experiment.workload.family == mm::Family::ill_conditioned) {
    json["condition"] = experiment.workload.condition;
  }
  json.update(Json{{"seed", experiment.workload.seed},
                   {"engines", std::move(engines)},
                   {"baseline", experiment.baseline}});
  return json;
}

}  // namespace taper::app
