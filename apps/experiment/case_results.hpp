// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "result_files.hpp"
#include "settings.hpp"

#include <support/config_error.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

// A Case holds the measurements of one engine on one instance. Every Case type has
//   backend               the backend that ran
//   verified, failure     whether its answers were checked and are right; why they are wrong
//   same_case(other)      whether both are the same engine on the same instance
//   runs                  one measurement per repetition
//   subject(), task()     the instance, and the engine or question, for messages
//   format                the value of the first key of its results.json; a change that old files
//                         do not satisfy gets a new number
// and functions to_json() and from_json(). An experiment's to_csv() makes a CSV row per run, and
// its result_table() the table at the end of a run.

/// The contents of a results.json.
template <class Case>
struct Stored {
  std::string name;
  std::string title;
  nlohmann::ordered_json provenance;
  nlohmann::ordered_json configuration;
  std::vector<Case> cases;
  bool last_is_unfinished = false;  ///< the last case lacks repetitions

  std::string const& heading() const { return title.empty() ? name : title; }
};

/// The contents of a parsed results.json. `file`: its name, for messages.
template <class Case>
Stored<Case> stored_in(nlohmann::ordered_json const& json, std::string const& file) {
  try {
    Stored<Case> stored;
    stored.provenance = json.at("provenance");
    stored.configuration = json.at("configuration");
    stored.name = stored.configuration.at("name");
    stored.title = stored.configuration.at("title");
    auto const& cases = json.at("cases");
    stored.cases = cases.template get<std::vector<Case>>();
    stored.last_is_unfinished = !cases.empty() && cases.back().value("interrupted", false);
    return stored;
  } catch (nlohmann::ordered_json::exception const& error) {
    throw ConfigError(file + ": damaged results: " + std::string(io::json_reason(error.what())));
  } catch (UnexpectedValue const& error) {
    throw ConfigError(file + ": damaged results: " + error.what());
  }
}

/// Throws ConfigError if the file is missing, is no JSON, or holds other cases.
template <class Case>
Stored<Case> read_stored(std::filesystem::path const& file) {
  return stored_in<Case>(read_results_json(file, Case::format), file.string());
}

/// An RFC 4180 CSV: a header, and a row per repetition. Its columns are the name of the experiment,
/// then `columns`, then whether the case was verified. row(case, repetition) has the cells of
/// `columns`.
template <class Case, class Row>
std::string csv_of(Settings const& experiment, std::string_view columns,
                   std::span<Case const> cases, Row const& row) {
  auto csv = fmt::format("experiment,{},verified\r\n", columns);
  for (auto const& result : cases) {
    for (std::size_t repetition = 0; repetition < result.runs.size(); ++repetition) {
      csv += fmt::format("{},{},{}\r\n", csv_field(experiment.name), row(result, repetition),
                         result.verified);
    }
  }
  return csv;
}

/// The results of an experiment. Their files are complete on disk at any time, even after a crash.
template <class Experiment, class Case>
class Results {
 public:
  /// Creates the folder. An earlier results.json that is not resumed becomes results.previous.json.
  Results(Experiment const& experiment, nlohmann::ordered_json provenance)
      : experiment_(experiment), provenance_(std::move(provenance)), files_(experiment.output) {}
  ~Results() {
    try {
      flush();
    } catch (std::exception const&) {
      // The error that ends the run early is reported already. The previous files stay.
    }
  }
  Results(Results const&) = delete;
  Results& operator=(Results const&) = delete;

  /// Reads the cases of the folder's results.json, if it exists, and continues from them.
  /// Throws ConfigError if they come from another configuration, build or machine: a file has one
  /// provenance, except for dates.
  void resume() {
    if (std::filesystem::exists(json_path())) {
      auto stored = read_stored<Case>(json_path());
      files_.continue_from(stored.configuration, to_json(experiment_));
      files_.continue_from(stored.provenance, provenance_, "date_utc");
      if (auto const date = provenance_.find("date_utc"); date != provenance_.end()) {
        stored.provenance["resumed_utc"] = *date;
      }
      provenance_ = std::move(stored.provenance);
      cases_ = std::move(stored.cases);
      last_is_unfinished_ = stored.last_is_unfinished;
    }
  }

  /// The stored case with all its repetitions; nullptr if there is none.
  Case const* find(Case const& wanted) const {
    auto const finished = std::span(cases_).first(finished_cases());
    auto const found =
        std::ranges::find_if(finished, [&](Case const& done) { return done.same_case(wanted); });
    return found == finished.end() ? nullptr : &*found;
  }

  /// Removes and returns the stored case if it lacks repetitions. The caller completes it and calls
  /// add().
  std::optional<Case> take_unfinished(Case const& wanted) {
    if (!last_is_unfinished_ || !cases_.back().same_case(wanted)) {
      return std::nullopt;
    }
    last_is_unfinished_ = false;
    std::optional<Case> unfinished(std::move(cases_.back()));
    cases_.pop_back();
    return unfinished;
  }

  /// Adds a case and rewrites both files. If writing would take more than a tenth of the run, some
  /// calls do not write, and the destructor writes instead. A case that is not `complete` lacks
  /// repetitions: no other case may follow it.
  void add(Case result, bool complete = true) {
    cases_.push_back(std::move(result));
    last_is_unfinished_ = !complete;
    unwritten_ = true;
    if (Clock::now() - written_ >= 9 * cost_of_writing_) {
      write();
    }
  }

  /// Writes what add() has not written yet.
  void flush() {
    if (unwritten_) {
      write();
    }
  }

  /// Rewrites both files, and records that the run has all its cases.
  void complete() {
    complete_ = true;
    write();
  }

  std::vector<Case> const& cases() const { return cases_; }
  std::size_t finished_cases() const { return cases_.size() - (last_is_unfinished_ ? 1 : 0); }
  std::filesystem::path json_path() const { return files_.json_path(); }
  std::filesystem::path csv_path() const { return files_.csv_path(); }

 private:
  using Clock = std::chrono::steady_clock;

  void write() {
    auto const start = Clock::now();
    nlohmann::ordered_json json{{"format", Case::format},
                                {"complete", complete_},
                                {"provenance", provenance_},
                                {"configuration", to_json(experiment_)},
                                {"cases", cases_}};
    if (last_is_unfinished_) {
      json["cases"].back()["interrupted"] = true;
    }
    files_.write(json, to_csv(experiment_, cases_));
    written_ = Clock::now();
    cost_of_writing_ = written_ - start;
    unwritten_ = false;
  }

  Experiment const& experiment_;
  nlohmann::ordered_json provenance_;
  ResultFiles files_;
  std::vector<Case> cases_;
  bool last_is_unfinished_ = false;
  bool complete_ = false;
  bool unwritten_ = false;
  Clock::time_point written_;
  Clock::duration cost_of_writing_{0};
};

}  // namespace taper::app
