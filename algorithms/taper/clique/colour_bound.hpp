// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/dense_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace taper::clique {

/// Finds the candidates on which the search for a heavier clique must branch.
///
/// The *budget* is the weight that a clique of the candidates may have without beating the
/// incumbent. Colour classes, which are independent sets, get weights whose sum is at most the
/// budget. A vertex is covered if the weights of its classes sum up to its own weight. A clique has
/// at most one vertex of each class, so a clique of covered vertices weighs at most the budget. The
/// search branches on the other vertices. Recolouring and unit propagation cover more vertices
/// within the same budget.
///
/// With unit weights this is: greedy colouring on bit sets (San Segundo, Rodriguez-Losada and
/// Jimenez, "An exact bit-parallel algorithm for the maximum clique problem", 2011); recolouring
/// (Tomita, Sutani, Higashi, Takahashi and Wakatsuki, "A simple and faster branch-and-bound
/// algorithm for finding a maximum clique", 2010); unit propagation over the classes (Li and Quan,
/// "An efficient branch-and-bound algorithm based on MaxSAT for the maximum clique problem", 2010).
/// San Segundo, Nikolaev and Batsyn, "Infra-chromatic bound for exact maximum clique search", 2015,
/// limit the propagation to pairs of classes; here it goes as far as it reaches. Weights are split
/// over several classes as by Held, Cook and Sewell, "Maximum-weight stable sets and safe lower
/// bounds for graph coloring", 2012, and by Babel, 1994.
/// Used by: the searches of search.hpp. Each worker has one, which keeps its tables.
template <class Weights>
class ColourBound {
  using Word = bits::Word;
  static constexpr Weight no_limit = std::numeric_limits<Weight>::max();

 public:
  /// Prepares the tables for a graph, which must outlive the calls that follow.
  void begin(DenseGraph<Weights> const& graph, Bound bound) {
    graph_ = &graph;
    bound_ = bound;
    words_ = graph.words();
    uncovered_.resize(words_);
    remaining_.resize(words_);
    active_.resize(words_);
    is_removed_.resize(words_);
    reason_.resize(graph.size());
    if constexpr (Weights::unit) {
      class_of_.resize(graph.size());
    } else {
      residual_.resize(graph.size());
      first_entry_.resize(graph.size());
    }
  }

  /// Sets `found` to the candidates to branch on, ascending. If there are none, every clique of the
  /// candidates weighs at most `budget`. After an interrupt there may be more than needed.
  void branching_vertices(Word const* candidates, Weight budget, std::vector<Vertex>& found,
                          vertex_cover::Interrupt& interrupt) {
    work_ = 0;
    auto const stopped = [&] { return interrupt.stopped_after(std::exchange(work_, 0)); };
    found.clear();
    colour(candidates, budget);
    bits::for_each(uncovered_.data(), words_, [&](Vertex v) { found.push_back(v); });
    if (bound_ == Bound::recolouring && !found.empty()) {
      std::erase_if(found, [&](Vertex v) { return !stopped() && recolour(v); });
    }
    if (bound_ == Bound::maxsat && !found.empty()) {
      prepare_propagation();
      std::erase_if(found, [&](Vertex v) { return !stopped() && cover_by_propagation(v); });
    }
    stopped();
  }

  /// An upper bound on the weight of the cliques of the candidates.
  Weight upper_bound(Word const* candidates) {
    work_ = 0;
    return no_limit - colour(candidates, no_limit);
  }

 private:
  /// The vertices of a class.
  Word* members(std::uint32_t c) { return classes_.data() + std::size_t{c} * words_; }

  /// Builds classes while there are uncovered candidates and a budget. Returns the unspent budget.
  Weight colour(Word const* candidates, Weight budget) {
    std::copy_n(candidates, words_, uncovered_.data());
    if constexpr (!Weights::unit) {
      bits::for_each(candidates, words_, [&](Vertex v) { residual_[v] = graph_->weight(v); });
    }
    class_count_ = 0;
    class_weight_.clear();
    std::size_t first = 0;
    while (budget > 0) {
      while (first < words_ && uncovered_[first] == 0) {
        ++first;
      }
      if (first == words_) {
        break;
      }
      budget -= build_class(first, budget);
    }
    return budget;
  }

