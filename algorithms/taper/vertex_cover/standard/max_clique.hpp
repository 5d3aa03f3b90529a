// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/standard/interrupt.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace taper::vertex_cover::standard {

/// Largest independent set of a small dense graph, as a clique of its complement: branch and bound
/// on bitsets.
///
/// A node colours its candidates with as many colours as a clique must exceed; only vertices that
/// stay uncoloured are branched on, unless recolouring (Tomita and others 2010) or unit propagation
/// over the colour classes (Li and Quan 2010) shows that they add nothing to the bound.
/// Source of the bitset form: San Segundo, Rodriguez-Losada and Jimenez 2011.
class MaxClique {
  using Word = std::uint64_t;

 public:
  MaxClique(HostGraph const& graph, Interrupt& interrupt)
      : interrupt_(interrupt), n_(static_cast<Vertex>(graph.vertices())), words_((n_ + 63) / 64) {
    order_vertices(graph);
    std::vector<Vertex> rank(n_);
    for (Vertex i = 0; i < n_; ++i) {
      rank[vertex_[i]] = i;
    }
    beside_.assign(std::size_t{n_} * words_, 0);
    for (Vertex i = 0; i < n_; ++i) {
      Word* const row = beside_.data() + std::size_t{i} * words_;
      for (Vertex j = 0; j < n_; ++j) {
        set(row, j);
      }
      clear(row, i);
      for (Vertex const u : graph.neighbours(vertex_[i])) {
        clear(row, rank[u]);
      }
    }
    colour_.assign(n_, 0);
    reason_.assign(n_, 0);
    left_.assign(words_, 0);
    alive_.assign(words_, 0);
    active_.assign(words_, 0);
  }

  /// Looks for more than `size` vertices; stops at `enough`. True if it went through, or found
  /// enough: then best() is a largest set, or empty where none is larger than `size`.
  bool run(std::size_t size, std::size_t enough) {
    best_size_ = size;
    enough_ = enough;
    std::vector<Word> all(words_, 0);
    for (Vertex i = 0; i < n_; ++i) {
      set(all.data(), i);
    }
    if (levels_.empty()) {
      levels_.resize(1);
    }
    levels_[0] = std::move(all);
    expand(0);
    return !stopped_;
  }

  std::vector<Vertex> const& best() const { return best_; }
  std::uint64_t nodes() const { return nodes_; }

 private:
  static constexpr Word one = 1;

  static void set(Word* bits, Vertex v) { bits[v / 64] |= one << v % 64; }
  static void clear(Word* bits, Vertex v) { bits[v / 64] &= ~(one << v % 64); }
  static bool test(Word const* bits, Vertex v) { return (bits[v / 64] >> v % 64 & 1) != 0; }
  Word const* beside(Vertex v) const { return beside_.data() + std::size_t{v} * words_; }
  Word* colour_class(std::uint32_t c) { return classes_.data() + std::size_t{c} * words_; }

