// SPDX-License-Identifier: Apache-2.0
#include "matmul_experiment.hpp"

#include "text.hpp"

#include <io/text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace taper::app {

namespace mm = matmul;

namespace {

constexpr std::int64_t max_extent = std::int64_t{1} << 40;

template <class E>
E choice(Node const& node) {
  auto const names = mm::names<E>();
  return *mm::parse<E>(names[node.choice(names)]);
}

/// An integer for a square, or a list: [m, n, k] of a product, [m, n] of a sum.
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
                [&](Node const& node) { workload.family = choice<mm::Family>(node); });
  auto const only_for = [&](std::string_view key, mm::Family family) {
    auto found = root.find(key);
    if (found && workload.family != family) {
      found->fail(fmt::format("only the family '{}' has it", to_string(family)));
    }
    return found;
  };
  if (auto const key = only_for("largest", mm::Family::integers)) {
    workload.largest =
        static_cast<std::uint32_t>(key->integer(1, std::numeric_limits<std::uint32_t>::max()));
  }
  if (auto const key = only_for("condition", mm::Family::ill_conditioned)) {
    workload.condition = key->real(1, 1e30);
  }
  read_if_given(root, "seed", [&](Node const& node) {
    workload.seed =
        static_cast<std::uint64_t>(node.integer(0, std::numeric_limits<std::int64_t>::max()));
  });
  return workload;
}

/// A rung or an engine by its name.
MatmulEngine read_engine_name(Node const& node) {
  try {
    return matmul_engine(node.text());
  } catch (ConfigError const& error) {
    node.fail(error.what());
  }
}

/// One entry; each value of a list stands for an engine.
std::vector<MatmulEntry> read_entry(Node const& node) {
  MatmulEntry entry;
  auto& options = entry.options;
  if (!node.is_map()) {
    static_cast<MatmulEngine&>(entry) = read_engine_name(node);
    entry.series = entry.name;
    return {entry};
  }
  node.allow_only({"name", "series", "engine", "kernel", "block", "scheduler", "threshold",
                   "temporaries", "streamed_engine", "streams", "stream_tile",
                   "stream_memory_bytes", "backend", "threads", "copies", "pinned", "max_n"});
  static_cast<MatmulEngine&>(entry) = read_engine_name(node.require("engine"));
  auto const only_for = [&](std::string_view key, bool has_it) {
    auto found = node.find(key);
    if (found && !has_it) {
      found->fail(fmt::format("the engine '{}' has none", to_string(options.engine)));
    }
    return found;
  };
  auto const recurses = mm::recurses(options.engine);
  auto const streams = options.engine == mm::Engine::streamed;
  auto const has_kernel = mm::has_kernel(options.engine);
  if (auto const key = only_for("kernel", has_kernel)) {
    options.kernel = choice<mm::Kernel>(*key);
  }
  if (auto const key = only_for("scheduler", recurses)) {
    options.scheduler = choice<mm::Scheduler>(*key);
  }
  if (auto const key = only_for("temporaries", options.engine == mm::Engine::fork_join)) {
    options.temporaries = key->boolean();
  }
  if (auto const key = only_for("streamed_engine", streams)) {
    options.streamed_engine = choice<mm::Engine>(*key);
  }
  if (auto const key = only_for("streams", streams)) {
    options.streams = key->integer(1, 1024);
  }
  if (auto const key = only_for("stream_tile", streams)) {
    options.stream_tile = key->integer(1, max_extent);
  }
  if (auto const key = only_for("stream_memory_bytes", streams)) {
    options.stream_memory_bytes = key->integer(0, std::numeric_limits<std::int64_t>::max());
  }
  if (auto const key = only_for("pinned", streams)) {
    entry.pinned = key->boolean();
  }
  read_if_given(node, "backend", [&](Node const& key) { entry.backend = read_backend(key); });
  read_if_given(node, "copies", [&](Node const& key) { entry.copies = key.boolean(); });
  read_if_given(node, "max_n", [&](Node const& key) {
    entry.max_n = static_cast<std::uint64_t>(key.integer(1, max_extent));
  });
  read_if_given(node, "name", [&](Node const& key) { entry.name = key.text(); });
  entry.series = entry.name;
  read_if_given(node, "series", [&](Node const& key) { entry.series = key.text(); });

  std::vector<MatmulEntry> entries{entry};
  // Every entry so far with every value of the key, which becomes part of the name.
  auto const for_each = [&](std::string_view key, bool has_it, std::int64_t most,
                            std::string_view word, auto const& set) {
    auto const list = only_for(key, has_it);
    if (!list) {
      return;
    }
    std::vector<MatmulEntry> product;
    for (auto const& old : entries) {
      for (auto const value : read_distinct_integers(*list, 1, most)) {
        auto& fresh = product.emplace_back(old);
        set(fresh, value);
        if (list->is_list()) {
          fresh.name += fmt::format(" {}{}", word, value);
        }
      }
    }
    entries = std::move(product);
  };
  for_each("block", options.engine == mm::Engine::tiled, max_extent, "b",
           [](MatmulEntry& fresh, std::int64_t value) { fresh.options.block = value; });
  for_each("threshold", recurses, max_extent, "T",
           [](MatmulEntry& fresh, std::int64_t value) { fresh.options.threshold = value; });
  for_each("threads", true, 4096, "x",
           [](MatmulEntry& fresh, std::int64_t value) { fresh.threads = static_cast<int>(value); });
  return entries;
}

