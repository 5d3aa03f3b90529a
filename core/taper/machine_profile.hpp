// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a machine costs, as schedulers see it. Standard library only.

namespace taper {

/// From where on a call of the stable marriage propagator goes to the execution space, in terms of
/// marriage_propagator::estimate(): enough people free, or enough values to take out of the other
/// side's domains; and, for either, domains that are large enough. As it stands: never.
struct PropagatorThresholds {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t free_people = never;
  std::uint64_t modified_values = never;
  std::uint64_t domain_size = 0;  ///< values left on one side
};

/// One side of a machine: a GPU, or the host's cores.
struct SideCosts {
  /// Of a chain that is followed alone: from one acceptance to the next, where no rejection lies
  /// between.
  double proposal_us = 1;
  /// Of a run of rejections: candidates that a team, or a core, tests in a microsecond.
  double scan_candidates_per_us = 1000;
  /// From the launch of a kernel on all workers until the host knows that it has ended.
  double launch_us = 10;
  PropagatorThresholds propagator;
};

/// Between the host's memory and the device's.
struct CopyCosts {
  double to_host_bytes_per_us = 10'000;
  double to_device_bytes_per_us = 10'000;
  double latency_us = 10;  ///< of a copy of a few bytes, until the host knows that it has arrived
};

/// Up to which extent a product that recurses leaves the work to its kernel.
struct ForkJoinCutoff {
  std::string engine;
  std::string kernel;
  std::uint64_t threshold = 1;
};

/// One machine, as `taper tune` measures it, or a test makes it up. The decisions of schedulers that
/// are a matter of cost read it; no result depends on it. Where a caller has none, each has a
/// built-in answer.
struct MachineProfile {
  SideCosts device;  ///< the wide side; the host's own numbers where that is the host
  SideCosts host;
  CopyCosts copies;
  /// Proposers that are worth one more worker of the wide part of a host's stable marriage.
  std::uint64_t people_a_worker = 4096;
  std::vector<ForkJoinCutoff> fork_join;

  /// The cut-off of this engine and kernel, if it was measured.
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
