// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/machine_profile.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// One number of a profile, as measured.
struct Measurement {
  std::string key;  ///< the key in the profile's file, with its path
  double median = 0;
  double spread = 0;  ///< half the interquartile range, divided by the median
  int samples = 0;
};

/// The times of two alternatives at one size.
struct Crossing {
  std::uint64_t size = 0;
  double first_seconds = 0;
  double second_seconds = 0;
};

/// A choice between two alternatives: the second is better for large sizes.
struct Choice {
  std::string key;
  std::string first;
  std::string second;
  std::vector<Crossing> crossings;  ///< by rising size
};

/// The size from which on the second alternative is taken: one of the crossings' sizes, or `never`.
///
/// It minimises the worst regret over the crossings: the time of the alternative that is taken,
/// divided by the time of the better one. A smaller size is preferred only if its regret is less by
/// 5 %.
std::uint64_t second_wins_from(std::vector<Crossing> const& crossings);

/// The times of one class of the propagator's calls by each schedule. The hybrid one uses the
/// thresholds that were found.
struct Check {
  std::string key;
  double serial_seconds = 0;
  double parallel_seconds = 0;
  double hybrid_seconds = 0;
};

/// The times of the thresholds of one engine with one kernel, for a product of n x n matrices.
struct Sweep {
  std::string engine;
  std::string kernel;
  std::uint64_t n = 0;
  std::vector<std::uint64_t> thresholds;
  std::vector<double> seconds;  ///< per threshold

  std::uint64_t best() const;  ///< the fastest threshold
};

/// All that `taper tune` measures.
struct Tuning {
  MachineProfile machine;
  int host_threads = 1;
  /// Host threads that ran at the same time; fewer than host_threads if the machine has other work.
  double concurrent_threads = std::numeric_limits<double>::infinity();
  std::vector<Measurement> measurements;
  std::vector<Choice> choices;
  std::vector<Check> checks;
  std::vector<Sweep> sweeps;
};

/// Measures this machine: the host, and the default device if there is one. `quick`: fewer samples
/// and sizes. Calls `next` before each step. Requires an initialised Kokkos.
/// Cost: half a minute on two cores, a third of that if `quick`; at most 500 MB.
Tuning measure_machine(bool quick, std::function<void(std::string_view what)> const& next);

/// The number of steps: calls of `next` by measure_machine().
std::size_t measurement_steps();

}  // namespace taper::app
