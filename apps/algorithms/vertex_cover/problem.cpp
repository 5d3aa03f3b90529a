// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include <support/config_error.hpp>
#include <support/runtime.hpp>

#include <io/market/id_table.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace taper::app {
namespace {

using vertex_cover::Edge;

constexpr std::array<std::string_view, 3> policies{"force", "drop", "error"};

void require_memory(std::string const& what, double bytes) {
  auto const free = io::free_memory();
  if (bytes > static_cast<double>(free)) {
    throw ConfigError(fmt::format(
        "{} needs {}, this machine has {} free", what,
        io::human_bytes(static_cast<std::uint64_t>(std::min(bytes, 9e18))), io::human_bytes(free)));
  }
}

/// The answer without a search if more than k vertices are forced: no cover of k vertices exists.
SolvedCover too_many_forced(CoverProblem const& problem) {
  SolvedCover solved;
  solved.report.found = false;
  solved.report.cover_size = problem.vertices() - problem.forced.size();
  solved.in_cover.assign(problem.vertices(), 1);
  return solved;
}

}  // namespace

std::vector<std::string_view> self_loops_names() {
  return {policies.begin(), policies.end()};
}

SelfLoops self_loops_named(std::string_view name) {
  return static_cast<SelfLoops>(std::ranges::find(policies, name) - policies.begin());
}

CoverProblem make_cover_problem(io::GraphFile& file, SelfLoops self_loops) {
  if (file.first_loop_line > 0 && self_loops == SelfLoops::error) {
    throw ConfigError(fmt::format("{}:{}: an edge from a vertex to itself; --self-loops force puts "
                                  "the vertex into the cover, drop ignores the edge",
                                  file.file, file.first_loop_line));
  }
  auto made = vertex_cover::make_graph(file.vertices, file.edges);
  CoverProblem problem;
  problem.loops = made.loops.size();
  problem.duplicates = made.duplicates;
  problem.edges = made.graph.edges();
  if (made.loops.empty()) {
    problem.graph = std::move(made.graph);
    return problem;
  }
  if (self_loops == SelfLoops::drop) {
    std::erase_if(file.edges, [](Edge const& edge) { return edge.first == edge.second; });
    problem.graph = std::move(made.graph);
    return problem;
  }
  std::vector<std::uint8_t> is_forced(file.vertices, 0);
  for (auto const vertex : made.loops) {
    is_forced[vertex] = 1;
  }
  std::vector<Edge> uncovered;
  for (auto const& edge : file.edges) {
    if (is_forced[edge.first] == 0 && is_forced[edge.second] == 0) {
      uncovered.push_back(edge);
    }
  }
  problem.graph = vertex_cover::make_graph(file.vertices, uncovered).graph;
  problem.forced = std::move(made.loops);
  return problem;
}

std::string former_mode_message(std::string_view word) {
  if (word == "default") {
    return "the mode 'default' is now called 'taper'";
  }
  if (word == "paper") {
    return "the mode 'paper' is now 'published', its rules alone, or 'component_search', with "
           "Taper's additions";
  }
  return {};
}

SolvedCover solve_with_forced(CoverProblem const& problem, vertex_cover::Options options,
                              SolveGraph const& solve) {
  auto const forced = problem.forced.size();
  SolvedCover solved;
  if (options.k >= 0 && static_cast<std::size_t>(options.k) < forced) {
    solved = too_many_forced(problem);
  } else {
    std::vector<std::uint8_t> start(options.start.begin(), options.start.end());
    for (std::size_t i = 0; i < forced && !start.empty(); ++i) {
      start[problem.forced[i]] = 0;  // without edges, so no cover of the graph needs it
    }
    options.start = start;
    if (options.k >= 0) {
      options.k -= static_cast<std::int64_t>(forced);
    }
    solved = solve(problem.graph, options);
  }
  for (auto const vertex : problem.forced) {
    solved.in_cover[vertex] = 1;
  }
  solved.report.cover_size += forced;
  solved.report.lower_bound += forced;
  return solved;
}

