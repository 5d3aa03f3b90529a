// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"
#include "solver.hpp"

#include <experiment/case_results.hpp>
#include <experiment/summary.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The measurements of one engine on one instance, and the check of its answer.
struct MarriageCase {
  static constexpr std::string_view format = "taper-results-1";

  std::string workload;  ///< WorkloadSpec::label()
  std::uint64_t n = 0;
  std::uint64_t seed = 0;
  std::string engine;
  std::string backend;  ///< the backend that ran

  std::vector<Solved> runs;  ///< one per repetition, without its matching
  /// What all processes sent to each other, per round of the last repetition.
  std::vector<stable_marriage::RoundTraffic> traffic;
  double generation_seconds = 0;
  std::string matching_hash;
  std::uint64_t blocking_pairs = 0;
  bool verified = false;
  std::string failure;  ///< why the answer is wrong; empty if it is right

  bool same_case(MarriageCase const& other) const {
    return workload == other.workload && n == other.n && seed == other.seed &&
           engine == other.engine;
  }
  std::string subject() const;
  std::string const& task() const { return engine; }
};

void to_json(nlohmann::ordered_json& json, MarriageCase const& result);
void from_json(nlohmann::ordered_json const& json, MarriageCase& result);

/// The 64-bit FNV-1a hash of the partners' ids, each as four little-endian bytes:
/// "fnv1a:0123456789abcdef".
std::string hash_matching(std::span<std::uint32_t const> partner_of_man);

/// The rows of `taper table`. Throws ConfigError if the file is no results.json of stable_marriage.
std::vector<SummaryRow> summarize_marriages(std::filesystem::path const& file);

/// The table of `taper table --details`: for each engine on N devices the median time T(N) and the
/// average latency per device T(N) - T(1) / N, which is the overhead of all devices divided by N.
/// T(1) is the time of the same engine with `devices: 1`; without it the latency is "-". A
/// sentence if no engine has devices. Throws ConfigError as summarize_marriages().
/// See: the Bamboo-SMP paper, Section V-C.
std::string marriage_details(std::filesystem::path const& file);

/// An RFC 4180 CSV: a header and a row per repetition.
std::string to_csv(MarriageExperiment const& experiment, std::span<MarriageCase const> cases);

}  // namespace taper::app