  template <class Visit>
  void for_each(Word const* bits, Visit const& visit) const {
    for (std::size_t w = 0; w < words_; ++w) {
      for (Word rest = bits[w]; rest != 0; rest &= rest - 1) {
        visit(static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(rest))));
      }
    }
  }

  /// Vertices that the complement gives few neighbours come last, each counted among those before
  /// it.
  void order_vertices(HostGraph const& graph) {
    std::vector<std::uint32_t> degree(n_);  // in the complement, among what is left
    std::vector<bool> placed(n_, false);
    for (Vertex v = 0; v < n_; ++v) {
      degree[v] = n_ - 1 - static_cast<std::uint32_t>(graph.degree(v));
    }
    vertex_.resize(n_);
    std::vector<bool> in_row(n_);
    for (Vertex place = n_; place-- > 0;) {
      Vertex least = n_;
      for (Vertex v = 0; v < n_; ++v) {
        if (!placed[v] && (least == n_ || degree[v] < degree[least])) {
          least = v;
        }
      }
      placed[least] = true;
      vertex_[place] = least;
      std::fill(in_row.begin(), in_row.end(), false);
      for (Vertex const u : graph.neighbours(least)) {
        in_row[u] = true;
      }
      for (Vertex v = 0; v < n_; ++v) {
        degree[v] -= !in_row[v] && v != least ? 1u : 0u;
      }
    }
  }

  void expand(std::size_t depth) {
    ++nodes_;
    if (stop_after(n_) || best_size_ >= enough_) {
      return;
    }
    if (levels_.size() < depth + 2) {
      levels_.resize(depth + 2);
    }
    levels_[depth + 1].resize(words_);
    Word* const candidates = levels_[depth].data();
    std::vector<Vertex> branches;
    if (!bound(candidates, branches)) {
      return;
    }
    for (Vertex const v : branches) {
      clear(candidates, v);
    }
    for (Vertex const v : branches) {
      current_.push_back(v);
      if (current_.size() > best_size_) {
        keep_best();
      }
      Word const* const row = beside(v);
      Word* const next = levels_[depth + 1].data();
      Word any = 0;
      for (std::size_t w = 0; w < words_; ++w) {
        next[w] = levels_[depth][w] & row[w];
        any |= next[w];
      }
      if (any != 0) {
        expand(depth + 1);
      }
      current_.pop_back();
      if (stopped_ || best_size_ >= enough_) {
        return;
      }
      set(levels_[depth].data(), v);
    }
  }

  bool stop_after(std::uint64_t rows) {
    stopped_ = stopped_ || interrupt_.over_after(rows * words_);
    return stopped_;
  }

  void keep_best() {
    best_size_ = current_.size();
    best_.resize(best_size_);
    std::transform(current_.begin(), current_.end(), best_.begin(),
                   [&](Vertex i) { return vertex_[i]; });
  }

  /// The candidates that must be branched on; false if there are none.
  bool bound(Word const* candidates, std::vector<Vertex>& branches) {
    auto const colours = static_cast<std::uint32_t>(best_size_ - current_.size());
    if (classes_.size() < std::size_t{colours} * words_) {
      classes_.resize(std::size_t{colours} * words_);
    }
    std::copy_n(candidates, words_, left_.data());
    used_ = 0;
    for (; used_ < colours; ++used_) {
      if (!take_colour_class()) {
        return false;
      }
    }
    for_each(left_.data(), [&](Vertex v) { branches.push_back(v); });
    std::erase_if(branches, [&](Vertex v) { return !stop_after(used_) && recolour(v); });
    if (branches.empty()) {
      return false;
    }
    prepare_propagation();
    std::erase_if(branches, [&](Vertex v) { return !stop_after(used_) && propagate(v); });
    return !branches.empty();
  }

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
        clear(alive_.data(), v);
        clear(left_.data(), v);
        set(chosen, v);
        colour_[v] = used_;
        Word const* const row = beside(v);
        for (std::size_t i = w; i < words_; ++i) {
          alive_[i] &= ~row[i];
        }
      }
    }
    return true;
  }

  /// Gives v a colour, if that takes moving at most one other vertex.
  bool recolour(Vertex v) {
    Word const* const row = beside(v);
    for (std::uint32_t c = 0; c < used_; ++c) {
      Word* const chosen = colour_class(c);
      Vertex in_the_way = n_;
      bool several = false;
      for (std::size_t w = 0; w < words_ && !several; ++w) {
        Word const common = chosen[w] & row[w];
        if (common != 0) {
          several = in_the_way != n_ || (common & (common - 1)) != 0;
          in_the_way =
              static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(common)));
        }
      }
      if (several) {
        continue;
      }
      if (in_the_way != n_) {
        std::uint32_t const other = fitting_class(in_the_way, c);
        if (other == used_) {
          continue;
        }
        clear(chosen, in_the_way);
        set(colour_class(other), in_the_way);
        colour_[in_the_way] = other;
      }
      set(chosen, v);
      colour_[v] = c;
      return true;
    }
    return false;
  }

  std::uint32_t fitting_class(Vertex v, std::uint32_t but) {
    Word const* const row = beside(v);
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
      Word const* const row = beside(unit);
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
      set(is_removed_.data(), u);
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

  Interrupt& interrupt_;
  Vertex n_;
  std::size_t words_;
  std::vector<Vertex> vertex_;  ///< by place in the order
  std::vector<Word> beside_;    ///< neighbours in the complement, a row a place

  std::vector<Vertex> current_, best_;
  std::size_t best_size_ = 0, enough_ = 0;
  std::uint64_t nodes_ = 0;
  bool stopped_ = false;
  std::vector<std::vector<Word>> levels_;  ///< candidates, by depth

  // One node's bound.
  std::uint32_t used_ = 0;
  std::vector<Word> classes_, left_, alive_, active_, is_removed_;
  std::vector<std::uint32_t> colour_, count_, pending_, singles_;
  std::vector<bool> enabled_;
  std::vector<Vertex> reason_, removed_, units_;
};

}  // namespace taper::vertex_cover::standard
