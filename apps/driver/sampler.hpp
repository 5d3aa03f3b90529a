// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuning.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// Takes samples for a Tuning. A sample is what a function returns: seconds, or a rate.
class Sampler {
 public:
  using Sample = std::function<double()>;
  enum class Better { less, more };

  Sampler(bool quick, std::function<void(std::string_view)> const& next)
      : quick_(quick), next_(next) {}

  bool quick() const { return quick_; }
  void begin(std::string_view what) const { next_(what); }

  /// The median of some samples to four digits, put down under `key`. Each is the best of five
  /// tries, since what disturbs a measurement only makes the machine look slower.
  double measure(std::string const& key, Better better, Sample const& sample);

  /// The least seconds of each way, taken by turns, so that what the machine does beside falls on
  /// all. Short ones are taken more often.
  std::vector<double> by_turns(std::vector<Sample> const& ways) const;

  Crossing compare(std::uint64_t size, Sample const& first, Sample const& second) const;

  /// Puts the choice down; second_wins_from() its crossings.
  std::uint64_t choose(Choice choice);

  Tuning tuning;

 private:
  bool quick_;
  std::function<void(std::string_view)> const& next_;
};

double seconds_of(std::function<void()> const& work);

// The parts of measure_machine(), each in a source of its own; `name` is host or device, and the
// number behind each the times that it calls begin().

/// How many of the host's threads run at once; the least of all calls is kept. Needs Kokkos.
void measure_threads(Sampler& sampler);  // 0
/// Kernels, chains of acceptances, and copies; needs Kokkos.
void measure_host_costs(Sampler& sampler);    // 2
void measure_device_costs(Sampler& sampler);  // 3, where there is a device
/// Runs of rejections.
void measure_scan(Sampler& sampler, std::string const& name, SideCosts& costs);  // 1
/// From where on a call of the propagator is worth the execution space; needs Kokkos.
void measure_host_propagator(Sampler& sampler);    // 1
void measure_device_propagator(Sampler& sampler);  // 1, where there is a device
/// People that are worth one more worker of a host.
void measure_workers(Sampler& sampler);  // 1
/// Thresholds of fork-join, Strassen's and Winograd's products with each kernel, on the host.
void measure_thresholds(Sampler& sampler);  // 1 for each rung that recurses

}  // namespace taper::app
