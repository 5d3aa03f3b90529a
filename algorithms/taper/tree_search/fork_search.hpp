// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fork_join.hpp>
#include <taper/tree_search/offspring.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace taper::tree_search::detail {

/// A host's search by fork_join().
class Explorer {
 public:
  explicit Explorer(Offspring<Kokkos::HostSpace> offspring) : offspring_(std::move(offspring)) {}

  /// All below the nodes of `stack`, by whoever takes part in the fork.
  ///
  /// One worker goes depth first, and forks when it has made `budget` nodes: of the children that
  /// each node has yet to get, half are for others. Halves that are whole nodes instead, older and
  /// newer ones, differ by most of the tree. The budget is least_budget and a sixteenth of what has
  /// been made above in the same line of forks: so these nest logarithmically, however deep the
  /// tree, and who takes a half that turns out large has soon something to give.
  Tally explore(std::vector<Node> stack, std::uint64_t above, Fork& fork) const {
    Tally tally;
    std::uint64_t const budget = least_budget + above / 16;
    std::vector<Node> others;
    while (!stack.empty() && others.empty()) {
      Node const child = next_child(stack.back(), offspring_);
      tally.add(child.depth, child.children == 0);
      if (stack.back().next == stack.back().children) {
        stack.pop_back();
      }
      if (child.children > 0) {
        stack.push_back(child);
      }
      if (tally.nodes >= budget) {
        others = take_half(stack);
      }
    }
    if (!others.empty()) {
      above += tally.nodes;
      Tally of_own;
      Tally of_others;
      fork([&](Fork& own) { of_own = explore(std::move(stack), above, own); },
           [&](Fork& own) { of_others = explore(std::move(others), above, own); });
      tally.add(of_own);
      tally.add(of_others);
    }
    return tally;
  }

 private:
  /// Of every node half of the children that it has yet to get; the odd one stays with the first,
  /// goes with the second, and so on. Nothing where there is one child in all.
  static std::vector<Node> take_half(std::vector<Node>& stack) {
    std::vector<Node> half;
    std::uint32_t odd = 0;
    for (Node& node : stack) {
      std::uint32_t const left = node.children - node.next;
      std::uint32_t const taken = (left + odd) / 2;
      odd ^= left & 1;
      if (taken > 0) {
        half.push_back(node);
        half.back().next = node.children - taken;
        node.children -= taken;
      }
    }
    std::erase_if(stack, [](Node const& node) { return node.next == node.children; });
    return half;
  }

  static constexpr std::uint64_t least_budget = 256;

  Offspring<Kokkos::HostSpace> offspring_;
};

}  // namespace taper::tree_search::detail
