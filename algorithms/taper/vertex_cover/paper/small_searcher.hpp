// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/lanes.hpp>
#include <taper/vertex_cover/paper/small_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// The search of a SmallGraph to its end, by the lanes of one warp, or by a host's thread: a lane looks
/// at a vertex or two, and what all of them find is a set that each lane has in its registers. The same
/// rules in the same order as for larger graphs.
///
/// Parts are solved one after the other, the largest at last and as what remains of the node itself, so
/// that each may take no more than the others have left. From time to time, if somebody is idle, the
/// oldest branch of the whole graph that waits is given away, and the best cover known is looked up.
/// Equivalent to: Algorithm 2.
template <ExecutionSpace Exec, unsigned Words>
class SmallSearch {
 public:
  using Graph = SmallGraph<Words>;
  using Set = typename Graph::Set;

  /// Called by all lanes together, with a graph in team scratch. `others` work at the same larger graph:
  ///   visited(more, all)  so many nodes more are done, now so many; says what others wish. By one lane.
  ///   fell_apart(parts)  a node fell into so many parts. By one lane.
  ///   found(lane, cover)  the graph has this cover. By all lanes.
  ///   best()           covers of less than so many vertices are still looked for. By one lane.
  ///   give(lane, branch, taken)  whether they take over a branch, below which `taken` are taken; without
  ///                    a vertex, that is all that is left of a node. By all lanes.
  template <class Others>
  KOKKOS_FUNCTION TAPER_NOINLINE static void run(Graph& its_graph, std::uint32_t lane,
                                                 std::uint32_t vertices, std::uint32_t best,
                                                 bool components, Others const& others) {
    Graph& graph = in_scratch(its_graph);
    SmallSearch search{graph, lane, components, Set::first_of_all(vertices), best};
    search.explore(others);
    if (lane == 0) {
      others.visited(search.nodes_ % nodes_a_look, search.nodes_);
      graph.cover = search.best_cover_;
      graph.size = search.best_;
      graph.nodes = search.nodes_;
      graph.splits = search.splits_;
    }
  }

 private:
  using Warp = Lanes<Exec>;
  enum class Verdict { hopeless, covered, open };

  struct Survey {
    std::uint32_t top;  ///< the greatest degree, and under it the complement of its first vertex
    std::uint32_t degrees;
    KOKKOS_FUNCTION std::uint32_t top_degree() const { return top >> 8; }
    KOKKOS_FUNCTION std::uint32_t top_vertex() const { return ~top & 0xFF; }
  };
  static_assert(Set::room <= 256);
  static constexpr std::uint32_t nodes_a_look = 8;

  KOKKOS_FUNCTION SmallSearch(Graph& graph, std::uint32_t lane, bool components, Set const& all,
                              std::uint32_t best)
      : graph_(graph), lane_(lane), components_(components), live_(all), taken_(Set::none()),
        cover_(0), touched_(all), shaken_(all), own_(all), best_cover_(Set::none()), best_(best) {}

