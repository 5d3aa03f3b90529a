// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/atomics.hpp>
#include <taper/vertex_cover/component_search/small_reductions.hpp>
#include <taper/vertex_cover/component_search/small_search.hpp>
#include <vertex_cover/component_graphs.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
namespace component_search = taper::vertex_cover::component_search;
namespace oracle = taper::testing;

/// A branch that a search has handed out. Its cover contains `taken`.
template <unsigned Words>
struct HandedOut {
  typename component_search::SmallGraph<Words>::Branch branch;
  component_search::VertexSet<Words> taken;
};

/// Peers without a better cover. They accept branches until `handed_out` is full. For the
/// interface, see SmallSearch::run().
template <class Space, unsigned Words>
struct AcceptingPeers {
  using Memory = typename Space::memory_space;

  Kokkos::View<HandedOut<Words>*, Memory> handed_out;
  Kokkos::View<std::uint32_t[3], Memory> counts;  ///< components, branches handed out, nodes
  std::uint32_t patience;                         ///< nodes after which they request all branches

  KOKKOS_FUNCTION component_search::Request report_nodes(std::uint32_t more,
                                                         std::uint32_t all) const {
    counts(2) += more;
    if (counts(2) != all) {
      Kokkos::abort("the nodes are not counted exactly once");
    }
    return handed_out.extent(0) == 0 ? component_search::Request::none
           : counts(2) >= patience   ? component_search::Request::share_all
                                     : component_search::Request::share_oldest;
  }
  KOKKOS_FUNCTION void report_split(std::uint32_t parts) const { counts(0) += parts; }
  KOKKOS_FUNCTION void report_cover(std::uint32_t,
                                    component_search::VertexSet<Words> const&) const {}
  KOKKOS_FUNCTION std::uint32_t best() const { return taper::nothing; }
  KOKKOS_FUNCTION bool
  accept_branch(std::uint32_t lane,
                typename component_search::SmallGraph<Words>::Branch const& branch,
                component_search::VertexSet<Words> const& taken) const {
    using Warp = taper::Warp<Space>;
    bool const fits = Warp::ballot(lane == 0 && counts(1) < handed_out.extent(0)) != 0;
    if (fits && lane == 0) {
      handed_out(counts(1)++) = {branch, taken};
    }
    return fits;
  }
};

/// Peers that request the end of the search.
struct AbandoningPeers {
  KOKKOS_FUNCTION component_search::Request report_nodes(std::uint32_t, std::uint32_t) const {
    return component_search::Request::abandon;
  }
  KOKKOS_FUNCTION void report_split(std::uint32_t) const {}
  template <class Set>
  KOKKOS_FUNCTION void report_cover(std::uint32_t, Set const&) const {}
  KOKKOS_FUNCTION std::uint32_t best() const { return taper::nothing; }
  template <class Branch, class Set>
  KOKKOS_FUNCTION bool accept_branch(std::uint32_t, Branch const&, Set const&) const {
    return false;
  }
};

/// One team searches one graph for a cover of less than `best` vertices.
template <class Space, unsigned Words, class Peers>
struct SearchOne {
  using Graph = component_search::SmallGraph<Words>;
  using Memory = typename Space::memory_space;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  Kokkos::View<Graph, Memory> graph;
  Peers peers;
  std::uint32_t vertices;
  std::uint32_t best;
  bool components;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& here = *static_cast<Graph*>(team.team_shmem().get_shmem_aligned(sizeof(Graph), 16));
    Kokkos::single(Kokkos::PerTeam(team), [&]() { here = graph(); });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, +taper::Warp<Space>::count),
                         [&](std::uint32_t lane) {
                           component_search::SmallSearch<Space, Words>::run(
                               here, lane, vertices, best, components, peers);
                         });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&]() { graph() = here; });
  }
};

template <class Space>
struct SmallSearch : ::testing::Test {
  Space space;

