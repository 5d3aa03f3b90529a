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
#include <utility>

namespace taper::app {

SolvedSet watched_solve_weighted_set(CoverProblem const& problem,
                                     std::vector<independent_set::Weight> weights,
                                     double time_limit_s) {
  for (auto const vertex : problem.forced) {
    weights[vertex] = 0;
  }
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
  return solve_weighted_set(require_backend("host"), 0, problem.graph, weights, options);
}

void add_weightless(CoverProblem const& problem, std::span<independent_set::Weight const> weights,
                    std::span<std::uint8_t> in_set) {
  for (vertex_cover::Vertex v = 0; v < in_set.size(); ++v) {
    auto const row = problem.graph.neighbours(v);
    if (weights[v] == 0 && !std::ranges::binary_search(problem.forced, v) &&
        std::ranges::all_of(row, [&](auto u) { return in_set[u] == 0; })) {
      in_set[v] = 1;
    }
  }
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
