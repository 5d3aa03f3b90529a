// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

struct StoredProfile;

/// An experiment's results.json and results.csv, always whole on disk, whatever happens meanwhile.
class ResultFiles {
 public:
  /// Creates the folder. An earlier results.json that is not taken over is kept as
  /// results.previous.json.
  explicit ResultFiles(std::filesystem::path folder);

  std::filesystem::path json_path() const { return folder_ / "results.json"; }
  std::filesystem::path csv_path() const { return folder_ / "results.csv"; }

  /// The results there are this run's own, to be gone on with.
  /// Throws ConfigError where an entry of `wanted`, but for `except`, was another when they were
  /// stored.
  void take_over(nlohmann::ordered_json const& stored, nlohmann::ordered_json const& wanted,
                 std::string_view except = {});

  void write(nlohmann::ordered_json const& json, std::string const& csv);

 private:
  std::filesystem::path folder_;
  bool ours_ = false;
};

/// A CSV, whose lines end in CR and LF, with a column more for each text of `provenance`.
std::string with_provenance(std::string_view csv, nlohmann::ordered_json const& provenance);

/// The format of a results.json; empty where it has none, or there is no such file.
std::string results_format(std::filesystem::path const& file);

/// Throws ConfigError where the file is missing, no JSON, or of another format.
nlohmann::ordered_json read_results_json(std::filesystem::path const& file,
                                         std::string_view format);

using io::csv_field;

double median(std::vector<double> values);

/// Where the numbers come from: runtime's provenance() and kokkos_configuration(), and the profile
/// that policies went by, if any.
nlohmann::ordered_json provenance_json(StoredProfile const* profile);

}  // namespace taper::app