  template <unsigned Words>
  void expect_minimum(vc::HostGraph const& graph) {
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (bool const components : {false, true}) {
      for (std::size_t const best : {minimum, minimum + 1, minimum + 3, graph.vertices() + 1}) {
        expect_minimum_of_all<Words>(graph, minimum, best, components, 0, 0);
      }
      for (std::size_t const capacity : {3u, 200u}) {
        for (std::uint32_t const patience : {32u, 96u, ~0u}) {
          expect_minimum_of_all<Words>(graph, minimum, graph.vertices() + 1, components, capacity,
                                       patience);
        }
      }
    }
  }

  template <unsigned Words>
  Kokkos::View<component_search::SmallGraph<Words>, typename Space::memory_space>
  graph_view(vc::HostGraph const& graph) {
    Kokkos::View<component_search::SmallGraph<Words>, typename Space::memory_space> const here(
        "test::small");
    auto const host = Kokkos::create_mirror_view(here);
    for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
      host().rows[v] = component_search::VertexSet<Words>::none();
      for (vc::Vertex const w : graph.neighbours(v)) {
        host().rows[v].insert(w);
      }
    }
    Kokkos::deep_copy(space, here, host);
    space.fence("test: wait for the copy of the graph");
    return here;
  }

  template <unsigned Words, class Peers>
  void search(
      Kokkos::View<component_search::SmallGraph<Words>, typename Space::memory_space> const& graph,
      Peers const& peers, std::uint32_t n, std::size_t best, bool components) {
    Kokkos::TeamPolicy<Space> policy(space, 1, 1, taper::Warp<Space>::count);
    policy.set_scratch_size(
        0, Kokkos::PerTeam(static_cast<int>(sizeof(component_search::SmallGraph<Words>) + 16)));
    Kokkos::parallel_for("test::search", policy,
                         SearchOne<Space, Words, Peers>{
                             graph, peers, n, static_cast<std::uint32_t>(best), components});
  }

  /// The search finds a minimum cover of less than `best` vertices, or hands out a branch that
  /// contains one.
  template <unsigned Words>
  void expect_minimum_of_all(vc::HostGraph const& graph, std::size_t minimum, std::size_t best,
                             bool components, std::size_t capacity, std::uint32_t patience) {
    using Graph = component_search::SmallGraph<Words>;
    using Memory = typename Space::memory_space;
    auto const n = static_cast<std::uint32_t>(graph.vertices());
    ASSERT_LE(n, Graph::capacity);
    std::string const about = std::to_string(n) + " vertices, below " + std::to_string(best) +
                              ", capacity " + std::to_string(capacity) + ", patience " +
                              std::to_string(patience);
    Kokkos::View<Graph, Memory> const here = graph_view<Words>(graph);
    AcceptingPeers<Space, Words> const peers{
        Kokkos::View<HandedOut<Words>*, Memory>("test::handed_out", capacity),
        Kokkos::View<std::uint32_t[3], Memory>("test::counts"), patience};
    auto const host = Kokkos::create_mirror_view(here);
    search(here, peers, n, best, components);
    Kokkos::deep_copy(space, host, here);
    auto const counts = Kokkos::create_mirror_view(peers.counts);
    Kokkos::deep_copy(space, counts, peers.counts);
    auto const handed_out = Kokkos::create_mirror_view(peers.handed_out);
    Kokkos::deep_copy(space, handed_out, peers.handed_out);
    space.fence("test: wait for the search");

    auto const in_set = [&](component_search::VertexSet<Words> const& set) {
      std::vector<std::uint8_t> in;
      for (vc::Vertex v = 0; v < n; ++v) {
        in.push_back(set.has(v) ? 1 : 0);
      }
      return in;
    };
    std::size_t least = best;
    if (host().size < best) {
      EXPECT_EQ(host().cover.size(), host().size) << about;
      EXPECT_TRUE(oracle::covers(graph, in_set(host().cover))) << about;
      least = host().size;
    }
    for (std::uint32_t i = 0; i < counts(1); ++i) {
      auto const& [branch, taken] = handed_out(i);
      std::vector<std::uint8_t> left = in_set(branch.live);
      // All edges outside the branch are covered.
      EXPECT_TRUE(oracle::covers(graph, in_set(taken | branch.live))) << about;
      std::size_t cover = taken.size();
      if (branch.vertex != taper::nothing) {
        EXPECT_EQ(left[branch.vertex], 1) << about;
        left[branch.vertex] = 0;
        ++cover;
      }
      least = std::min(least, cover + oracle::CoverOracle(graph, left).minimum());
    }
    EXPECT_EQ(least, std::min(minimum, best)) << about;
    if (capacity == 0) {
      EXPECT_EQ(host().size < best, minimum < best) << about;
    }
    EXPECT_EQ(counts(2), host().nodes) << about;
    EXPECT_GE(counts(0), 2 * host().splits) << about;
    EXPECT_TRUE(components || host().splits == 0) << about;
    total_handed_out += counts(1);
  }

  std::size_t total_handed_out = 0;

  void expect_minimum_in_any_width(vc::HostGraph const& graph) {
    if (graph.vertices() <= 64) {
      expect_minimum<1>(graph);
    }
    expect_minimum<2>(graph);
  }
};
TYPED_TEST_SUITE(SmallSearch, oracle::Backends, oracle::BackendNames);

