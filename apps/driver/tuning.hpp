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

/// One number of a profile, as it was measured.
struct Measurement {
  std::string key;  ///< of the profile's file, with its path
  double median = 0;
  double spread = 0;  ///< half of the range between the quartiles, as a part of the median
  int samples = 0;
};

/// One place where a choice between two ways was timed.
struct Crossing {
  std::uint64_t size = 0;
  double first_seconds = 0;
  double second_seconds = 0;
};

/// From which size on the second way is taken.
struct Choice {
  std::string key;
  std::string first;
  std::string second;
  std::vector<Crossing> crossings;  ///< by rising size
};

/// The size from which the second way is to be taken: by it, or by never, the worst of the crossings
/// takes least longer than its better way. A smaller size must be better in that by a twentieth.
std::uint64_t second_wins_from(std::vector<Crossing> const& crossings);

/// A class of the propagator's calls by each schedule, hybrid by the thresholds found.
struct Check {
  std::string key;
  double serial_seconds = 0;
  double parallel_seconds = 0;
  double hybrid_seconds = 0;
};

/// Thresholds of one engine with one kernel, of a product of n x n matrices.
struct Sweep {
  std::string engine;
  std::string kernel;
  std::uint64_t n = 0;
  std::vector<std::uint64_t> thresholds;
  std::vector<double> seconds;  ///< of each

  std::uint64_t best() const;
};

struct Tuning {
  MachineProfile machine;
  int host_threads = 1;
  double threads_at_once = std::numeric_limits<double>::infinity();  ///< as other work let them
  std::vector<Measurement> measurements;
  std::vector<Choice> choices;
  std::vector<Check> checks;
  std::vector<Sweep> sweeps;
};

/// Measures this machine: the host, and the default device where that is another. Fewer samples
/// and sizes if `quick`. `next` is told what comes. Requires an initialised Kokkos.
/// Cost: half a minute on two cores, a third of it if `quick`; at most 500 MB.
Tuning measure_machine(bool quick, std::function<void(std::string_view what)> const& next);

/// How often measure_machine() calls `next`.
std::size_t measurement_steps();

}  // namespace taper::app
