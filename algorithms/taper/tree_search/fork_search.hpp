// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fork_join.hpp>
#include <taper/tree_search/offspring.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace taper::tree_search::detail {

/// Tree search by fork_join(), on a host.
/// Used by: count(), for the schedules serial, tasks and pool.
class ForkSearch {
 public:
  explicit ForkSearch(Offspring<Kokkos::HostSpace> offspring) : offspring_(std::move(offspring)) {}

  /// Counts all nodes below the nodes of `stack`. `above`: the number of nodes that the enclosing
  /// calls have counted before they forked.
  ///
  /// Searches depth first. After `budget` nodes it forks: of every node of the stack, each branch
  /// gets half of the remaining children. (If each branch got half of the nodes, the branches would
  /// be very unequal: most of the tree lies below the oldest nodes.)
  ///
  /// The budget is min_budget plus a sixteenth of `above`. So the depth of nested forks is
  /// logarithmic, however deep the tree is, and a worker with a large part soon shares it again.
  Tally count_below(std::vector<Node> stack, std::uint64_t above, Fork& fork) const {
    Tally tally;
    std::uint64_t const budget = min_budget + above / 16;
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
      fork([&](Fork& own) { of_own = count_below(std::move(stack), above, own); },
           [&](Fork& own) { of_others = count_below(std::move(others), above, own); });
      tally.add(of_own);
      tally.add(of_others);
    }
    return tally;
  }

 private:
  /// Removes half of the remaining children of every node, and returns them. Nodes with an odd
  /// number of children lose alternately the smaller and the larger half. The first of them loses
  /// the smaller one, so a single child stays.
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

  static constexpr std::uint64_t min_budget = 256;

  Offspring<Kokkos::HostSpace> offspring_;
};

}  // namespace taper::tree_search::detail
