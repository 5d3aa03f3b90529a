// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_results.hpp"
#include "experiment.hpp"
#include "solver.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// One engine on one instance: what was measured, and whether the answer was right.
struct CaseResult {
  static constexpr std::string_view format = "taper-results-1";

  std::string workload;  ///< WorkloadSpec::label()
  std::uint64_t n = 0;
  std::uint64_t seed = 0;
  std::string engine;
  std::string backend;  ///< the one that ran

  std::vector<Solved> runs;  ///< one a repetition; the matchings themselves are not kept
  double generation_seconds = 0;
  std::string matching_hash;
  std::uint64_t blocking_pairs = 0;
  bool verified = false;
  std::string failure;  ///< why the answer is wrong; empty where it is not

  bool same_case(CaseResult const& other) const {
    return workload == other.workload && n == other.n && seed == other.seed &&
           engine == other.engine;
  }
  std::string subject() const;
  std::string const& task() const { return engine; }
};

void to_json(nlohmann::ordered_json& json, CaseResult const& result);
void from_json(nlohmann::ordered_json const& json, CaseResult& result);

/// FNV-1a, 64 bits, over the partners' ids as four little-endian bytes each:
/// "fnv1a:0123456789abcdef".
std::string hash_matching(std::span<std::uint32_t const> partner_of_man);

using StoredResults = Stored<CaseResult>;

/// What a plot needs of a results.json.
/// Throws ConfigError where the file is missing, no JSON, or not one of ours.
StoredResults read_results(std::filesystem::path const& file);

/// The cases as RFC 4180 rows, one a repetition, under a header.
std::string to_csv(Experiment const& experiment, std::span<CaseResult const> cases);

}  // namespace taper::app
