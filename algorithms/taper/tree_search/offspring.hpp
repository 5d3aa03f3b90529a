// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/tree_search/options.hpp>
#include <taper/tree_search/sha1.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

namespace taper::tree_search {

/// A node whose number of children is known. The children before number `next` have been made.
struct alignas(16) Node {
  Sha1Digest state;
  std::uint32_t depth;
  std::uint32_t next;
  std::uint32_t children;  ///< their number
};
static_assert(sizeof(Node) == 32);

/// The counts of a part of the tree: nodes, leaves, and the greatest depth.
struct Tally {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint32_t depth = 0;

  KOKKOS_FUNCTION void add(std::uint32_t node_depth, bool leaf) {
    ++nodes;
    leaves += leaf ? 1 : 0;
    depth = node_depth > depth ? node_depth : depth;
  }
  KOKKOS_FUNCTION void add(Tally const& other) {
    nodes += other.nodes;
    leaves += other.leaves;
    depth = other.depth > depth ? other.depth : depth;
  }
};

namespace detail {

/// The number of possible draws: a draw has 31 bits.
inline constexpr std::uint32_t draws = std::uint32_t{1} << 31;
/// The maximum number of children, except for the root of a binomial tree.
inline constexpr std::uint32_t max_children = 100;

/// The mean number of children of a node in a geometric tree.
inline double mean_children(Tree const& tree, std::uint32_t depth) {
  double const b = tree.root_children;
  double const m = tree.max_depth;
  if (depth == 0) {
    return b;
  }
  switch (tree.shape) {
  case Shape::linear:
    return b * (1 - depth / m);
  case Shape::cyclic:
    return depth > 5 * tree.max_depth ? 0 : std::pow(b, std::sin(2 * std::numbers::pi * depth / m));
  case Shape::fixed:
    return depth < tree.max_depth ? b : 0;
  }
  return 0;
}

/// The number of children by the published formula of the geometric distribution, at most
/// max_children.
inline std::uint32_t geometric_children(double mean, std::uint32_t draw) {
  double const p = 1 / (1 + mean);
  double const u = draw / static_cast<double>(draws);
  double const children = std::floor(std::log(1 - u) / std::log(1 - p));
  return static_cast<std::uint32_t>(std::min<double>(children, max_children));
}

/// The least draw that gives at least `count` children; `draws` if there is none. Starts from an
/// estimate by the inverse formula, and corrects its rounding error.
inline std::uint32_t least_draw(double mean, std::uint32_t count) {
  if (mean <= 0) {
    return draws;
  }
  // A mean that is infinite or so large that the formula would divide by log(1) = 0: each draw but
  // 0 gives more than the maximum. A cyclic tree with a small b has such means: b^-1.
  if (1 - 1 / (1 + mean) == 1) {
    return 1;
  }
  auto const gives = [&](std::uint32_t draw) { return geometric_children(mean, draw) >= count; };
  double const estimate = (1 - std::pow(mean / (1 + mean), count)) * draws;
  auto draw = static_cast<std::uint32_t>(std::min(estimate, draws - 1.0));
  while (draw < draws && !gives(draw)) {
    ++draw;
  }
  while (draw > 0 && gives(draw - 1)) {
    --draw;
  }
  return draw;
}

/// The number of depths at which nodes have a geometric distribution.
inline std::uint32_t geometric_depths(Tree const& tree) {
  switch (tree.kind) {
  case Kind::binomial:
    return 0;
  case Kind::hybrid:
    return static_cast<std::uint32_t>(std::ceil(tree.shift * tree.max_depth));
  case Kind::geometric:
    break;
  }
  return tree.shape == Shape::cyclic ? 5 * tree.max_depth + 1 : tree.max_depth;
}

}  // namespace detail

/// Checks the parameters of a tree. Throws: taper::Error if one is out of range.
inline void require_valid(Tree const& tree) {
  auto const refuse = [](std::string const& what) {
    throw Error("taper::tree_search::count: " + what);
  };
  if (!(tree.root_children >= 0 && tree.root_children < detail::draws)) {
    refuse("root_children is " + std::to_string(tree.root_children) + ", not in [0, 2^31)");
  }
  if (!(tree.probability >= 0 && tree.probability <= 1)) {
    refuse("probability is " + std::to_string(tree.probability) + ", not in [0, 1]");
  }
  if (tree.children > detail::max_children) {
    refuse("children is " + std::to_string(tree.children) + ", not in [0, " +
           std::to_string(detail::max_children) + "]");
  }
  if (tree.max_depth == 0 || tree.max_depth > 10'000) {
    refuse("max_depth is " + std::to_string(tree.max_depth) + ", not in [1, 10000]");
  }
  if (!(tree.shift >= 0 && tree.shift <= 1)) {
    refuse("shift is " + std::to_string(tree.shift) + ", not in [0, 1]");
  }
}

/// The number of a node's children, as a function of its depth and of 31 bits of its state.
///
/// The geometric distribution is published as a formula with logarithms. The host evaluates it once
/// and stores its steps in a table. So the result does not depend on a backend's logarithm, and a
/// node costs a few comparisons.
template <class Memory>
struct Offspring {
  using Table = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Memory>;

