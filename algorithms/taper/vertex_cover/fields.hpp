// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

// How files and commands spell the options and the report: see taper/fields.hpp.

namespace taper::vertex_cover {

/// The mode, and the options of Mode::taper. Other members are not visited: experiments and
/// commands read k, the time limit and ComponentSearchOptions::count themselves.
template <FieldsOf<Options> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "mode",
              .help = "taper: on the host; component_search: on all workers; published, yamout: "
                      "published rules alone"},
        options.mode);
  visit(Field{.name = "packing", .help = "mode taper: use packing constraints of earlier branches"},
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
  visit(Field{.name = "crown", .help = "the crown rule at the root"}, options.crown);
  visit(Field{.name = "split_root",
              .help = "the host splits the reduced graph into components, and renumbers them"},
        options.split_root);
  visit(Field{.name = "lower_bound_stop",
              .help = "stop at a cover that is as small as a lower bound from the root"},
        options.lower_bound_stop);
  visit(Field{.name = "degree_bound",
              .help = "also limit the edges of a node by its greatest degree"},
        options.degree_bound);
  visit(Field{.name = "first_branch",
              .help = "the branch that does not wait: the one that takes the vertex, or its "
                      "neighbours"},
        options.first_branch);
  visit(Field{.name = "degree_bits",
              .help = "bits per entry of the degree array; short: 16 if they suffice, else 32"},
        options.degree_bits);
  visit(Field{.name = "balance", .help = "how search nodes are distributed over workers"},
        options.balance);
  visit(Field{.name = "teams", .help = "workers; 0: as many as fit"}, options.teams);
  visit(Field{.name = "stack_nodes", .help = "search nodes per worker; 0: from the free memory"},
        options.stack_nodes);
  visit(Field{.name = "first_stack_nodes",
              .help = "of these, with memory at the start; more when they are needed; 0: 128"},
        options.first_stack_nodes);
  visit(Field{.name = "registry_entries",
              .help = "branches and components open at a time; 0: from the free memory"},
        options.registry_entries);
  visit(Field{.name = "queue_nodes",
              .help = "search nodes in the shared worklist; 0: two per worker"},
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
  visit(Field{.name = "conflicts", .help = "mode taper: learned clauses"}, report.conflicts);
  visit(Field{.name = "component_branches", .help = "search nodes whose graph is disconnected"},
        report.component_branches);
  visit(Field{.name = "components_histogram",
              .help = "if counted, entry i: search nodes whose graph has i components"},
        report.components_histogram);
  visit(Field{.name = "teams", .help = "component search: workers"}, report.teams);
  visit(Field{.name = "steals", .help = "component search: nodes stolen, or taken from the queue"},
        report.steals);
  visit(
      Field{.name = "registry_full",
            .help = "component search: disconnected graphs searched as one: the registry was full"},
      report.registry_full);
  visit(Field{.name = "storage_full",
              .help = "component search: branches without room for a stored search node"},
        report.storage_full);
  visit(Field{.name = "array_vertices",
              .help = "component search: vertices in the degree array",
              .unit = "vertices"},
        report.array_vertices);
  visit(Field{.name = "degree_bits",
              .help = "component search: per entry of the degree array; 0: nothing was searched",
              .unit = "bits"},
        report.degree_bits);
  visit(Field{.name = "stack_bytes",
              .help = "component search: room for stored nodes of all teams, allocated as needed",
              .unit = "bytes"},
        report.stack_bytes);
  visit(Field{.name = "scratch_bytes",
              .help = "component search: scratch per team, the shared memory of a GPU",
              .unit = "bytes"},
        report.scratch_bytes);
  visit(Field{.name = "in_scratch",
              .help = "component search: whether the degree array lies in scratch"},
        report.in_scratch);
}

}  // namespace taper::vertex_cover
