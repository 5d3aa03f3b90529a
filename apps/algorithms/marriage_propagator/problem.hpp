// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/call_spec.hpp>
#include <taper/marriage_propagator/options.hpp>
#include <taper/stable_marriage/family.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The domains of both sides after a call, in a type without Kokkos. Each person has a row of
/// 64-bit words; the men come first. After a failed call there are no rows.
struct Domains {
  bool failed = false;
  std::uint32_t n = 0;
  std::array<std::vector<std::uint64_t>, 2> words;
  std::uint64_t trace = 0;  ///< of a search: a hash of the situations and removals of its calls

  bool contains(marriage_propagator::Side side, std::uint32_t person, std::uint32_t value) const {
    return (words[marriage_propagator::index_of(side)][person * row_words() + value / 64] >>
                value % 64 &
            1) != 0;
  }
  std::uint32_t row_words() const { return (n + 63) / 64; }

  friend bool operator==(Domains const&, Domains const&) = default;
};

/// The first difference between two answers: "man 17 has other values left"; empty if they are
/// equal.
std::string difference(Domains const& found, Domains const& expected);

/// The report of one call of a search, and its time.
struct SearchCall {
  double seconds = 0;
  marriage_propagator::Schedule ran = marriage_propagator::Schedule::serial;
  marriage_propagator::Situation situation;
  std::uint64_t removed = 0;
};

/// One timed call: the domains that it left, and its report. For a search: the domains at its end,
/// the sums over its calls, and the situation of the last call.
struct PropagatorCall {
  Domains domains;
  double seconds = 0;  ///< of propagate()
  marriage_propagator::Schedule ran = marriage_propagator::Schedule::serial;
  marriage_propagator::Situation situation;
  std::uint64_t removed = 0;
  std::uint32_t rounds = 0;
  std::uint64_t bytes_moved = 0;
  std::vector<SearchCall> calls = {};  ///< of a search, in order
};

/// A market in host or device memory. problems_kokkos.cpp compiles it once per backend.
/// Throws: taper::Error, ConfigError, and the exceptions of allocations.
class PropagatorProblem {
 public:
  virtual ~PropagatorProblem() = default;

  /// Posts a propagator, brings it to the situation of the call, and times the call.
  virtual PropagatorCall call(marriage_propagator::CallSpec const& spec,
                              marriage_propagator::Options const& options) const = 0;

  /// The error in an answer; empty if it is right. The checks, in order: the two sides agree; no
  /// pair is left that the constraint forbids; a first call with full domains leaves the extended
  /// Gale-Shapley lists; with at most 128 people per side the domains are the greatest fixpoint, by
  /// brute force; they equal those of the serial propagator.
  virtual std::string fault_of(marriage_propagator::CallSpec const& spec,
                               marriage_propagator::Options const& options,
                               Domains const& found) const = 0;
};

/// Generates a market for `backend`, one of backend_names(). n is at most 65,534.
std::unique_ptr<PropagatorProblem>
generate_propagator_problem(std::string_view backend, stable_marriage::Workload const& workload);

}  // namespace taper::app