  /// Row d, entry k: the least draw with which a node at depth d has more than k children.
  Table least_draws;
  /// Nodes at greater depths have `children` children if their draw is less than this, else none.
  std::uint32_t draw_limit;
  std::uint32_t children;

  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t depth, Sha1Digest const& state) const {
    std::uint32_t const draw = state.word[4] & (detail::draws - 1);
    if (depth >= least_draws.extent(0)) {
      return draw < draw_limit ? children : 0;
    }
    std::uint32_t count = 0;
    while (count < detail::max_children && draw >= least_draws(depth, count)) {
      ++count;
    }
    return count;
  }
};

/// Computes the table of a valid tree.
inline Offspring<Kokkos::HostSpace> offspring_of(Tree const& tree) {
  std::uint32_t const depths = detail::geometric_depths(tree);
  Offspring<Kokkos::HostSpace>::Table const table(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::tree_search::least_draws"), depths,
      detail::max_children);
  for (std::uint32_t depth = 0; depth < depths; ++depth) {
    double const mean = detail::mean_children(tree, depth);
    bool const same_as_before = depth > 0 && mean == detail::mean_children(tree, depth - 1);
    for (std::uint32_t k = 0; k < detail::max_children; ++k) {
      table(depth, k) = same_as_before ? table(depth - 1, k) : detail::least_draw(mean, k + 1);
    }
  }
  if (tree.kind == Kind::geometric) {
    return {table, 0, 0};
  }
  // The published condition is draw / 2^31 < probability.
  return {table, static_cast<std::uint32_t>(std::ceil(tree.probability * detail::draws)),
          tree.children};
}

/// A copy in the memory of `where`.
template <ExecutionSpace Exec>
auto copy_to(Exec const& where, Offspring<Kokkos::HostSpace> const& host) {
  using Copy = Offspring<typename Exec::memory_space>;
  typename Copy::Table const table(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::tree_search::least_draws"),
      host.least_draws.extent(0), host.least_draws.extent(1));
  Kokkos::deep_copy(where, table, host.least_draws);
  where.fence("taper::tree_search: copy of the table");
  return Copy{table, host.draw_limit, host.children};
}

/// The root of a tree.
inline Node root_of(Tree const& tree, Offspring<Kokkos::HostSpace> const& offspring) {
  Sha1Digest const state = sha1_of_seed(tree.seed);
  return {state, 0, 0,
          tree.kind == Kind::binomial ? static_cast<std::uint32_t>(tree.root_children)
                                      : offspring(0, state)};
}

/// Makes the next child of a node. A child without children is a leaf.
template <class Memory>
KOKKOS_FORCEINLINE_FUNCTION Node next_child(Node& node, Offspring<Memory> const& offspring) {
  Sha1Digest const state = sha1_of(node.state, node.next++);
  return {state, node.depth + 1, 0, offspring(node.depth + 1, state)};
}

}  // namespace taper::tree_search
