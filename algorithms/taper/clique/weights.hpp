// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/options.hpp>
#include <taper/vertex_cover/host_graph.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace taper::clique {

using vertex_cover::Edge;
using vertex_cover::HostGraph;
using vertex_cover::Vertex;

// The weight policies. The engine is one template; with UnitWeights all arithmetic on residual
// weights is compiled away. `pick(vertices)`: the weights of a subgraph.

/// Every vertex has weight 1: a maximum clique.
struct UnitWeights {
  static constexpr bool unit = true;

  Weight operator[](Vertex) const { return 1; }
  UnitWeights pick(std::span<Vertex const>) const { return {}; }
};

/// Given weights, from 0: a maximum weight clique.
struct IntegerWeights {
  static constexpr bool unit = false;

  std::vector<Weight> values;  ///< by vertex

  Weight operator[](Vertex v) const { return values[v]; }
  IntegerWeights pick(std::span<Vertex const> vertices) const {
    IntegerWeights picked;
    picked.values.reserve(vertices.size());
    for (Vertex const v : vertices) {
      picked.values.push_back(values[v]);
    }
    return picked;
  }
};

/// A fault of weights: the first vertex at fault, and what is wrong with it.
struct WeightFault {
  enum class Kind {
    negative,  ///< allowed are integers from 0
    sum,       ///< the sum up to this vertex exceeds max_weight_sum
  };
  Kind kind;
  std::size_t vertex;
};

/// The most that all weights may sum up to. So no sum of a search overflows.
inline constexpr Weight max_weight_sum = std::numeric_limits<Weight>::max();

/// The first fault of these weights; nullopt if there is none. solve() of clique.hpp checks this,
/// solve_on_host() does not.
inline std::optional<WeightFault> find_fault(std::span<Weight const> weights) {
  Weight sum = 0;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    if (weights[v] < 0) {
      return WeightFault{WeightFault::Kind::negative, v};
    }
    if (weights[v] > max_weight_sum - sum) {
      return WeightFault{WeightFault::Kind::sum, v};
    }
    sum += weights[v];
  }
  return std::nullopt;
}

}  // namespace taper::clique
