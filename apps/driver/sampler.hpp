// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuning.hpp"

#include <support/seconds_of.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// Takes samples and stores them in a Tuning. A sample is the value of a function: seconds, or a
/// rate. Used by: `taper tune`, and the tune() functions of the algorithms.
class Sampler {
 public:
  using Sample = std::function<double()>;
  enum class Better { less, more };

  Sampler(bool quick, std::function<void(std::string_view)> const& next)
      : quick_(quick), next_(next) {}

  bool quick() const { return quick_; }
  /// Announces the next step to the progress line.
  void begin(std::string_view what) const { next_(what); }

  /// The median of 11 samples (5 if quick), rounded to four digits and stored under `key`. Each
  /// sample is the best of five tries, since a disturbance only makes the machine look slower.
  double measure(std::string const& key, Better better, Sample const& sample);

  /// The minimum of each alternative's samples, in seconds. The alternatives run in turn, and
  /// in the reverse order in every second round, so that other work on the machine and caches affect
  /// all of them. Short ones run more often.
  std::vector<double> interleaved_minimum(std::vector<Sample> const& alternatives) const;

  /// Times both alternatives of a choice at one size.
  Crossing compare(std::uint64_t size, Sample const& first, Sample const& second) const;

  /// Stores the choice, with its crossings sorted. Returns its window.
  Window choose(Choice choice);

  using NamedSamples = std::vector<std::pair<std::string, Sample>>;
  /// Times the ways that a policy could choose, in turn, and stores the check. `chosen` returns the
  /// name of the way that the policy chooses.
  ///
  /// Other work on the machine looks like a wrong choice. So a choice that is a tenth slower than
  /// the better way is measured again, up to eight times in all.
  void check_name(std::string policy, std::string cases, std::function<std::string()> const& chosen,
                  NamedSamples const& ways);
  /// The same for a policy that does not tell what it has chosen: times a run by the policy too.
  void check_run(std::string policy, std::string cases, Sample const& chosen,
                 NamedSamples const& ways);

  Tuning tuning;

 private:
  bool quick_;
  std::function<void(std::string_view)> const& next_;
};

/// Measures how many host threads run at the same time, and keeps the least of all calls in the
/// Tuning. Requires an initialised Kokkos.
void measure_threads(Sampler& sampler);

}  // namespace taper::app
