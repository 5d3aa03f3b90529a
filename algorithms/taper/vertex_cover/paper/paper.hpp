// SPDX-License-Identifier: Apache-2.0
#pragma once

// The paper's algorithm: Amro, Fakhri, Mouawad and El Hajj, "Faster Vertex Cover Algorithms on GPUs
// with Component-Aware Parallel Branching". In the order in which the data flows:

// The upper bound from which everything starts.
#include <taper/vertex_cover/paper/greedy.hpp>
// The reductions at the root, and the graph that they leave.
#include <taper/vertex_cover/paper/root.hpp>
// The search: the component branch registry, the kernel with all that a team does, its launches.
#include <taper/vertex_cover/paper/registry.hpp>
#include <taper/vertex_cover/paper/run.hpp>
#include <taper/vertex_cover/paper/search.hpp>

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/region.hpp>
#include <taper/vertex_cover/graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/matching.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace taper::vertex_cover::paper {

/// What is to be searched, and what it means for the whole graph.
struct Problem {
  Task task;
  std::vector<Vertex> original;        ///< the task's vertices in the input
  std::vector<std::uint8_t> in_cover;  ///< of the input: what the root's reductions have taken
  std::uint64_t taken = 0;
  std::size_t components = 1;     ///< into which the task's graph fell apart on the host
  GreedyCover greedy;             ///< of the task's graph
  std::uint64_t lower_bound = 0;  ///< of all covers that are looked for
};

inline HostGraph with_sorted_rows(HostGraph graph) {
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    std::sort(graph.entries.begin() + static_cast<std::ptrdiff_t>(graph.offsets[v]),
              graph.entries.begin() + static_cast<std::ptrdiff_t>(graph.offsets[v + 1]));
  }
  return graph;
}

/// The input as it is.
inline Problem whole_problem(HostGraph const& graph) {
  Problem problem;
  problem.task.graph = graph;
  problem.original.resize(graph.vertices());
  std::iota(problem.original.begin(), problem.original.end(), Vertex{0});
  problem.in_cover.assign(graph.vertices(), 0);
  problem.task.roots = {{0, static_cast<std::uint32_t>(graph.vertices()), Action::examine}};
  return problem;
}

/// A root for each component, the largest first. What is small beside the largest shares one: every
/// root has rows in the registry that are as long as the largest needs, and these are to take no more
/// memory than 8 bytes a vertex.
inline std::vector<Root> roots_of(std::vector<Vertex> const& component_at) {
  std::vector<Root> roots;
  for (std::size_t i = 0; component_at[i] < component_at.back();) {
    Vertex const base = component_at[i];
    std::size_t end = i + 1;
    while (component_at[end] < component_at.back() &&
           component_at[end] - base < component_at[1] / 64) {
      ++end;
    }
    roots.push_back(
        {base, component_at[end] - base, end == i + 1 ? Action::none : Action::examine});
    i = end;
  }
  return roots;
}

inline Problem reduced_problem(HostGraph const& graph, std::uint64_t below, bool components,
                               Interrupt& interrupt) {
  RootReduction reduction(graph, below);
  reduction.run(interrupt);
  if (components) {
    reduction.solve_cliques_and_cycles();
  }
  InducedGraph induced = reduction.induce();
  Problem problem;
  problem.in_cover.resize(graph.vertices());
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    problem.in_cover[v] = reduction.in_cover(v) ? 1 : 0;
  }
  problem.taken = reduction.cover_size();
  problem.original = std::move(induced.original);
  problem.task.graph = std::move(induced.graph);
  problem.components = induced.component_at.size() - 1;
  problem.task.roots = components ? roots_of(induced.component_at)
                                  : roots_of({0, static_cast<Vertex>(problem.original.size())});
  return problem;
}

/// Vertices that the greedy cover has in a root.
inline std::uint64_t greedy_size(Problem const& problem, Root const& root) {
  auto const begin = problem.greedy.in_cover.begin() + root.base;
  return static_cast<std::uint64_t>(std::count(begin, begin + root.size, std::uint8_t{1}));
}

/// Where the search of each root starts: below the greedy cover, or below what the others leave of
/// `below`, if each of these is as small as it can be.
///
/// If any root has no cover below its bound, and that is less than the greedy one's size, then there
/// is no cover of the whole below `below`: the sizes add up to at least that, whatever the others do.
inline void set_bounds(Problem& problem, std::uint64_t below, Interrupt& interrupt) {
  Task& task = problem.task;
  problem.greedy = greedy_cover(task.graph, interrupt);
  std::vector<std::uint32_t> least;
  for (Root const& root : task.roots) {
    least.push_back(matching_size(task.graph, root.base, root.base + root.size));
  }
  problem.lower_bound = std::accumulate(least.begin(), least.end(), problem.taken);
  if (problem.lower_bound >= below) {
    return;
  }
  for (std::size_t i = 0; i < task.roots.size(); ++i) {
    task.bounds.push_back(static_cast<std::uint32_t>(
        std::min(greedy_size(problem, task.roots[i]), below - problem.lower_bound + least[i])));
  }
}

