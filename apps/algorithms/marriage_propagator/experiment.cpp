// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <taper/marriage_propagator/fields.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace taper::app {

namespace mp = marriage_propagator;

namespace {

/// The largest size with ids of 16 bits.
constexpr std::int64_t max_n = 65'534;
constexpr std::int64_t max_integer = std::numeric_limits<std::int64_t>::max();

/// Reads one entry of `classes`. A list of values makes a class per value.
std::vector<mp::CallSpec> read_class(Node const& node) {
  mp::CallSpec spec;
  if (!node.is_map()) {
    spec.family = read_enum<mp::Family>(node);
    return {spec};
  }
  node.allow_only({"class", "one_in", "modified", "narrowed", "decided"});
  spec.family = read_enum<mp::Family>(node.require("class"));
  auto const only_for = [&](std::string_view key, bool has_it) {
    auto found = node.find(key);
    if (found && !has_it) {
      found->fail(fmt::format("the class '{}' has no such key", to_string(spec.family)));
    }
    return found;
  };
  std::vector<mp::CallSpec> classes{spec};
  // Replaces `classes` by its product with the values of a key.
  auto const for_each = [&](auto const& values, auto const& set) {
    std::vector<mp::CallSpec> product;
    for (auto const& old : classes) {
      for (auto const value : values) {
        set(product.emplace_back(old), value);
      }
    }
    classes = std::move(product);
  };
  auto const later = spec.family == mp::Family::two_free || spec.family == mp::Family::none_free;
  if (auto const key = only_for("one_in", spec.family == mp::Family::missing)) {
    for_each(read_distinct_integers(*key, 1, max_n), [](mp::CallSpec& fresh, std::int64_t value) {
      fresh.one_in = static_cast<std::uint32_t>(value);
    });
  }
  if (auto const key = only_for("narrowed", later)) {
    std::vector<double> shares;
    for (auto const& item : key->is_list() ? key->items() : std::vector{*key}) {
      shares.push_back(item.real(0, 1));
    }
    for_each(shares, [](mp::CallSpec& fresh, double value) { fresh.narrowed = value; });
  }
  if (auto const key = only_for("modified", spec.family == mp::Family::none_free)) {
    for_each(read_distinct_integers(*key, 1, 2 * max_n),
             [](mp::CallSpec& fresh, std::int64_t value) {
               fresh.modified = static_cast<std::uint32_t>(value);
             });
  }
  if (auto const key = only_for("decided", spec.family == mp::Family::two_free)) {
    for_each(read_distinct_integers(*key, 0, max_n), [](mp::CallSpec& fresh, std::int64_t value) {
      fresh.decided = static_cast<std::uint32_t>(value);
    });
  }
  return classes;
}

PropagatorEngine read_engine(Node const& node) {
  PropagatorEngine engine;
  auto& options = engine.options;
  if (!node.is_map()) {
    options.schedule = read_enum<mp::Schedule>(node);
  } else {
    node.allow_only(keys_of<mp::Options>({"name", "thresholds", "backend"}));
    node.require("schedule");
    read_fields(node, options);
    if (auto const key = node.find("thresholds")) {
      if (options.schedule != mp::Schedule::hybrid) {
        key->fail("only the schedule 'hybrid' has thresholds");
      }
      key->allow_only(keys_of<mp::Thresholds>());
      read_fields(*key, options.thresholds.emplace());
    }
  }
  engine.name = std::string(to_string(options.schedule)) + (options.symmetric ? " symmetric" : "");
  engine.backend = options.schedule == mp::Schedule::serial ? "host" : "widest";
  if (node.is_map()) {
    read_if_given(node, "backend", [&](Node const& key) { engine.backend = read_backend(key); });
    read_if_given(node, "name", [&](Node const& key) { engine.name = key.text(); });
  }
  return engine;
}

}  // namespace

