// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/report.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace taper {

/// What the decision about a tail looks at.
struct TailSituation {
  std::uint64_t concurrency = 1;  ///< workers that the wide side truly runs at once
  bool gpu = false;               ///< the wide side is a GPU
  bool host_offered = false;      ///< the caller gave a Duo: the run may migrate
};

/// When a run stops being wide, and where the rest goes.
struct TailPlan {
  std::uint64_t live = 0;  ///< taper once no more than this many chains are live
  Side side = Side::device;
};

/// The plan of a machine that nobody has measured. A host backend tapers when chains no longer
/// occupy all its threads, since one worker needs no atomics, and at the last chain in any case,
/// since a chain that is alone can be followed by other means. A GPU tapers when each chain can
/// have the 32 lanes of a warp to itself, with room to spare, and keeps the tail: the paper's rule,
/// the last chain to the CPU (Section IV-C1), is right only where a chain must be followed step by
/// step.
constexpr TailPlan plan_tail(TailSituation const& situation) {
  if (situation.gpu) {
    return {situation.concurrency / 64 + 1, Side::device};
  }
  return {std::max<std::uint64_t>(1, situation.concurrency - 1),
          situation.host_offered ? Side::host : Side::device};
}

}  // namespace taper