TYPED_TEST(SmallSearch, RandomGraphs) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 60 && !this->HasFailure(); ++i) {
    auto const n = 2 + static_cast<std::size_t>(random() % 40);
    this->expect_minimum_in_any_width(oracle::gnp_graph(n, 0.04 + 0.03 * (i % 20), random));
  }
  for (std::size_t n = 44; n <= 84 && !this->HasFailure(); n += 8) {
    this->expect_minimum_in_any_width(oracle::nearly_regular_graph(n, 3, random));
  }
  EXPECT_GT(this->total_handed_out, 0u);
}

/// Nested components, on both sides of a word boundary.
TYPED_TEST(SmallSearch, GraphsThatSplitAgainAndAgain) {
  std::mt19937_64 random(2);
  for (unsigned i = 0; i < 10 && !this->HasFailure(); ++i) {
    this->expect_minimum_in_any_width(oracle::nested_graph(3, 2, 7 + i % 7, random));
    this->expect_minimum_in_any_width(oracle::nested_graph(2, 4, 4 + i % 3, random));
    this->expect_minimum_in_any_width(oracle::chained_graph(2 + i % 2, 3, random));
  }
}

/// Cliques and cycles among other components, from the start and after the first branch.
TYPED_TEST(SmallSearch, CliquesAndCyclesAmongOtherComponents) {
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 12 && !this->HasFailure(); ++i) {
    auto const parts = oracle::side_by_side(
        {oracle::ring_graph(4 + i), oracle::petersen_graph(), oracle::complete_graph(3 + i),
         oracle::nearly_regular_graph(12 + i, 3, random), oracle::ring_graph(2 * i + 3)});
    this->expect_minimum_in_any_width(parts);
    this->expect_minimum_in_any_width(oracle::with_hub(parts));
  }
}

/// The small graph is solved before the first request, the large one is not.
TYPED_TEST(SmallSearch, AnAbandonedSearchReportsNoCover) {
  using Memory = typename TypeParam::memory_space;
  std::mt19937_64 random(4);
  for (std::size_t const n : {9u, 90u}) {
    auto const graph = oracle::nearly_regular_graph(n, 5, random);
    Kokkos::View<component_search::SmallGraph<2>, Memory> const here =
        this->template graph_view<2>(graph);
    this->search(here, AbandoningPeers{}, static_cast<std::uint32_t>(n), n, true);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, here);
    EXPECT_EQ(host().cover.empty(), n == 90);
    EXPECT_EQ(host().nodes == 8, n == 90);
  }
}

TYPED_TEST(SmallSearch, KnownGraphs) {
  for (vc::Vertex const n : {1u, 2u, 3u, 63u, 64u, 65u, 127u, 128u}) {
    this->template expect_minimum<2>(oracle::complete_graph(n));
    this->template expect_minimum<2>(oracle::graph_of(n, {}));
    if (n > 2) {
      this->template expect_minimum<2>(oracle::ring_graph(n));
    }
  }
}

}  // namespace
