// SPDX-License-Identifier: Apache-2.0
#include "propagator_experiment.hpp"

#include "text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace taper::app {

namespace mp = marriage_propagator;

namespace {

/// Ids have 16 bits.
constexpr std::int64_t max_n = 65'534;
constexpr std::int64_t max_integer = std::numeric_limits<std::int64_t>::max();

template <class E>
E choice(Node const& node) {
  auto const names = mp::names<E>();
  return *mp::parse<E>(names[node.choice(names)]);
}

/// One entry of `classes`; each value of a list stands for a class.
std::vector<mp::Question> read_class(Node const& node) {
  mp::Question question;
  if (!node.is_map()) {
    question.family = choice<mp::Family>(node);
    return {question};
  }
  node.allow_only({"class", "one_in", "modified", "narrowed", "decided"});
  question.family = choice<mp::Family>(node.require("class"));
  auto const only_for = [&](std::string_view key, bool has_it) {
    auto found = node.find(key);
    if (found && !has_it) {
      found->fail(fmt::format("the class '{}' has none", to_string(question.family)));
    }
    return found;
  };
  std::vector<mp::Question> classes{question};
  // Every class so far with every value of the key.
  auto const for_each = [&](auto const& values, auto const& set) {
    std::vector<mp::Question> product;
    for (auto const& old : classes) {
      for (auto const value : values) {
        set(product.emplace_back(old), value);
      }
    }
    classes = std::move(product);
  };
  auto const later =
      question.family == mp::Family::two_free || question.family == mp::Family::none_free;
  if (auto const key = only_for("one_in", question.family == mp::Family::missing)) {
    for_each(read_distinct_integers(*key, 1, max_n), [](mp::Question& fresh, std::int64_t value) {
      fresh.one_in = static_cast<std::uint32_t>(value);
    });
  }
  if (auto const key = only_for("narrowed", later)) {
    std::vector<double> shares;
    for (auto const& item : key->is_list() ? key->items() : std::vector{*key}) {
      shares.push_back(item.real(0, 1));
    }
    for_each(shares, [](mp::Question& fresh, double value) { fresh.narrowed = value; });
  }
  if (auto const key = only_for("modified", question.family == mp::Family::none_free)) {
    for_each(read_distinct_integers(*key, 1, 2 * max_n),
             [](mp::Question& fresh, std::int64_t value) {
               fresh.modified = static_cast<std::uint32_t>(value);
             });
  }
  if (auto const key = only_for("decided", question.family == mp::Family::two_free)) {
    for_each(read_distinct_integers(*key, 0, max_n), [](mp::Question& fresh, std::int64_t value) {
      fresh.decided = static_cast<std::uint32_t>(value);
    });
  }
  return classes;
}

mp::Thresholds read_thresholds(Node const& node) {
  node.allow_only({"free_people", "modified_values", "domain_size"});
  mp::Thresholds thresholds;
  auto const read = [&](std::string_view key, std::uint64_t& value) {
    read_if_given(node, key, [&](Node const& found) {
      value = static_cast<std::uint64_t>(found.integer(0, max_integer));
    });
  };
  read("free_people", thresholds.free_people);
  read("modified_values", thresholds.modified_values);
  read("domain_size", thresholds.domain_size);
  return thresholds;
}

PropagatorEngine read_engine(Node const& node) {
  PropagatorEngine engine;
  auto& options = engine.options;
  if (!node.is_map()) {
    options.schedule = choice<mp::Schedule>(node);
  } else {
    node.allow_only({"name", "schedule", "symmetric", "engage", "thresholds", "backend"});
    options.schedule = choice<mp::Schedule>(node.require("schedule"));
    read_if_given(node, "symmetric", [&](Node const& key) { options.symmetric = key.boolean(); });
    read_if_given(node, "engage", [&](Node const& key) { options.engage = key.boolean(); });
    if (auto const key = node.find("thresholds")) {
      if (options.schedule != mp::Schedule::hybrid) {
        key->fail("only the schedule 'hybrid' has thresholds");
      }
      options.thresholds = read_thresholds(*key);
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

std::string class_label(mp::Question const& question) {
  auto label = std::string(to_string(question.family));
  switch (question.family) {
  case mp::Family::missing:
    label += fmt::format(" 1 in {}", io::grouped(question.one_in));
    break;
  case mp::Family::none_free:
    label += fmt::format(", {} modified", io::grouped(question.modified));
    break;
  default:
    break;
  }
  if (question.narrowed > 0) {
    label += fmt::format(", narrowed {}", question.narrowed);
  }
  return question.decided > 0 ? label + fmt::format(", {} decided", question.decided) : label;
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
    for (auto const& question : read_class(item)) {
      if (std::ranges::find(experiment.classes, question) != experiment.classes.end()) {
        item.fail(fmt::format("'{}' is there twice", class_label(question)));
      }
      experiment.classes.push_back(question);
    }
  }
  experiment.engines = read_named(root.require("engines"), "engine", read_engine);
  experiment.baseline = experiment.engines.front().name;
  read_if_given(root, "baseline", [&](Node const& node) {
    experiment.baseline = read_name_of(experiment.engines, node, "engines");
  });
  return experiment;
}

nlohmann::ordered_json to_json(PropagatorExperiment const& experiment) {
  using Json = nlohmann::ordered_json;
  auto lists = Json::array();
  for (auto const& spec : experiment.lists) {
    lists.push_back(to_json(spec));
  }
  auto classes = Json::array();
  for (auto const& question : experiment.classes) {
    Json entry{{"class", to_string(question.family)}};
    if (question.family == mp::Family::missing) {
      entry["one_in"] = question.one_in;
    } else if (question.family == mp::Family::none_free) {
      entry.update(Json{{"narrowed", question.narrowed}, {"modified", question.modified}});
    } else if (question.family == mp::Family::two_free) {
      entry.update(Json{{"narrowed", question.narrowed}, {"decided", question.decided}});
    }
    classes.push_back(std::move(entry));
  }
  auto engines = Json::array();
  for (auto const& [name, options, backend] : experiment.engines) {
    auto& json = engines.emplace_back(Json{{"name", name},
                                           {"schedule", to_string(options.schedule)},
                                           {"symmetric", options.symmetric},
                                           {"engage", options.engage},
                                           {"backend", backend}});
    if (options.thresholds) {
      json["thresholds"] = {{"free_people", options.thresholds->free_people},
                            {"modified_values", options.thresholds->modified_values},
                            {"domain_size", options.thresholds->domain_size}};
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