std::string_view cover_backend(std::string_view request, vertex_cover::Mode mode) {
  auto const backend = require_backend(request);
  return mode == vertex_cover::Mode::taper && find_backend("device") == backend
             ? require_backend("host")
             : backend;
}

std::vector<std::string> cover_problem_notes(CoverProblem const& problem, io::GraphFile const& file,
                                             SelfLoops self_loops, std::string_view drop) {
  std::vector<std::string> notes;
  if (problem.loops > 0) {
    notes.push_back(fmt::format(
        "{}:{}: {} (the first in this line): {}", file.file, file.first_loop_line,
        problem.loops == 1
            ? std::string("a vertex has an edge to itself")
            : fmt::format("{} vertices have an edge to themselves", io::grouped(problem.loops)),
        self_loops == SelfLoops::drop ? fmt::format("ignored ({})", drop)
                                      : fmt::format("in every cover ({} ignores the edge)", drop)));
  }
  if (problem.duplicates > 0) {
    notes.push_back(fmt::format("{}: {} of the listed edges are repetitions", file.file,
                                io::grouped(problem.duplicates)));
  }
  return notes;
}

SolvedCover cover_without_search(CoverProblem const& problem, std::int64_t k,
                                 std::span<std::uint8_t const> start) {
  auto const& graph = problem.graph;
  auto const n = static_cast<vertex_cover::Vertex>(graph.vertices());
  SolvedCover solved;
  auto& in_cover = solved.in_cover;
  in_cover.assign(n, 0);
  std::uint64_t matched = 0;
  for (vertex_cover::Vertex v = 0; v < n; ++v) {
    auto const row = graph.neighbours(v);
    auto const free = std::ranges::find_if(row, [&](auto w) { return in_cover[w] == 0; });
    if (in_cover[v] == 0 && free != row.end()) {
      in_cover[v] = in_cover[*free] = 1;
      ++matched;
    }
  }
  for (vertex_cover::Vertex v = 0; v < n; ++v) {
    if (std::ranges::all_of(graph.neighbours(v), [&](auto w) { return in_cover[w] != 0; })) {
      in_cover[v] = 0;
    }
  }
  for (auto const vertex : problem.forced) {
    in_cover[vertex] = 1;
  }
  auto const size_of = [](std::span<std::uint8_t const> marks) {
    return std::ranges::count(marks, 1);
  };
  if (!start.empty() && size_of(start) < size_of(in_cover)) {
    in_cover.assign(start.begin(), start.end());
  }
  auto& report = solved.report;
  report.status = Status::stopped;
  report.cover_size = static_cast<std::uint64_t>(size_of(in_cover));
  report.lower_bound = matched + problem.forced.size();
  report.found = k < 0 || report.cover_size <= static_cast<std::uint64_t>(k);
  return solved;
}

void require_generation_memory(vertex_cover::Workload const& workload) {
  // Measured at the peak: lists of edges in both orders, and the rows of the graph. The pairing of
  // random_regular has more lists.
  bool const pairs = workload.family == vertex_cover::Family::random_regular;
  auto const degree = workload.family == vertex_cover::Family::grid ? 4 : workload.degree;
  require_memory(
      fmt::format("a graph of {} vertices and degree {}", io::grouped(workload.n), degree),
      static_cast<double>(workload.n) * (28 + (pairs ? 20 : 12) * degree));
}

void require_search_memory(CoverProblem const& problem, vertex_cover::Mode mode) {
  auto const size = static_cast<double>(problem.vertices()) + static_cast<double>(problem.edges);
  require_memory(fmt::format("the search in {} vertices and {} edges",
                             io::grouped(problem.vertices()), io::grouped(problem.edges)),
                 size * (mode == vertex_cover::Mode::taper ? 40 : 16));
}

}  // namespace taper::app
