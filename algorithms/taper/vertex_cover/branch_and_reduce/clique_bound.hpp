// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/clique_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// Computes on which candidates the search for a larger clique must branch.
///
/// A greedy colouring uses as many colours as the clique may have without being larger than the
/// incumbent. The search must branch on the vertices that stay uncoloured. Recolouring (Tomita and
/// others 2010) and unit propagation over the colour classes (Li and Quan 2010) remove some of
/// them.
/// Source of the bitset form: San Segundo, Rodriguez-Losada and Jimenez 2011.
///
/// Used by: MaxClique. Each worker has one, which keeps its tables from node to node.
class CliqueBound {
  using Word = CliqueGraph::Word;

 public:
  CliqueBound(CliqueGraph const& graph, Interrupt& interrupt)
      : graph_(graph), interrupt_(interrupt), words_(graph.words()), uncoloured_(words_),
        remaining_(words_), active_(words_), colour_(graph.size()), reason_(graph.size()) {}

  /// Sets `found` to the candidates to branch on, in ascending order. None: every clique among the
  /// candidates has at most `colours` vertices. After an interrupt the result is no valid bound.
  void branching_vertices(Word const* candidates, std::uint32_t colours,
                          std::vector<Vertex>& found) {
    found.clear();
    if (classes_.size() < std::size_t{colours} * words_) {
      classes_.resize(std::size_t{colours} * words_);
    }
    std::copy_n(candidates, words_, uncoloured_.data());
    for (colours_used_ = 0; colours_used_ < colours; ++colours_used_) {
      if (!build_colour_class()) {
        return;
      }
    }
    graph_.for_each(uncoloured_.data(), [&](Vertex v) { found.push_back(v); });
    std::erase_if(found, [&](Vertex v) { return !stopped_after(colours_used_) && recolour(v); });
    if (found.empty()) {
      return;
    }
    prepare_propagation();
    std::erase_if(found, [&](Vertex v) { return !stopped_after(colours_used_) && propagate(v); });
  }

 private:
  bool stopped_after(std::uint64_t rows) { return interrupt_.stopped_after(rows * words_); }
  Word* colour_class(std::uint32_t c) { return classes_.data() + std::size_t{c} * words_; }

