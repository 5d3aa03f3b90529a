// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// A part of a search that another process takes over: what is left of a component's graph, what
/// turns a cover of it into one of the component, and the branch to search. All vertices have the
/// component's numbers, so a subproblem of a subproblem is no different.
///
/// Used by: Search, which makes it and continues with it; Partners, which send it.
class Subproblem {
 public:
  using Words = std::vector<std::uint32_t>;

  std::uint32_t vertices = 0;        ///< of the component
  std::uint32_t cover_size = 0;      ///< what decisions and folds add to a cover of the live graph
  std::uint32_t contradictions = 0;  ///< Node::contradictions
  std::uint32_t mirrored = 0;        ///< 1: the other branch takes mirrors of the branching vertex
  Words included;                    ///< decided: in the cover
  Words folds;                       ///< the first one first: the lengths of its lists, then these
  Words live;                        ///< the live vertices
  Words degrees, neighbours;         ///< their rows
  Words clique_of;                   ///< of each live vertex; or empty
  Words packing;   ///< per constraint: how many may be in the cover, how many vertices, and these
  Words excluded;  ///< the branch: these vertices are outside the cover

  /// All of it as one list of words.
  Words to_words() const {
    Words words{vertices, cover_size, contradictions, mirrored};
    for (auto const list : lists) {
      Words const& own = this->*list;
      words.push_back(static_cast<std::uint32_t>(own.size()));
      words.insert(words.end(), own.begin(), own.end());
    }
    return words;
  }
  /// Requires: to_words() made them.
  static Subproblem of_words(std::span<std::uint32_t const> words) {
    Subproblem part;
    for (auto const number : numbers) {
      part.*number = words[0];
      words = words.subspan(1);
    }
    for (auto const list : lists) {
      auto const own = words.subspan(1, words[0]);
      (part.*list).assign(own.begin(), own.end());
      words = words.subspan(1 + own.size());
    }
    return part;
  }

  friend bool operator==(Subproblem const&, Subproblem const&) = default;

 private:
  static constexpr std::uint32_t Subproblem::*numbers[]{
      &Subproblem::vertices, &Subproblem::cover_size, &Subproblem::contradictions,
      &Subproblem::mirrored};
  static constexpr Words Subproblem::*lists[]{
      &Subproblem::included,   &Subproblem::folds,     &Subproblem::live,    &Subproblem::degrees,
      &Subproblem::neighbours, &Subproblem::clique_of, &Subproblem::packing, &Subproblem::excluded};
};

}  // namespace taper::vertex_cover::branch_and_reduce
