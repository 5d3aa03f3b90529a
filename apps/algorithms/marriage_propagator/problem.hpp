// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/family.hpp>
#include <taper/marriage_propagator/options.hpp>
#include <taper/stable_marriage/family.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// What a call leaves of both sides' domains, without Kokkos in its type: rows of words of 64
/// values, men first. Of a call that failed there are none.
struct Domains {
  bool failed = false;
  std::uint32_t n = 0;
  std::array<std::vector<std::uint64_t>, 2> words;
  std::uint64_t trace = 0;  ///< of a search, a hash of what its calls found and took out

  bool contains(marriage_propagator::People side, std::uint32_t person, std::uint32_t value) const {
    return (words[marriage_propagator::index_of(side)][person * row_words() + value / 64] >>
                value % 64 &
            1) != 0;
  }
  std::uint32_t row_words() const { return (n + 63) / 64; }

  friend bool operator==(Domains const&, Domains const&) = default;
};

/// Where two answers to one question part: "man 17 has other values left"; nothing where they do not.
std::string difference(Domains const& found, Domains const& expected);

/// What marriage_propagator::Report says of one call of a search, and its time.
struct SearchCall {
  double seconds = 0;
  marriage_propagator::Schedule ran = marriage_propagator::Schedule::serial;
  marriage_propagator::Situation situation;
  std::uint64_t removed = 0;
};

/// One timed call: what it left, and what marriage_propagator::Report says. Of a search, what is left
/// in the end, and the sums and the last situation of its calls.
struct PropagatorCall {
  Domains domains;
  double seconds = 0;  ///< of propagate() alone
  marriage_propagator::Schedule ran = marriage_propagator::Schedule::serial;
  marriage_propagator::Situation situation;
  std::uint64_t removed = 0;
  std::uint32_t rounds = 0;
  std::uint64_t bytes_moved = 0;
  std::vector<SearchCall> calls = {};  ///< of a search, in their order
};

/// A market in the memory of one kind of backend.
///
/// All that is compiled for each backend lies behind it, in run_marriage_propagator.cpp. Backends are
/// named as backend_names() does. Throws: taper::Error, ConfigError, and what an allocation throws.
class PropagatorProblem {
 public:
  virtual ~PropagatorProblem() = default;

  /// Posts a propagator, brings it to the question, and times the call.
  virtual PropagatorCall call(marriage_propagator::Question const& question,
                              marriage_propagator::Options const& options) const = 0;

  /// What is wrong with an answer, if anything: the two sides contradict each other; a pair is left
  /// that the constraint forbids; a first call from full domains does not leave the extended
  /// Gale-Shapley lists; up to 128 people a side, it is not the greatest fixpoint by brute force;
  /// it is not what the serial propagator leaves.
  virtual std::string fault_of(marriage_propagator::Question const& question,
                               marriage_propagator::Options const& options,
                               Domains const& found) const = 0;
};

/// n of up to 65,534.
std::unique_ptr<PropagatorProblem>
generate_propagator_problem(std::string_view backend, stable_marriage::Workload const& workload);

}  // namespace taper::app
