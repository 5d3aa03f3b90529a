// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace taper::vertex_cover {

/// The families of graphs that generate() makes. `degree` is the mean degree if nothing else is
/// stated.
enum class Family {
  /// G(n, p): every pair of vertices is an edge with the same probability, independently.
  gnp,

  /// Every vertex has exactly `degree` neighbours: a random pairing of stubs. A pair that would be
  /// a loop or repeat an edge exchanges an end with another pair. Requires: degree < n, and
  /// `degree` and n are not both odd.
  random_regular,

  /// Random points in the unit square; an edge joins two points within a fixed distance.
  geometric,

  /// Degrees follow a power law with exponent 2.5, as in many networks: few vertices have many
  /// neighbours, many have one or none. Both ends of an edge are drawn with weight i^(-2/3) for the
  /// i-th vertex of a random order (Chung and Lu 2002). Loops and repeated edges are drawn again.
  power_law,

  /// A square grid of ceil(sqrt(n)) columns; the last row may be shorter. `degree` is not used.
  grid,

  /// A known minimum cover of `cover` <= n / 2 vertices. Each is matched with a different vertex
  /// outside the cover, so no cover is smaller. Every other edge joins a random vertex of the cover
  /// to a random vertex.
  planted_cover,

  /// Disjoint gnp graphs of `component_size` vertices; the last may be smaller.
  many_components,
};

constexpr auto enum_names(Family) {
  return std::array{EnumName{"gnp", Family::gnp},
                    EnumName{"random_regular", Family::random_regular},
                    EnumName{"geometric", Family::geometric},
                    EnumName{"power_law", Family::power_law},
                    EnumName{"grid", Family::grid},
                    EnumName{"planted_cover", Family::planted_cover},
                    EnumName{"many_components", Family::many_components}};
}

/// What to generate. Equal workloads give equal graphs, on every machine and backend.
struct Workload {
  Family family = Family::gnp;
  std::size_t n = 0;  ///< vertices
  std::uint64_t seed = 1;
  double degree = 3;                ///< see Family
  std::size_t cover = 0;            ///< planted_cover only: the size of a minimum cover
  std::size_t component_size = 10;  ///< many_components only: vertices per component, at least 1
};

}  // namespace taper::vertex_cover
