// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/vertex_cover/paper/small_search.hpp>
#include <vertex_cover/paper_graphs.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
namespace paper = taper::vertex_cover::paper;
namespace oracle = taper::testing;

/// One team searches one graph for a cover of less than `best`.
template <class Space, unsigned Words>
struct SearchOne {
  using Graph = paper::SmallGraph<Words>;
  using Memory = typename Space::memory_space;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  Kokkos::View<Graph, Memory> graph;
  Kokkos::View<std::uint32_t, Memory> parts;
  std::uint32_t vertices;
  std::uint32_t best;
  bool components;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, taper::Lanes<Space>::count), [&](std::uint32_t lane) {
          paper::SmallSearch<Space, Words>::run(graph(), lane, vertices, best, components,
                                                [&](std::uint32_t found) { parts() += found; });
        });
  }
};

template <class Space>
struct PaperSmall : ::testing::Test {
  Space space;

  template <unsigned Words>
  void expect_minimum(vc::HostGraph const& graph) {
    using Graph = paper::SmallGraph<Words>;
    using Memory = typename Space::memory_space;
    auto const n = static_cast<std::uint32_t>(graph.vertices());
    ASSERT_LE(n, Graph::room);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    Kokkos::View<Graph, Memory> const here("test::small");
    Kokkos::View<std::uint32_t, Memory> const parts("test::parts");
    auto const host = Kokkos::create_mirror_view(here);
    for (bool const components : {false, true}) {
      for (std::size_t const best : {minimum, minimum + 1, minimum + 3, graph.vertices() + 1}) {
        for (vc::Vertex v = 0; v < n; ++v) {
          host().rows[v] = paper::VertexSet<Words>::none();
          for (vc::Vertex const w : graph.neighbours(v)) {
            host().rows[v].insert(w);
          }
        }
        Kokkos::deep_copy(space, here, host);
        Kokkos::deep_copy(space, parts, 0);
        Kokkos::parallel_for(
            "test::search", Kokkos::TeamPolicy<Space>(space, 1, 1, taper::Lanes<Space>::count),
            SearchOne<Space, Words>{here, parts, n, static_cast<std::uint32_t>(best), components});
        Kokkos::deep_copy(space, host, here);
        space.fence("test: the search is done");
        std::string const about = std::to_string(n) + " vertices, below " + std::to_string(best);
        if (best <= minimum) {
          EXPECT_TRUE(host().cover.empty()) << about;
          continue;
        }
        EXPECT_EQ(host().size, minimum) << about;
        EXPECT_EQ(host().cover.size(), minimum) << about;
        std::vector<std::uint8_t> in_cover;
        for (vc::Vertex v = 0; v < n; ++v) {
          in_cover.push_back(host().cover.has(v) ? 1 : 0);
        }
        EXPECT_TRUE(oracle::covers(graph, in_cover)) << about;
        auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, parts);
        EXPECT_GE(found(), 2 * host().splits) << about;
        EXPECT_TRUE(components || host().splits == 0) << about;
      }
    }
  }

  void expect_minimum_in_any_width(vc::HostGraph const& graph) {
    if (graph.vertices() <= 64) {
      expect_minimum<1>(graph);
    }
    expect_minimum<2>(graph);
  }
};
TYPED_TEST_SUITE(PaperSmall, oracle::Backends, oracle::BackendNames);

TYPED_TEST(PaperSmall, random_graphs) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60 && !this->HasFailure(); ++i) {
    auto const n = 2 + static_cast<std::size_t>(random() % 40);
    this->expect_minimum_in_any_width(oracle::random_graph(n, 0.04 + 0.03 * (i % 20), random));
  }
  for (std::size_t n = 44; n <= 84 && !this->HasFailure(); n += 8) {
    this->expect_minimum_in_any_width(oracle::nearly_regular_graph(n, 3, random));
  }
}

/// Parts in parts in parts, on both sides of a word's end.
TYPED_TEST(PaperSmall, graphs_that_fall_apart) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10 && !this->HasFailure(); ++i) {
    this->expect_minimum_in_any_width(oracle::nested_graph(3, 2, 7 + i % 7, random));
    this->expect_minimum_in_any_width(oracle::nested_graph(2, 4, 4 + i % 3, random));
    this->expect_minimum_in_any_width(oracle::chained_graph(2 + i % 2, 3, random));
  }
}

/// Cliques and rings between other parts, from the start and after the first branch.
TYPED_TEST(PaperSmall, parts_that_are_solved_at_once) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 12 && !this->HasFailure(); ++i) {
    std::vector<vc::Edge> edges;
    vc::Vertex next = 0;
    oracle::append(edges, oracle::ring_graph(4 + i), next);
    oracle::append(edges, oracle::petersen_graph(), next);
    oracle::append(edges, oracle::complete_graph(3 + i), next);
    oracle::append(edges, oracle::nearly_regular_graph(12 + i, 3, random), next);
    oracle::append(edges, oracle::ring_graph(2 * i + 3), next);
    this->expect_minimum_in_any_width(oracle::graph_of(next, edges));
    for (vc::Vertex v = 0; v < next; ++v) {
      edges.emplace_back(v, next);
    }
    this->expect_minimum_in_any_width(oracle::graph_of(next + 1, edges));
  }
}

TYPED_TEST(PaperSmall, known_shapes) {
  for (vc::Vertex const n : {1u, 2u, 3u, 63u, 64u, 65u, 127u, 128u}) {
    this->template expect_minimum<2>(oracle::complete_graph(n));
    this->template expect_minimum<2>(oracle::graph_of(n, {}));
    if (n > 2) {
      this->template expect_minimum<2>(oracle::ring_graph(n));
    }
  }
}

}  // namespace
