// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <support/text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

namespace taper::app {

void read_settings(Node const& root, Settings& settings) {
  constexpr std::int64_t max_count = 1'000'000;
  auto const count = [&](std::string_view key, std::int64_t least, std::int64_t most, int& value) {
    read_if_given(root, key,
                  [&](Node const& node) { value = static_cast<int>(node.integer(least, most)); });
  };
  auto const flag = [&](std::string_view key, bool& value) {
    read_if_given(root, key, [&](Node const& node) { value = node.boolean(); });
  };
  settings.name = read_name(root.require("name"));
  read_if_given(root, "title", [&](Node const& node) { settings.title = node.text(); });
  count("repetitions", 1, max_count, settings.repetitions);
  count("warmup", 0, max_count, settings.warmup);
  count("threads", 1, 4096, settings.threads);
  flag("verify", settings.verify);
  flag("skip_missing_backends", settings.skip_missing_backends);
  settings.output = std::filesystem::path("results") / settings.name;
  read_if_given(root, "output", [&](Node const& node) { settings.output = node.text(); });
}

nlohmann::ordered_json to_json(Settings const& settings) {
  nlohmann::ordered_json json{{"name", settings.name},
                              {"title", settings.heading()},
                              {"repetitions", settings.repetitions},
                              {"warmup", settings.warmup},
                              {"verify", settings.verify},
                              {"skip_missing_backends", settings.skip_missing_backends}};
  if (settings.threads > 0) {
    json["threads"] = settings.threads;
  }
  return json;
}

void require_unique_name(Node const& entry, std::set<std::string>& names, std::string const& name,
                         std::string_view what) {
  if (!names.insert(name).second) {
    entry.fail(fmt::format("a second {} with the name '{}'; names must differ", what, name));
  }
}

std::string read_name(Node const& node) {
  auto const name = node.text();
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (name.find_first_not_of(allowed) != std::string::npos || name.starts_with('.')) {
    node.fail(fmt::format(
        "expected letters, digits, '-', '_' and '.', without a leading '.', found '{}'", name));
  }
  return name;
}

std::vector<std::int64_t> read_integers(Node const& node, std::int64_t min, std::int64_t max) {
  std::vector<std::int64_t> values;
  for (auto const& item : node.each()) {
    values.push_back(item.integer(min, max));
  }
  return values;
}

std::vector<std::int64_t> read_distinct_integers(Node const& node, std::int64_t min,
                                                 std::int64_t max) {
  auto const values = read_integers(node, min, max);
  std::set<std::int64_t> seen;
  for (auto const value : values) {
    if (!seen.insert(value).second) {
      node.fail(fmt::format("{} occurs twice", value));
    }
  }
  return values;
}

std::vector<std::uint64_t> read_seeds(Node const& node) {
  std::vector<std::uint64_t> seeds;
  if (node.is_list()) {
    for (auto const seed :
         read_distinct_integers(node, 0, std::numeric_limits<std::int64_t>::max())) {
      seeds.push_back(static_cast<std::uint64_t>(seed));
    }
  } else {
    seeds.resize(static_cast<std::size_t>(node.integer(1, 10'000)));
    std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  }
  return seeds;
}

std::string_view read_backend(Node const& node) {
  constexpr std::array<std::string_view, 7> words{"host",   "device",  "widest", "serial",
                                                  "openmp", "threads", "cuda"};
  return words[node.choice(words)];
}

std::string read_known_name(Node const& node, std::vector<std::string_view> const& known,
                            std::string_view what) {
  auto const text = node.text();
  if (std::ranges::find(known, text) == known.end()) {
    auto const meant = did_you_mean(text, known);
    node.fail(fmt::format("'{}' is not among the experiment's {}{}", text, what,
                          meant.empty() ? ": " + enumerate(known) : meant));
  }
  return text;
}

}  // namespace taper::app
