// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/tree_search/options.hpp>

#include <limits>

/// How files and commands spell the tree, the options and the report: see taper/fields.hpp.
namespace taper::tree_search {

template <FieldsOf<Tree> Aggregate, class Visitor>
constexpr void fields(Aggregate& tree, Visitor&& visit) {
  constexpr std::int64_t max_word = std::numeric_limits<std::uint32_t>::max();
  visit(Field{.name = "kind", .help = "the distribution of the number of children"}, tree.kind);
  visit(Field{.name = "shape", .help = "geometric and hybrid: how the mean depends on the depth"},
        tree.shape);
  visit(Field{.name = "root_children",
              .help = "children of the root, or their mean",
              .max = 100'000'000},
        tree.root_children);
  visit(Field{.name = "max_depth",
              .help = "geometric and hybrid: the depth m of the shape",
              .max = max_word},
        tree.max_depth);
  visit(
      Field{.name = "probability", .help = "binomial: the share of nodes with children", .max = 1},
      tree.probability);
  visit(Field{.name = "children", .help = "binomial: children of such a node", .max = max_word},
        tree.children);
  visit(
      Field{.name = "shift", .help = "hybrid: binomial from this share of max_depth on", .max = 1},
      tree.shift);
  visit(Field{.name = "seed", .help = "seed of the root's hash", .max = max_word}, tree.seed);
}

template <FieldsOf<Options> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "schedule",
              .help = "serial, tasks and pool fork and join; none, worklist and steal have workers "
                      "of any backend"},
        options.schedule);
  visit(Field{.name = "teams", .help = "none, worklist, steal: workers; 0: as many as fit"},
        options.teams);
  visit(Field{.name = "store_nodes",
              .help = "none, worklist, steal: nodes that a worker can hold; 0: automatic",
              .unit = "nodes"},
        options.store_nodes);
  visit(Field{.name = "queue_items",
              .help = "none, worklist, steal: batches in a deque or in the list; 0: automatic",
              .unit = "batches"},
        options.queue_items);
}

template <FieldsOf<Report> Aggregate, class Visitor>
constexpr void fields(Aggregate& report, Visitor&& visit) {
  visit(Field{.name = "nodes", .help = "nodes of the tree, the root included"}, report.nodes);
  visit(Field{.name = "leaves", .help = "nodes without children"}, report.leaves);
  visit(Field{.name = "depth", .help = "depth of the deepest node; the root's is 0"}, report.depth);
  visit(Field{.name = "workers", .help = "workers that searched"}, report.workers);
  visit(Field{.name = "moved", .help = "batches that a worker got from another"}, report.moved);
}

}  // namespace taper::tree_search
