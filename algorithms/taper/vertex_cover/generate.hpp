// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/random.hpp>
#include <taper/vertex_cover/family.hpp>
#include <taper/vertex_cover/host_graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace taper::vertex_cover {
namespace detail {

/// Appends the edges of a gnp graph on vertices first .. first + n - 1.
///
/// Goes through the pairs in order, from one edge to the next by a geometrically distributed jump.
/// Source: Batagelj and Brandes, "Efficient generation of large random networks", 2005.
inline void append_gnp(std::size_t first, std::size_t n, double probability, RandomStream& random,
                       std::vector<Edge>& edges) {
  if (n < 2 || probability <= 0) {
    return;
  }
  double const scale = probability < 1 ? 1 / std::log1p(-probability) : 0;
  std::size_t v = 1;
  std::size_t w = 0;
  for (;;) {
    // In (0, 1], so that the logarithm is finite.
    double const draw = static_cast<double>((random.next() >> 11) + 1) * 0x1p-53;
    double const jump = std::floor(std::log(draw) * scale);
    if (jump >= static_cast<double>(n) * static_cast<double>(n)) {
      return;
    }
    w += static_cast<std::size_t>(jump);
    while (w >= v && v < n) {
      w -= v;
      ++v;
    }
    if (v == n) {
      return;
    }
    edges.emplace_back(static_cast<Vertex>(first + v), static_cast<Vertex>(first + w));
    ++w;
  }
}

inline double gnp_probability(Workload const& workload, std::size_t n) {
  return n < 2 ? 0 : std::min(1.0, workload.degree / static_cast<double>(n - 1));
}

inline std::vector<Edge> gnp(Workload const& workload) {
  std::vector<Edge> edges;
  RandomStream random(workload.seed, 0);
  append_gnp(0, workload.n, gnp_probability(workload, workload.n), random, edges);
  return edges;
}

inline std::vector<Edge> many_components(Workload const& workload) {
  std::vector<Edge> edges;
  std::uint64_t component = 0;
  for (std::size_t first = 0; first < workload.n; first += workload.component_size) {
    std::size_t const size = std::min(workload.component_size, workload.n - first);
    RandomStream random(workload.seed, component++);
    append_gnp(first, size, gnp_probability(workload, workload.component_size), random, edges);
  }
  return edges;
}

/// A random pairing of stubs. If a pair is a loop or repeats an edge, it exchanges an end with a
/// random edge, such that both become new edges. Returns no edges if max_tries tries find no
/// exchange.
inline std::vector<Edge> try_regular(std::size_t n, std::size_t degree, RandomStream random) {
  std::vector<Vertex> stubs(n * degree);
  for (std::size_t i = 0; i < stubs.size(); ++i) {
    stubs[i] = static_cast<Vertex>(i / degree);
  }
  shuffle(stubs.data(), stubs.size(), random);

  std::vector<std::vector<Vertex>> rows(n);
  auto const is_new = [&](Vertex u, Vertex v) {
    return u != v && std::find(rows[u].begin(), rows[u].end(), v) == rows[u].end();
  };
  std::vector<Edge> edges;
  std::vector<Edge> clashes;
  auto const add = [&](Vertex u, Vertex v) {
    rows[u].push_back(v);
    rows[v].push_back(u);
    edges.emplace_back(u, v);
  };
  for (std::size_t i = 0; i < stubs.size(); i += 2) {
    if (is_new(stubs[i], stubs[i + 1])) {
      add(stubs[i], stubs[i + 1]);
    } else {
      clashes.emplace_back(stubs[i], stubs[i + 1]);
    }
  }
  constexpr int max_tries = 10'000;
  for (auto const& [a, b] : clashes) {
    int tries = 0;
    while (tries < max_tries && !edges.empty()) {
      ++tries;
      auto& edge = edges[random.below(static_cast<std::uint32_t>(edges.size()))];
      auto const [c, d] = edge;
      bool const differ = a != c || b != d;
      if (is_new(a, d) && is_new(c, b) && differ && !(a == b && c == d)) {
        rows[c].erase(std::find(rows[c].begin(), rows[c].end(), d));
        rows[d].erase(std::find(rows[d].begin(), rows[d].end(), c));
        edge = edges.back();
        edges.pop_back();
        add(a, d);
        add(c, b);
        break;
      }
    }
    if (tries == max_tries || edges.empty()) {
      return {};
    }
  }
  return edges;
}

/// For more than half of all edges: the complement of a regular graph of lower degree.
inline std::vector<Edge> random_regular(Workload const& workload) {
  std::size_t const n = workload.n;
  auto const wanted = static_cast<std::size_t>(workload.degree);
  std::size_t const degree = std::min(wanted, n - 1 - wanted);
  std::vector<Edge> edges;
  for (std::uint64_t attempt = 0; edges.size() < n * degree / 2; ++attempt) {
    edges = try_regular(n, degree, RandomStream(workload.seed, attempt));
  }
  if (degree == wanted) {
    return edges;
  }
  HostGraph const sparse = make_graph(n, edges).graph;
  edges.clear();
  for (Vertex v = 0; v < n; ++v) {
    auto const row = sparse.neighbours(v);
    for (Vertex u = v + 1; u < n; ++u) {
      if (!std::binary_search(row.begin(), row.end(), u)) {
        edges.emplace_back(v, u);
      }
    }
  }
  return edges;
}

/// Sorts the points into cells at least as wide as the radius, so that the neighbours of a point
/// lie in its cell or in adjacent cells.
inline std::vector<Edge> geometric(Workload const& workload) {
  std::size_t const n = workload.n;
  constexpr double unit = 0x1p32;
  double const radius = std::min(
      unit, unit * std::sqrt(workload.degree / (std::numbers::pi * static_cast<double>(n))));
  auto const reach = static_cast<std::uint64_t>(radius);
  std::uint64_t const width = std::max<std::uint64_t>(
      std::max<std::uint64_t>(reach, 1),
      static_cast<std::uint64_t>(unit / (1 + std::sqrt(static_cast<double>(n)))));
  std::uint64_t const columns = (std::uint64_t{1} << 32) / width + 1;

  RandomStream random(workload.seed, 0);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> points(n);
  std::vector<std::size_t> begin(columns * columns + 1, 0);
  auto const cell = [&](std::size_t v) {
    return points[v].first / width * columns + points[v].second / width;
  };
  for (std::size_t v = 0; v < n; ++v) {
    std::uint64_t const draw = random.next();
    points[v] = {draw >> 32, draw & 0xFFFFFFFFu};
    ++begin[cell(v) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  std::vector<Vertex> by_cell(n);
  for (std::size_t v = 0; v < n; ++v) {
    by_cell[next[cell(v)]++] = static_cast<Vertex>(v);
  }
  auto const squared_difference = [](std::uint64_t a, std::uint64_t b) {
    double const difference = a < b ? static_cast<double>(b - a) : static_cast<double>(a - b);
    return difference * difference;
  };
  std::vector<Edge> edges;
  for (std::size_t v = 0; v < n; ++v) {
    std::uint64_t const row = points[v].first / width;
    std::uint64_t const column = points[v].second / width;
    for (std::uint64_t r = row - (row > 0 ? 1 : 0); r <= std::min(row + 1, columns - 1); ++r) {
      std::uint64_t const from = r * columns + column - (column > 0 ? 1 : 0);
      std::uint64_t const to = r * columns + std::min(column + 1, columns - 1);
      for (std::size_t i = begin[from]; i < begin[to + 1]; ++i) {
        Vertex const u = by_cell[i];
        if (u < v && squared_difference(points[u].first, points[v].first) +
                             squared_difference(points[u].second, points[v].second) <=
                         radius * radius) {
          edges.emplace_back(static_cast<Vertex>(v), u);
        }
      }
    }
  }
  return edges;
}

/// An end is vertex floor(n u^3) of the random order, for u uniform on [0, 1). So the first i
/// vertices have a total weight proportional to i^(1/3).
inline std::vector<Edge> power_law(Workload const& workload) {
  auto const n = static_cast<std::uint32_t>(workload.n);
  RandomStream random(workload.seed, 0);
  std::vector<Vertex> order(n);
  std::iota(order.begin(), order.end(), Vertex{0});
  shuffle(order.data(), order.size(), random);
  auto const draw = [&] {
    std::uint64_t const u = random.next() >> 32;
    return order[(((u * u >> 32) * u >> 32) * n) >> 32];
  };
  std::vector<Edge> edges;
  auto const wanted = static_cast<std::size_t>(workload.degree * n / 2);
  constexpr int max_rounds = 100;  // a dense graph may never reach the wanted number of edges
  for (int round = 0; round < max_rounds && edges.size() < wanted; ++round) {
    for (std::size_t missing = wanted - edges.size(); missing > 0; --missing) {
      Vertex const u = draw();
      Vertex const v = draw();
      if (u != v) {
        edges.emplace_back(std::min(u, v), std::max(u, v));
      }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  }
  return edges;
}

inline std::vector<Edge> grid(Workload const& workload) {
  auto columns = static_cast<std::size_t>(std::sqrt(static_cast<double>(workload.n)));
  columns += columns * columns < workload.n ? 1 : 0;
  std::vector<Edge> edges;
  for (std::size_t v = 0; v < workload.n; ++v) {
    if (v % columns != 0) {
      edges.emplace_back(static_cast<Vertex>(v), static_cast<Vertex>(v - 1));
    }
    if (v >= columns) {
      edges.emplace_back(static_cast<Vertex>(v), static_cast<Vertex>(v - columns));
    }
  }
  return edges;
}

inline std::vector<Edge> planted_cover(Workload const& workload) {
  auto const n = static_cast<std::uint32_t>(workload.n);
  auto const cover = static_cast<std::uint32_t>(workload.cover);
  RandomStream random(workload.seed, 0);
  std::vector<Vertex> order(n);
  std::iota(order.begin(), order.end(), Vertex{0});
  shuffle(order.data(), order.size(), random);
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < cover; ++i) {
    edges.emplace_back(order[i], order[cover + i]);
  }
  auto const wanted = static_cast<std::size_t>(workload.degree * n / 2);
  while (cover > 0 && edges.size() < wanted) {
    Vertex const u = order[random.below(cover)];
    Vertex const v = random.below(n);
    if (u != v) {
      edges.emplace_back(u, v);
    }
  }
  return edges;
}

inline std::vector<Edge> edges_of(Workload const& workload) {
  switch (workload.family) {
  case Family::gnp:
    return gnp(workload);
  case Family::random_regular:
    return random_regular(workload);
  case Family::geometric:
    return geometric(workload);
  case Family::power_law:
    return power_law(workload);
  case Family::grid:
    return grid(workload);
  case Family::planted_cover:
    return planted_cover(workload);
  case Family::many_components:
    return many_components(workload);
  }
  return {};
}

}  // namespace detail

/// Generates the graph of `workload` on the host; to_views() copies it to a device. Rows are
/// sorted. See Family for the families.
///
/// Cost:   near-linear in vertices and edges.
/// Throws: taper::Error if n exceeds max_vertices, or degree is negative or not a number;
///         random_regular: if degree is not an integer below n, or degree and n are both odd;
///         planted_cover: if cover > n / 2; many_components: if component_size is 0.
inline HostGraph generate(Workload const& workload) {
  std::string const function = "taper::vertex_cover::generate";
  std::ostringstream degree;  // prints 3; std::to_string() gives 3.000000
  degree << workload.degree;
  double const n = static_cast<double>(workload.n);
  TAPER_REQUIRE(workload.n < 0xFFFFFFFFu, function + ": n = " + std::to_string(workload.n) +
                                              " exceeds the maximum of 4294967294 vertices");
  TAPER_REQUIRE(workload.degree >= 0 && workload.degree <= 0x1p32,
                function + ": degree = " + degree.str() + " must be a number from 0 to 2^32");
  if (workload.n == 0) {
    return {};
  }
  TAPER_REQUIRE(workload.family != Family::random_regular ||
                    (workload.degree == std::floor(workload.degree) && workload.degree < n &&
                     std::fmod(workload.degree * n, 2) == 0),
                function +
                    ": the random_regular family needs an integer degree below n, not both "
                    "odd, but degree = " +
                    degree.str() + " and n = " + std::to_string(workload.n));
  TAPER_REQUIRE(workload.family != Family::planted_cover || workload.cover <= workload.n / 2,
                function + ": the planted_cover family needs cover <= n / 2, but cover = " +
                    std::to_string(workload.cover) + " and n = " + std::to_string(workload.n));
  TAPER_REQUIRE(workload.family != Family::many_components || workload.component_size >= 1,
                function + ": the many_components family needs component_size >= 1");
  return make_graph(workload.n, detail::edges_of(workload)).graph;
}

}  // namespace taper::vertex_cover
