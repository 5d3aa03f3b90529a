// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace taper::vertex_cover {

/// The families of graphs that generate() makes. `degree` is the mean degree unless said otherwise.
enum class Family {
  /// Every pair of vertices is an edge with the same probability, each on its own.
  gnp,

  /// Every vertex has exactly `degree` neighbours: random pairs of stubs, those that clash with an
  /// edge exchanged with others. `degree` and n are not both odd, and degree < n.
  random_regular,

  /// Points in the unit square, edges between those that are near.
  geometric,

  /// Vertex degrees follow a power law with exponent 2.5, as in many networks: few vertices have
  /// very many neighbours, many have one or none. Both ends of an edge are drawn with a weight
  /// proportional to i^(-2/3) for the i-th vertex of a random order (Chung and Lu 2002); loops and
  /// repeated edges are drawn again.
  power_law,

  /// A square grid of ceil(sqrt(n)) columns, its last row perhaps short; `degree` is not used.
  grid,

  /// A minimum cover of `cover` <= n / 2 vertices, that many disjoint edges and all others at
  /// random vertices of the cover.
  planted_cover,

  /// Disjoint gnp graphs of `component_size` vertices, the last perhaps smaller.
  many_components,
};

constexpr auto spellings(Family) {
  return std::array{Spelling{"gnp", Family::gnp},
                    Spelling{"random_regular", Family::random_regular},
                    Spelling{"geometric", Family::geometric},
                    Spelling{"power_law", Family::power_law},
                    Spelling{"grid", Family::grid},
                    Spelling{"planted_cover", Family::planted_cover},
                    Spelling{"many_components", Family::many_components}};
}

/// What to generate; the same workload is the same graph on every backend.
struct Workload {
  Family family = Family::gnp;
  std::size_t n = 0;  ///< vertices
  std::uint64_t seed = 1;
  double degree = 3;                ///< see Family
  std::size_t cover = 0;            ///< planted_cover only: the size of a minimum cover
  std::size_t component_size = 10;  ///< many_components only: vertices a component, at least 1
};

}  // namespace taper::vertex_cover
