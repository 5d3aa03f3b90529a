// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <experiment/fields.hpp>
#include <experiment/settings.hpp>

#include <taper/stable_marriage/fields.hpp>
#include <taper/stable_marriage/sharded/limits.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

constexpr std::int64_t max_n = stable_marriage::max_people;

std::vector<std::size_t> read_sizes(Node const& node, double scale) {
  std::vector<std::size_t> sizes;
  for (auto const n : read_distinct_integers(node, 1, max_n)) {
    auto const scaled = std::llround(static_cast<double>(n) * scale);
    if (scaled > max_n) {
      node.fail(fmt::format("n = {} times scale = {} is more than {}", n, scale, max_n));
    }
    auto const size = static_cast<std::size_t>(std::max(scaled, 1LL));
    // Different sizes may be equal after scaling.
    if (std::ranges::find(sizes, size) == sizes.end()) {
      sizes.push_back(size);
    }
  }
  return sizes;
}

Engine read_engine(Node const& node) {
  auto const named = [](Node const& node_of_name) {
    auto const name = node_of_name.text();
    try {
      return engine_named(name);
    } catch (ConfigError const& error) {
      node_of_name.fail(error.what());
    }
  };
  if (!node.is_map()) {
    return named(node);
  }
  refuse_former_names<sm::Options>(node);
  node.allow_only(
      keys_of<sm::Options>({"name", "engine", "backend", "devices", "shards", "tables"}));
  Engine engine;
  if (auto const base = node.find("engine")) {
    engine = named(*base);
  }
  auto& options = engine.options;
  if (auto const key = node.find("tail_threshold")) {
    engine.random_threshold = key->is_word("random");
  }
  if (engine.random_threshold) {
    read_fields(node, options, {"tail_threshold"});
  } else {
    read_fields(node, options);
  }
  if (options.schedule == sm::Schedule::bamboo) {
    for (auto const* name : {"tail", "tail_threshold"}) {
      if (auto const key = node.find(name)) {
        key->fail("the engine Bamboo-SMP hands its last free proposer to the host; only the engine "
                  "taper has other tails");
      }
    }
    if (options.algorithm != sm::Algorithm::locality_aware ||
        options.contention != sm::Contention::fetch_min) {
      node.fail("the engine Bamboo-SMP, schedule bamboo, is locality_aware with fetch_min");
    }
  }
  if (auto const key = node.find("backend")) {
    engine.backend = read_backend(*key);
  }
  if (auto const key = node.find("devices")) {
    auto const devices = static_cast<std::uint32_t>(key->integer(1, sm::max_shards));
    engine.sharding = {devices, devices};
    if (auto const shards = node.find("shards")) {
      engine.sharding.shards = static_cast<std::uint32_t>(shards->integer(devices, sm::max_shards));
    }
    if (options.algorithm != sm::Algorithm::locality_aware ||
        options.contention != sm::Contention::fetch_min || !sm::has_precheck(options.schedule) ||
        options.tail == sm::Tail::host) {
      key->fail("several devices need the engine Bamboo-SMP, or taper with locality_aware, "
                "fetch_min, and the tail on a device");
    }
  }
  if (auto const key = node.find("shards"); key && engine.sharding.devices == 0) {
    key->fail("only an engine with the key 'devices' has shards");
  }
  if (auto const key = node.find("tables")) {
    engine.tables = read_enum<Tables>(*key);
    if (engine.tables != Tables::device && engine.sharding.devices > 0) {
      key->fail("on several devices the tables are in device memory");
    }
  }
  auto const name = node.find("name");
  engine.name = name ? name->text() : engine.name.empty() ? describe(options) : engine.name;
  return engine;
}

Count read_count(Node const& node) {
  if (node.is_word("published")) {
    return Count::published;
  }
  if (!node.is_word("true") && !node.is_word("false")) {
    node.fail("expected true, false or published");
  }
  return node.boolean() ? Count::operations : Count::none;
}

/// Reads one entry of `workloads`. A list of group sizes or strengths makes a workload per value.
void read_workload(Node const& node, std::vector<std::size_t> const& sizes,
                   MarriageExperiment& experiment) {
  WorkloadSpec own;
  own.sizes = sizes;
  if (node.is_map()) {
    node.allow_only({"family", "n", "group_size", "strength", "engines"});
    if (auto const n = node.find("n")) {
      own.sizes = read_sizes(*n, experiment.scale);
    }
    if (auto const engines = node.find("engines")) {
      for (auto const& name : engines->items()) {
        own.engines.push_back(read_name_of(experiment.engines, name, "engines"));
      }
    }
  }
  for (auto& workload : read_lists(node)) {
    workload.sizes = own.sizes;
    workload.engines = own.engines;
    auto const is_same = [&](WorkloadSpec const& other) {
      return other.label() == workload.label() && other.sizes == workload.sizes &&
             other.engines == workload.engines;
    };
    bool const is_known = std::ranges::any_of(experiment.workloads, is_same);
    if (is_known && experiment.scale == 1) {
      node.fail(fmt::format("the workload '{}' occurs twice", workload.label()));
    }
    if (!is_known) {
      experiment.workloads.push_back(std::move(workload));
    }
  }
}

}  // namespace

