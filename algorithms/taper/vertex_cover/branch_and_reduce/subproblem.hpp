// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// A part of a search that another process takes over. It has the live graph of a component, what
/// turns a cover of the live graph into a cover of the component, and the branch to search.
/// Vertices keep the numbers that they have in the component. So a subproblem of a subproblem has
/// the same form.
///
/// Used by: Search, which makes subproblems and continues with those of others. Partners send them.
class Subproblem {
 public:
  using Words = std::vector<std::uint32_t>;

  std::uint32_t vertices = 0;        ///< of the component
  std::uint32_t cover_size = 0;      ///< what decisions and folds add to a cover of the live graph
  std::uint32_t contradictions = 0;  ///< Node::contradictions
  std::uint32_t mirrored = 0;        ///< 1: the other branch takes mirrors of the branching vertex
  Words included;                    ///< vertices that are decided to be in the cover
  Words folds;       ///< per fold, in order: the lengths of its lists, then their vertices
  Words live;        ///< the live vertices
  Words degrees;     ///< per live vertex
  Words neighbours;  ///< the rows of the live vertices, one after another
  Words clique_of;   ///< per live vertex: its clique in a partition into cliques; or empty
  Words packing;     ///< per constraint: vertices allowed in the cover, its size, its vertices
  Words excluded;    ///< the branch: these vertices are not in the cover

  /// The subproblem as one list of words: the numbers, then each list behind its length.
  Words to_words() const {
    Words words{vertices, cover_size, contradictions, mirrored};
    for (auto const list : lists) {
      Words const& own = this->*list;
      words.push_back(static_cast<std::uint32_t>(own.size()));
      words.insert(words.end(), own.begin(), own.end());
    }
    return words;
  }
  /// The subproblem of which to_words() made these words.
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
