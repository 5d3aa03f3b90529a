// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <taper/marriage_propagator/fields.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace taper::app {

namespace mp = marriage_propagator;

namespace {

/// The largest size with ids of 16 bits.
constexpr std::int64_t max_n = 65'534;

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
  auto const later = spec.family == mp::Family::two_free || spec.family == mp::Family::none_free;
  if (auto const key = only_for("one_in", spec.family == mp::Family::missing)) {
    vary(classes, read_distinct_integers(*key, 1, max_n),
         [](mp::CallSpec& fresh, std::int64_t value) {
           fresh.one_in = static_cast<std::uint32_t>(value);
         });
  }
  if (auto const key = only_for("narrowed", later)) {
    std::vector<double> shares;
    for (auto const& item : key->each()) {
      shares.push_back(item.real(0, 1));
    }
    vary(classes, shares, [](mp::CallSpec& fresh, double value) { fresh.narrowed = value; });
  }
  if (auto const key = only_for("modified", spec.family == mp::Family::none_free)) {
    vary(classes, read_distinct_integers(*key, 1, 2 * max_n),
         [](mp::CallSpec& fresh, std::int64_t value) {
           fresh.modified = static_cast<std::uint32_t>(value);
         });
  }
  if (auto const key = only_for("decided", spec.family == mp::Family::two_free)) {
    vary(classes, read_distinct_integers(*key, 0, max_n),
         [](mp::CallSpec& fresh, std::int64_t value) {
           fresh.decided = static_cast<std::uint32_t>(value);
         });
  }
  return classes;
}

/// The names that stand for an engine with default options: engines, and schedules of Taper's.
constexpr auto engine_words = [] {
  constexpr auto engines = mp::names<mp::Engine>();
  constexpr auto schedules = mp::names<mp::Schedule>();
  std::array<std::string_view, engines.size() + schedules.size()> words;
  std::ranges::copy(schedules, std::ranges::copy(engines, words.begin()).out);
  return words;
}();

/// Reads an engine that is one word.
PropagatorEngine read_engine_word(Node const& node) {
  PropagatorEngine engine;
  engine.name = engine_words[node.choice(engine_words)];
  engine.options.engine = mp::parse<mp::Engine>(engine.name).value_or(mp::Engine::taper);
  engine.options.schedule = mp::parse<mp::Schedule>(engine.name).value_or(engine.options.schedule);
  return engine;
}

/// Throws if the mapping asks a published engine for what the paper does not have.
void check_published(Node const& node, mp::Options const& options) {
  for (auto const key : {"schedule", "thresholds"}) {
    if (auto const found = node.find(key)) {
      found->fail(fmt::format("only the engine 'taper' has '{}'", key));
    }
  }
  if (options.symmetric) {
    node.require("symmetric").fail("only with the engine 'taper' both sides propose");
  }
  if (auto const key = node.find("engage");
      key && options.bind_partner && options.engine == mp::Engine::published_parallel) {
    key->fail("the paper's Algorithm 3 has no inst: expected false");
  }
}

/// Reads the options of an engine that is a mapping.
void read_engine_options(Node const& node, mp::Options& options) {
  node.allow_only(keys_of<mp::Options>({"name", "thresholds", "backend"}));
  if (!node.find("engine")) {
    node.require("schedule");
  }
  read_fields(node, options);
  if (options.engine != mp::Engine::taper) {
    check_published(node, options);
  } else if (auto const key = node.find("thresholds")) {
    if (options.schedule != mp::Schedule::hybrid) {
      key->fail("only the schedule 'hybrid' has thresholds");
    }
    key->allow_only(keys_of<mp::Thresholds>());
    read_fields(*key, options.thresholds.emplace());
  }
}

PropagatorEngine read_engine(Node const& node) {
  PropagatorEngine engine;
  auto& options = engine.options;
  if (!node.is_map()) {
    engine = read_engine_word(node);
  } else {
    read_engine_options(node, options);
    engine.name = std::string(options.engine == mp::Engine::taper ? to_string(options.schedule)
                                                                  : to_string(options.engine)) +
                  (options.symmetric ? " symmetric" : "");
  }
  if (options.engine == mp::Engine::published_parallel) {
    options.bind_partner = false;
  }
  bool const is_serial =
      options.engine == mp::Engine::published_serial ||
      (options.engine == mp::Engine::taper && options.schedule == mp::Schedule::serial);
  engine.backend = is_serial ? "host" : "widest";
  if (node.is_map()) {
    read_backend_and_name(node, engine);
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
    for (auto const& item : node->each()) {
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
  for (auto const& item : root.require("classes").each()) {
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
  for (auto const& [name, options, backend, threads] : experiment.engines) {
    auto& json = engines.emplace_back(Json{{"name", name}});
    write_fields(json, options);
    if (options.engine != mp::Engine::taper) {
      json.erase("schedule");
    }
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