/// What is known where there is nothing to search, or no time to do it.
inline Outcome unsearched(Task const& task) {
  Outcome outcome;
  outcome.status = task.roots.empty() ? Status::solved : Status::stopped;
  outcome.sizes = task.bounds;
  outcome.improved.assign(task.roots.size(), 0);
  return outcome;
}

/// A graph that fell apart on the host is a branch on components like any other.
inline void count_root_branch(Problem const& problem, Options const& options, Report& report) {
  std::size_t const parts = problem.components;
  if (options.components && parts > 1) {
    ++report.nodes;
    ++report.component_branches;
    if (options.count) {
      report.components_histogram.resize(histogram_bins);
      ++report.components_histogram[std::min<std::size_t>(parts, histogram_bins - 1)];
    }
  }
}

/// The cover of the input that an outcome stands for: of roots that have not come below their bounds,
/// which need not be sizes of covers, the greedy one.
inline GreedyCover lift(Problem const& problem, Outcome const& outcome) {
  GreedyCover cover{problem.in_cover, problem.taken};
  for (std::size_t i = 0; i < problem.task.roots.size(); ++i) {
    Root const& root = problem.task.roots[i];
    bool const improved = outcome.improved[i] != 0;
    cover.size += improved ? outcome.sizes[i] : greedy_size(problem, root);
    auto const& source = improved ? outcome.in_cover : problem.greedy.in_cover;
    for (Vertex v = root.base; v < root.base + root.size; ++v) {
      cover.in_cover[problem.original[v]] = source[v];
    }
  }
  return cover;
}

inline void note_progress(Options const& options, std::uint64_t best, std::uint64_t lower_bound) {
  if (options.progress != nullptr) {
    options.progress->best.store(best, std::memory_order_relaxed);
    options.progress->lower_bound.store(lower_bound, std::memory_order_relaxed);
  }
}

/// The paper's mode of taper::vertex_cover::solve(), whose contract it has.
///
/// Equivalent to: Algorithm 2 on what the root's reductions leave, or on the input without `induce`.
/// Cost: on the host near-linear but for the crown rule; on the device side the search, in launches
///   of about a tenth of a second, in memory that follows from what is free. Once the run is over, what
///   is left of the host's part is linear, and nothing is searched.
/// Throws: taper::Error where the graph has 2^31 edges or more.
template <Place P, class Offsets, class Entries, class Cover>
Report solve(P const& place, Graph<Offsets, Entries> const& graph, Cover const& in_cover,
             Options const& options) {
  Interrupt interrupt(options);
  auto const& where = device_of(place);
  HostGraph const host = with_sorted_rows(to_host(where, graph));
  TAPER_REQUIRE(
      host.entries.size() <= std::numeric_limits<std::uint32_t>::max(),
      "taper::vertex_cover::solve: mode paper numbers the entries of a graph with 32 bits; "
      "this one has " +
          std::to_string(host.entries.size()));

  Report report;
  GreedyCover best = greedy_cover(host, interrupt);
  bool const has_k = options.k >= 0;
  auto const k = static_cast<std::uint64_t>(has_k ? options.k : 0);
  std::uint64_t const below = has_k ? k + 1 : best.size;
  bool const is_question = has_k ? best.size > k : best.size > 0;
  if (is_question) {
    Problem problem;
    {
      Region const region("taper::vertex_cover::reduce");
      problem = options.induce ? reduced_problem(host, below, options.components, interrupt)
                               : whole_problem(host);
      set_bounds(problem, below, interrupt);
    }
    Task& task = problem.task;
    task.taken = problem.taken;
    task.below = below;
    report.kernel_vertices = task.graph.vertices();
    report.kernel_edges = task.graph.edges();
    report.lower_bound = std::min(problem.lower_bound, below);
    note_progress(options, best.size, report.lower_bound);
    if (problem.lower_bound < below) {
      // Enough is k, or what no cover can be smaller than.
      std::uint64_t const enough = has_k ? k : problem.lower_bound;
      task.enough = static_cast<std::uint32_t>(enough - problem.taken);
      Outcome outcome;
      if (task.roots.empty() || interrupt.over()) {
        outcome = unsearched(task);
      } else {
        count_root_branch(problem, options, report);
        Region const region("taper::vertex_cover::search");
        outcome = run_search(where, task, options, interrupt.deadline(), report);
      }
      GreedyCover found = lift(problem, outcome);
      if (found.size < best.size) {
        best = std::move(found);
      }
      report.status = best.size <= enough ? Status::solved : outcome.status;
    }
    // What has not been found below `below` is not there.
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
  note_progress(options, report.cover_size, report.lower_bound);

  Kokkos::deep_copy(
      where, in_cover,
      Kokkos::View<std::uint8_t const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          best.in_cover.data(), best.in_cover.size()));
  where.fence("taper::vertex_cover::solve: the cover has been copied");
  return report;
}

}  // namespace taper::vertex_cover::paper
