// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config_error.hpp"
#include "result_files.hpp"

#include <io/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace taper::app {

// A Case is what was measured of one way to solve one problem. All have
//   backend               the one that ran
//   verified, failure     whether its answers were checked and right, and why they were not
//   same_case(other)      whether both are of the same question
//   runs                  what was measured, one a repetition
//   subject(), task()     what was worked on, and by whom: two parts of a line of text
//   format                the first key of a results.json that holds such cases; a change that old
//                         files cannot satisfy gets a new number
// and, beside them, to_json() and from_json(). An experiment's to_csv() makes rows of them.

/// What there is in a results.json.
template <class Case>
struct Stored {
  std::string name;
  std::string title;
  nlohmann::ordered_json provenance;
  nlohmann::ordered_json configuration;
  std::vector<Case> cases;
  bool last_is_begun = false;  ///< its last repetitions are missing
};

/// Throws ConfigError where the file is missing, no JSON, or not one of such cases.
template <class Case>
Stored<Case> read_stored(std::filesystem::path const& file) {
  auto const json = read_results_json(file, Case::format);
  try {
    Stored<Case> stored;
    stored.provenance = json.at("provenance");
    stored.configuration = json.at("configuration");
    stored.name = stored.configuration.at("name");
    stored.title = stored.configuration.at("title");
    auto const& cases = json.at("cases");
    stored.cases = cases.template get<std::vector<Case>>();
    stored.last_is_begun = !cases.empty() && cases.back().value("interrupted", false);
    return stored;
  } catch (nlohmann::ordered_json::exception const& error) {
    throw ConfigError(file.string() +
                      ": damaged results: " + std::string(io::json_reason(error.what())));
  }
}

/// The results of an experiment, in its folder, always whole on disk, whatever happens meanwhile.
template <class Experiment, class Case>
class Results {
 public:
  /// Creates the folder. An earlier results.json that is not resumed is kept as
  /// results.previous.json.
  Results(Experiment const& experiment, nlohmann::ordered_json provenance)
      : experiment_(experiment), provenance_(std::move(provenance)), files_(experiment.output) {}
  ~Results() {
    if (unwritten_) {
      try {
        write();
      } catch (std::exception const&) {
        // Whoever ends early has an error to tell already; the last whole files stay.
      }
    }
  }
  Results(Results const&) = delete;
  Results& operator=(Results const&) = delete;

  /// Takes over the cases in the folder's results.json, if there is one.
  /// Throws ConfigError where they come from another configuration, build or machine: one record is
  /// of one provenance, but for its dates.
  void resume() {
    if (std::filesystem::exists(json_path())) {
      auto stored = read_stored<Case>(json_path());
      files_.take_over(stored.configuration, to_json(experiment_));
      files_.take_over(stored.provenance, provenance_, "date_utc");
      if (auto const date = provenance_.find("date_utc"); date != provenance_.end()) {
        stored.provenance["resumed_utc"] = *date;
      }
      provenance_ = std::move(stored.provenance);
      cases_ = std::move(stored.cases);
      last_is_begun_ = stored.last_is_begun;
    }
  }

  /// The result of this case with all repetitions, or nullptr.
  Case const* find(Case const& wanted) const {
    auto const finished = std::span(cases_).first(finished_cases());
    auto const found =
        std::ranges::find_if(finished, [&](Case const& done) { return done.same_case(wanted); });
    return found == finished.end() ? nullptr : &*found;
  }

  /// Takes out this case where its last repetitions are missing, to be added again.
  std::optional<Case> take_begun(Case const& wanted) {
    if (!last_is_begun_ || !cases_.back().same_case(wanted)) {
      return std::nullopt;
    }
    last_is_begun_ = false;
    std::optional<Case> begun(std::move(cases_.back()));
    cases_.pop_back();
    return begun;
  }

  /// Adds a case and rewrites both files; where that has come to take more than a tenth of the time,
  /// not after each case, but at the latest when this object goes. Nothing follows a case that is
  /// not `whole`: its last repetitions are missing.
  void add(Case result, bool whole = true) {
    cases_.push_back(std::move(result));
    last_is_begun_ = !whole;
    unwritten_ = true;
    if (Clock::now() - written_ >= 9 * cost_of_writing_) {
      write();
    }
  }

  /// Rewrites both files, and records that no case is missing.
  void complete() {
    complete_ = true;
    write();
  }

  std::vector<Case> const& cases() const { return cases_; }
  std::size_t finished_cases() const { return cases_.size() - (last_is_begun_ ? 1 : 0); }
  std::filesystem::path json_path() const { return files_.json_path(); }
  std::filesystem::path csv_path() const { return files_.csv_path(); }

 private:
  using Clock = std::chrono::steady_clock;

  void write() {
    auto const begun = Clock::now();
    nlohmann::ordered_json json{{"format", Case::format},
                                {"complete", complete_},
                                {"provenance", provenance_},
                                {"configuration", to_json(experiment_)},
                                {"cases", cases_}};
    if (last_is_begun_) {
      json["cases"].back()["interrupted"] = true;
    }
    files_.write(json, to_csv(experiment_, cases_));
    written_ = Clock::now();
    cost_of_writing_ = written_ - begun;
    unwritten_ = false;
  }

  Experiment const& experiment_;
  nlohmann::ordered_json provenance_;
  ResultFiles files_;
  std::vector<Case> cases_;
  bool last_is_begun_ = false;
  bool complete_ = false;
  bool unwritten_ = false;
  Clock::time_point written_;
  Clock::duration cost_of_writing_{0};
};

}  // namespace taper::app
