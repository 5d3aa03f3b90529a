// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/strings.hpp>

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

struct StoredProfile;

/// An experiment's results.json and results.csv. Each is complete on disk at any time, even after a
/// crash.
class ResultFiles {
 public:
  /// Creates the folder and locks it for this process. An earlier results.json becomes
  /// results.previous.json at the first write(), unless continue_from() was called.
  /// Throws: ConfigError if the files cannot be written, or if another process has locked the
  ///   folder.
  explicit ResultFiles(std::filesystem::path folder);

  std::filesystem::path json_path() const { return folder_ / "results.json"; }
  std::filesystem::path csv_path() const { return folder_ / "results.csv"; }

  /// Marks the stored results as this run's own, to be continued.
  /// Throws ConfigError if an entry of `wanted`, other than `except`, differs from that of
  /// `stored`.
  void continue_from(nlohmann::ordered_json const& stored, nlohmann::ordered_json const& wanted,
                     std::string_view except = {});

  /// Replaces both files.
  void write(nlohmann::ordered_json const& json, std::string const& csv);

 private:
  /// Locks the folder for this process, if the file system can lock folders. The end of the process
  /// releases it in any case.
  class Lock {
   public:
    explicit Lock(std::filesystem::path const& folder);
    ~Lock();
    Lock(Lock const&) = delete;
    Lock& operator=(Lock const&) = delete;

   private:
    int descriptor_;
  };

  std::filesystem::path folder_;
  std::optional<Lock> lock_;
  bool continues_ = false;  ///< results.json belongs to this run
};

/// Adds a column per text of `provenance` to a CSV whose lines end in CR and LF.
std::string with_provenance(std::string_view csv, nlohmann::ordered_json const& provenance);

/// A value of a results.json is not what its key holds.
class UnexpectedValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number of a results.json as an integer. The JSON library alone would convert any number to any
/// type. Throws UnexpectedValue if it is no integer, or does not fit.
template <std::integral T>
T integer_of(nlohmann::ordered_json const& json) {
  if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) {
    return static_cast<T>(json.get<std::uint64_t>());
  }
  if (json.is_number_integer() && !json.is_number_unsigned() &&
      std::in_range<T>(json.get<std::int64_t>())) {
    return static_cast<T>(json.get<std::int64_t>());
  }
  throw UnexpectedValue("expected an integer of its range, found " + json.dump());
}

/// The integer at a key, which converts to the type of the member that it is assigned to.
/// Throws UnexpectedValue, or an exception of the JSON library if the key is missing.
class IntegerAt {
 public:
  IntegerAt(nlohmann::ordered_json const& json, char const* key) : value_(json.at(key)) {}
  template <std::integral T>
  operator T() const {
    return integer_of<T>(value_);
  }

 private:
  nlohmann::ordered_json const& value_;
};

/// The value of the key `format` of a results.json; empty if the file or the key is missing.
std::string results_format(std::filesystem::path const& file);

/// Reads a results.json. Throws ConfigError if the file is missing, is no JSON, or has another
/// format.
nlohmann::ordered_json read_results_json(std::filesystem::path const& file,
                                         std::string_view format);
/// The same for a text in a stream. `file`: its name, for messages.
nlohmann::ordered_json parse_results_json(std::istream& text, std::string const& file,
                                          std::string_view format);

using io::csv_field;

/// The median; of an even number of values the mean of the two in the middle; 0 if there are none.
double median(std::vector<double> values);

/// The quantile `part`, 0 to 1, of sorted values. It interpolates linearly between two values, as
/// NumPy does by default. Requires: there is a value.
double quantile(std::vector<double> const& sorted, double part);

/// The origin of measurements: provenance() and kokkos_configuration() of the runtime, and the
/// machine profile, if any.
nlohmann::ordered_json provenance_json(StoredProfile const* profile);

}  // namespace taper::app