std::string class_label(mp::CallSpec const& spec) {
  auto label = std::string(to_string(spec.family));
  switch (spec.family) {
  case mp::Family::missing:
    label += fmt::format(" 1 in {}", io::grouped(spec.one_in));
    break;
  case mp::Family::none_free:
    label += fmt::format(", {} modified", io::grouped(spec.modified));
    break;
  default:
    break;
  }
  if (spec.narrowed > 0) {
    label += fmt::format(", narrowed {}", spec.narrowed);
  }
  return spec.decided > 0 ? label + fmt::format(", {} decided", spec.decided) : label;
}

PropagatorExperiment read_propagator_experiment(Node const& root) {
  root.allow_only({"algorithm", "name", "title", "sizes", "lists", "instances", "classes",
                   "engines", "repetitions", "warmup", "threads", "baseline", "verify",
                   "skip_missing_backends", "output"});
  PropagatorExperiment experiment;
  read_settings(root, experiment);
  for (auto const n : read_distinct_integers(root.require("sizes"), 1, max_n)) {
    experiment.sizes.push_back(static_cast<std::uint32_t>(n));
  }
  if (auto const node = root.find("lists")) {
    for (auto const& item : node->is_list() ? node->items() : std::vector{*node}) {
      if (item.is_map()) {
        item.allow_only({"family", "group_size", "strength"});
      }
      std::ranges::move(read_lists(item), std::back_inserter(experiment.lists));
      if (experiment.lists.back().family == stable_marriage::Family::solo &&
          std::ranges::min(experiment.sizes) < 4) {
        item.fail("the family 'solo' needs n >= 4");
      }
    }
  } else {
    experiment.lists.emplace_back().family = stable_marriage::Family::uniform;
  }
  experiment.instances = {1};
  read_if_given(root, "instances",
                [&](Node const& node) { experiment.instances = read_seeds(node); });
  auto const classes = root.require("classes");
  for (auto const& item : classes.is_list() ? classes.items() : std::vector{classes}) {
    for (auto const& spec : read_class(item)) {
      if (std::ranges::find(experiment.classes, spec) != experiment.classes.end()) {
        item.fail(fmt::format("'{}' occurs twice", class_label(spec)));
      }
      experiment.classes.push_back(spec);
    }
  }
  experiment.engines = read_named(root.require("engines"), "engine", read_engine);
  experiment.baseline = read_baseline(root, experiment.engines);
  return experiment;
}

nlohmann::ordered_json to_json(PropagatorExperiment const& experiment) {
  using Json = nlohmann::ordered_json;
  auto lists = Json::array();
  for (auto const& spec : experiment.lists) {
    lists.push_back(to_json(spec));
  }
  auto classes = Json::array();
  for (auto const& spec : experiment.classes) {
    Json entry{{"class", to_string(spec.family)}};
    if (spec.family == mp::Family::missing) {
      entry["one_in"] = spec.one_in;
    } else if (spec.family == mp::Family::none_free) {
      entry.update(Json{{"narrowed", spec.narrowed}, {"modified", spec.modified}});
    } else if (spec.family == mp::Family::two_free) {
      entry.update(Json{{"narrowed", spec.narrowed}, {"decided", spec.decided}});
    }
    classes.push_back(std::move(entry));
  }
  auto engines = Json::array();
  for (auto const& [name, options, backend] : experiment.engines) {
    auto& json = engines.emplace_back(Json{{"name", name}});
    write_fields(json, options);
    json["backend"] = backend;
    if (options.thresholds) {
      write_fields(json["thresholds"], *options.thresholds);
    }
  }
  Json json{{"algorithm", "marriage_propagator"}};
  json.update(to_json(static_cast<Settings const&>(experiment)));
  json.update(Json{{"sizes", experiment.sizes},
                   {"lists", std::move(lists)},
                   {"instances", experiment.instances},
                   {"classes", std::move(classes)},
                   {"engines", std::move(engines)},
                   {"baseline", experiment.baseline}});
  return json;
}

}  // namespace taper::app
