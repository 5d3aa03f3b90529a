// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include "choices.hpp"
#include "experiment_keys.hpp"
#include "schema.hpp"

#include <taper/limits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

constexpr std::int64_t max_n = stable_marriage::max_people;

template <class E>
E choice(Node const& node) {
  auto const words = spellings<E>();
  return *sm::parse<E>(words[node.choice(words)]);
}

std::vector<std::size_t> read_sizes(Node const& node, double scale) {
  std::vector<std::size_t> sizes;
  for (auto const n : read_distinct_integers(node, 1, max_n)) {
    auto const scaled = std::llround(static_cast<double>(n) * scale);
    if (scaled > max_n) {
      node.fail(fmt::format("n = {} times scale = {} is more than {}", n, scale, max_n));
    }
    auto const size = static_cast<std::size_t>(std::max(scaled, 1LL));
    // Sizes that differ may be the same once they are scaled.
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
      return paper_engine(name);
    } catch (ConfigError const& error) {
      node_of_name.fail(error.what());
    }
  };
  if (!node.is_map()) {
    return named(node);
  }
  node.allow_only({"name", "engine", "algorithm", "contention", "schedule", "proposer", "tail",
                   "taper_live", "tiers", "courtship", "people_a_worker", "backend", "devices",
                   "shards", "tables"});
  Engine engine;
  if (auto const base = node.find("engine")) {
    engine = named(*base);
  }
  auto& options = engine.options;
  if (auto const key = node.find("algorithm")) {
    options.algorithm = choice<sm::Algorithm>(*key);
  }
  if (auto const key = node.find("contention")) {
    options.contention = choice<sm::Contention>(*key);
  }
  if (auto const key = node.find("schedule")) {
    options.schedule = choice<sm::Schedule>(*key);
  }
  if (auto const key = node.find("proposer")) {
    options.proposer = choice<sm::Proposer>(*key);
  }
  if (auto const key = node.find("tail")) {
    options.tail = choice<sm::Tail>(*key);
  }
  if (auto const key = node.find("taper_live")) {
    engine.tapers_anywhere = key->is_word("random");
    options.taper_live = engine.tapers_anywhere ? -1 : key->integer(-1, max_n);
  }
  if (auto const key = node.find("tiers")) {
    options.tiers = key->boolean();
  }
  if (auto const key = node.find("courtship")) {
    options.courtship = choice<sm::Courtship>(*key);
  }
  if (auto const key = node.find("people_a_worker")) {
    options.people_a_worker = static_cast<std::uint64_t>(key->integer(1, max_n));
  }
  if (auto const key = node.find("backend")) {
    engine.backend = read_backend(*key);
  }
  if (auto const key = node.find("devices")) {
    auto const devices = static_cast<std::uint32_t>(key->integer(1, max_shards));
    engine.sharing = {devices, devices};
    if (auto const shards = node.find("shards")) {
      engine.sharing.shards = static_cast<std::uint32_t>(shards->integer(devices, max_shards));
    }
    if (options.algorithm != sm::Algorithm::locality_aware ||
        options.contention != sm::Contention::fetch_min ||
        options.schedule != sm::Schedule::hybrid || options.tail == sm::Tail::host) {
      key->fail("devices share the engine Bamboo-SMP: hybrid, locality_aware, fetch_min, with its "
                "tail on a device");
    }
  }
  if (auto const key = node.find("shards"); key && engine.sharing.devices == 0) {
    key->fail("only an engine with 'devices' has shards");
  }
  if (auto const key = node.find("tables")) {
    engine.tables = choice<Tables>(*key);
    if (engine.tables != Tables::device && engine.sharing.devices > 0) {
      key->fail("devices that share an instance have its tables");
    }
  }
  auto const name = node.find("name");
  engine.name = name ? name->text() : engine.name.empty() ? describe(options) : engine.name;
  return engine;
}

/// One entry of `workloads`; a list of group sizes or strengths stands for a workload each.
void read_workload(Node const& node, std::vector<std::size_t> const& sizes,
                   Experiment& experiment) {
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
    bool const is_there = std::ranges::any_of(experiment.workloads, is_same);
    if (is_there && experiment.scale == 1) {
      node.fail(fmt::format("the workload '{}' is there already", workload.label()));
    }
    if (!is_there) {
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
    lists.family = choice<sm::Family>(node);
    return {lists};
  }
  lists.family = choice<sm::Family>(node.require("family"));
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
    for (auto const& item : strength->is_list() ? strength->items() : std::vector{*strength}) {
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

Experiment read_experiment(Node const& root) {
  root.allow_only({"algorithm", "name", "title", "scale", "workloads", "sizes", "seeds", "engines",
                   "repetitions", "warmup", "threads", "baseline", "verify", "count",
                   "skip_missing_backends", "output"});
  Experiment experiment;
  read_settings(root, experiment);
  read_if_given(root, "scale", [&](Node const& node) { experiment.scale = node.real(1e-6, 1e6); });
  read_if_given(root, "count", [&](Node const& node) { experiment.count = node.boolean(); });

  experiment.engines = read_named(root.require("engines"), "engine", read_engine);

  // Sizes are needed only by workloads that name none of their own.
  std::vector<std::size_t> sizes;
  read_if_given(root, "sizes",
                [&](Node const& node) { sizes = read_sizes(node, experiment.scale); });
  for (auto const& item : root.require("workloads").items()) {
    read_workload(item, sizes, experiment);
    auto const& added = experiment.workloads.back();
    if (added.sizes.empty()) {
      item.fail("has no size: give it an 'n', or the experiment 'sizes'");
    }
    if (added.family == sm::Family::solo && std::ranges::min(added.sizes) < 4) {
      item.fail(
          fmt::format("the family 'solo' needs n >= 4, found {}", std::ranges::min(added.sizes)));
    }
  }
  experiment.seeds = {1};
  read_if_given(root, "seeds", [&](Node const& node) { experiment.seeds = read_seeds(node); });
  experiment.baseline = experiment.engines.front().name;
  read_if_given(root, "baseline", [&](Node const& node) {
    experiment.baseline = read_name_of(experiment.engines, node, "engines");
  });

  for (auto& engine : experiment.engines) {
    engine.options.count = experiment.count;
  }
  return experiment;
}

}  // namespace taper::app
