// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/polling.hpp>
#include <taper/vertex_cover/paper/small_search.hpp>
#include <vertex_cover/paper_graphs.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
namespace paper = taper::vertex_cover::paper;
namespace oracle = taper::testing;

/// What a search gave away: a branch, below which `taken` are taken.
template <unsigned Words>
struct Given {
  typename paper::SmallGraph<Words>::Branch branch;
  paper::VertexSet<Words> taken;
};

/// Others who know no better cover, and take over branches as long as there is room for them.
template <class Space, unsigned Words>
struct Greedy {
  using Memory = typename Space::memory_space;

  Kokkos::View<Given<Words>*, Memory> given;
  Kokkos::View<std::uint32_t[3], Memory> counts;  ///< parts, branches given, nodes visited
  std::uint32_t patience;                         ///< nodes after which the search is to leave

  KOKKOS_FUNCTION paper::Wish visited(std::uint32_t more, std::uint32_t all) const {
    counts(2) += more;
    if (counts(2) != all) {
      Kokkos::abort("the nodes visited are counted twice, or not at all");
    }
    return given.extent(0) == 0    ? paper::Wish::none
           : counts(2) >= patience ? paper::Wish::leave
                                   : paper::Wish::share;
  }
  KOKKOS_FUNCTION void fell_apart(std::uint32_t parts) const { counts(0) += parts; }
  KOKKOS_FUNCTION void found(std::uint32_t, paper::VertexSet<Words> const&) const {}
  KOKKOS_FUNCTION std::uint32_t best() const { return taper::nothing; }
  KOKKOS_FUNCTION bool give(std::uint32_t lane,
                            typename paper::SmallGraph<Words>::Branch const& branch,
                            paper::VertexSet<Words> const& taken) const {
    using Warp = taper::Lanes<Space>;
    bool const fits = Warp::flags(lane == 0 && counts(1) < given.extent(0)) != 0;
    if (fits && lane == 0) {
      given(counts(1)++) = {branch, taken};
    }
    return fits;
  }
};

/// Others who have the search given up.
struct Impatient {
  KOKKOS_FUNCTION paper::Wish visited(std::uint32_t, std::uint32_t) const {
    return paper::Wish::give_up;
  }
  KOKKOS_FUNCTION void fell_apart(std::uint32_t) const {}
  template <class Set>
  KOKKOS_FUNCTION void found(std::uint32_t, Set const&) const {}
  KOKKOS_FUNCTION std::uint32_t best() const { return taper::nothing; }
  template <class Branch, class Set>
  KOKKOS_FUNCTION bool give(std::uint32_t, Branch const&, Set const&) const {
    return false;
  }
};

/// One team searches one graph for a cover of less than `best`.
template <class Space, unsigned Words, class Others>
struct SearchOne {
  using Graph = paper::SmallGraph<Words>;
  using Memory = typename Space::memory_space;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  Kokkos::View<Graph, Memory> graph;
  Others others;
  std::uint32_t vertices;
  std::uint32_t best;
  bool components;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto& here = *static_cast<Graph*>(team.team_shmem().get_shmem_aligned(sizeof(Graph), 16));
    Kokkos::single(Kokkos::PerTeam(team), [&]() { here = graph(); });
    team.team_barrier();
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, +taper::Lanes<Space>::count), [&](std::uint32_t lane) {
          paper::SmallSearch<Space, Words>::run(here, lane, vertices, best, components, others);
        });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&]() { graph() = here; });
  }
};

template <class Space>
struct PaperSmall : ::testing::Test {
  Space space;

  template <unsigned Words>
  void expect_minimum(vc::HostGraph const& graph) {
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (bool const components : {false, true}) {
      for (std::size_t const best : {minimum, minimum + 1, minimum + 3, graph.vertices() + 1}) {
        expect_minimum_of_all<Words>(graph, minimum, best, components, 0, 0);
      }
      for (std::size_t const room : {3, 200}) {
        for (std::uint32_t const patience : {32u, 96u, ~0u}) {
          expect_minimum_of_all<Words>(graph, minimum, graph.vertices() + 1, components, room,
                                       patience);
        }
      }
    }
  }

