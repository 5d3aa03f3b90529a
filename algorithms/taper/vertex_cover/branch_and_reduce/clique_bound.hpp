// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/standard/clique_graph.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::vertex_cover::standard {

/// Which candidates a search for a larger clique must branch on: those that stay uncoloured by as
/// many colours as the clique must exceed, unless recolouring (Tomita and others 2010) or unit
/// propagation over the colour classes (Li and Quan 2010) shows that they add nothing to the bound.
/// Source of the bitset form: San Segundo, Rodriguez-Losada and Jimenez 2011.
///
/// One worker's: it keeps its tables from node to node.
class CliqueBound {
  using Word = CliqueGraph::Word;

 public:
  CliqueBound(CliqueGraph const& graph, Interrupt& interrupt)
      : graph_(graph), interrupt_(interrupt), words_(graph.words()), left_(words_), alive_(words_),
        active_(words_), colour_(graph.size()), reason_(graph.size()) {}

  /// The candidates to branch on, in their order; none if a clique among the candidates has at most
  /// `colours` vertices. What is said after an interrupt is no bound.
  void branches(Word const* candidates, std::uint32_t colours, std::vector<Vertex>& found) {
    found.clear();
    if (classes_.size() < std::size_t{colours} * words_) {
      classes_.resize(std::size_t{colours} * words_);
    }
    std::copy_n(candidates, words_, left_.data());
    for (used_ = 0; used_ < colours; ++used_) {
      if (!take_colour_class()) {
        return;
      }
    }
    graph_.for_each(left_.data(), [&](Vertex v) { found.push_back(v); });
    std::erase_if(found, [&](Vertex v) { return !stops_after(used_) && recolour(v); });
    if (found.empty()) {
      return;
    }
    prepare_propagation();
    std::erase_if(found, [&](Vertex v) { return !stops_after(used_) && propagate(v); });
  }

 private:
  bool stops_after(std::uint64_t rows) { return interrupt_.over_after(rows * words_); }
  Word* colour_class(std::uint32_t c) { return classes_.data() + std::size_t{c} * words_; }

