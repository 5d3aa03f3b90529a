// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace taper::vertex_cover::component_search {

/// A set of vertices 0 .. 64 * Words - 1 as bits. Lanes keep such sets in registers.
template <unsigned Words>
struct VertexSet {
  static constexpr std::uint32_t capacity = 64 * Words;

  std::uint64_t word[Words];

  KOKKOS_FUNCTION static VertexSet none() {
    VertexSet set;
    for (std::uint64_t& each : set.word) {
      each = 0;
    }
    return set;
  }
  /// The set 0 .. n-1.
  KOKKOS_FUNCTION static VertexSet first_n(std::uint32_t n) {
    VertexSet set;
    for (unsigned i = 0; i < Words; ++i) {
      std::uint32_t const behind = n > 64 * i ? n - 64 * i : 0;
      set.word[i] = behind >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << behind) - 1;
    }
    return set;
  }

  // Every index is a constant after unrolling. A variable index would move the set from registers
  // to memory.
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
  /// The least and the greatest element. Requires: the set is not empty.
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

/// A graph of at most VertexSet::capacity vertices, and the stacks of its search, in scratch.
/// Used by: SmallSearch.
template <unsigned Words>
struct SmallGraph {
  using Set = VertexSet<Words>;
  static constexpr std::uint32_t capacity = Set::capacity;

  /// A node whose second branch, with `vertex` in the cover, is not visited yet.
  struct Branch {
    Set live;
    std::uint32_t vertex;
    std::uint32_t cover;
  };
  /// A component that has split, while one of its own components is solved.
  struct SplitFrame {
    Set own;         ///< its vertices
    Set best_cover;  ///< as SmallSearch::best_cover_
    Set unseen;      ///< live vertices whose component has not been found yet
    Set largest;     ///< the largest component found so far; solved last
    std::uint32_t cover;
    std::uint32_t best;
    std::uint32_t branches;
    std::uint32_t component_count;
  };
  // A branch waits only while the search visits the other one. That one lacks the vertex and its
  // neighbours, at least two.
  static constexpr std::uint32_t branch_capacity = capacity / 3 + 1;
  // Sizes of nested components are at most 128, 63, 30, 14. The largest component is solved last,
  // in the frame of its parent. So a nested one has at most half of the vertices, and loses one
  // more before it splits. A reduced graph of less than eight vertices does not split.
  static constexpr std::uint32_t split_capacity = std::bit_width(capacity) - 4;

  Set rows[capacity];  ///< the neighbours of each vertex
  Branch branches[branch_capacity];
  SplitFrame split_frames[split_capacity];
  // Results of the search.
  Set cover;           ///< empty: there is no cover that is small enough
  std::uint32_t size;  ///< of `cover`
  std::uint32_t nodes;
  std::uint32_t splits;
};

/// What other teams request from the search of a small graph.
enum class Request : std::uint32_t {
  none,
  share_oldest,  ///< hand out the oldest branch
  share_all,     ///< hand out all branches, and the current node
  abandon        ///< stop; the work is lost
};

}  // namespace taper::vertex_cover::component_search
