// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/family.hpp>
#include <taper/clique/weights.hpp>
#include <taper/error.hpp>
#include <taper/random.hpp>
#include <taper/vertex_cover/host_graph.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace taper::clique {
namespace detail {

/// The graph of the pairs u < v < n for which is_edge(u, v).
template <class IsEdge>
HostGraph graph_of_pairs(std::size_t n, IsEdge const& is_edge) {
  std::vector<Edge> edges;
  for (Vertex v = 1; v < n; ++v) {
    for (Vertex u = 0; u < v; ++u) {
      if (is_edge(u, v)) {
        edges.emplace_back(u, v);
      }
    }
  }
  return vertex_cover::make_graph(n, edges).graph;
}

/// True with this probability.
inline bool draw(RandomStream& random, double probability) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53 < probability;
}

/// The families gnp, p_hat and hidden_clique.
inline HostGraph random_graph(Workload const& workload) {
  RandomStream random(workload.seed, 0);
  std::size_t const n = workload.n;
  if (workload.family == Family::p_hat) {
    std::vector<double> part(n);
    for (double& own : part) {
      own = workload.density +
            workload.spread * (static_cast<double>(random.next() >> 11) * 0x1p-52 - 1);
    }
    return graph_of_pairs(
        n, [&](Vertex u, Vertex v) { return draw(random, (part[u] + part[v]) / 2); });
  }
  if (workload.family == Family::gnp) {
    return graph_of_pairs(n, [&](Vertex, Vertex) { return draw(random, workload.density); });
  }
  std::vector<Vertex> order(n);
  for (Vertex v = 0; v < n; ++v) {
    order[v] = v;
  }
  shuffle(order.data(), n, random);
  HiddenDensities const densities = hidden_densities(workload);
  return graph_of_pairs(n, [&](Vertex u, Vertex v) {
    int const inside = (order[u] < workload.clique ? 1 : 0) + (order[v] < workload.clique ? 1 : 0);
    return inside == 2 || draw(random, inside == 1 ? densities.across : densities.outside);
  });
}

/// The families hamming and johnson.
inline HostGraph graph_of_words(Workload const& workload) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t word = 0; word < std::uint32_t{1} << workload.n; ++word) {
    if (workload.family == Family::hamming ||
        static_cast<std::uint32_t>(std::popcount(word)) == workload.ones) {
      words.push_back(word);
    }
  }
  return graph_of_pairs(words.size(), [&](Vertex u, Vertex v) {
    return static_cast<std::uint32_t>(std::popcount(words[u] ^ words[v])) >= workload.distance;
  });
}

/// The third point of the line through two points of an affine space over three elements. A point
/// is a number in base 3.
inline std::uint32_t third_point(std::uint32_t a, std::uint32_t b) {
  std::uint32_t third = 0;
  for (std::uint32_t digit = 1; a > 0 || b > 0; digit *= 3, a /= 3, b /= 3) {
    third += digit * ((6 - a % 3 - b % 3) % 3);
  }
  return third;
}

/// The family steiner, from its complement. There each line is a triangle, and each corner of the
/// triangle is adjacent to one point of the line. An independent set of the complement has some
/// points, and a corner for each line with a point that is not in the set.
inline HostGraph steiner_graph(std::uint32_t dimension) {
  std::uint32_t points = 1;
  for (std::uint32_t i = 0; i < dimension; ++i) {
    points *= 3;
  }
  std::vector<Edge> joined;
  Vertex corner = points;
  for (Vertex a = 0; a < points; ++a) {
    for (Vertex b = a + 1; b < points; ++b) {
      Vertex const c = third_point(a, b);
      if (c < b) {
        continue;  // each line once
      }
      joined.insert(joined.end(), {{corner, corner + 1},
                                   {corner, corner + 2},
                                   {corner + 1, corner + 2},
                                   {a, corner},
                                   {b, corner + 1},
                                   {c, corner + 2}});
      corner += 3;
    }
  }
  HostGraph const complement = vertex_cover::make_graph(corner, joined).graph;
  return graph_of_pairs(corner, [&](Vertex u, Vertex v) {
    auto const row = complement.neighbours(v);
    return !std::binary_search(row.begin(), row.end(), u);
  });
}

}  // namespace detail

/// Generates the graph of `workload`. Rows are sorted.
///
/// Cost: the square of the vertices. Throws: taper::Error with fault_of(workload).
inline HostGraph generate(Workload const& workload) {
  std::string const fault = fault_of(workload);
  TAPER_REQUIRE(fault.empty(), "taper::clique::generate: " + fault);
  switch (workload.family) {
  case Family::gnp:
  case Family::p_hat:
  case Family::hidden_clique:
    return detail::random_graph(workload);
  case Family::hamming:
  case Family::johnson:
    return detail::graph_of_words(workload);
  case Family::steiner:
    return detail::steiner_graph(workload.n);
  }
  return {};
}

}  // namespace taper::clique
