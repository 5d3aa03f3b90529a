// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/spelling.hpp>

#include <array>
#include <cstdint>

namespace taper::matmul {

/// The families of factors that generate() makes.
enum class Family {
  /// Independent entries, uniform in [-1, 1).
  uniform,

  /// Independent integers of -largest .. largest, each as likely: while k * largest^2 is below 2^53
  /// (2^24 of float), every engine's product is exact, and all are the same to the bit.
  integers,

  /// Every entry of the product is a sum that cancels: 2 |a|.|b| / |a.b| is about `condition`, if k is
  /// 6 or more. Rows of A are one vector and columns of B another, times powers of two.
  /// Source: Algorithm 6.1 of Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci.
  ///   Comput. 26(6), 2005.
  ill_conditioned,
};

constexpr auto spellings(Family) {
  return std::array{Spelling{"uniform", Family::uniform}, Spelling{"integers", Family::integers},
                    Spelling{"ill_conditioned", Family::ill_conditioned}};
}

using taper::names;
using taper::parse;
using taper::to_string;

/// A or B.
enum class Factor { left, right };

/// What to generate; the same workload is the same matrix on every backend and in every layout.
struct Workload {
  Family family = Family::uniform;
  std::uint64_t seed = 1;
  std::uint32_t largest = 8;  ///< integers only
  double condition = 1e8;     ///< ill_conditioned only: at least 1, at most 1e30
};

}  // namespace taper::matmul
