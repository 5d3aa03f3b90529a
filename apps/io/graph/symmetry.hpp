// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>

#include <cstdint>

namespace taper::io {

/// Checks in one pass that each entry (v, u) has its like at (u, v), with the same value. Each
/// entry is hashed, and the sums of both triangles are compared: they differ if the entries do, up
/// to a probability of about 2^-64.
///
/// Source: the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
/// Used by: the readers of METIS, of adjacency matrices and of lists of neighbours.
class SymmetryCheck {
 public:
  void add(Vertex v, Vertex u, std::uint64_t value = 0) {
    sum_ += v < u ? fingerprint(v, u, value) : v > u ? 0 - fingerprint(u, v, value) : 0;
  }
  bool holds() const { return sum_ == 0; }

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  static std::uint64_t fingerprint(Vertex low, Vertex high, std::uint64_t value) {
    return mix((std::uint64_t{low} << 32 | high) ^ mix(value));
  }

  std::uint64_t sum_ = 0;
};

}  // namespace taper::io
