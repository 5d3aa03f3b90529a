// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace taper::tree_search {

/// The distribution of the number of a node's children. The random number is a part of the node's
/// hash.
enum class Kind {
  /// The root has `root_children`; other nodes have `children` with `probability`, else none.
  binomial,
  geometric,  ///< a geometric distribution with a mean that depends on the depth
  hybrid,     ///< geometric above depth `shift` * max_depth, binomial from there on
};

/// The mean number of children at depth d > 0 of a geometric tree, with b = root_children and
/// m = max_depth. At the root it is b.
enum class Shape {
  linear,  ///< b (1 - d / m); 0 from depth m on
  cyclic,  ///< b^sin(2 pi d / m); 0 below depth 5 m
  fixed,   ///< b; 0 from depth m on
};

/// The parameters of an implicit tree. A node's state is a hash of its parent's state and its
/// number among the siblings; the number of its children follows from its state. The tree is the
/// same on all backends.
///
/// Source: Olivier, Huan, Liu, Prins, Dinan, Sadayappan and Tseng, "UTS: an unbalanced tree search
///   benchmark", LCPC 2006. The distributions and SHA-1 are exactly as there, so that the published
///   sizes hold.
struct Tree {
  Kind kind = Kind::geometric;
  Shape shape = Shape::fixed;
  double root_children = 4;       ///< b; for a binomial tree it is rounded down
  std::uint32_t max_depth = 6;    ///< m
  double probability = 0.234375;  ///< binomial: the probability that a node has children
  std::uint32_t children = 4;     ///< binomial: the number of children of such a node
  double shift = 0.5;             ///< hybrid only
  std::uint32_t seed = 0;

  bool operator==(Tree const&) const = default;
};

/// How the nodes are distributed over workers.
enum class Schedule {
  // By fork_join() on a host: see taper::Scheduler.
  serial,
  tasks,
  pool,
  // By teams on any execution space. A team keeps the nodes that it makes, and shares some.
  none,      ///< a team searches only the part that it gets at the start
  worklist,  ///< teams share by one bounded queue
  steal,     ///< each team has a deque; idle teams steal
};

constexpr auto enum_names(Kind) {
  return std::array{EnumName{"binomial", Kind::binomial}, EnumName{"geometric", Kind::geometric},
                    EnumName{"hybrid", Kind::hybrid}};
}

constexpr auto enum_names(Shape) {
  return std::array{EnumName{"linear", Shape::linear}, EnumName{"cyclic", Shape::cyclic},
                    EnumName{"fixed", Shape::fixed}};
}

constexpr auto enum_names(Schedule) {
  return std::array{EnumName{"serial", Schedule::serial},     EnumName{"tasks", Schedule::tasks},
                    EnumName{"pool", Schedule::pool},         EnumName{"none", Schedule::none},
                    EnumName{"worklist", Schedule::worklist}, EnumName{"steal", Schedule::steal}};
}

using taper::names;
using taper::parse;
using taper::to_string;

/// The options of count().
struct Options {
  Schedule schedule = Schedule::steal;

  // For none, worklist and steal. 0: a default for the backend.
  std::uint64_t teams = 0;        ///< workers: host threads, or warps of a GPU
  std::uint64_t store_nodes = 0;  ///< initial capacity of a team's store; it grows
  std::uint64_t queue_items = 0;  ///< capacity of a team's deque, or of the shared queue
};

/// What count() returns.
struct Report {
  std::uint64_t nodes = 0;    ///< nodes of the tree, including the root
  std::uint64_t leaves = 0;   ///< nodes without children
  std::uint32_t depth = 0;    ///< depth of the deepest node; the root has 0
  std::uint64_t workers = 0;  ///< threads of fork_join(), or teams
  std::uint64_t moved = 0;  ///< batches that a team took from another team or from the shared queue
};

/// A sample tree of the benchmark, with its published size.
struct SampleTree {
  std::string_view name;
  Tree tree;
  std::uint64_t nodes;
  std::uint64_t leaves;
  std::uint32_t depth;
};

/// Trees of about 4 million nodes (T1 to T5), about 100 million (L), and billions (XL, XXL).
inline constexpr std::array sample_trees{
    SampleTree{"T1",
               {.kind = Kind::geometric,
                .shape = Shape::fixed,
                .root_children = 4,
                .max_depth = 10,
                .seed = 19},
               4'130'071,
               3'305'118,
               10},
    SampleTree{"T2",
               {.kind = Kind::geometric,
                .shape = Shape::cyclic,
                .root_children = 6,
                .max_depth = 16,
                .seed = 502},
               4'117'769,
               2'342'762,
               81},
    SampleTree{"T3",
               {.kind = Kind::binomial,
                .root_children = 2000,
                .probability = 0.124875,
                .children = 8,
                .seed = 42},
               4'112'897,
               3'599'034,
               1572},
    SampleTree{"T4",
               {.kind = Kind::hybrid,
                .shape = Shape::linear,
                .root_children = 6,
                .max_depth = 16,
                .probability = 0.234375,
                .children = 4,
                .seed = 1},
               4'132'453,
               3'108'986,
               134},
    SampleTree{"T5",
               {.kind = Kind::geometric,
                .shape = Shape::linear,
                .root_children = 4,
                .max_depth = 20,
                .seed = 34},
               4'147'582,
               2'181'318,
               20},
    SampleTree{"T1L",
               {.kind = Kind::geometric,
                .shape = Shape::fixed,
                .root_children = 4,
                .max_depth = 13,
                .seed = 29},
               102'181'082,
               81'746'377,
               13},
    SampleTree{"T2L",
               {.kind = Kind::geometric,
                .shape = Shape::cyclic,
                .root_children = 7,
                .max_depth = 23,
                .seed = 220},
               96'793'510,
               53'791'152,
               67},
    SampleTree{"T3L",
               {.kind = Kind::binomial,
                .root_children = 2000,
                .probability = 0.200014,
                .children = 5,
                .seed = 7},
               111'345'631,
               89'076'904,
               17'844},
    SampleTree{"T1XL",
               {.kind = Kind::geometric,
                .shape = Shape::fixed,
                .root_children = 4,
                .max_depth = 15,
                .seed = 29},
               1'635'119'272,
               1'308'100'063,
               15},
    SampleTree{"T3XXL",
               {.kind = Kind::binomial,
                .root_children = 2000,
                .probability = 0.499995,
                .children = 2,
                .seed = 316},
               2'793'220'501,
               1'396'611'250,
               99'049},
};

/// The sample tree of this name; none if there is no such tree.
constexpr std::optional<SampleTree> find_sample_tree(std::string_view name) {
  for (SampleTree const& sample : sample_trees) {
    if (sample.name == name) {
      return sample;
    }
  }
  return std::nullopt;
}

}  // namespace taper::tree_search
