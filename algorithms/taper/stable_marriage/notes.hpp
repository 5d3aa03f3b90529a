// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace taper::stable_marriage::detail {

// --- Notes: what a receiver of a courtship keeps of her list once she has looked through it ---

/// What notes say of a proposer's next proposals.
enum class Noted {
  rank,     ///< the next one has a rank: it is known, or `padding`, which is certain to be rejected
  nothing,  ///< the next one may be accepted, its rank is not known, or nobody has looked
  rejections  ///< the next ones are certain to be rejected, and are made
};

/// Of a proposer, for the receiver who looks: 0 for most.
using Mark = std::uint8_t;
inline constexpr Mark in_queue = 0x80;

}  // namespace taper::stable_marriage::detail
