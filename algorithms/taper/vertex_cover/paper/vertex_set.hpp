// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// A set of the vertices 0 .. 64 * Words - 1, a bit each.
template <unsigned Words>
struct VertexSet {
  static constexpr std::uint32_t room = 64 * Words;

  std::uint64_t word[Words];

  KOKKOS_FUNCTION static VertexSet none() {
    VertexSet set;
    for (std::uint64_t& each : set.word) {
      each = 0;
    }
    return set;
  }
  /// 0 .. n-1.
  KOKKOS_FUNCTION static VertexSet first_of_all(std::uint32_t n) {
    VertexSet set;
    for (unsigned i = 0; i < Words; ++i) {
      std::uint32_t const behind = n > 64 * i ? n - 64 * i : 0;
      set.word[i] = behind >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << behind) - 1;
    }
    return set;
  }

  // No index that is not a constant: sets are in registers.
  KOKKOS_FUNCTION bool has(std::uint32_t v) const {
    std::uint64_t here = word[0];
    for (unsigned i = 1; i < Words; ++i) {
      here = i == v / 64 ? word[i] : here;
    }
    return (here >> v % 64 & 1) != 0;
  }
  KOKKOS_FUNCTION void insert(std::uint32_t v) {
    for (unsigned i = 0; i < Words; ++i) {
      word[i] |= i == v / 64 ? std::uint64_t{1} << v % 64 : 0;
    }
  }
  KOKKOS_FUNCTION void remove(std::uint32_t v) {
    for (unsigned i = 0; i < Words; ++i) {
      word[i] &= ~(i == v / 64 ? std::uint64_t{1} << v % 64 : 0);
    }
  }
  KOKKOS_FUNCTION bool empty() const {
    std::uint64_t any = 0;
    for (std::uint64_t const each : word) {
      any |= each;
    }
    return any == 0;
  }
  KOKKOS_FUNCTION std::uint32_t size() const {
    int sum = 0;
    for (std::uint64_t const each : word) {
      sum += Kokkos::Experimental::popcount_builtin(each);
    }
    return static_cast<std::uint32_t>(sum);
  }
  /// The least and the greatest; requires that there is one.
  KOKKOS_FUNCTION std::uint32_t first() const {
    for (unsigned i = 0; i + 1 < Words; ++i) {
      if (word[i] != 0) {
        return 64 * i + zeros_below(word[i]);
      }
    }
    return 64 * (Words - 1) + zeros_below(word[Words - 1]);
  }
  KOKKOS_FUNCTION std::uint32_t last() const {
    for (unsigned i = Words - 1; i > 0; --i) {
      if (word[i] != 0) {
        return 64 * i + 63 - zeros_above(word[i]);
      }
    }
    return 63 - zeros_above(word[0]);
  }

  KOKKOS_FUNCTION VertexSet& operator|=(VertexSet const& other) {
    for (unsigned i = 0; i < Words; ++i) {
      word[i] |= other.word[i];
    }
    return *this;
  }
  KOKKOS_FUNCTION VertexSet& operator&=(VertexSet const& other) {
    for (unsigned i = 0; i < Words; ++i) {
      word[i] &= other.word[i];
    }
    return *this;
  }
  KOKKOS_FUNCTION VertexSet& operator-=(VertexSet const& other) {
    for (unsigned i = 0; i < Words; ++i) {
      word[i] &= ~other.word[i];
    }
    return *this;
  }
  KOKKOS_FUNCTION friend VertexSet operator|(VertexSet a, VertexSet const& b) { return a |= b; }
  KOKKOS_FUNCTION friend VertexSet operator&(VertexSet a, VertexSet const& b) { return a &= b; }
  KOKKOS_FUNCTION friend VertexSet operator-(VertexSet a, VertexSet const& b) { return a -= b; }

 private:
  KOKKOS_FUNCTION static std::uint32_t zeros_below(std::uint64_t bits) {
    return static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(bits));
  }
  KOKKOS_FUNCTION static std::uint32_t zeros_above(std::uint64_t bits) {
    return static_cast<std::uint32_t>(Kokkos::Experimental::countl_zero_builtin(bits));
  }
};

}  // namespace taper::vertex_cover::paper
