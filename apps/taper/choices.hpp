// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/stable_marriage/family.hpp>
#include <taper/stable_marriage/options.hpp>

#include <string_view>
#include <vector>

namespace taper::app {

/// The spellings of an enumeration of the library, in its order, for messages and for strict
/// parsing.
template <class E>
std::vector<std::string_view> spellings() {
  auto const names = stable_marriage::names<E>();
  return {names.begin(), names.end()};
}

inline std::vector<std::string_view> paper_engine_names() {
  std::vector<std::string_view> names;
  for (auto const& engine : stable_marriage::paper_engines()) {
    names.push_back(engine.name);
  }
  return names;
}

}  // namespace taper::app