  /// Builds the next class: the first uncovered vertex, then each later one that is adjacent to
  /// none of the class. Returns its weight: the least residual weight in it, at most the budget.
  Weight build_class(std::size_t first, Weight budget) {
    // A local copy, since the compiler must assume that stores to words change words_.
    std::size_t const words = words_;
    std::uint32_t const c = class_count_++;
    if (classes_.size() < std::size_t{class_count_} * words) {
      classes_.resize(std::size_t{class_count_} * words);
    }
    Word* const own = members(c);
    std::fill_n(own, words, 0);
    Weight least = budget;
    std::size_t size = 0;
    Word* const remaining = remaining_.data();
    std::copy_n(uncovered_.data() + first, words - first, remaining + first);
    for (std::size_t w = first; w < words; ++w) {
      while (remaining[w] != 0) {
        auto const v =
            static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(remaining[w])));
        remaining[w] &= remaining[w] - 1;
        bits::set(own, v);
        ++size;
        if constexpr (!Weights::unit) {
          least = std::min(least, residual_[v]);
        }
        Word const* const row = graph_->neighbours(v);
        for (std::size_t i = w; i < words; ++i) {
          remaining[i] &= ~row[i];
        }
      }
    }
    work_ += size * (words - first) + words;
    if constexpr (Weights::unit) {
      least = 1;
      for (std::size_t w = first; w < words; ++w) {
        uncovered_[w] &= ~own[w];
      }
    } else {
      bits::for_each(own, words, [&](Vertex v) {
        residual_[v] -= least;
        if (residual_[v] == 0) {
          bits::clear(uncovered_.data(), v);
        }
      });
    }
    class_weight_.push_back(least);
    return least;
  }

  /// Lowers the uncovered weight of v. Returns whether v is covered.
  bool lower([[maybe_unused]] Vertex v, [[maybe_unused]] Weight by) {
    if constexpr (Weights::unit) {
      return true;
    } else {
      residual_[v] -= std::min(residual_[v], by);
      return residual_[v] == 0;
    }
  }

  /// Covers v by classes that it can join. If one vertex of a class is adjacent to v, it moves to
  /// another class of the same or more weight. Returns whether v is covered; if not, a part of its
  /// weight may be.
  bool recolour(Vertex v) {
    std::size_t const words = words_;
    constexpr Vertex none = std::numeric_limits<Vertex>::max();
    Word const* const row = graph_->neighbours(v);
    for (std::uint32_t c = 0; c < class_count_; ++c) {
      Word* const own = members(c);
      if (!Weights::unit && bits::test(own, v)) {
        continue;
      }
      Vertex blocker = none;
      bool several = false;
      for (std::size_t w = 0; w < words && !several; ++w) {
        Word const common = own[w] & row[w];
        if (common != 0) {
          several = blocker != none || (common & (common - 1)) != 0;
          blocker = static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(common)));
        }
      }
      if (several) {
        continue;
      }
      if (blocker != none) {
        std::uint32_t const other = class_for(blocker, c);
        if (other == class_count_) {
          continue;
        }
        bits::clear(own, blocker);
        bits::set(members(other), blocker);
      }
      bits::set(own, v);
      if (lower(v, class_weight_[c])) {
        work_ += std::uint64_t{c} * words;
        return true;
      }
    }
    work_ += std::uint64_t{class_count_} * words;
    return false;
  }

  /// A class other than c, of its weight or more, that v can join; class_count_ if there is none.
  std::uint32_t class_for(Vertex v, std::uint32_t c) {
    std::size_t const words = words_;
    Word const* const row = graph_->neighbours(v);
    work_ += class_count_;
    for (std::uint32_t d = 0; d < class_count_; ++d) {
      if (d == c || class_weight_[d] < class_weight_[c]) {
        continue;
      }
      Word const* const own = members(d);
      if (!Weights::unit && bits::test(own, v)) {
        continue;
      }
      Word common = 0;
      for (std::size_t w = 0; w < words && common == 0; ++w) {
        common = own[w] & row[w];
      }
      if (common == 0) {
        return d;
      }
    }
    return class_count_;
  }

  /// Calls visit(c) for each class of v.
  template <class Visit>
  void for_each_class(Vertex v, Visit const& visit) const {
    if constexpr (Weights::unit) {
      visit(class_of_[v]);
    } else {
      for (std::uint32_t e = first_entry_[v]; e != 0; e = entries_[e].next) {
        visit(entries_[e].member_of);
      }
    }
  }

  /// Lists the classes of each vertex, and counts the vertices of each class.
  void prepare_propagation() {
    std::fill(active_.begin(), active_.end(), 0);
    size_.resize(class_count_);
    enabled_.assign(class_count_, 1);
    singles_.clear();
    if constexpr (!Weights::unit) {
      entries_.assign(1, {});
      std::fill(first_entry_.begin(), first_entry_.end(), 0);
    }
    for (std::uint32_t c = 0; c < class_count_; ++c) {
      std::uint32_t size = 0;
      Word const* const own = members(c);
      for (std::size_t w = 0; w < words_; ++w) {
        active_[w] |= own[w];
      }
      bits::for_each(own, words_, [&](Vertex v) {
        ++size;
        if constexpr (Weights::unit) {
          class_of_[v] = c;
        } else {
          entries_.push_back({c, first_entry_[v]});
          first_entry_[v] = static_cast<std::uint32_t>(entries_.size() - 1);
        }
      });
      size_[c] = size;
      if (size == 1) {
        singles_.push_back(c);
      }
    }
    work_ += std::uint64_t{class_count_} * words_;
  }

  /// Covers v by conflicts. A conflict is a set of classes such that no clique with v has a vertex
  /// of each. With v, a clique therefore weighs no more in these classes and v than the classes
  /// weigh, up to the least weight of them. This weight is subtracted from v and from each of the
  /// classes, so that it is used once.
  bool cover_by_propagation(Vertex v) {
    while (propagate(v)) {
      Weight least = no_limit;
      if constexpr (!Weights::unit) {
        least = residual_[v];
        for (std::uint32_t const c : involved_) {
          least = std::min(least, class_weight_[c]);
        }
      }
      spend(least);
      if (lower(v, least)) {
        return true;
      }
    }
    return false;
  }

  /// Subtracts `weight` from the classes of the conflict. A class without weight is disabled.
  void spend([[maybe_unused]] Weight weight) {
    std::size_t const words = words_;
    for (std::uint32_t const c : involved_) {
      if constexpr (!Weights::unit) {
        class_weight_[c] -= weight;
        if (class_weight_[c] > 0) {
          continue;
        }
      }
      enabled_[c] = 0;
      if constexpr (Weights::unit) {
        Word const* const own = members(c);
        for (std::size_t w = 0; w < words; ++w) {
          active_[w] &= ~own[w];
        }
      }
    }
  }

  /// Unit propagation. Assumes that a clique has v and meets each enabled class. Non-neighbours of
  /// v are removed; a class with one vertex left, a unit, adds it to the clique. If a class becomes
  /// empty, returns true, with a conflict in involved_.
  bool propagate(Vertex v) {
    std::copy(active_.begin(), active_.end(), remaining_.begin());
    removed_.clear();
    units_.assign(1, {v, class_count_});
    pending_.assign(singles_.begin(), singles_.end());
    std::uint32_t empty = class_count_;
    for (std::uint32_t head = 0; head < units_.size() && empty == class_count_; ++head) {
      empty = remove_non_neighbours(head);
      if (empty != class_count_) {
        break;
      }
      for (std::uint32_t const c : pending_) {
        if (size_[c] == 1 && enabled_[c] != 0) {
          units_.push_back({last_of(c), c});
        }
      }
      pending_.clear();
    }
    work_ += units_.size() * words_ + removed_.size();
    for (Vertex const u : removed_) {
      for_each_class(u, [&](std::uint32_t c) { ++size_[c]; });
    }
    if (empty == class_count_) {
      return false;
    }
    find_involved(empty);
    return true;
  }

  /// Removes the non-neighbours of a unit. Returns an enabled class that becomes empty, or
  /// class_count_. Classes with one vertex left become pending.
  std::uint32_t remove_non_neighbours(std::uint32_t head) {
    std::size_t const words = words_;
    Vertex const unit = units_[head].vertex;
    Word const* const row = graph_->neighbours(unit);
    Word* const remaining = remaining_.data();
    std::uint32_t empty = class_count_;
    for (std::size_t w = 0; w < words; ++w) {
      Word lost = remaining[w] & ~row[w];
      if (w == unit / 64) {
        lost &= ~(Word{1} << unit % 64);
      }
      remaining[w] &= ~lost;
      for (; lost != 0; lost &= lost - 1) {
        auto const u = static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(lost)));
        reason_[u] = head;
        removed_.push_back(u);
        for_each_class(u, [&](std::uint32_t c) {
          if (--size_[c] == 1) {
            pending_.push_back(c);
          } else if (size_[c] == 0 && enabled_[c] != 0) {
            empty = c;
          }
        });
        if (empty != class_count_) {
          return empty;
        }
      }
    }
    return empty;
  }

  /// The only vertex of a class that is not removed.
  Vertex last_of(std::uint32_t c) {
    Word const* const own = members(c);
    std::size_t w = 0;
    while ((own[w] & remaining_[w]) == 0) {
      ++w;
    }
    return static_cast<Vertex>(w * 64 +
                               static_cast<unsigned>(std::countr_zero(own[w] & remaining_[w])));
  }

  /// The conflict: the empty class and, transitively, each class whose unit removed a vertex of a
  /// class of the conflict.
  void find_involved(std::uint32_t empty) {
    std::size_t const words = words_;
    std::fill(is_removed_.begin(), is_removed_.end(), 0);
    for (Vertex const u : removed_) {
      bits::set(is_removed_.data(), u);
    }
    is_involved_.assign(class_count_, 0);
    involved_.assign(1, empty);
    is_involved_[empty] = 1;
    for (std::size_t head = 0; head < involved_.size(); ++head) {
      Word const* const own = members(involved_[head]);
      for (std::size_t w = 0; w < words; ++w) {
        for (Word rest = own[w] & is_removed_[w]; rest != 0; rest &= rest - 1) {
          auto const u =
              static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(rest)));
          std::uint32_t const c = units_[reason_[u]].by;
          if (c != class_count_ && is_involved_[c] == 0) {
            is_involved_[c] = 1;
            involved_.push_back(c);
          }
        }
      }
    }
    work_ += involved_.size() * words;
  }

  struct Unit {
    Vertex vertex;
    std::uint32_t by;  ///< the class that it is the last vertex of; class_count_: the start
  };
  struct Entry {  ///< of the list of a vertex's classes; entry 0 ends each list
    std::uint32_t member_of = 0;
    std::uint32_t next = 0;
  };

  DenseGraph<Weights> const* graph_ = nullptr;
  Bound bound_ = Bound::maxsat;
  std::size_t words_ = 0;
  std::uint64_t work_ = 0;  ///< in words, since the last check of the clock

  // Scratch of one node.
  std::uint32_t class_count_ = 0;
  std::vector<Word> classes_;         ///< the vertices of each class
  std::vector<Weight> class_weight_;  ///< what conflicts have not spent
  std::vector<Word> uncovered_;       ///< candidates whose weight is not covered
  std::vector<Word> remaining_;       ///< candidates for the class; in propagate(): not removed
  std::vector<Word> active_;          ///< the vertices of all classes; unit weights: enabled ones
  std::vector<Word> is_removed_;
  std::vector<Weight> residual_;            ///< by vertex: weight that is not covered
  std::vector<std::uint32_t> class_of_;     ///< unit weights: by vertex
  std::vector<std::uint32_t> first_entry_;  ///< other weights: by vertex, into entries_
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> size_;                  ///< by class: vertices that are not removed
  std::vector<std::uint8_t> enabled_, is_involved_;  ///< by class
  std::vector<std::uint32_t> pending_;               ///< classes that may have become units
  std::vector<std::uint32_t> singles_;               ///< classes of one vertex
  std::vector<std::uint32_t> involved_;              ///< the classes of the conflict
  std::vector<std::uint32_t> reason_;                ///< by removed vertex: index into units_
  std::vector<Vertex> removed_;
  std::vector<Unit> units_;
};

}  // namespace taper::clique
