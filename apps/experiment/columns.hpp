// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// What the runs of one engine on one problem took.
struct Times {
  std::string engine;
  std::string backend;
  double median_seconds = 0;
  double min_seconds = 0;
  double max_seconds = 0;
};
Times times_of(std::string engine, std::string backend, std::vector<double> const& seconds);

/// Columns for it, under "median", "min", "max" and "ratio": how many times faster than `baseline`
/// it is by medians, where there is one.
std::vector<std::string> time_columns(Times const& times, Times const* baseline);

/// The cases in groups of equal key(case), in the order in which their first ones ran.
template <class Case, class Key>
std::vector<std::vector<Case const*>> grouped_by(std::span<Case const* const> cases,
                                                 Key const& key) {
  std::vector<std::vector<Case const*>> groups;
  for (auto const* result : cases) {
    auto group = std::ranges::find_if(
        groups, [&](auto const& known) { return key(*known.front()) == key(*result); });
    if (group == groups.end()) {
      group = groups.emplace(group);
    }
    group->push_back(result);
  }
  return groups;
}

template <class Case, class Key>
std::vector<std::vector<Case const*>> grouped_by(std::span<Case const> cases, Key const& key) {
  std::vector<Case const*> places;
  for (auto const& result : cases) {
    places.push_back(&result);
  }
  return grouped_by(std::span<Case const* const>(places), key);
}

/// Rows under a heading of their own.
struct Section {
  std::string heading;
  std::vector<std::vector<std::string>> rows;
};

/// Columns of text, the first `left` of them flush left, the others flush right, two blanks apart.
std::string align(std::span<std::vector<std::string> const> rows, std::size_t left);
/// The same, with columns as wide in all sections, and an empty line between these.
std::string align(std::span<Section const> sections, std::size_t left);

}  // namespace taper::app
