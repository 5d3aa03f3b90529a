// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/vertex_cover/component_search/registry.hpp>
#include <taper/vertex_cover/component_search/root_reduction.hpp>
#include <taper/vertex_cover/component_search/search.hpp>
#include <taper/vertex_cover/component_search/search_run.hpp>
#include <taper/vertex_cover/graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/matching.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Component search. Source: Amro, Fakhri, Mouawad and El Hajj, "Faster Vertex Cover Algorithms on
// GPUs with Component-Aware Parallel Branching", IEEE Transactions on Parallel and Distributed
// Systems 37 (2), 2026. Sections, algorithms and tables in the comments of this folder are the
// paper's. Mode::published has only its rules. Mode::yamout is the search that it improves on.
// Mode::component_search adds Taper's: see ComponentSearchOptions.
//
// - root_reduction.hpp, crowns.hpp: the greedy cover and the reductions at the root, on the host
// - search_state.hpp: the data of a task, a search and its nodes
// - registry.hpp: the component branch registry
// - index_pool.hpp: the free entries of the registry, and the free slots for stored nodes
// - team_graph.hpp, reductions.hpp, components.hpp: the degree array that a team works on
// - small_graph.hpp, small_search.hpp, small_reductions.hpp: small graphs as bit sets
// - team_search.hpp, search_node.hpp, component_branches.hpp, small_solve.hpp: the search of a team
// - search.hpp, search_run.hpp: the kernel and its launches

namespace taper::vertex_cover::component_search {

/// A task, and how its solution extends to the input graph.
struct Problem {
  Task task;
  std::vector<Vertex> original;        ///< per vertex of the task: its number in the input
  std::vector<std::uint8_t> in_cover;  ///< per vertex of the input: taken by the root's reductions
  std::uint64_t taken = 0;             ///< the number of taken vertices
  std::size_t component_count = 1;     ///< components of the task's graph
  HostCover greedy;                    ///< the greedy cover of the task's graph
  std::uint64_t lower_bound = 0;       ///< of the covers of the input
};

inline HostGraph with_sorted_rows(HostGraph graph) {
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    std::sort(graph.entries.begin() + static_cast<std::ptrdiff_t>(graph.offsets[v]),
              graph.entries.begin() + static_cast<std::ptrdiff_t>(graph.offsets[v + 1]));
  }
  return graph;
}

/// A problem without reductions at the root (option `induce: false`).
inline Problem whole_problem(HostGraph const& graph) {
  Problem problem;
  problem.task.graph = graph;
  problem.original.resize(graph.vertices());
  std::iota(problem.original.begin(), problem.original.end(), Vertex{0});
  problem.in_cover.assign(graph.vertices(), 0);
  problem.task.roots = {{0, static_cast<std::uint32_t>(graph.vertices()), Action::examine}};
  return problem;
}

/// One root per component, the largest first. `component_begin`: see InducedGraph. Components that
/// are small compared with the largest share roots. Reason: every root has a row of covers as long
/// as the largest root needs, and all these rows must take at most 8 bytes per vertex.
inline std::vector<RootComponent> roots_of(std::vector<Vertex> const& component_begin) {
  std::vector<RootComponent> roots;
  for (std::size_t i = 0; component_begin[i] < component_begin.back();) {
    Vertex const base = component_begin[i];
    std::size_t end = i + 1;
    while (component_begin[end] < component_begin.back() &&
           component_begin[end] - base < component_begin[1] / 64) {
      ++end;
    }
    roots.push_back(
        {base, component_begin[end] - base, end == i + 1 ? Action::none : Action::examine});
    i = end;
  }
  return roots;
}

/// The problem of the root's reduced graph (Section IV-B). `below`: only covers of the input with
/// fewer vertices are of interest. With `components` and `split_root`: one root per component, else
/// one root in all.
inline Problem reduced_problem(HostGraph const& graph, std::uint64_t below,
                               ComponentSearchOptions const& search, Interrupt& interrupt) {
  RootReduction reduction(graph, below, search.crown);
  reduction.run(interrupt);
  while (search.components && !interrupt.stopped() && reduction.solve_cliques_and_cycles()) {
    reduction.run(interrupt);
  }
  InducedGraph induced = search.split_root ? reduction.induce() : reduction.induce_in_order();
  Problem problem;
  problem.in_cover.resize(graph.vertices());
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    problem.in_cover[v] = reduction.in_cover(v) ? 1 : 0;
  }
  problem.taken = reduction.cover_size();
  problem.original = std::move(induced.original);
  problem.task.graph = std::move(induced.graph);
  problem.component_count = induced.component_begin.size() - 1;
  problem.task.roots = search.components
                           ? roots_of(induced.component_begin)
                           : roots_of({0, static_cast<Vertex>(problem.original.size())});
  return problem;
}