std::string WorkloadSpec::label() const {
  switch (family) {
  case sm::Family::random:
    return fmt::format("random({})", group_size);
  case sm::Family::correlated:
    return fmt::format("correlated({})", strength);
  default:
    return std::string(to_string(family));
  }
}

std::vector<WorkloadSpec> read_lists(Node const& node) {
  WorkloadSpec lists;
  if (!node.is_map()) {
    lists.family = read_enum<sm::Family>(node);
    return {lists};
  }
  lists.family = read_enum<sm::Family>(node.require("family"));
  auto const group_size = node.find("group_size");
  if (group_size && lists.family != sm::Family::random) {
    group_size->fail("only the family 'random' has a group size");
  }
  auto const strength = node.find("strength");
  if (strength && lists.family != sm::Family::correlated) {
    strength->fail("only the family 'correlated' has a strength");
  }
  std::vector<WorkloadSpec> all;
  if (group_size) {
    for (auto const size : read_distinct_integers(*group_size, 1, max_n)) {
      all.emplace_back(lists).group_size = static_cast<std::size_t>(size);
    }
  } else if (strength) {
    for (auto const& item : strength->each()) {
      all.emplace_back(lists).strength = item.real(0, 1);
    }
  } else {
    all.push_back(lists);
  }
  return all;
}

bool WorkloadSpec::runs(Engine const& engine) const {
  return engines.empty() || std::ranges::find(engines, engine.name) != engines.end();
}

MarriageExperiment read_marriage_experiment(Node const& root) {
  root.allow_only({"algorithm", "name", "title", "scale", "workloads", "sizes", "seeds", "engines",
                   "repetitions", "warmup", "threads", "baseline", "verify", "count",
                   "skip_missing_backends", "output"});
  MarriageExperiment experiment;
  read_settings(root, experiment);
  read_if_given(root, "scale", [&](Node const& node) { experiment.scale = node.real(1e-6, 1e6); });
  read_if_given(root, "count", [&](Node const& node) { experiment.count = read_count(node); });

  experiment.engines = read_named(root.require("engines"), "engine", read_engine);

  // The key `sizes` is for the workloads without their own `n`.
  std::vector<std::size_t> sizes;
  read_if_given(root, "sizes",
                [&](Node const& node) { sizes = read_sizes(node, experiment.scale); });
  for (auto const& item : root.require("workloads").items()) {
    read_workload(item, sizes, experiment);
    auto const& added = experiment.workloads.back();
    if (added.sizes.empty()) {
      item.fail("has no size: add the key 'n' here, or the key 'sizes' to the experiment");
    }
    if (added.family == sm::Family::solo && std::ranges::min(added.sizes) < 4) {
      item.fail(
          fmt::format("the family 'solo' needs n >= 4, found {}", std::ranges::min(added.sizes)));
    }
  }
  experiment.seeds = {1};
  read_if_given(root, "seeds", [&](Node const& node) { experiment.seeds = read_seeds(node); });
  experiment.baseline = read_baseline(root, experiment.engines);

  for (auto& engine : experiment.engines) {
    engine.options.count = experiment.count != Count::none;
  }
  return experiment;
}

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

Json to_json(Count count) {
  return count == Count::published ? Json("published") : Json(count == Count::operations);
}

Json to_json(MarriageExperiment const& experiment) {
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
    auto const& [options, sharding] = std::tie(engine.options, engine.sharding);
    auto& json = engines.emplace_back(Json{{"name", engine.name}});
    write_fields(json, options);
    json.update(Json{{"tables", to_string(engine.tables)}, {"backend", engine.backend}});
    if (engine.random_threshold) {
      json["tail_threshold"] = "random";
    }
    if (sharding.devices > 0) {
      json["devices"] = sharding.devices;
      json["shards"] = sharding.shards;
    }
  }
  Json json{{"algorithm", "stable_marriage"}};
  json.update(to_json(static_cast<Settings const&>(experiment)));
  json.update(Json{{"workloads", std::move(workloads)},
                   {"seeds", experiment.seeds},
                   {"engines", std::move(engines)},
                   {"baseline", experiment.baseline},
                   {"count", to_json(experiment.count)}});
  return json;
}

}  // namespace taper::app
