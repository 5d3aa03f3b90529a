// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "node.hpp"

#include <support/text.hpp>

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace taper::app {

struct StoredProfile;

// The keys that the experiments of all algorithms have, and readers of their values. All readers
// throw ConfigError with the place and what was expected.

/// What another thread may read while an experiment runs.
struct RunProgress {
  std::atomic<std::size_t> done = 0;   ///< cases that are finished
  std::atomic<std::size_t> cases = 0;  ///< of the plan; 0: there is none yet
};

/// The settings of every experiment.
struct Settings {
  std::string name;
  std::string title;
  int repetitions = 3;
  int warmup = 1;
  int threads = 0;  ///< of the host backend; 0: Kokkos decides
  bool verify = true;
  bool skip_missing_backends = false;
  std::filesystem::path output;            ///< a folder
  StoredProfile const* profile = nullptr;  ///< for the provenance
  RunProgress* progress = nullptr;         ///< if not null: updated during the run

  std::string const& heading() const { return title.empty() ? name : title; }
};

/// Reads the keys of Settings from the top of an experiment.
void read_settings(Node const& root, Settings& settings);

/// The settings that identify measurements: all except the output folder, the profile and the
/// progress.
nlohmann::ordered_json to_json(Settings const& settings);

/// Calls read(node) if the mapping has this key.
template <class Read>
void read_if_given(Node const& map, std::string_view key, Read const& read) {
  if (auto const node = map.find(key)) {
    read(*node);
  }
}

/// Adds `name` to `names`. Throws if it is there already. `what`: the noun for the entry, "engine".
void require_unique_name(Node const& entry, std::set<std::string>& names, std::string const& name,
                         std::string_view what);

/// A list of read(item) for the items of `node`. All names must differ.
template <class Read>
auto read_named(Node const& node, std::string_view what, Read const& read) {
  std::vector<std::invoke_result_t<Read, Node const&>> entries;
  std::set<std::string> names;
  for (auto const& item : node.items()) {
    entries.push_back(read(item));
    require_unique_name(item, names, entries.back().name, what);
  }
  return entries;
}

/// As read_named(), if read(item) returns a vector of entries.
template <class Read>
auto read_named_lists(Node const& node, std::string_view what, Read const& read) {
  std::invoke_result_t<Read, Node const&> entries;
  std::set<std::string> names;
  for (auto const& item : node.items()) {
    for (auto& entry : read(item)) {
      require_unique_name(item, names, entry.name, what);
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

/// A name that becomes part of a path: letters, digits, '-', '_' and '.'.
std::string read_name(Node const& node);

/// A list of integers, or a single integer.
std::vector<std::int64_t> read_integers(Node const& node, std::int64_t min, std::int64_t max);

/// As read_integers(). All must differ, since equal ones would be the same case.
std::vector<std::int64_t> read_distinct_integers(Node const& node, std::int64_t min,
                                                 std::int64_t max);

/// Replaces each entry by one copy per value. set(copy, value) sets the value.
template <class Entry, class Values, class Set>
void vary(std::vector<Entry>& entries, Values const& values, Set const& set) {
  std::vector<Entry> product;
  for (auto const& old : entries) {
    for (auto const value : values) {
      set(product.emplace_back(old), value);
    }
  }
  entries = std::move(product);
}

/// The same with the integers of a key, if the mapping has it. If they are a list, each name gets
/// `word` and the value at its end.
template <class Entry, class Set>
void vary_by_key(std::vector<Entry>& entries, Node const& map, std::string_view key,
                 std::int64_t min, std::int64_t max, std::string_view word, Set const& set) {
  if (auto const node = map.find(key)) {
    vary(entries, read_distinct_integers(*node, min, max), [&](Entry& entry, std::int64_t value) {
      set(entry, value);
      if (node->is_list()) {
        entry.name += fmt::format(" {}{}", word, value);
      }
    });
  }
}

/// The same with the key `threads`, whose values go to the entries' member of that name.
template <class Entry>
void vary_threads(std::vector<Entry>& entries, Node const& map) {
  vary_by_key(entries, map, "threads", 1, 4096, "x",
              [](Entry& entry, std::int64_t value) { entry.threads = static_cast<int>(value); });
}

/// A list of different seeds. A single number N stands for the seeds 1 to N.
std::vector<std::uint64_t> read_seeds(Node const& node);

/// A backend's name, or host, device or widest.
std::string_view read_backend(Node const& node);

/// One of `known`. `what`: the plural for the message, "engines".
std::string read_known_name(Node const& node, std::vector<std::string_view> const& known,
                            std::string_view what);

/// The name of one of `entries`.
template <class Entry>
std::string read_name_of(std::vector<Entry> const& entries, Node const& node,
                         std::string_view what) {
  return read_known_name(node, names_in(entries, &Entry::name), what);
}

/// The key `baseline`: the name of one of `engines`; without the key, the first.
template <class Engine>
std::string read_baseline(Node const& root, std::vector<Engine> const& engines) {
  auto const node = root.find("baseline");
  return node ? read_name_of(engines, *node, "engines") : engines.front().name;
}

/// The value of a key that only the family `owner` has. Throws if another family's mapping has it.
template <class Family>
std::optional<Node> find_of_family(Node const& map, std::string_view key, Family family,
                                   Family owner) {
  auto found = map.find(key);
  if (found && family != owner) {
    found->fail(fmt::format("only the family '{}' has this key", to_string(owner)));
  }
  return found;
}

/// A named way to solve. Tables and result files use the name.
template <class Options>
struct EngineSpec {
  std::string name;
  Options options = {};
  std::string backend = "widest";  ///< as requested: a backend's name, or host, device or widest
  int threads = 0;                 ///< of a host backend; 0: all
};

/// Reads the keys `backend` and `name` of an engine.
template <class Engine>
void read_backend_and_name(Node const& map, Engine& engine) {
  read_if_given(map, "backend", [&](Node const& node) { engine.backend = read_backend(node); });
  read_if_given(map, "name", [&](Node const& node) { engine.name = node.text(); });
}

/// The entry with this name. A default entry if there is none: results may name an engine that was
/// dropped from the experiment.
template <class Entry>
Entry const& entry_named(std::vector<Entry> const& entries, std::string_view name) {
  static Entry const none{};
  auto const found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? none : *found;
}

}  // namespace taper::app
