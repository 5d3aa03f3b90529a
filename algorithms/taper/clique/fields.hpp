// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/options.hpp>
#include <taper/clique/report.hpp>
#include <taper/fields.hpp>

// How files and commands spell the options and the reports: see taper/fields.hpp.

namespace taper::clique {

/// Other members are not visited: experiments and commands read the time limit themselves.
template <FieldsOf<Options> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "bound",
              .help = "how a node bounds cliques: by greedy colour classes alone, with moves of "
                      "vertices between them, or with unit propagation over them"},
        options.bound);
}

template <FieldsOf<Report> Aggregate, class Visitor>
constexpr void fields(Aggregate& report, Visitor&& visit) {
  visit(Field{.name = "clique_size", .help = "vertices of the clique", .unit = "vertices"},
        report.clique_size);
  visit(Field{.name = "clique_weight", .help = "its weight; without weights: its size"},
        report.clique_weight);
  visit(Field{.name = "upper_bound", .help = "no clique is heavier"}, report.upper_bound);
  visit(Field{.name = "degeneracy", .help = "each subgraph has a vertex of at most this degree"},
        report.degeneracy);
  visit(
      Field{.name = "kernel_vertices", .help = "vertices that the cores leave", .unit = "vertices"},
      report.kernel_vertices);
  visit(Field{.name = "subproblems", .help = "dense graphs that were searched"},
        report.subproblems);
  visit(Field{.name = "largest", .help = "vertices of the largest dense graph", .unit = "vertices"},
        report.largest);
  visit(Field{.name = "nodes", .help = "search nodes"}, report.nodes);
  visit(Field{.name = "workers", .help = "threads that searched"}, report.workers);
}

}  // namespace taper::clique
