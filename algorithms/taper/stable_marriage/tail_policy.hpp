// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/machine_profile.hpp>
#include <taper/report.hpp>

#include <algorithm>
#include <cstdint>

/// Decisions about the tail of a hybrid run: when it begins, where it runs, and how many workers
/// the parallel part before it has.
///
/// They are pure functions of a machine profile and of the run, and need no device. Without a
/// profile (nullptr) they return built-in answers, measured on an H100 and its host.
///
/// Used by: HybridPlan (hybrid_plan.hpp).
namespace taper::stable_marriage {

/// What the decisions depend on. "The device" is where the parallel part runs: a GPU, or on a
/// machine without one the host itself.
struct TailSituation {
  std::uint64_t concurrency = 1;  ///< workers that the device runs at the same time
  bool gpu = false;               ///< the device is a GPU
  bool may_migrate = false;       ///< the place is a Duo, so the tail may run on its host
  // Only for a host with a memory of its own:
  std::uint64_t bytes_to_host = 0;    ///< what the host needs before it follows the last chains
  std::uint64_t bytes_to_device = 0;  ///< what the device gets back
  /// Size of one row. A host that follows a chain with long runs of rejections copies two rows per
  /// acceptance.
  std::uint64_t bytes_per_row = 0;
};

/// When the parallel part of a run ends, and where the tail runs.
struct TailPlan {
  std::uint64_t threshold = 0;  ///< the tail begins when at most this many chains are live
  Location location = Location::device;
};

/// When the GPU hands its last few chains to the host.
struct HandOver {
  std::uint32_t max_chains = 4;                   ///< 0: never
  std::uint64_t min_gpu_steps = 128;              ///< steps on the GPU before the hand-over
  std::uint64_t min_acceptances_per_refill = 64;  ///< fewer on the host: chains return to the GPU
};

/// Plans the hand-over of a GPU's last chains. Without a profile: the defaults of HandOver. If the
/// host is not faster per step: never.
///
/// min_gpu_steps: the GPU works for as long as the transfer would take. By the ski-rental argument
/// the total is then at most twice the optimum, however long the chains are.
/// max_chains: a core follows chains one after another, a GPU follows all at once. The core gets as
/// many chains as it is times faster per step.
/// min_acceptances_per_refill: the host refills its candidates by one launch on the GPU. A refill
/// pays once the acceptances since the last one have saved the time of the launch. With fewer, runs
/// of rejections are long.
inline HandOver plan_hand_over(MachineProfile const* machine, TailSituation const& situation) {
  if (!situation.gpu || !situation.may_migrate) {
    return {.max_chains = 0};
  }
  if (machine == nullptr) {
    return {};
  }
  double const gpu_us = machine->device.proposal_us;
  double const host_us = machine->host.proposal_us;
  double const saved_us = gpu_us - host_us;
  if (saved_us <= 0) {
    return {.max_chains = 0};
  }
  CopyCosts const& copies = machine->copies;
  double const transfer_us =
      2 * copies.latency_us +
      static_cast<double>(situation.bytes_to_host) / copies.to_host_bytes_per_us +
      static_cast<double>(situation.bytes_to_device) / copies.to_device_bytes_per_us;
  constexpr double limit = 1u << 30;
  return {.max_chains = static_cast<std::uint32_t>(std::min(gpu_us / host_us, limit)),
          .min_gpu_steps = static_cast<std::uint64_t>(std::clamp(transfer_us / gpu_us, 1.0, limit)),
          .min_acceptances_per_refill = static_cast<std::uint64_t>(
              std::clamp(machine->device.launch_us / saved_us, 1.0, limit))};
}

/// Plans the tail.
///
/// On a host the tail begins when fewer chains are live than there are threads: one worker needs no
/// atomics. It begins at the latest with the last chain, which other methods can follow.
/// On a GPU it begins when each chain can have a warp to itself and half of the warps stay free, or
/// when plan_hand_over() allows the host to take all chains. The tail begins on the GPU either way.
///
/// The paper moves only the last chain to the CPU (Section IV-C1). That is optimal only if a chain
/// must be followed step by step.
inline TailPlan plan_tail(MachineProfile const* machine, TailSituation const& situation) {
  if (situation.gpu) {
    return {std::max<std::uint64_t>(situation.concurrency / 64 + 1,
                                    plan_hand_over(machine, situation).max_chains),
            Location::device};
  }
  return {std::max<std::uint64_t>(1, situation.concurrency - 1),
          situation.may_migrate ? Location::host : Location::device};
}

/// Where `chains` chains with long runs of rejections are followed: `run_length` rejections between
/// two acceptances.
///
/// The device follows all chains at once, each by a team. The host follows them one after another
/// and copies two rows per acceptance. If the device is no GPU, both are the same cores, and the
/// answer is the host. Without a profile, a GPU keeps its chains.
inline Location choose_location(MachineProfile const* machine, TailSituation const& situation,
                                std::uint64_t chains, double run_length) {
  if (!situation.may_migrate) {
    return Location::device;
  }
  if (!situation.gpu) {
    return Location::host;
  }
  if (machine == nullptr) {
    return Location::device;
  }
  double const device_us =
      machine->device.proposal_us + run_length / machine->device.scan_candidates_per_us;
  double const host_us =
      machine->host.proposal_us + run_length / machine->host.scan_candidates_per_us +
      2 * machine->copies.latency_us +
      static_cast<double>(2 * situation.bytes_per_row) / machine->copies.to_host_bytes_per_us;
  return static_cast<double>(chains) * host_us < device_us ? Location::host : Location::device;
}

/// The number of workers for the parallel part on a host, between 1 and `concurrency`: one per
/// `min_per_worker` proposers. With fewer proposers a worker costs more than it gains.
inline std::uint64_t plan_workers(std::uint64_t concurrency, std::uint64_t proposers,
                                  std::uint64_t min_per_worker) {
  return std::clamp<std::uint64_t>(proposers / std::max<std::uint64_t>(min_per_worker, 1), 1,
                                   std::max<std::uint64_t>(concurrency, 1));
}

}  // namespace taper::stable_marriage