  /// `what` for the lane's share of a set.
  template <class Do>
  KOKKOS_FUNCTION void each_of(Set const& set, Do const& what) const {
    if constexpr (Warp::count == 1) {
      for (unsigned i = 0; i < Words; ++i) {
        for (std::uint64_t left = set.word[i]; left != 0; left &= left - 1) {
          what(64 * i +
               static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(left)));
        }
      }
    } else {
      for (unsigned i = 0; i < Set::room / Warp::count; ++i) {
        if ((set.word[i / 2] >> (i % 2 * 32 + lane_) & 1) != 0) {
          what(i * Warp::count + lane_);
        }
      }
    }
  }

  /// Those of a set that fulfil a condition.
  template <class Condition>
  KOKKOS_FUNCTION Set those_of(Set const& set, Condition const& holds) const {
    Set found = Set::none();
    if constexpr (Warp::count == 1) {
      each_of(set, [&](std::uint32_t v) {
        if (holds(v)) {
          found.insert(v);
        }
      });
    } else {
      for (unsigned i = 0; i < Set::room / Warp::count; ++i) {
        bool const in = (set.word[i / 2] >> (i % 2 * 32 + lane_) & 1) != 0;
        std::uint64_t const bits = Warp::flags(in && holds(i * Warp::count + lane_));
        found.word[i / 2] |= bits << i % 2 * 32;
      }
    }
    return found;
  }

  /// The union of the lanes' sets.
  KOKKOS_FUNCTION static Set together(Set set) {
    if constexpr (Warp::count > 1) {
      for (std::uint64_t& word : set.word) {
        std::uint64_t const low = Warp::or_of(static_cast<std::uint32_t>(word));
        std::uint64_t const high = Warp::or_of(static_cast<std::uint32_t>(word >> 32));
        word = high << 32 | low;
      }
    }
    return set;
  }

  KOKKOS_FUNCTION Set neighbours(std::uint32_t v) const { return graph_.rows[v] & live_; }

  /// Who is adjacent to one of them.
  KOKKOS_FUNCTION Set beside(Set const& vertices) const {
    Set found = Set::none();
    each_of(vertices, [&](std::uint32_t v) { found |= graph_.rows[v]; });
    return together(found);
  }

  // From node to node: small_search.hpp
  template <class Others>
  KOKKOS_FUNCTION void explore(Others const& others);

  // The rules: small_reductions.hpp
  KOKKOS_FUNCTION void take(Set const& vertices);
  KOKKOS_FUNCTION Verdict reduce(Survey& survey);
  KOKKOS_FUNCTION void reduce_touched();
  KOKKOS_FUNCTION Survey look();
  KOKKOS_FUNCTION Set around_simple(Set const& simple) const;

  // Branches, and others who take them over: small_branches.hpp
  KOKKOS_FUNCTION std::uint32_t first_branch() const;
  KOKKOS_FUNCTION void branch(std::uint32_t vertex);
  KOKKOS_FUNCTION void second_branch();
  template <class Others>
  KOKKOS_FUNCTION bool look_around(Others const& others);
  template <class Others>
  KOKKOS_FUNCTION bool give(Others const& others, typename Graph::Branch const& branch) const;

  // Parts: small_parts.hpp
  KOKKOS_FUNCTION bool falls_apart();
  KOKKOS_FUNCTION Set reached_from(std::uint32_t start, Set const& enough) const;
  KOKKOS_FUNCTION std::uint32_t degrees_of(Set const& part) const;
  KOKKOS_FUNCTION static bool is_solved_at_once(std::uint32_t degrees, std::uint32_t size);
  KOKKOS_FUNCTION void solve_at_once(Set part, std::uint32_t degrees);
  KOKKOS_FUNCTION void begin_parts();
  KOKKOS_FUNCTION bool end_part();
  template <class Others>
  KOKKOS_FUNCTION Verdict next_part(Others const& others);

  Graph& graph_;
  std::uint32_t const lane_;
  bool const components_;
  // The node.
  Set live_;
  Set taken_;            ///< by it and, in other parts, by all above it
  std::uint32_t cover_;  ///< how many of these are in the component
  Set touched_;          ///< who has lost an edge since the rules were applied, and others
  Set shaken_;  ///< who has lost an edge since the graph was seen to be connected, and others
  // The component of which it is a node.
  Set own_;
  Set best_cover_;      ///< empty: none that is smaller than `best_`
  std::uint32_t best_;  ///< smaller ones are looked for
  std::uint32_t branches_ = 0;
  std::uint32_t given_ = 0;  ///< of the first branches, those that others have got
  std::uint32_t parted_ = 0;
  std::uint32_t nodes_ = 0;
  std::uint32_t splits_ = 0;
};

}  // namespace taper::vertex_cover::paper
