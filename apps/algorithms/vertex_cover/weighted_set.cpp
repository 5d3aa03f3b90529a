// SPDX-License-Identifier: Apache-2.0
#include "weighted_set.hpp"

#include "search_watch.hpp"

#include <support/interrupt.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace taper::app {

SolvedSet solve_weighted_problem(std::string_view backend, int threads, CoverProblem const& problem,
                                 std::vector<independent_set::Weight> weights,
                                 independent_set::Options const& options) {
  for (auto const vertex : problem.forced) {
    weights[vertex] = 0;
  }
  return solve_weighted_set(backend, threads, problem.graph, weights, options);
}

SolvedSet watched_solve_weighted_set(CoverProblem const& problem,
                                     std::vector<independent_set::Weight> weights,
                                     independent_set::Options options) {
  independent_set::Progress progress;
  options.stop = &Interrupt::flag();
  options.progress = &progress;
  SearchWatch const watch(progress.nodes, [&] {
    auto const best = progress.best.load(std::memory_order_relaxed);
    auto const bound = progress.upper_bound.load(std::memory_order_relaxed);
    return best < 0 || bound < 0 ? std::string{}
                                 : fmt::format("  set of weight {}, at most {}",
                                               io::grouped(static_cast<std::uint64_t>(best)),
                                               io::grouped(static_cast<std::uint64_t>(bound)));
  });
  return solve_weighted_problem(require_backend("host"), 0, problem, std::move(weights), options);
}

WeightedCover cover_of(CoverProblem const& problem,
                       std::span<independent_set::Weight const> weights, SolvedSet const& solved) {
  auto const total = std::accumulate(weights.begin(), weights.end(), independent_set::Weight{0});
  WeightedCover cover{solved.in_set, total - solved.report.set_weight,
                      total - solved.report.upper_bound};
  cover.marks = cover_that_leaves(problem, weights, std::move(cover.marks));
  return cover;
}

std::vector<std::uint8_t> cover_that_leaves(CoverProblem const& problem,
                                            std::span<independent_set::Weight const> weights,
                                            std::vector<std::uint8_t> in_set) {
  for (vertex_cover::Vertex v = 0; v < weights.size(); ++v) {
    if (weights[v] == 0 && !std::ranges::binary_search(problem.forced, v) &&
        std::ranges::all_of(problem.graph.neighbours(v), [&](auto u) { return in_set[u] == 0; })) {
      in_set[v] = 1;
    }
  }
  return vertex_cover::complement_of(in_set);
}

FoundSets find_all_sets(CoverProblem const& problem, std::vector<independent_set::Weight> weights,
                        independent_set::Weight maximum, std::size_t limit, double time_limit_s) {
  if (weights.empty() && !problem.forced.empty()) {
    weights.assign(problem.vertices(), 1);
  }
  for (auto const vertex : problem.forced) {
    weights[vertex] = 0;
  }
  independent_set::Options options;
  options.time_limit_s = time_limit_s;
  options.stop = &Interrupt::flag();
  return find_all_sets_on(require_backend("host"), problem.graph, weights, maximum, limit, options);
}

std::string search_text(SolvedSet const& solved) {
  auto const& report = solved.report;
  return fmt::format("with weights on {}, {}: reduced graph of {} and {} in {}, {} in {}",
                     solved.backend, counted(report.workers, "worker", "workers"),
                     counted(report.kernel_vertices, "vertex", "vertices"),
                     counted(report.kernel_edges, "edge", "edges"),
                     counted(report.components, "component", "components"),
                     counted(report.nodes, "node", "nodes"), format_seconds(solved.seconds));
}

std::string gap_text(std::int64_t found, std::int64_t bound) {
  auto const gap = std::abs(static_cast<double>(bound) - static_cast<double>(found));
  auto const larger = static_cast<double>(std::max(found, bound));
  return larger > 0 ? fmt::format(" (a gap of {:.2g} %)", 100 * gap / larger) : std::string{};
}

}  // namespace taper::app
