// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/machine_profile.hpp>
#include <taper/report.hpp>

#include <algorithm>
#include <cstdint>

/// Where the tail of a run goes, and how wide the rest of it is: functions of a machine's profile
/// and of the run. None needs a device. Without a profile (nullptr) they give the built-in answers,
/// those of an H100 and its host.
namespace taper {

/// What the decision about a tail looks at.
struct TailSituation {
  std::uint64_t concurrency = 1;  ///< workers that the wide side truly runs at once
  bool gpu = false;               ///< the wide side is a GPU
  bool host_offered = false;      ///< the caller gave a Duo: the run may migrate
  // Where that host has a memory of its own:
  std::uint64_t bytes_to_host = 0;    ///< what it must have before it follows the last chains
  std::uint64_t bytes_to_device = 0;  ///< what the device gets back
  std::uint64_t bytes_a_row = 0;      ///< of either row that long runs read at each acceptance
};

/// When a run stops being wide, and where the rest goes.
struct TailPlan {
  std::uint64_t live = 0;  ///< taper once no more than this many chains are live
  Side side = Side::device;
};

/// How the last chains of a GPU's tail, whose runs of rejections are short, change to the host.
struct LastChains {
  std::uint32_t chains = 4;  ///< how many at most; 0: they stay on the GPU
  /// The GPU's looks at them before. What is over after a few more is not worth the move.
  std::uint64_t looks = 128;
  /// On the host, from one fetch of more candidates to the next; where it is less, runs of
  /// rejections are long, and the chains go back.
  std::uint64_t acceptances_a_fetch = 64;
};

/// What crosses for the last chains is worth as many looks as it takes the time of: then, whatever
/// comes, no more than twice the least is lost. A core takes one chain after the other where a GPU
/// follows all at once: it gets as many as it is faster. A fetch is a launch and its fence; it must
/// be earned by the acceptances since the last one.
inline LastChains plan_last_chains(MachineProfile const* machine, TailSituation const& situation) {
  if (!situation.gpu || !situation.host_offered) {
    return {.chains = 0};
  }
  if (machine == nullptr) {
    return {};
  }
  double const on_device = machine->device.proposal_us;
  double const gained = on_device - machine->host.proposal_us;
  if (gained <= 0) {
    return {.chains = 0};
  }
  CopyCosts const& copies = machine->copies;
  double const move =
      2 * copies.latency_us +
      static_cast<double>(situation.bytes_to_host) / copies.to_host_bytes_per_us +
      static_cast<double>(situation.bytes_to_device) / copies.to_device_bytes_per_us;
  constexpr double most = 1u << 30;
  return {
      .chains = static_cast<std::uint32_t>(std::min(on_device / machine->host.proposal_us, most)),
      .looks = static_cast<std::uint64_t>(std::clamp(move / on_device, 1.0, most)),
      .acceptances_a_fetch =
          static_cast<std::uint64_t>(std::clamp(machine->device.launch_us / gained, 1.0, most))};
}

/// A host backend tapers when chains no longer occupy all its threads, since one worker needs no
/// atomics, and at the last chain in any case, since a chain that is alone can be followed by other
/// means. A GPU tapers when each chain can have the 32 lanes of a warp to itself, with room to
/// spare, or when all can be the host's last ones; the tail begins there. The paper's rule, the last
/// chain to the CPU (Section IV-C1), is right only where a chain must be followed step by step.
inline TailPlan plan_tail(MachineProfile const* machine, TailSituation const& situation) {
  if (situation.gpu) {
    return {std::max<std::uint64_t>(situation.concurrency / 64 + 1,
                                    plan_last_chains(machine, situation).chains),
            Side::device};
  }
  return {std::max<std::uint64_t>(1, situation.concurrency - 1),
          situation.host_offered ? Side::host : Side::device};
}

/// The side for chains of long runs of rejections, so many between two acceptances: the device
/// follows all at once, each by a team; the host one after the other, and fetches two rows for each
/// acceptance. A host that shares the device's memory is the same cores.
inline Side choose_side(MachineProfile const* machine, TailSituation const& situation,
                        std::uint64_t chains, double run) {
  if (!situation.host_offered) {
    return Side::device;
  }
  if (!situation.gpu) {
    return Side::host;
  }
  if (machine == nullptr) {
    return Side::device;
  }
  double const on_device =
      machine->device.proposal_us + run / machine->device.scan_candidates_per_us;
  double const on_host =
      machine->host.proposal_us + run / machine->host.scan_candidates_per_us +
      2 * machine->copies.latency_us +
      static_cast<double>(2 * situation.bytes_a_row) / machine->copies.to_host_bytes_per_us;
  return static_cast<double>(chains) * on_host < on_device ? Side::host : Side::device;
}

/// Workers of a host's wide part, of so many at most: one for each `share` of its proposers. With
/// fewer to itself, a worker is one too many.
inline std::uint64_t plan_workers(std::uint64_t concurrency, std::uint64_t proposers,
                                  std::uint64_t share) {
  return std::clamp<std::uint64_t>(proposers / std::max<std::uint64_t>(share, 1), 1,
                                   std::max<std::uint64_t>(concurrency, 1));
}

}  // namespace taper
