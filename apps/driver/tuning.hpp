// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "choices.hpp"

#include <taper/machine_profile.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
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

/// A choice between two alternatives: the second is better for large sizes.
struct Choice {
  std::string key;
  std::string first;
  std::string second;
  std::vector<Crossing> crossings;  ///< by rising size
  bool may_end = false;             ///< the first may be better again for still larger sizes

  Window window() const {
    return may_end ? second_wins_within(crossings)
                   : Window{second_wins_from(crossings), PropagatorThresholds::never};
  }
};

/// The times of one kind of stable marriage instances per number of threads, and the limit that was
/// chosen from them.
struct ThreadSweep {
  ListKind lists = ListKind::other_lists;
  std::uint64_t n = 0;
  std::vector<ThreadTime> times;
  std::optional<std::uint64_t> limit;
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
  std::vector<ThreadSweep> thread_sweeps;
  std::vector<Sweep> sweeps;
  std::vector<Check> checks;  ///< of the finished profile, and of what no profile decides
};

/// Measures this machine: the host, and the default device if there is one. `quick`: fewer samples
/// and sizes. Calls `next` before each step. Requires an initialised Kokkos.
/// Cost: a minute or two on two cores, a quarter of a minute if `quick`. At most 700 MB, and 1.2 GB
/// with four threads or more.
Tuning measure_machine(bool quick, std::function<void(std::string_view what)> const& next);

/// The number of steps: calls of `next` by measure_machine().
std::size_t measurement_steps();

}  // namespace taper::app