std::vector<MatmulEntry> read_engines(Node const& node, Operation operation) {
  std::vector<MatmulEntry> engines;
  std::set<std::string> names;
  for (auto const& item : node.items()) {
    for (auto& entry : read_entry(item)) {
      auto const engine = entry.options.engine;
      if (operation == Operation::add && engine != mm::Engine::automatic &&
          engine != mm::Engine::sequential && engine != mm::Engine::rows &&
          engine != mm::Engine::fork_join) {
        item.fail(fmt::format("the engine '{}' does not add: expected automatic, sequential, rows "
                              "or fork_join",
                              to_string(engine)));
      }
      require_fresh_name(item, names, entry.name, "engine");
      engines.push_back(std::move(entry));
    }
  }
  return engines;
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
  auto const sizes = root.require("sizes");
  for (auto const& item : sizes.is_list() ? sizes.items() : std::vector{sizes}) {
    auto const extents = read_extents(item, experiment.operation);
    if (std::ranges::find(experiment.sizes, extents) != experiment.sizes.end()) {
      item.fail("this size is there twice");
    }
    if (std::max({extents.m, extents.n, extents.k}) <= largest) {
      experiment.sizes.push_back(extents);
    }
  }
  if (experiment.sizes.empty()) {
    root.require("max_n").fail("no size is that small");
  }

  constexpr std::array<std::string_view, 2> scalars{"float32", "float64"};
  experiment.types = {io::Scalar::float64};
  read_if_given(root, "types", [&](Node const& node) {
    experiment.types.clear();
    for (auto const& item : node.is_list() ? node.items() : std::vector{node}) {
      experiment.types.push_back(static_cast<io::Scalar>(item.choice(scalars)));
    }
  });
  experiment.workload = read_workload(root);
  experiment.engines = read_engines(root.require("engines"), experiment.operation);
  experiment.baseline = experiment.engines.front().name;
  read_if_given(root, "baseline", [&](Node const& node) {
    experiment.baseline = read_name_of(experiment.engines, node, "engines");
  });
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
    if (mm::has_kernel(options.engine)) {
      json["kernel"] = to_string(options.kernel);
    }
    if (options.engine == mm::Engine::tiled) {
      json["block"] = options.block;
    }
    if (mm::recurses(options.engine)) {
      json["scheduler"] = to_string(options.scheduler);
      if (options.threshold) {
        json["threshold"] = *options.threshold;
      }
    }
    if (options.engine == mm::Engine::fork_join) {
      json["temporaries"] = options.temporaries;
    }
    if (options.engine == mm::Engine::streamed) {
      json["streamed_engine"] = to_string(options.streamed_engine);
      json["streams"] = options.streams;
      if (options.stream_tile) {
        json["stream_tile"] = *options.stream_tile;
      }
      json["stream_memory_bytes"] = options.stream_memory_bytes;
      json["pinned"] = entry.pinned;
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
