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
                                     double time_limit_s) {
  independent_set::Progress progress;
  independent_set::Options options;
  options.time_limit_s = time_limit_s;
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
  auto& marks = cover.marks;  // first of the set
  for (vertex_cover::Vertex v = 0; v < marks.size(); ++v) {
    if (weights[v] == 0 && !std::ranges::binary_search(problem.forced, v) &&
        std::ranges::all_of(problem.graph.neighbours(v), [&](auto u) { return marks[u] == 0; })) {
      marks[v] = 1;
    }
  }
  for (auto& mark : marks) {
    mark = mark != 0 ? 0 : 1;
  }
  return cover;
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
