// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <array>
#include <cstdint>

namespace taper::matmul {

/// The families of matrices that generate() makes.
enum class Family {
  /// Independent entries, uniform in [-1, 1).
  uniform,

  /// Independent integers, uniform in -largest .. largest. If k * largest^2 < 2^53 (2^24 for
  /// float), every engine's product is exact and all products are equal to the bit.
  integers,

  /// Every entry of the product is a sum with cancellation: 2 |a|.|b| / |a.b| is about `condition`
  /// if k >= 6. All rows of A are multiples of one vector and all columns of B of another, by
  /// powers of two.
  /// Source: Algorithm 6.1 of Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci.
  ///   Comput. 26(6), 2005.
  ill_conditioned,
};

constexpr auto enum_names(Family) {
  return std::array{EnumName{"uniform", Family::uniform}, EnumName{"integers", Family::integers},
                    EnumName{"ill_conditioned", Family::ill_conditioned}};
}

using taper::names;
using taper::parse;
using taper::to_string;

/// A (left) or B (right).
enum class Factor { left, right };

/// What to generate. The matrix is the same on every backend and in every layout.
struct Workload {
  Family family = Family::uniform;
  std::uint64_t seed = 1;
  std::uint32_t largest = 8;  ///< for integers; at least 1
  double condition = 1e8;     ///< for ill_conditioned; 1 to 1e30
};

}  // namespace taper::matmul
