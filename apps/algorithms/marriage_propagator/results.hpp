// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"
#include "problem.hpp"

#include <experiment/case_results.hpp>
#include <experiment/columns.hpp>
#include <experiment/summary.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The measurements of one engine's call of one class on one instance, and the check of the
/// domains.
struct PropagatorCase {
  static constexpr std::string_view format = "taper-marriage-propagator-results-1";

  std::uint32_t n = 0;
  std::string lists;                   ///< WorkloadSpec::label()
  marriage_propagator::CallSpec spec;  ///< its seed is that of the instance
  std::string engine;
  std::string backend;  ///< of the parallel propagator

  std::vector<double> runs;  ///< seconds of propagate(), one per repetition
  // Of the last repetition:
  marriage_propagator::Schedule ran = marriage_propagator::Schedule::serial;
  marriage_propagator::Situation situation;
  std::uint64_t removed = 0;  ///< pairs
  std::uint32_t rounds = 0;
  std::uint64_t bytes_moved = 0;
  bool failed = false;            ///< a person has an empty domain, which is an answer too
  std::vector<SearchCall> calls;  ///< of a search; `runs` are the sums over them

  bool verified = false;
  std::string failure;  ///< why the domains are wrong; empty if they are right

  bool same_case(PropagatorCase const& other) const {
    return n == other.n && lists == other.lists && spec == other.spec && engine == other.engine;
  }
  std::string subject() const;
  std::string task() const { return label() + ", " + engine; }
  /// class_label(), or `part`.
  std::string label() const { return part.empty() ? class_label(spec) : part; }
  std::string part;  ///< for a call of a search, its kind: "search, two free"; else empty
  /// The values of both sides after the previous call.
  std::uint64_t total_domain_size() const { return 2 * situation.domain_size; }
};

void to_json(nlohmann::ordered_json& json, PropagatorCase const& result);
void from_json(nlohmann::ordered_json const& json, PropagatorCase& result);

/// An RFC 4180 CSV: a header and a row per repetition.
std::string to_csv(PropagatorExperiment const& experiment, std::span<PropagatorCase const> cases);

/// The rows of `taper table`. Throws ConfigError if the file is no results.json of
/// marriage_propagator.
std::vector<SummaryRow> summarize_propagations(std::filesystem::path const& file);

/// The table at the end of a run: a section per size, lists and class, a row per engine, over all
/// instances.
std::string result_table(PropagatorExperiment const& experiment,
                         std::span<PropagatorCase const> cases);

/// Groups of the cases that differ only in their instances, in the order of their first cases.
std::vector<std::vector<PropagatorCase const*>>
grouped_instances(std::span<PropagatorCase const* const> cases);

/// The cases, and after each search a case per call. Its `part` tells whether all, two, no or
/// another number of people were free.
std::vector<PropagatorCase> with_calls(std::span<PropagatorCase const> cases);

/// The median over the repetitions, per case.
std::vector<double> medians_of(std::span<PropagatorCase const* const> cases);

}  // namespace taper::app
