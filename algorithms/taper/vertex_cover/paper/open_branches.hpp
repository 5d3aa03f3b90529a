// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/polling.hpp>
#include <taper/vertex_cover/paper/registry.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace taper::vertex_cover::paper {

/// The registry as a launch has left it, and what it is good for already: a branch whose components
/// are not all solved has a cover all the same, made of what it has taken and of each component's
/// best so far. Where a size is asked for, Registry carries the sizes up at each improvement; what
/// they are the sizes of is found here, after a launch, in one pass over the entries.
class OpenBranches {
 public:
  /// The first `roots` entries are roots.
  OpenBranches(std::vector<Entry> entries, std::size_t roots)
      : entries_(std::move(entries)), roots_(roots), first_below_(entries_.size(), nothing),
        next_beside_(entries_.size(), nothing), best_(entries_.size(), 0),
        chosen_(entries_.size(), nothing) {
    for (std::size_t i = roots; i < entries_.size(); ++i) {
      if (entries_[i].all_but_one != 0) {
        next_beside_[i] = first_below_[entries_[i].up];
        first_below_[entries_[i].up] = static_cast<std::uint32_t>(i);
      }
    }
    // Components, each behind the one that it is below.
    std::vector<std::uint32_t> order(roots);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::uint32_t b = first_below_[order[i]]; b != nothing; b = next_beside_[b]) {
        for (std::uint32_t part = first_below_[b]; part != nothing; part = next_beside_[part]) {
          order.push_back(part);
        }
      }
    }
    std::for_each(order.rbegin(), order.rend(), [&](std::uint32_t i) { evaluate(i); });
  }

  /// Of a root's best cover, or its bound.
  std::uint32_t size(std::size_t root) const { return best_[root]; }

  /// Calls write(row, first word, end word) for the rows of covers that a root's best cover is the
  /// union of. Requires size(root) below the root's bound.
  template <class Write>
  void for_each_row(std::uint32_t root, Write const& write) const {
    std::vector<std::uint32_t> components{root};
    while (!components.empty()) {
      std::uint32_t const component = components.back();
      components.pop_back();
      std::uint32_t const branch = chosen_[component];
      Entry const& source = entries_[branch == nothing ? component : branch];
      write(row_of(source.cover), source.first_word, source.end_word);
      if (branch != nothing) {
        for (std::uint32_t i = first_below_[branch]; i != nothing; i = next_beside_[i]) {
          components.push_back(i);
        }
      }
    }
  }

 private:
  /// A component that has not come below its bound still has the cover that it began with.
  std::uint32_t own_size(std::uint32_t component) const {
    Entry const& entry = entries_[component];
    std::uint32_t const best = size_of(entry.cover);
    return best < entry.bound || component < roots_ ? best : entry.all_but_one;
  }

  /// Requires that the components below have been evaluated. Components and branches take turns on
  /// the way down; a component's children are branches.
  void evaluate(std::uint32_t component) {
    best_[component] = own_size(component);
    for (std::uint32_t branch = first_below_[component]; branch != nothing;
         branch = next_beside_[branch]) {
      std::uint32_t sum = size_of(entries_[branch].cover);
      for (std::uint32_t i = first_below_[branch]; i != nothing; i = next_beside_[i]) {
        sum += best_[i];
      }
      if (sum < best_[component]) {
        best_[component] = sum;
        chosen_[component] = branch;
      }
    }
  }

  std::vector<Entry> entries_;
  std::size_t roots_;
  std::vector<std::uint32_t> first_below_;
  std::vector<std::uint32_t> next_beside_;
  std::vector<std::uint32_t> best_;
  std::vector<std::uint32_t> chosen_;
};

}  // namespace taper::vertex_cover::paper
