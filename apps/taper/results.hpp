// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"
#include "result_files.hpp"
#include "solver.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// One engine on one instance: what was measured, and whether the answer was right.
struct CaseResult {
  std::string workload;  ///< WorkloadSpec::label()
  std::uint64_t n = 0;
  std::uint64_t seed = 0;
  std::string engine;
  std::string backend;  ///< the one that ran

  std::vector<PhaseSeconds> runs;  ///< one a repetition
  double generation_seconds = 0;
  Solved counters;  ///< of the last repetition; the matching itself is not kept
  std::string matching_hash;
  std::uint64_t blocking_pairs = 0;
  bool verified = false;
  std::string failure;  ///< why the answer is wrong; empty where it is not

  bool same_case(CaseResult const& other) const {
    return workload == other.workload && n == other.n && seed == other.seed &&
           engine == other.engine;
  }
};

/// FNV-1a, 64 bits, over the partners' ids as four little-endian bytes each:
/// "fnv1a:0123456789abcdef".
std::string hash_matching(std::span<std::uint32_t const> partner_of_man);

/// An experiment's results.json and results.csv, always whole on disk, whatever happens meanwhile.
class ResultsFolder {
 public:
  /// Creates the folder. An earlier results.json that is not resumed is kept as
  /// results.previous.json.
  ResultsFolder(Experiment const& experiment, nlohmann::ordered_json provenance);

  /// Takes over the cases in the folder's results.json, if there is one.
  /// Throws ConfigError where they come from another configuration.
  void resume();

  /// The result of this case, or nullptr.
  CaseResult const* find(CaseResult const& wanted) const;
  /// Adds a case and rewrites both files.
  void add(CaseResult result);
  /// Rewrites both files, and records that no case is missing.
  void complete();

  std::vector<CaseResult> const& cases() const { return cases_; }
  std::filesystem::path json_path() const { return files_.json_path(); }
  std::filesystem::path csv_path() const { return files_.csv_path(); }

 private:
  void write();

  Experiment const& experiment_;
  nlohmann::ordered_json provenance_;
  ResultFiles files_;
  std::vector<CaseResult> cases_;
  bool complete_ = false;
};

/// What plots and a resumed run need of a results.json.
struct StoredResults {
  std::string name;
  std::string title;
  nlohmann::ordered_json configuration;
  std::vector<CaseResult> cases;
};

/// Throws ConfigError where the file is missing, no JSON, or not one of ours.
StoredResults read_results(std::filesystem::path const& file);

/// The cases as RFC 4180 rows, one a repetition, under a header.
std::string to_csv(Experiment const& experiment, std::span<CaseResult const> cases);

}  // namespace taper::app