/// The number of vertices of the greedy cover in a root.
inline std::uint64_t greedy_size(Problem const& problem, RootComponent const& root) {
  auto const begin = problem.greedy.in_cover.begin() + root.base;
  return static_cast<std::uint64_t>(std::count(begin, begin + root.size, std::uint8_t{1}));
}

/// Sets the lower bound, and the bound of each root: the size of its greedy cover, or what remains
/// of `below` if all other roots have covers of the size of their lower bounds. If the lower bound
/// reaches `below`, no root needs a bound. Without `use_matchings`, the lower bounds of the roots
/// are 0.
///
/// In the second case the bound need not be the size of a cover. If such a root has no cover with
/// fewer vertices, then the whole graph has no cover with fewer than `below`: the sizes add up to
/// at least `below`.
inline void set_bounds(Problem& problem, std::uint64_t below, bool use_matchings,
                       Interrupt& interrupt) {
  Task& task = problem.task;
  problem.greedy = greedy_cover(task.graph, interrupt);
  std::vector<std::uint32_t> lower_bounds;
  for (RootComponent const& root : task.roots) {
    lower_bounds.push_back(
        use_matchings ? matching_size(task.graph, root.base, root.base + root.size) : 0);
  }
  problem.lower_bound = std::accumulate(lower_bounds.begin(), lower_bounds.end(), problem.taken);
  if (problem.lower_bound >= below) {
    return;
  }
  for (std::size_t i = 0; i < task.roots.size(); ++i) {
    task.bounds.push_back(static_cast<std::uint32_t>(std::min(
        greedy_size(problem, task.roots[i]), below - problem.lower_bound + lower_bounds[i])));
  }
}

/// What the host does before the search (Section IV-B).
inline Problem make_problem(HostGraph const& graph, std::uint64_t below,
                            ComponentSearchOptions const& search, Interrupt& interrupt) {
  Region const region("taper::vertex_cover::reduce");
  Problem problem =
      search.induce ? reduced_problem(graph, below, search, interrupt) : whole_problem(graph);
  set_bounds(problem, below, search.lower_bound_stop, interrupt);
  problem.task.taken = problem.taken;
  problem.task.below = below;
  return problem;
}

/// The result without a search: there are no roots, or a stop or the deadline came first.
inline SearchResult unsearched_result(Task const& task) {
  SearchResult result;
  result.status = task.roots.empty() ? Status::solved : Status::stopped;
  result.sizes = task.bounds;
  result.improved.assign(task.roots.size(), 0);
  return result;
}

/// Counts the root as a branch on components, if the host has found more than one.
inline void count_root_branch(Problem const& problem, ComponentSearchOptions const& search,
                              Report& report) {
  std::size_t const component_count = problem.component_count;
  if (search.components && component_count > 1) {
    ++report.nodes;
    ++report.component_branches;
    if (search.count) {
      report.components_histogram.resize(histogram_bins);
      ++report.components_histogram[std::min<std::size_t>(component_count, histogram_bins - 1)];
    }
  }
}

/// Puts the host's reduction before the activities of the search, and scales those to the rest of
/// the time (Figure 4). `search_s`: seconds of the search; 0 if there was none.
inline void add_host_activity(Report& report, double reduction_s, double search_s) {
  if (report.activities.empty()) {
    search_s = 0;
    for (std::string_view const name : activity_names) {
      report.activities.push_back({name, 0});
    }
  }
  double const whole = reduction_s + search_s;
  for (ActivityShare& activity : report.activities) {
    activity.share *= whole > 0 ? search_s / whole : 0;
  }
  report.activities.insert(report.activities.begin(),
                           {"root on the host", whole > 0 ? reduction_s / whole : 1});
}

/// The cover of the input that a result stands for. A root that has not improved on its bound
/// contributes its greedy cover, since the bound need not be the size of a cover.
inline HostCover lift(Problem const& problem, SearchResult const& result) {
  HostCover cover{problem.in_cover, problem.taken};
  for (std::size_t i = 0; i < problem.task.roots.size(); ++i) {
    RootComponent const& root = problem.task.roots[i];
    bool const improved = result.improved[i] != 0;
    cover.size += improved ? result.sizes[i] : greedy_size(problem, root);
    auto const& source = improved ? result.in_cover : problem.greedy.in_cover;
    for (Vertex v = root.base; v < root.base + root.size; ++v) {
      cover.in_cover[problem.original[v]] = source[v];
    }
  }
  return cover;
}

