// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/options.hpp>
#include <taper/random.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::hospitals_residents::detail {

/// The lots that residents draw at the hospitals. A lot is a number of `bits` bits, the lowest is
/// the best, and no two residents have the same at one hospital. It is computed, not stored: a
/// seeded bijection of the ids, which can be inverted.
///
/// The bijection has four rounds. A round multiplies by an odd number, adds, and folds the upper
/// half of the bits into the lower. Each of these can be undone. At least 20 bits keep the orders
/// of a few residents close to equally likely: tests/hospitals_residents/lottery.cpp compares them
/// with exact probabilities.
struct Lots {
  Lottery lottery;
  std::uint64_t seed;
  unsigned bits;

  static constexpr unsigned min_bits = 20;

  KOKKOS_FUNCTION std::uint64_t of(std::uint64_t resident, std::uint64_t hospital) const {
    if (lottery == Lottery::by_id) {
      return resident;
    }
    RandomStream const stream = stream_of(hospital);
    std::uint64_t lot = resident;
    for (unsigned round = 0; round < rounds; ++round) {
      lot = (lot * (stream.at(2 * round) | 1) + stream.at(2 * round + 1)) & mask();
      lot = fold(lot);
    }
    return lot;
  }

  /// The resident that has this lot at this hospital.
  KOKKOS_FUNCTION std::uint64_t resident_of(std::uint64_t lot, std::uint64_t hospital) const {
    if (lottery == Lottery::by_id) {
      return lot;
    }
    RandomStream const stream = stream_of(hospital);
    std::uint64_t resident = lot;
    for (unsigned round = rounds; round-- > 0;) {
      resident = fold(resident);
      resident = (resident - stream.at(2 * round + 1)) * inverse(stream.at(2 * round) | 1) & mask();
    }
    return resident;
  }

 private:
  static constexpr unsigned rounds = 4;

  KOKKOS_FUNCTION std::uint64_t mask() const { return (std::uint64_t{1} << bits) - 1; }

  KOKKOS_FUNCTION RandomStream stream_of(std::uint64_t hospital) const {
    return {seed, lottery == Lottery::single ? 0 : hospital + 1};
  }

  /// Its own inverse, since the shift is at least half of the bits.
  KOKKOS_FUNCTION std::uint64_t fold(std::uint64_t x) const { return x ^ x >> (bits + 1) / 2; }

  /// The inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the number
  /// of right bits, from the three that every odd number's square has.
  KOKKOS_FUNCTION static std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int step = 0; step < 5; ++step) {
      x *= 2 - odd * x;
    }
    return x;
  }
};

}  // namespace taper::hospitals_residents::detail