  /// The first vertex left, and whatever follows that is beside none of the class. False if
  /// nothing is left.
  bool take_colour_class() {
    Word* const chosen = colour_class(used_);
    std::fill_n(chosen, words_, 0);
    std::size_t first = 0;
    while (first < words_ && left_[first] == 0) {
      ++first;
    }
    if (first == words_) {
      return false;
    }
    std::copy(left_.begin() + static_cast<std::ptrdiff_t>(first), left_.end(),
              alive_.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t w = first; w < words_; ++w) {
      while (alive_[w] != 0) {
        auto const v =
            static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(alive_[w])));
        CliqueGraph::clear(alive_.data(), v);
        CliqueGraph::clear(left_.data(), v);
        CliqueGraph::set(chosen, v);
        colour_[v] = used_;
        Word const* const row = graph_.beside(v);
        for (std::size_t i = w; i < words_; ++i) {
          alive_[i] &= ~row[i];
        }
      }
    }
    return true;
  }

  /// Gives v a colour, if that takes moving at most one other vertex.
  bool recolour(Vertex v) {
    Vertex const n = graph_.size();
    Word const* const row = graph_.beside(v);
    for (std::uint32_t c = 0; c < used_; ++c) {
      Word* const chosen = colour_class(c);
      Vertex in_the_way = n;
      bool several = false;
      for (std::size_t w = 0; w < words_ && !several; ++w) {
        Word const common = chosen[w] & row[w];
        if (common != 0) {
          several = in_the_way != n || (common & (common - 1)) != 0;
          in_the_way =
              static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(common)));
        }
      }
      if (several) {
        continue;
      }
      if (in_the_way != n) {
        std::uint32_t const other = fitting_class(in_the_way, c);
        if (other == used_) {
          continue;
        }
        CliqueGraph::clear(chosen, in_the_way);
        CliqueGraph::set(colour_class(other), in_the_way);
        colour_[in_the_way] = other;
      }
      CliqueGraph::set(chosen, v);
      colour_[v] = c;
      return true;
    }
    return false;
  }

  std::uint32_t fitting_class(Vertex v, std::uint32_t but) {
    Word const* const row = graph_.beside(v);
    for (std::uint32_t c = 0; c < used_; ++c) {
      if (c == but) {
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
    return used_;
  }

  void prepare_propagation() {
    std::fill(active_.begin(), active_.end(), 0);
    count_.resize(used_);
    enabled_.assign(used_, true);
    singles_.clear();
    for (std::uint32_t c = 0; c < used_; ++c) {
      std::uint32_t count = 0;
      Word const* const chosen = colour_class(c);
      for (std::size_t w = 0; w < words_; ++w) {
        active_[w] |= chosen[w];
        count += static_cast<std::uint32_t>(std::popcount(chosen[w]));
      }
      count_[c] = count;
      if (count == 1) {
        singles_.push_back(c);
      }
    }
  }

  /// Supposes that a clique has v and one vertex of each class that is enabled. If that leads to a
  /// class with no vertex left, v and the classes involved together add no more than the classes
  /// alone: v need not be branched on, and the classes are used up. A class of one vertex left
  /// leads on.
  bool propagate(Vertex v) {
    std::copy(active_.begin(), active_.end(), alive_.begin());
    removed_.clear();
    units_.assign(1, v);
    std::uint32_t empty = used_;
    for (std::size_t head = 0; head < units_.size() && empty == used_; ++head) {
      Vertex const unit = units_[head];
      Word const* const row = graph_.beside(unit);
      for (std::size_t w = 0; w < words_ && empty == used_; ++w) {
        Word gone = alive_[w] & ~row[w];
        alive_[w] &= row[w];
        for (; gone != 0; gone &= gone - 1) {
          auto const u =
              static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(gone)));
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
            // The other bits of this word keep their counts; they are not removed.
            break;
          }
        }
      }
      if (head == 0) {
        pending_.insert(pending_.end(), singles_.begin(), singles_.end());
      }
      for (std::uint32_t const c : pending_) {
        if (count_[c] == 1 && enabled_[c] && empty == used_) {
          units_.push_back(last_of(c));
        }
      }
      pending_.clear();
    }
    for (Vertex const u : removed_) {
      ++count_[colour_[u]];
    }
    if (empty == used_) {
      return false;
    }
    use_up(empty, v);
    return true;
  }

  Vertex last_of(std::uint32_t c) {
    Word const* const chosen = colour_class(c);
    std::size_t w = 0;
    while ((chosen[w] & alive_[w]) == 0) {
      ++w;
    }
    return static_cast<Vertex>(w * 64 +
                               static_cast<unsigned>(std::countr_zero(chosen[w] & alive_[w])));
  }

  /// Disables the class and those whose units emptied it, and theirs.
  void use_up(std::uint32_t empty, Vertex start) {
    is_removed_.assign(words_, 0);
    for (Vertex const u : removed_) {
      CliqueGraph::set(is_removed_.data(), u);
    }
    std::vector<std::uint32_t>& involved = pending_;
    involved.assign(1, empty);
    enabled_[empty] = false;
    for (std::size_t head = 0; head < involved.size(); ++head) {
      Word const* const chosen = colour_class(involved[head]);
      for (std::size_t w = 0; w < words_; ++w) {
        active_[w] &= ~chosen[w];
        for (Word rest = chosen[w] & is_removed_[w]; rest != 0; rest &= rest - 1) {
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

  // Of one node.
  std::uint32_t used_ = 0;
  std::vector<Word> classes_, left_, alive_, active_, is_removed_;
  std::vector<std::uint32_t> colour_, count_, pending_, singles_;
  std::vector<bool> enabled_;
  std::vector<Vertex> reason_, removed_, units_;
};

}  // namespace taper::vertex_cover::standard