/// Relaxed stores: values for display, which order no other data.
inline void store_progress(Options const& options, std::uint64_t best, std::uint64_t lower_bound) {
  if (options.progress != nullptr) {
    options.progress->best.store(best, std::memory_order_relaxed);
    options.progress->lower_bound.store(lower_bound, std::memory_order_relaxed);
  }
}

/// Looks for a cover of `graph` with less than `below` vertices. Improves `best`, and fills the
/// report except for what solve() knows. With Options::k any such cover is an answer.
template <ExecutionSpace Exec>
void search_below(Exec const& where, HostGraph const& graph, std::uint64_t below,
                  Options const& options, Interrupt& interrupt, HostCover& best, Report& report) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  ComponentSearchOptions const search = search_options(options);
  bool const has_k = options.k >= 0;
  auto const begin = Clock::now();
  Problem problem = make_problem(graph, below, search, interrupt);
  auto const reduced = Clock::now();
  report.kernel_vertices = problem.task.graph.vertices();
  report.kernel_edges = problem.task.graph.edges();
  report.lower_bound = std::min(problem.lower_bound, below);
  store_progress(options, best.size, report.lower_bound);
  if (problem.lower_bound < below) {
    // A cover of this size ends the search: k, or the lower bound.
    std::uint64_t const target_size = has_k ? below - 1 : problem.lower_bound;
    problem.task.target_size = static_cast<std::uint32_t>(target_size - problem.taken);
    SearchResult result;
    if (problem.task.roots.empty() || interrupt.stopped()) {
      result = unsearched_result(problem.task);
    } else {
      count_root_branch(problem, search, report);
      Region const region("taper::vertex_cover::search");
      result = run_search(where, problem.task, options, interrupt.deadline(), report);
    }
    HostCover found = lift(problem, result);
    if (found.size < best.size) {
      best = std::move(found);
    }
    report.status = best.size <= target_size ? Status::solved : result.status;
  }
  if (search.count) {
    add_host_activity(report, Seconds(reduced - begin).count(),
                      Seconds(Clock::now() - reduced).count());
  }
}

/// Component search: all modes of taper::vertex_cover::solve() but Mode::taper, with the same
/// contract.
///
/// Equivalent to: Algorithm 2 on the root's reduced graph; without `induce`, on the input.
/// Cost: on the host near-linear time, except for the crown rule. On the device exponential time,
///   in launches of about 0.1 s; its memory depends on what is free, see make_plan(). After a stop
///   or the deadline, the host needs linear time, and nothing is searched.
/// Throws: taper::Error if the graph has 2^31 edges or more, or `degree_bits` are too few.
/// Used by: solve_views() of solve_views.hpp.
template <Place P, class Offsets, class Entries, class Cover>
Report solve(P const& place, Graph<Offsets, Entries> const& graph, Cover const& in_cover,
             Options const& options) {
  Interrupt interrupt(options);
  auto const& where = device_of(place);
  HostGraph const host = with_sorted_rows(to_host(where, graph));
  TAPER_REQUIRE(host.entries.size() <= std::numeric_limits<std::uint32_t>::max(),
                "taper::vertex_cover::solve: component search takes graphs of less than 2^31 "
                "edges; this one has " +
                    std::to_string(host.entries.size() / 2));

  Report report;
  HostCover best = greedy_cover(host, interrupt);
  bool const has_k = options.k >= 0;
  auto const k = static_cast<std::uint64_t>(has_k ? options.k : 0);
  if (has_k ? best.size > k : best.size > 0) {
    std::uint64_t const below = has_k ? k + 1 : best.size;  // only smaller covers are of interest
    search_below(where, host, below, options, interrupt, best, report);
    // A solved search without a cover of less than `below` vertices proves that there is none.
    if (report.status == Status::solved) {
      report.lower_bound = has_k ? (best.size > k ? below : report.lower_bound) : best.size;
    }
  } else {
    report.lower_bound = has_k ? 0 : best.size;
  }
  while (!report.components_histogram.empty() && report.components_histogram.back() == 0) {
    report.components_histogram.pop_back();
  }
  report.cover_size = best.size;
  report.found = !has_k || best.size <= k;
  store_progress(options, report.cover_size, report.lower_bound);

  Kokkos::deep_copy(
      where, in_cover,
      Kokkos::View<std::uint8_t const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          best.in_cover.data(), best.in_cover.size()));
  where.fence("taper::vertex_cover::solve: wait for the copy of the cover");
  return report;
}

}  // namespace taper::vertex_cover::component_search
