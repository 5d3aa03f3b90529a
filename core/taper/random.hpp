// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace taper {

/// Scatters 64 bits, one to one: equal inputs alone give equal outputs, and near inputs give
/// unrelated ones.
///
/// Source: the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t scatter_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// An endless sequence of random 64-bit words that is a function of (seed, stream) alone.
///
/// Word i costs the same for every i and needs no word before it, so any worker of any backend can
/// draw what belongs to its own item, in any order, and the result is the same everywhere. Integer
/// arithmetic only.
///
/// Equivalent to: SplitMix64, started at a state that (seed, stream) is scattered to. Two streams
/// overlap with a probability of about (words drawn from either) / 2^63: good enough for test
/// instances, not for secrets.
class RandomStream {
 public:
  KOKKOS_FUNCTION constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
      : start_(scatter_bits(scatter_bits(seed + step) + (stream + 1) * step)) {}

  /// Word `counter`, without moving the stream.
  KOKKOS_FUNCTION constexpr std::uint64_t at(std::uint64_t counter) const {
    return scatter_bits(start_ + (counter + 1) * step);
  }

  KOKKOS_FUNCTION constexpr std::uint64_t next() { return at(drawn_++); }

  /// One of 0 .. bound-1, each exactly as likely as the others. Requires bound > 0.
  ///
  /// Takes one word, and another with a probability below bound / 2^32.
  /// Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
  KOKKOS_FUNCTION constexpr std::uint32_t below(std::uint32_t bound) {
    TAPER_EXPECTS(bound > 0);
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      // 2^32 mod bound: so many of the 2^32 values are one too many for an even share.
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

/// Permutes `count` < 2^32 items, every order equally likely (Fisher and Yates).
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