  template <unsigned Words>
  Kokkos::View<paper::SmallGraph<Words>, typename Space::memory_space>
  graph_view(vc::HostGraph const& graph) {
    Kokkos::View<paper::SmallGraph<Words>, typename Space::memory_space> const here("test::small");
    auto const host = Kokkos::create_mirror_view(here);
    for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
      host().rows[v] = paper::VertexSet<Words>::none();
      for (vc::Vertex const w : graph.neighbours(v)) {
        host().rows[v].insert(w);
      }
    }
    Kokkos::deep_copy(space, here, host);
    space.fence("test: the host's graph may go");
    return here;
  }

  template <unsigned Words, class Others>
  void search(Kokkos::View<paper::SmallGraph<Words>, typename Space::memory_space> const& graph,
              Others const& others, std::uint32_t n, std::size_t best, bool components) {
    Kokkos::TeamPolicy<Space> policy(space, 1, 1, taper::Lanes<Space>::count);
    policy.set_scratch_size(
        0, Kokkos::PerTeam(static_cast<int>(sizeof(paper::SmallGraph<Words>) + 16)));
    Kokkos::parallel_for("test::search", policy,
                         SearchOne<Space, Words, Others>{
                             graph, others, n, static_cast<std::uint32_t>(best), components});
  }

  /// The least cover below `best` is found, or is below one of the branches that are given away.
  template <unsigned Words>
  void expect_minimum_of_all(vc::HostGraph const& graph, std::size_t minimum, std::size_t best,
                             bool components, std::size_t room, std::uint32_t patience) {
    using Graph = paper::SmallGraph<Words>;
    using Memory = typename Space::memory_space;
    auto const n = static_cast<std::uint32_t>(graph.vertices());
    ASSERT_LE(n, Graph::room);
    std::string const about = std::to_string(n) + " vertices, below " + std::to_string(best) +
                              ", room for " + std::to_string(room) + ", to leave after " +
                              std::to_string(patience);
    Kokkos::View<Graph, Memory> const here = graph_view<Words>(graph);
    Greedy<Space, Words> const others{Kokkos::View<Given<Words>*, Memory>("test::given", room),
                                      Kokkos::View<std::uint32_t[3], Memory>("test::counts"),
                                      patience};
    auto const host = Kokkos::create_mirror_view(here);
    search(here, others, n, best, components);
    Kokkos::deep_copy(space, host, here);
    auto const counts = Kokkos::create_mirror_view(others.counts);
    Kokkos::deep_copy(space, counts, others.counts);
    auto const given = Kokkos::create_mirror_view(others.given);
    Kokkos::deep_copy(space, given, others.given);
    space.fence("test: the search is done");

    auto const in_set = [&](paper::VertexSet<Words> const& set) {
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
      auto const& [branch, taken] = given(i);
      std::vector<std::uint8_t> left = in_set(branch.live);
      // With what the branch leaves in the cover, all else is covered.
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
    if (room == 0) {
      EXPECT_EQ(host().size < best, minimum < best) << about;
    }
    EXPECT_EQ(counts(2), host().nodes) << about;
    EXPECT_GE(counts(0), 2 * host().splits) << about;
    EXPECT_TRUE(components || host().splits == 0) << about;
    was_given += counts(1);
  }

  std::size_t was_given = 0;

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
  EXPECT_GT(this->was_given, 0u);
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

/// A search that is given up has found nothing, whatever it knew by then; one that ends before has.
TYPED_TEST(PaperSmall, given_up) {
  using Memory = typename TypeParam::memory_space;
  std::mt19937_64 random(4);
  for (std::size_t const n : {9, 90}) {
    auto const graph = oracle::nearly_regular_graph(n, 5, random);
    Kokkos::View<paper::SmallGraph<2>, Memory> const here = this->template graph_view<2>(graph);
    this->search(here, Impatient{}, static_cast<std::uint32_t>(n), n, true);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, here);
    EXPECT_EQ(host().cover.empty(), n == 90);
    EXPECT_EQ(host().nodes == 8, n == 90);
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
