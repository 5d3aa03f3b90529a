// SPDX-License-Identifier: Apache-2.0
#include "experiment_keys.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace taper::app {

std::string read_name(Node const& node) {
  auto const name = node.text();
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (name.find_first_not_of(allowed) != std::string::npos || name.starts_with('.')) {
    node.fail(fmt::format("expected letters, digits, '-', '_' and '.', found '{}'", name));
  }
  return name;
}

std::vector<std::int64_t> read_integers(Node const& node, std::int64_t min, std::int64_t max) {
  if (!node.is_list()) {
    return {node.integer(min, max)};
  }
  std::vector<std::int64_t> values;
  for (auto const& item : node.items()) {
    values.push_back(item.integer(min, max));
  }
  return values;
}

std::vector<std::uint64_t> read_seeds(Node const& node) {
  std::vector<std::uint64_t> seeds;
  if (node.is_list()) {
    for (auto const seed : read_integers(node, 0, std::numeric_limits<std::int64_t>::max())) {
      seeds.push_back(static_cast<std::uint64_t>(seed));
    }
  } else {
    seeds.resize(static_cast<std::size_t>(node.integer(1, 10'000)));
    std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  }
  return seeds;
}

std::string_view read_backend(Node const& node) {
  constexpr std::array<std::string_view, 9> words{"host",    "device", "widest", "serial", "openmp",
                                                  "threads", "cuda",   "hip",    "sycl"};
  return words[node.choice(words)];
}

std::string read_known_name(Node const& node, std::vector<std::string_view> const& known,
                            std::string_view what) {
  auto const text = node.text();
  if (std::ranges::find(known, text) == known.end()) {
    auto const meant = did_you_mean(text, known);
    node.fail(fmt::format("'{}' is none of the experiment's {}{}", text, what,
                          meant.empty() ? ": " + enumerate(known) : meant));
  }
  return text;
}

ExperimentKind read_experiment_kind(Node const& root) {
  constexpr std::array<std::string_view, 2> kinds{"stable_marriage", "vertex_cover"};
  auto const node = root.find("algorithm");
  return node ? static_cast<ExperimentKind>(node->choice(kinds)) : ExperimentKind::stable_marriage;
}

}  // namespace taper::app