  /// Builds the next colour class: the first uncoloured vertex, then each later one that is
  /// adjacent to none of the class. False if no vertex is uncoloured.
  bool build_colour_class() {
    Word* const members = colour_class(colours_used_);
    std::fill_n(members, words_, 0);
    std::size_t first = 0;
    while (first < words_ && uncoloured_[first] == 0) {
      ++first;
    }
    if (first == words_) {
      return false;
    }
    std::copy(uncoloured_.begin() + static_cast<std::ptrdiff_t>(first), uncoloured_.end(),
              remaining_.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t w = first; w < words_; ++w) {
      while (remaining_[w] != 0) {
        auto const v =
            static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(remaining_[w])));
        CliqueGraph::clear(remaining_.data(), v);
        CliqueGraph::clear(uncoloured_.data(), v);
        CliqueGraph::set(members, v);
        colour_[v] = colours_used_;
        Word const* const row = graph_.neighbours(v);
        for (std::size_t i = w; i < words_; ++i) {
          remaining_[i] &= ~row[i];
        }
      }
    }
    return true;
  }

  /// Colours v if moving at most one vertex to another class makes that possible.
  bool recolour(Vertex v) {
    Vertex const n = graph_.size();
    Word const* const row = graph_.neighbours(v);
    for (std::uint32_t c = 0; c < colours_used_; ++c) {
      Word* const members = colour_class(c);
      Vertex blocker = n;
      bool several = false;
      for (std::size_t w = 0; w < words_ && !several; ++w) {
        Word const common = members[w] & row[w];
        if (common != 0) {
          several = blocker != n || (common & (common - 1)) != 0;
          blocker = static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(common)));
        }
      }
      if (several) {
        continue;
      }
      if (blocker != n) {
        std::uint32_t const other = class_for(blocker, c);
        if (other == colours_used_) {
          continue;
        }
        CliqueGraph::clear(members, blocker);
        CliqueGraph::set(colour_class(other), blocker);
        colour_[blocker] = other;
      }
      CliqueGraph::set(members, v);
      colour_[v] = c;
      return true;
    }
    return false;
  }

  /// A class other than `except` that has no neighbour of v; colours_used_ if there is none.
  std::uint32_t class_for(Vertex v, std::uint32_t except) {
    Word const* const row = graph_.neighbours(v);
    for (std::uint32_t c = 0; c < colours_used_; ++c) {
      if (c == except) {
        continue;
      }
      Word const* const other = colour_class(c);
      Word common = 0;
      for (std::size_t w = 0; w < words_ && common == 0; ++w) {
        common = other[w] & row[w];
      }
      if (common == 0) {
        return c;
      }
    }
    return colours_used_;
  }

  void prepare_propagation() {
    std::fill(active_.begin(), active_.end(), 0);
    count_.resize(colours_used_);
    enabled_.assign(colours_used_, true);
    singles_.clear();
    for (std::uint32_t c = 0; c < colours_used_; ++c) {
      std::uint32_t count = 0;
      Word const* const members = colour_class(c);
      for (std::size_t w = 0; w < words_; ++w) {
        active_[w] |= members[w];
        count += static_cast<std::uint32_t>(std::popcount(members[w]));
      }
      count_[c] = count;
      if (count == 1) {
        singles_.push_back(c);
      }
    }
  }

  /// Unit propagation. Assumes that a clique has v and one vertex of each enabled class. Their
  /// non-neighbours are removed; a class with a single vertex left adds that vertex to the clique.
  /// If a class becomes empty, v and the classes involved bound the clique by no more than these
  /// classes alone. Then v needs no branch (true), and the classes are disabled: each counts once.
  bool propagate(Vertex v) {
    std::copy(active_.begin(), active_.end(), remaining_.begin());
    removed_.clear();
    units_.assign(1, v);
    std::uint32_t empty = colours_used_;
    for (std::size_t head = 0; head < units_.size() && empty == colours_used_; ++head) {
      Vertex const unit = units_[head];
      Word const* const row = graph_.neighbours(unit);
      for (std::size_t w = 0; w < words_ && empty == colours_used_; ++w) {
        Word lost = remaining_[w] & ~row[w];
        remaining_[w] &= row[w];
        for (; lost != 0; lost &= lost - 1) {
          auto const u =
              static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(lost)));
          if (u == unit) {
            continue;
          }
          reason_[u] = unit;
          removed_.push_back(u);
          std::uint32_t const c = colour_[u];
          if (--count_[c] == 1) {
            pending_.push_back(c);
          } else if (count_[c] == 0) {
            empty = c;
            // The remaining bits of this word are not removed, so their counts stay.
            break;
          }
        }
      }
      if (head == 0) {
        pending_.insert(pending_.end(), singles_.begin(), singles_.end());
      }
      for (std::uint32_t const c : pending_) {
        if (count_[c] == 1 && enabled_[c] && empty == colours_used_) {
          units_.push_back(last_of(c));
        }
      }
      pending_.clear();
    }
    for (Vertex const u : removed_) {
      ++count_[colour_[u]];
    }
    if (empty == colours_used_) {
      return false;
    }
    disable_involved(empty, v);
    return true;
  }

  Vertex last_of(std::uint32_t c) {
    Word const* const members = colour_class(c);
    std::size_t w = 0;
    while ((members[w] & remaining_[w]) == 0) {
      ++w;
    }
    return static_cast<Vertex>(w * 64 +
                               static_cast<unsigned>(std::countr_zero(members[w] & remaining_[w])));
  }

  /// Disables the empty class and, transitively, each class whose unit vertex removed a vertex from
  /// a disabled class.
  void disable_involved(std::uint32_t empty, Vertex start) {
    is_removed_.assign(words_, 0);
    for (Vertex const u : removed_) {
      CliqueGraph::set(is_removed_.data(), u);
    }
    std::vector<std::uint32_t>& involved = pending_;
    involved.assign(1, empty);
    enabled_[empty] = false;
    for (std::size_t head = 0; head < involved.size(); ++head) {
      Word const* const members = colour_class(involved[head]);
      for (std::size_t w = 0; w < words_; ++w) {
        active_[w] &= ~members[w];
        for (Word rest = members[w] & is_removed_[w]; rest != 0; rest &= rest - 1) {
          auto const u =
              static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(rest)));
          Vertex const cause = reason_[u];
          if (cause != start && enabled_[colour_[cause]]) {
            enabled_[colour_[cause]] = false;
            involved.push_back(colour_[cause]);
          }
        }
      }
    }
    pending_.clear();
  }

  CliqueGraph const& graph_;
  Interrupt& interrupt_;
  std::size_t words_;

  // Scratch of one node.
  std::uint32_t colours_used_ = 0;
  std::vector<Word> classes_;     ///< the vertices of each colour class
  std::vector<Word> uncoloured_;  ///< candidates without a colour
  std::vector<Word> remaining_;   ///< candidates for the next class; in propagate(): not removed
  std::vector<Word> active_;      ///< the vertices of all enabled classes
  std::vector<Word> is_removed_;
  std::vector<std::uint32_t> colour_;   ///< by vertex
  std::vector<std::uint32_t> count_;    ///< by class: its remaining vertices
  std::vector<std::uint32_t> pending_;  ///< classes that may have become units
  std::vector<std::uint32_t> singles_;  ///< classes of one vertex
  std::vector<bool> enabled_;           ///< by class
  std::vector<Vertex> reason_;          ///< by removed vertex: the unit that removed it
  std::vector<Vertex> removed_, units_;
};

}  // namespace taper::vertex_cover::branch_and_reduce
