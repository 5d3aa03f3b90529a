// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schema.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace taper::app {

struct StoredProfile;

// What the experiments of all algorithms read alike. Each throws ConfigError.

/// What every experiment has, whatever it measures.
struct Settings {
  std::string name;
  std::string title;
  int repetitions = 3;
  int warmup = 1;
  int threads = 0;  ///< of the host backend; 0: Kokkos decides
  bool verify = true;
  bool skip_missing_backends = false;
  std::filesystem::path output;            ///< a folder
  StoredProfile const* profile = nullptr;  ///< what policies go by; for the provenance

  std::string const& heading() const { return title.empty() ? name : title; }
};

void read_settings(Node const& root, Settings& settings);

/// What of them identifies measurements: everything but where the results go.
nlohmann::ordered_json to_json(Settings const& settings);

/// Calls read(node) where the mapping has this key.
template <class Read>
void read_if_given(Node const& map, std::string_view key, Read const& read) {
  if (auto const node = map.find(key)) {
    read(*node);
  }
}

/// Throws unless `name`, of an entry that is a `what`, is none of `names`, and adds it.
void require_fresh_name(Node const& entry, std::set<std::string>& names, std::string const& name,
                        std::string_view what);

/// A list of what read(node) makes of its items, each with a name of its own.
template <class Read>
auto read_named(Node const& node, std::string_view what, Read const& read) {
  std::vector<std::invoke_result_t<Read, Node const&>> entries;
  std::set<std::string> names;
  for (auto const& item : node.items()) {
    entries.push_back(read(item));
    require_fresh_name(item, names, entries.back().name, what);
  }
  return entries;
}

/// A name that becomes part of a path: letters, digits, '-', '_' and '.'.
std::string read_name(Node const& node);

/// A list of integers, or one integer alone.
std::vector<std::int64_t> read_integers(Node const& node, std::int64_t min, std::int64_t max);

/// The same, each another: twice the same would be one case.
std::vector<std::int64_t> read_distinct_integers(Node const& node, std::int64_t min,
                                                 std::int64_t max);

/// A list of seeds, each another; a number alone is a count, and stands for the seeds from 1.
std::vector<std::uint64_t> read_seeds(Node const& node);

/// A backend's name, or host, device or widest.
std::string_view read_backend(Node const& node);

/// One of `known`, which are called `what` in the message.
std::string read_known_name(Node const& node, std::vector<std::string_view> const& known,
                            std::string_view what);

/// The name of one of `entries`, which have one each.
template <class Entry>
std::string read_name_of(std::vector<Entry> const& entries, Node const& node,
                         std::string_view what) {
  std::vector<std::string_view> names;
  for (auto const& entry : entries) {
    names.push_back(entry.name);
  }
  return read_known_name(node, names, what);
}

/// The configuration's key `algorithm`; stable_marriage is the default.
enum class ExperimentKind { stable_marriage, vertex_cover, matmul, marriage_propagator };
ExperimentKind read_experiment_kind(Node const& root);

}  // namespace taper::app
