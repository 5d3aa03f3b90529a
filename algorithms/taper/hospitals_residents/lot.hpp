// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/options.hpp>
#include <taper/random.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::hospitals_residents::detail {

/// A random bijection of the numbers of `bits` bits. The stream of random numbers determines it.
///
/// It has four rounds. A round multiplies by an odd number, adds a number, and adds the upper half
/// of the bits to the lower half by exclusive or. Each of these steps can be undone.
/// Used by: Lots.
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

  /// This function is its own inverse, since the shift is at least half of the bits.
  KOKKOS_FUNCTION std::uint64_t fold(std::uint64_t x) const { return x ^ x >> half_; }

  /// The inverse of an odd number modulo 2^64, by Newton's iteration. An odd number is its own
  /// inverse modulo 2^3. Each of the five steps doubles the number of right bits.
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

/// The lots that residents draw at the hospitals. A lot is a number of `bits` bits. The lowest is
/// the best, and no two residents have the same lot at a hospital. Lots are computed, not stored.
///
/// With 20 bits or more, all orders of a few residents are almost equally likely:
/// tests/hospitals_residents/lottery.cpp compares with exact probabilities.
/// Used by: OfferFormat.
class Lots {
 public:
  static constexpr unsigned min_bits = 20;

  KOKKOS_FUNCTION Lots(Lottery lottery, std::uint64_t seed, unsigned bits)
      : lottery_(lottery), seed_(seed), bits_(bits), single_({seed, 0}, bits) {}

  /// The lots of the i-th lottery after this one.
  KOKKOS_FUNCTION Lots after(std::uint64_t i) const { return {lottery_, seed_ + i, bits_}; }

  /// The lot of a resident at a hospital.
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
