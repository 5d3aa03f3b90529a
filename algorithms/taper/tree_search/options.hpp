// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/spelling.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace taper::tree_search {

/// How many children a node has, drawn by its hash.
enum class Kind {
  binomial,   ///< the root `root_children`; any other `children` with `probability`, else none
  geometric,  ///< a geometric law, whose mean depends on the depth
  hybrid,     ///< geometric above `shift` * max_depth, binomial from there on
};

/// The mean number of children at depth d of a geometric tree, with b = root_children and
/// m = max_depth; at the root it is b.
enum class Shape {
  linear,  ///< b (1 - d / m), none from m on
  cyclic,  ///< b^sin(2 pi d / m), none below 5 m
  fixed,   ///< b, none from m on
};

/// A tree that no memory holds: a node is a hash of its parent's and of its place among the
/// siblings, and says itself how many children it has. The same everywhere.
///
/// Source: Olivier, Huan, Liu, Prins, Dinan, Sadayappan and Tseng, "UTS: an unbalanced tree search
///   benchmark", LCPC 2006; the laws and SHA-1 exactly as there, so that the sizes published hold.
struct Tree {
  Kind kind = Kind::geometric;
  Shape shape = Shape::fixed;
  double root_children = 4;       ///< b; a binomial tree's is rounded down
  std::uint32_t max_depth = 6;    ///< m
  double probability = 0.234375;  ///< of having children, in a binomial tree
  std::uint32_t children = 4;     ///< that many then
  double shift = 0.5;             ///< hybrid only
  std::uint32_t seed = 0;
};

/// Who searches.
enum class Schedule {
  // fork_join() on a host: see taper::Scheduler.
  sequential,
  tasks,
  pool,
  // Workers of any place, that keep the nodes they find and share some.
  none,      ///< each keeps to the part that it was given at the start
  worklist,  ///< a bounded list that all share
  steal,     ///< own deques; whoever has nothing takes from another's
};

constexpr auto spellings(Kind) {
  return std::array{Spelling{"binomial", Kind::binomial}, Spelling{"geometric", Kind::geometric},
                    Spelling{"hybrid", Kind::hybrid}};
}

constexpr auto spellings(Shape) {
  return std::array{Spelling{"linear", Shape::linear}, Spelling{"cyclic", Shape::cyclic},
                    Spelling{"fixed", Shape::fixed}};
}

constexpr auto spellings(Schedule) {
  return std::array{Spelling{"sequential", Schedule::sequential},
                    Spelling{"tasks", Schedule::tasks},
                    Spelling{"pool", Schedule::pool},
                    Spelling{"none", Schedule::none},
                    Spelling{"worklist", Schedule::worklist},
                    Spelling{"steal", Schedule::steal}};
}

using taper::names;
using taper::parse;
using taper::to_string;

/// How to count.
struct Options {
  Schedule schedule = Schedule::steal;

  // Limits of none, worklist and steal. 0: chosen for the place.
  std::uint64_t teams = 0;        ///< workers: host threads, or warps of a GPU
  std::uint64_t store_nodes = 0;  ///< a worker's own nodes; grows where it must
  std::uint64_t queue_items = 0;  ///< of a worker's deque, or of the list
};

struct Report {
  std::uint64_t nodes = 0;   ///< of the tree, the root among them
  std::uint64_t leaves = 0;  ///< without children
  std::uint32_t depth = 0;   ///< of the deepest node; the root's is 0
  std::uint64_t workers = 0;
  std::uint64_t moved = 0;  ///< batches that a worker got from another, or from the list
};

/// A tree of the benchmark's own, with what is published of it.
struct SampleTree {
  std::string_view name;
  Tree tree;
  std::uint64_t nodes;
  std::uint64_t leaves;
  std::uint32_t depth;
};

/// Of about 4 million nodes; of about 100 million; of billions.
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

constexpr std::optional<SampleTree> find_sample_tree(std::string_view name) {
  for (SampleTree const& sample : sample_trees) {
    if (sample.name == name) {
      return sample;
    }
  }
  return std::nullopt;
}

}  // namespace taper::tree_search
