// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

// Random numbers that do not depend on the order of their use.
// Used by: the generators of all algorithms, thread_pool.hpp and work_queues.hpp.

namespace taper {

/// A bijective hash of 64 bits: different inputs give different outputs, and similar inputs give
/// unrelated outputs.
///
/// Source: the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t scatter_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// An infinite sequence of random 64-bit words that depends only on (seed, stream).
///
/// Every word is computed directly, at the same cost. So any worker of any backend can draw the
/// words of its own item, in any order, and the result is the same everywhere. Integer arithmetic
/// only.
///
/// Equivalent to: SplitMix64, started at a hash of (seed, stream). Two streams overlap with a
/// probability of about (words drawn from either) / 2^63. That suffices for test instances, not for
/// cryptography.
class RandomStream {
 public:
  KOKKOS_FUNCTION constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
      : start_(scatter_bits(scatter_bits(seed + step) + (stream + 1) * step)) {}

  /// Word `counter`; does not advance the stream.
  KOKKOS_FUNCTION constexpr std::uint64_t at(std::uint64_t counter) const {
    return scatter_bits(start_ + (counter + 1) * step);
  }

  KOKKOS_FUNCTION constexpr std::uint64_t next() { return at(drawn_++); }

  /// A uniformly distributed number of 0 .. bound-1. Requires: bound > 0.
  ///
  /// Draws one word, and another with a probability below bound / 2^32.
  /// Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
  KOKKOS_FUNCTION constexpr std::uint32_t below(std::uint32_t bound) {
    TAPER_EXPECTS(bound > 0);
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      // 2^32 mod bound values must be rejected to make all results equally likely.
      std::uint32_t const surplus = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < surplus) {
        product = (next() >> 32) * bound;
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio, odd

  std::uint64_t start_;
  std::uint64_t drawn_ = 0;
};

/// Permutes `count` < 2^32 items; all orders are equally likely (Fisher and Yates).
template <class Item>
KOKKOS_FUNCTION constexpr void shuffle(Item* items, std::size_t count, RandomStream& stream) {
  for (std::size_t last = count; last-- > 1;) {
    std::size_t const other = stream.below(static_cast<std::uint32_t>(last + 1));
    Item const kept = items[last];
    items[last] = items[other];
    items[other] = kept;
  }
}

}  // namespace taper
