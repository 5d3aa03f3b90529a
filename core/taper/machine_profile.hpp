// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The measured costs of one machine, which scheduling decisions read. Needs only the standard
// library.
// Used by: the options of stable marriage, of its propagator, and of matrix products.

namespace taper {

/// When a call of the stable marriage propagator runs in parallel on the execution space. The
/// quantities are those of marriage_propagator::estimate().
///
/// It does if the domains are at least `domain_size` large, and either enough people are free or
/// enough values must be removed from the other side's domains. By default it never does.
struct PropagatorThresholds {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t free_people = never;
  std::uint64_t modified_values = never;
  std::uint64_t domain_size = 0;  ///< values left in the domains of one side
};

/// The costs of a GPU, or of the host's cores.
struct ExecutionCosts {
  /// Time per step of a single chain: from one acceptance to the next, without a rejection in
  /// between.
  double proposal_us = 1;
  /// Candidates per microsecond that a team, or a core, tests in a run of rejections.
  double scan_candidates_per_us = 1000;
  /// Time from the launch of a kernel on all workers until the host knows of its end.
  double launch_us = 10;
  PropagatorThresholds propagator;
};

/// The costs of copies between host and device memory.
struct CopyCosts {
  double to_host_bytes_per_us = 10'000;
  double to_device_bytes_per_us = 10'000;
  double latency_us = 10;  ///< a copy of a few bytes, until the host knows of its end
};

/// The largest extent for which a recursive matrix product calls its kernel.
struct ForkJoinCutoff {
  std::string engine;
  std::string kernel;
  std::uint64_t threshold = 1;
};

/// The profile of one machine, as `taper tune` measures it. Scheduling decisions that depend on
/// costs read it; no result depends on it. Without a profile, each decision has a built-in answer.
struct MachineProfile {
  ExecutionCosts device;  ///< runs parallel parts; without a GPU, the host's costs
  ExecutionCosts host;
  CopyCosts copies;
  /// Stable marriage on a host uses one thread per this many proposers in its parallel part.
  std::uint64_t min_proposers_per_thread = 4096;
  std::vector<ForkJoinCutoff> fork_join;

  /// The measured cut-off of this engine and kernel; none if it was not measured.
  std::optional<std::uint64_t> fork_join_threshold(std::string_view engine,
                                                   std::string_view kernel) const {
    for (ForkJoinCutoff const& cutoff : fork_join) {
      if (cutoff.engine == engine && cutoff.kernel == kernel) {
        return cutoff.threshold;
      }
    }
    return std::nullopt;
  }
};

}  // namespace taper
