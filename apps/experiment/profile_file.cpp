// SPDX-License-Identifier: Apache-2.0
#include "node.hpp"
#include "profile.hpp"

#include <support/config_error.hpp>
#include <support/interrupt.hpp>

#include <io/text/atomic_file.hpp>
#include <taper/matmul/options.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <system_error>
#include <utility>

namespace taper::app {

using Json = nlohmann::ordered_json;

namespace {

/// A file of another version is rejected, since its numbers may have another meaning.
constexpr int profile_version = 2;
constexpr std::string_view never = "never";
constexpr std::int64_t any_count = std::numeric_limits<std::int64_t>::max();

// --- Writing ---

Json count_json(std::uint64_t count) {
  return count == PropagatorThresholds::never ? Json(never) : Json(count);
}

Json to_json(ExecutionCosts const& costs) {
  Json json{{"proposal_us", costs.proposal_us},
            {"scan_candidates_per_us", costs.scan_candidates_per_us},
            {"launch_us", costs.launch_us}};
  auto rows = Json::array();
  for (auto const& [similar_lists, n, thresholds] : costs.propagator) {
    rows.push_back({{"similar_lists", similar_lists},
                    {"n", n},
                    {"free_people", count_json(thresholds.free_people)},
                    {"modified_values", count_json(thresholds.modified_values)},
                    {"modified_values_end", count_json(thresholds.modified_values_end)},
                    {"domain_size", count_json(thresholds.domain_size)}});
  }
  if (!rows.empty()) {
    json["propagator"] = std::move(rows);
  }
  return json;
}

/// Appends JSON as YAML: scalars stay as they are, brackets become indented lines.
void append_yaml(Json const& json, std::string const& indent, std::string& yaml) {
  for (auto const& [key, value] : json.items()) {
    auto const lead = indent + (json.is_array() ? "-" : key + ":");
    if (value.is_array() || (value.is_object() && json.is_object())) {
      yaml += lead + "\n";
      append_yaml(value, indent + "  ", yaml);
    } else {
      yaml += lead + " " + value.dump() + "\n";  // in a list, an object stays on its line
    }
  }
}

// --- Reading ---

std::uint64_t read_count(Node const& node) {
  if (!node.is_map() && !node.is_list() && node.text() == never) {
    return PropagatorThresholds::never;
  }
  return static_cast<std::uint64_t>(node.integer(0, any_count));
}

double read_cost(Node const& node) {
  return node.real(1e-9, 1e12);
}

std::uint64_t read_positive(Node const& node) {
  return static_cast<std::uint64_t>(node.integer(1, any_count));
}

MeasuredThresholds read_thresholds(Node const& node) {
  node.allow_only({"similar_lists", "n", "free_people", "modified_values", "modified_values_end",
                   "domain_size"});
  return {.similar_lists = node.require("similar_lists").boolean(),
          .n = read_positive(node.require("n")),
          .thresholds = {.free_people = read_count(node.require("free_people")),
                         .modified_values = read_count(node.require("modified_values")),
                         .domain_size = read_count(node.require("domain_size")),
                         .modified_values_end = read_count(node.require("modified_values_end"))}};
}

ExecutionCosts read_side(Node const& node) {
  node.allow_only({"proposal_us", "scan_candidates_per_us", "launch_us", "propagator"});
  ExecutionCosts costs{.proposal_us = read_cost(node.require("proposal_us")),
                       .scan_candidates_per_us = read_cost(node.require("scan_candidates_per_us")),
                       .launch_us = read_cost(node.require("launch_us")),
                       .propagator = {}};
  if (auto const rows = node.find("propagator")) {
    for (auto const& row : rows->items()) {
      costs.propagator.push_back(read_thresholds(row));
    }
  }
  return costs;
}

ThreadLimit read_thread_limit(Node const& node) {
  node.allow_only({"lists", "n", "threads"});
  constexpr auto kinds = enum_names(ListKind{});
  return {.lists = kinds[node.require("lists").choice(names<ListKind>())].value,
          .n = read_positive(node.require("n")),
          .threads = read_positive(node.require("threads"))};
}

ProfileOrigin read_origin(Node const& node) {
  node.allow_only({"date_utc", "taper_version", "cpu", "host_backend", "host_threads",
                   "device_backend", "device", "kokkos_version"});
  auto const text = [&](char const* key) { return node.require(key).text(); };
  return {.date_utc = text("date_utc"),
          .taper_version = text("taper_version"),
          .cpu = text("cpu"),
          .host_backend = text("host_backend"),
          .host_threads = static_cast<int>(node.require("host_threads").integer(1, 1'000'000)),
          .device_backend = text("device_backend"),
          .device = text("device"),
          .kokkos_version = text("kokkos_version")};
}

ForkJoinCutoff read_cutoff(Node const& node) {
  node.allow_only({"engine", "kernel", "threshold"});
  auto const word = [&](char const* key, auto const& names) {
    return std::string(names[node.require(key).choice(names)]);
  };
  return {.engine = word("engine", matmul::names<matmul::Engine>()),
          .kernel = word("kernel", matmul::names<matmul::Kernel>()),
          .threshold = read_positive(node.require("threshold"))};
}

StoredProfile profile_of(Node const& root) {
  root.refuse_former("people_a_worker", "min_proposers_per_thread");
  root.allow_only({"version", "made", "device", "host", "copies", "min_proposers_per_thread",
                   "thread_limits", "fork_join"});
  auto const version = root.require("version");
  if (version.integer(0, std::numeric_limits<int>::max()) != profile_version) {
    version.fail(
        fmt::format("expected {}; `taper tune` writes a profile of this version", profile_version));
  }
  StoredProfile profile;
  profile.made = read_origin(root.require("made"));
  auto& machine = profile.machine;
  machine.device = read_side(root.require("device"));
  machine.host = read_side(root.require("host"));
  auto const copies = root.require("copies");
  copies.allow_only({"to_host_bytes_per_us", "to_device_bytes_per_us", "latency_us"});
  machine.copies = {.to_host_bytes_per_us = read_cost(copies.require("to_host_bytes_per_us")),
                    .to_device_bytes_per_us = read_cost(copies.require("to_device_bytes_per_us")),
                    .latency_us = read_cost(copies.require("latency_us"))};
  machine.min_proposers_per_thread = read_count(root.require("min_proposers_per_thread"));
  if (auto const limits = root.find("thread_limits")) {
    for (auto const& limit : limits->items()) {
      machine.thread_limits.push_back(read_thread_limit(limit));
    }
  }
  if (auto const cutoffs = root.find("fork_join")) {
    for (auto const& cutoff : cutoffs->items()) {
      machine.fork_join.push_back(read_cutoff(cutoff));
    }
  }
  return profile;
}

}  // namespace

Json to_json(StoredProfile const& profile) {
  auto const& [made, machine] = profile;
  Json json{{"version", profile_version},
            {"made",
             {{"date_utc", made.date_utc},
              {"taper_version", made.taper_version},
              {"cpu", made.cpu},
              {"host_backend", made.host_backend},
              {"host_threads", made.host_threads},
              {"device_backend", made.device_backend},
              {"device", made.device},
              {"kokkos_version", made.kokkos_version}}},
            {"device", to_json(machine.device)},
            {"host", to_json(machine.host)},
            {"copies",
             {{"to_host_bytes_per_us", machine.copies.to_host_bytes_per_us},
              {"to_device_bytes_per_us", machine.copies.to_device_bytes_per_us},
              {"latency_us", machine.copies.latency_us}}},
            {"min_proposers_per_thread", count_json(machine.min_proposers_per_thread)}};
  auto limits = Json::array();
  for (auto const& [lists, n, threads] : machine.thread_limits) {
    limits.push_back({{"lists", to_string(lists)}, {"n", n}, {"threads", threads}});
  }
  if (!limits.empty()) {
    json["thread_limits"] = std::move(limits);
  }
  auto cutoffs = Json::array();
  for (auto const& [engine, kernel, threshold] : machine.fork_join) {
    cutoffs.push_back({{"engine", engine}, {"kernel", kernel}, {"threshold", threshold}});
  }
  if (!cutoffs.empty()) {
    json["fork_join"] = std::move(cutoffs);
  }
  return json;
}

StoredProfile read_profile(std::filesystem::path const& file) {
  return profile_of(Node::load(file, {}, "profile"));
}

StoredProfile parse_profile(std::string const& text, std::string const& file) {
  return profile_of(Node::parse(text, file, {}, "profile"));
}

std::string to_yaml(StoredProfile const& profile) {
  std::string yaml =
      "# Measured by `taper tune` on this machine; docs/tuning.md explains the keys.\n";
  append_yaml(to_json(profile), "", yaml);
  return yaml;
}

void write_profile(std::filesystem::path const& file, StoredProfile const& profile) {
  if (file.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (!std::filesystem::is_directory(file.parent_path())) {
      throw ConfigError(fmt::format("{}: cannot create its folder: {}", file.string(),
                                    error ? error.message() : "a file has this name"));
    }
  }
  io::AtomicFile out(file);
  begin_answer(AnswerTo::file);
  out.stream() << to_yaml(profile);
  out.commit();
}

}  // namespace taper::app
