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
  /// One worker goes depth first, and forks when it has made `budget` nodes and has two or more
  /// left: the older half, whose subtrees tend to be larger, is for others. The budget is least_budget
  /// and a sixteenth of what has been made above in the same line of forks: so these nest
  /// logarithmically, however deep the tree, and who takes a half that turns out large has soon
  /// something to give.
  Tally explore(std::vector<Node> stack, std::uint64_t above, Fork& fork) const {
    Tally tally;
    std::uint64_t const budget = least_budget + above / 16;
    while (!stack.empty() && (tally.nodes < budget || stack.size() < 2)) {
      Node const child = next_child(stack.back(), offspring_);
      tally.add(child.depth, child.children == 0);
      if (stack.back().next == stack.back().children) {
        stack.pop_back();
      }
      if (child.children > 0) {
        stack.push_back(child);
      }
    }
    if (!stack.empty()) {
      auto const half = stack.begin() + static_cast<std::ptrdiff_t>(stack.size() / 2);
      std::vector<Node> newer(half, stack.end());
      stack.erase(half, stack.end());
      above += tally.nodes;
      Tally of_newer;
      Tally of_older;
      fork([&](Fork& own) { of_newer = explore(std::move(newer), above, own); },
           [&](Fork& own) { of_older = explore(std::move(stack), above, own); });
      tally.add(of_newer);
      tally.add(of_older);
    }
    return tally;
  }

 private:
  static constexpr std::uint64_t least_budget = 256;

  Offspring<Kokkos::HostSpace> offspring_;
};

}  // namespace taper::tree_search::detail
