// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_results.hpp"
#include "columns.hpp"
#include "propagator_experiment.hpp"
#include "propagator_problem.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// One engine's calls of one class on one instance: what was measured, and whether the domains were
/// right.
struct PropagatorCase {
  static constexpr std::string_view format = "taper-marriage-propagator-results-1";

  std::uint32_t n = 0;
  std::string lists;                       ///< WorkloadSpec::label()
  marriage_propagator::Question question;  ///< its seed is the instance's
  std::string engine;
  std::string backend;  ///< where the parallel propagator works

  std::vector<double> runs;  ///< seconds of propagate(), one a repetition
  // Of the last repetition.
  marriage_propagator::Schedule ran = marriage_propagator::Schedule::serial;
  marriage_propagator::Situation situation;
  std::uint64_t removed = 0;  ///< pairs
  std::uint32_t rounds = 0;
  std::uint64_t bytes_moved = 0;
  bool failed = false;            ///< somebody has nobody left, which is an answer too
  std::vector<SearchCall> calls;  ///< of a search, whose `runs` are sums over them

  bool verified = false;
  std::string failure;  ///< why the domains are wrong; empty where they are not

  bool same_case(PropagatorCase const& other) const {
    return n == other.n && lists == other.lists && question == other.question &&
           engine == other.engine;
  }
  std::string subject() const;
  std::string task() const { return label() + ", " + engine; }
  /// class_label(), or for a call of a search "search, two free".
  std::string label() const { return part.empty() ? class_label(question) : part; }
  std::string part;
  /// Values of both sides after the call before.
  std::uint64_t total_domain_size() const { return 2 * situation.domain_size; }
};

void to_json(nlohmann::ordered_json& json, PropagatorCase const& result);
void from_json(nlohmann::ordered_json const& json, PropagatorCase& result);

/// The cases as RFC 4180 rows, one a repetition, under a header.
std::string to_csv(PropagatorExperiment const& experiment, std::span<PropagatorCase const> cases);

/// The table at the end of a run: a section for each size, lists and class, a row for each engine,
/// over all instances.
std::string result_table(PropagatorExperiment const& experiment,
                         std::span<PropagatorCase const> cases);

/// The cases that differ in their instances alone, in the order in which their first ones ran.
std::vector<std::vector<PropagatorCase const*>>
grouped_instances(std::span<PropagatorCase const* const> cases);

/// The cases, and after each search its calls, as cases of their own: in which all, two or no people
/// were free, or another number.
std::vector<PropagatorCase> with_calls(std::span<PropagatorCase const> cases);

/// Each case's median over its repetitions.
std::vector<double> medians_of(std::span<PropagatorCase const* const> cases);

}  // namespace taper::app
