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
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace taper::vertex_cover::paper {

/// Edges of which no two have an end in common: a cover has at least so many vertices.
inline std::uint32_t matching_size(HostGraph const& graph, Root const& root) {
  std::vector<std::uint8_t> matched(root.size, 0);
  std::uint32_t size = 0;
  for (Vertex v = 0; v < root.size; ++v) {
    for (Vertex const w : graph.neighbours(root.base + v)) {
      if (matched[v] == 0 && matched[w - root.base] == 0) {
        matched[v] = matched[w - root.base] = 1;
        ++size;
      }
    }
  }
  return size;
}

/// What is to be searched, and what it means for the whole graph.
struct Problem {
  Task task;
  std::vector<Vertex> original;        ///< the task's vertices in the input
  std::vector<std::uint8_t> in_cover;  ///< of the input: what the root's reductions have taken
  std::uint64_t taken = 0;
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

inline Problem reduced_problem(HostGraph const& graph, std::uint64_t below, bool components) {
  RootReduction reduction(graph, below);
  reduction.run();
  InducedGraph induced = reduction.induce();
  Problem problem;
  problem.in_cover.resize(graph.vertices());
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    problem.in_cover[v] = reduction.in_cover(v) ? 1 : 0;
  }
  problem.taken = reduction.cover_size();
  problem.original = std::move(induced.original);
  problem.task.graph = std::move(induced.graph);
  std::vector<Vertex> const at =
      components ? induced.component_at
                 : std::vector<Vertex>{0, static_cast<Vertex>(problem.original.size())};
  for (std::size_t i = 0; i + 1 < at.size() && at[i] < at[i + 1]; ++i) {
    problem.task.roots.push_back({at[i], at[i + 1] - at[i], Action::none});
  }
  return problem;
}

/// Where the search of each root starts: below the greedy cover, or below what the others leave of
/// `below`, if each of these is as small as it can be.
///
/// If any root has no cover below its bound, and that is less than the greedy one's size, then there
/// is no cover of the whole below `below`: the sizes add up to at least that, whatever the others do.
inline void set_bounds(Problem& problem, std::uint64_t below) {
  Task& task = problem.task;
  problem.greedy = greedy_cover(task.graph);
  std::vector<std::uint32_t> least;
  for (Root const& root : task.roots) {
    least.push_back(matching_size(task.graph, root));
  }
  problem.lower_bound = std::accumulate(least.begin(), least.end(), problem.taken);
  if (problem.lower_bound >= below) {
    return;
  }
  for (std::size_t i = 0; i < task.roots.size(); ++i) {
    Root const& root = task.roots[i];
    auto const begin = problem.greedy.in_cover.begin() + root.base;
    auto const greedy =
        static_cast<std::uint64_t>(std::count(begin, begin + root.size, std::uint8_t{1}));
    task.bounds.push_back(
        static_cast<std::uint32_t>(std::min(greedy, below - problem.lower_bound + least[i])));
  }
}

/// A root that fell apart on the host is a branch on components like any other.
inline void count_root_branch(Task const& task, Options const& options, Report& report) {
  std::size_t const parts = task.roots.size();
  if (parts > 1) {
    ++report.nodes;
    ++report.component_branches;
    if (options.count) {
      report.components_histogram.resize(histogram_bins);
      ++report.components_histogram[std::min<std::size_t>(parts, histogram_bins - 1)];
    }
  }
}

/// The cover of the input that an outcome of `size` stands for.
inline GreedyCover lift(Problem const& problem, Outcome const& outcome, std::uint64_t size) {
  GreedyCover cover{problem.in_cover, size};
  for (std::size_t i = 0; i < problem.task.roots.size(); ++i) {
    Root const& root = problem.task.roots[i];
    auto const& source = outcome.improved[i] != 0 ? outcome.in_cover : problem.greedy.in_cover;
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
///   of about a tenth of a second, in memory that follows from what is free.
/// Throws: taper::Error where the graph has 2^31 edges or more.
template <Place P, class Offsets, class Entries, class Cover>
Report solve(P const& place, Graph<Offsets, Entries> const& graph, Cover const& in_cover,
             Options const& options) {
  using Clock = std::chrono::steady_clock;
  // A limit that no clock can count, as an infinite one, is none.
  auto const deadline =
      options.time_limit_s > 0 && options.time_limit_s < 1e9
          ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(options.time_limit_s))
          : Clock::time_point::max();
  auto const& where = device_of(place);
  HostGraph const host = with_sorted_rows(to_host(where, graph));
  TAPER_REQUIRE(
      host.entries.size() <= std::numeric_limits<std::uint32_t>::max(),
      "taper::vertex_cover::solve: mode paper numbers the entries of a graph with 32 bits; "
      "this one has " +
          std::to_string(host.entries.size()));

  Report report;
  GreedyCover best = greedy_cover(host);
  bool const has_k = options.k >= 0;
  auto const k = static_cast<std::uint64_t>(has_k ? options.k : 0);
  std::uint64_t const below = has_k ? k + 1 : best.size;
  bool const is_question = has_k ? best.size > k : best.size > 0;
  if (is_question) {
    Problem problem;
    {
      Region const region("taper::vertex_cover::reduce");
      problem =
          options.induce ? reduced_problem(host, below, options.components) : whole_problem(host);
      set_bounds(problem, below);
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
      task.enough = static_cast<std::uint32_t>((has_k ? k : problem.lower_bound) - problem.taken);
      Outcome outcome;
      if (!task.roots.empty()) {
        count_root_branch(task, options, report);
        Region const region("taper::vertex_cover::search");
        outcome = run_search(where, task, options, deadline, report);
      }
      report.status = outcome.status;
      std::uint64_t const size =
          std::accumulate(outcome.sizes.begin(), outcome.sizes.end(), problem.taken);
      if (size < below) {
        best = lift(problem, outcome, size);
      }
    }
    // What has not been found below `below` is not there.
    if (report.status == Status::solved) {
      report.lower_bound = has_k ? (best.size > k ? below : report.lower_bound) : best.size;
    }
  } else {
    report.lower_bound = has_k ? 0 : best.size;
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
