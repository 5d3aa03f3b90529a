// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

// How files and commands spell the options and the report: see taper/fields.hpp.

namespace taper::vertex_cover {

/// The mode, and the options of Mode::standard. Other members are not visited: experiments and
/// commands read k, the time limit and ComponentSearchOptions::count themselves.
template <FieldsOf<Options> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "mode",
              .help = "default: every reduction and bound that pays; paper: component search on "
                      "all workers of the backend"},
        options.mode);
  visit(
      Field{.name = "packing", .help = "mode default: use packing constraints of earlier branches"},
      options.packing);
}

template <FieldsOf<ComponentSearchOptions> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "components", .help = "solve the components of a graph separately"},
        options.components);
  visit(Field{.name = "induce", .help = "search the subgraph that the root's reductions leave"},
        options.induce);
  visit(Field{.name = "bounds", .help = "scan only the range of vertices that are left"},
        options.bounds);
  visit(Field{.name = "balance", .help = "how search nodes are distributed over workers"},
        options.balance);
  visit(Field{.name = "teams", .help = "workers; 0: as many as fit"}, options.teams);
  visit(Field{.name = "stack_nodes", .help = "search nodes per worker; 0: from the free memory"},
        options.stack_nodes);
  visit(Field{.name = "registry_entries",
              .help = "branches and components open at a time; 0: from the free memory"},
        options.registry_entries);
  visit(Field{.name = "queue_nodes",
              .help = "search nodes in the shared worklist; 0: from the free memory"},
        options.queue_nodes);
  visit(Field{.name = "small_vertices",
              .help = "graphs of at most this many vertices are searched as bit sets by one worker",
              .unit = "vertices",
              .max = 128},
        options.small_vertices);
}

template <FieldsOf<Report> Aggregate, class Visitor>
constexpr void fields(Aggregate& report, Visitor&& visit) {
  visit(Field{.name = "found", .help = "with k: the cover has at most k vertices; else true"},
        report.found);
  visit(Field{.name = "cover_size", .help = "vertices of the cover", .unit = "vertices"},
        report.cover_size);
  visit(Field{.name = "lower_bound", .help = "no cover has fewer vertices", .unit = "vertices"},
        report.lower_bound);
  visit(
      Field{.name = "kernel_vertices", .help = "vertices of the reduced graph", .unit = "vertices"},
      report.kernel_vertices);
  visit(Field{.name = "kernel_edges", .help = "edges of the reduced graph", .unit = "edges"},
        report.kernel_edges);
  visit(Field{.name = "nodes", .help = "search nodes"}, report.nodes);
  visit(Field{.name = "conflicts", .help = "mode default: learned clauses"}, report.conflicts);
  visit(Field{.name = "component_branches", .help = "search nodes whose graph is disconnected"},
        report.component_branches);
  visit(Field{.name = "components_histogram",
              .help = "if counted, entry i: search nodes whose graph has i components"},
        report.components_histogram);
  visit(Field{.name = "teams", .help = "mode paper: workers"}, report.teams);
  visit(Field{.name = "steals", .help = "mode paper: nodes stolen, or taken from the queue"},
        report.steals);
  visit(Field{.name = "registry_full",
              .help = "mode paper: disconnected graphs searched as one: the registry was full"},
        report.registry_full);
  visit(Field{.name = "storage_full",
              .help = "mode paper: branches without room for a stored search node"},
        report.storage_full);
}

}  // namespace taper::vertex_cover
