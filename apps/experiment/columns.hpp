// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The times of one engine on one instance, over all repetitions.
struct Times {
  std::string engine;
  std::string backend;
  double median_seconds = 0;
  double min_seconds = 0;
  double max_seconds = 0;
};

/// The Times of these repetitions, in seconds. Zeros if there are none.
Times times_of(std::string engine, std::string backend, std::vector<double> const& seconds);

/// The speedup over a baseline, with three digits: "2.17x". Requires: seconds > 0.
std::string speedup(double baseline_seconds, double seconds);

/// The cases in groups of equal key(case), in the order of their first cases.
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

/// The different values of value(case), in the order of their first cases.
template <class Cases, class Value>
std::vector<std::string> distinct(Cases const& cases, Value const& value) {
  std::vector<std::string> found;
  for (auto const& result : cases) {
    if (std::ranges::find(found, std::invoke(value, result)) == found.end()) {
      found.emplace_back(std::invoke(value, result));
    }
  }
  return found;
}

/// Rows of a table under one heading.
struct Section {
  std::string heading;
  std::vector<std::vector<std::string>> rows;
};

/// One engine's row in the table of a run.
struct EngineRow {
  Times times;
  std::vector<std::string> before_times = {};  ///< cells between the backend and the times
  std::vector<std::string> after_times = {};
};

/// A section of the table of a run: `header` and a row per engine. Its cells are engine, backend,
/// before_times, median, min, max, ratio and after_times. The ratio is the speedup over the engine
/// `baseline`, by medians; "-" if the rows do not have that engine.
Section engine_section(std::string heading, std::vector<std::string> header,
                       std::span<EngineRow const> engines, std::string_view baseline);

/// Aligns columns with two blanks between them: the first `left` columns flush left, the others
/// flush right.
std::string align(std::span<std::vector<std::string> const> rows, std::size_t left);
/// The same for several sections with common column widths, and an empty line between sections.
std::string align(std::span<Section const> sections, std::size_t left);

}  // namespace taper::app
