// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"

#include <algorithms/vertex_cover/search_watch.hpp>
#include <algorithms/vertex_cover/weighted_set.hpp>
#include <mpi/clique.hpp>
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/message.hpp>
#include <support/text.hpp>

#include <io/graph/cover.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taper::app {
namespace {

std::string grouped(std::int64_t number) {
  return io::grouped(static_cast<std::uint64_t>(number));
}

std::uint64_t size_of(FoundSet const& found) {
  return static_cast<std::uint64_t>(std::ranges::count(found.marks, 1));
}

/// The answer in one line: "17 vertices, the maximum".
std::string answer_text(FoundSet const& found, bool weighted) {
  auto const text =
      vertices_text(size_of(found)) +
      (weighted ? fmt::format(" of weight {}", grouped(found.weight)) : std::string{});
  if (found.status == Status::solved) {
    return text + ", the maximum";
  }
  return fmt::format("{}, the best that was found; the maximum is at most {}{}", text,
                     grouped(found.upper_bound), gap_text(found.weight, found.upper_bound));
}

}  // namespace

std::string vertices_text(std::uint64_t count) {
  return counted(count, "vertex", "vertices");
}

SolvedClique watched_solve_clique(std::string_view backend, clique::HostGraph const& graph,
                                  std::span<clique::Weight const> weights,
                                  clique::Options options) {
  clique::Progress progress;
  options.progress = &progress;
  SearchWatch const watch(progress.nodes, [&] {
    auto const best = progress.best.load(std::memory_order_relaxed);
    return best == clique::Progress::unknown ? std::string{}
                                             : fmt::format("  best {}", grouped(best));
  });
  return processes().count > 1 ? solve_clique_together(graph, options)
                               : solve_clique(backend, 0, graph, weights, options);
}

clique::BadPairs find_faults(SetKind const& kind, CoverProblem const& problem,
                             std::span<std::uint8_t const> marks, std::size_t limit) {
  if (&kind == &clique_kind) {
    return clique::find_missing_edges(problem.graph, marks, limit);
  }
  auto bad = clique::find_inner_edges(problem.graph, marks, limit);
  for (auto const vertex : problem.forced) {
    if (marks[vertex] != 0 && bad.count++ < limit) {
      bad.pairs.emplace_back(vertex, vertex);
    }
  }
  return bad;
}

std::vector<std::uint8_t> read_start(SetKind const& kind, StartArgument const& start,
                                     io::GraphFile const& file, CoverProblem const& problem) {
  if (!start.given()) {
    return {};
  }
  auto marks = io::read_vertex_set(start.file, file, kind.word);
  if (auto const faults = find_faults(kind, problem, marks, 1); faults.count > 0) {
    auto const& [u, v] = faults.pairs.front();
    auto const which =
        u == v ? fmt::format("{} has an edge to itself", file.names.of(u))
               : fmt::format("{} and {} are {}", file.names.of(u), file.names.of(v), kind.relation);
    throw ConfigError(fmt::format(
        "--start {}: not {}: {}{}", start.file.string(), kind.name, which,
        faults.count > 1 ? fmt::format(", the first of {} such pairs", io::grouped(faults.count))
                         : std::string{}));
  }
  return marks;
}

int write_set(SetKind const& kind, io::GraphFile const& file, CoverProblem const& problem,
              std::span<clique::Weight const> weights, FoundSet const& found,
              std::string const& search, AllArgument const& all,
              std::function<FoundSets()> const& find_all, Output& output) {
  bool const weighted = !weights.empty();
  print_message("graph     {}, {} ({})\n", vertices_text(problem.vertices()),
                counted(problem.edges, "edge", "edges"), io::describe(file.format));
  print_message("{:<10}{}\n", kind.label, answer_text(found, weighted));
  print_message("search    {}\n", search);
  auto const fault_of = [&](std::span<std::uint8_t const> marks) -> std::string {
    auto const faults = find_faults(kind, problem, marks, 0).count;
    auto const weight = weighted ? clique::weight_of(weights, marks) : std::ranges::count(marks, 1);
    return faults > 0
               ? fmt::format("the set has {} {}", counted(faults, "pair", "pairs"), kind.faults)
           : weight == found.weight
               ? std::string{}
               : fmt::format("the set weighs {}, the report says {}", weight, found.weight);
  };
  if (auto const fault = fault_of(found.marks); !fault.empty()) {
    print_message("WRONG     {}\n", fault);
    return 1;
  }
  print_message("verified  {}{}\n", kind.property, weighted ? "; the weights sum up" : "");
  auto const write = [&](std::ostream& out, std::span<std::uint8_t const> marks) {
    io::write_vertex_set(out, file, kind.word, marks);
  };
  if (all.given() && found.status == Status::solved) {
    return all.write(find_all(), {problem.vertices(), [](auto&) {}, fault_of, write}, output);
  }
  write(output.stream(), found.marks);
  output.commit();
  return found.status == Status::solved ? 0 : 1;
}

}  // namespace taper::app
