// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/options.hpp>
#include <taper/random.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::hospitals_residents::detail {

/// A seeded bijection of the numbers of `bits` bits.
///
/// It has four rounds. A round multiplies by an odd number, adds, and folds the upper half of the
/// bits into the lower. Each of these can be undone.
class Bijection {
 public:
  KOKKOS_FUNCTION Bijection(RandomStream const& stream, unsigned bits)
      : mask_((std::uint64_t{1} << bits) - 1), half_((bits + 1) / 2) {
    for (unsigned round = 0; round < rounds; ++round) {
      factor_[round] = stream.at(2 * round) | 1;
      term_[round] = stream.at(2 * round + 1);
    }
  }

  KOKKOS_FUNCTION std::uint64_t image_of(std::uint64_t x) const {
    for (unsigned round = 0; round < rounds; ++round) {
      x = fold((x * factor_[round] + term_[round]) & mask_);
    }
    return x;
  }

  KOKKOS_FUNCTION std::uint64_t preimage_of(std::uint64_t x) const {
    for (unsigned round = rounds; round-- > 0;) {
      x = (fold(x) - term_[round]) * inverse(factor_[round]) & mask_;
    }
    return x;
  }

 private:
  static constexpr unsigned rounds = 4;

  /// Its own inverse, since the shift is at least half of the bits.
  KOKKOS_FUNCTION std::uint64_t fold(std::uint64_t x) const { return x ^ x >> half_; }

  /// The inverse of an odd number modulo 2^64, by Newton's iteration. Each step doubles the number
  /// of right bits; an odd number is its own inverse in the first three.
  KOKKOS_FUNCTION static std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int step = 0; step < 5; ++step) {
      x *= 2 - odd * x;
    }
    return x;
  }

  std::uint64_t mask_;
  unsigned half_;
  std::uint64_t factor_[rounds];
  std::uint64_t term_[rounds];
};

/// The lots that residents draw at the hospitals. A lot is a number of `bits` bits, the lowest is
/// the best, and no two residents have the same at one hospital. Lots are computed, not stored.
///
/// At least 20 bits keep the orders of a few residents close to equally likely:
/// tests/hospitals_residents/lottery.cpp compares them with exact probabilities.
class Lots {
 public:
  static constexpr unsigned min_bits = 20;

  KOKKOS_FUNCTION Lots(Lottery lottery, std::uint64_t seed, unsigned bits)
      : lottery_(lottery), seed_(seed), bits_(bits), single_({seed, 0}, bits) {}

  /// The lots of the i-th lottery after this one.
  KOKKOS_FUNCTION Lots after(std::uint64_t i) const { return {lottery_, seed_ + i, bits_}; }

  KOKKOS_FUNCTION std::uint64_t of(std::uint64_t resident, std::uint64_t hospital) const {
    switch (lottery_) {
    case Lottery::by_id:
      break;
    case Lottery::single:
      return single_.image_of(resident);
    case Lottery::multiple:
      return at(hospital).image_of(resident);
    }
    return resident;
  }

  /// The resident that has this lot at this hospital.
  KOKKOS_FUNCTION std::uint64_t resident_of(std::uint64_t lot, std::uint64_t hospital) const {
    switch (lottery_) {
    case Lottery::by_id:
      break;
    case Lottery::single:
      return single_.preimage_of(lot);
    case Lottery::multiple:
      return at(hospital).preimage_of(lot);
    }
    return lot;
  }

  KOKKOS_FUNCTION unsigned bits() const { return bits_; }

 private:
  KOKKOS_FUNCTION Bijection at(std::uint64_t hospital) const {
    return {{seed_, hospital + 1}, bits_};
  }

  Lottery lottery_;
  std::uint64_t seed_;
  unsigned bits_;
  Bijection single_;
};

}  // namespace taper::hospitals_residents::detail
