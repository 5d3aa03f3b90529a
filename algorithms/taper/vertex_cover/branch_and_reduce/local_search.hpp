// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// Iterated local search for a large independent set, the complement of a small cover.
///
/// Each round forces a vertex into the set, removes its neighbours, adds vertices that became free,
/// and then exchanges one member for two outsiders while that is possible. It keeps the result or
/// undoes the round.
///
/// Used by: Solver, for the first cover and in turns with the exact searches.
/// Source: Andrade, Resende and Werneck 2012.
class LocalSearch {
 public:
  /// Starts from a greedy set, improved to a local optimum. With `first`, marks of a cover by
  /// vertex: from the vertices that it leaves out, as far as they are independent. Each `seed`
  /// below 2^32 chooses other random numbers.
  /// Requires: sorted rows.
  LocalSearch(HostGraph const& graph, Interrupt& interrupt,
              std::span<std::uint8_t const> first = {}, std::uint64_t seed = 0)
      : graph_(graph), interrupt_(interrupt), random_state_(0x9E3779B97F4A7C15u ^ seed << 20) {
    auto const n = static_cast<Vertex>(graph.vertices());
    order_.resize(n);
    position_.resize(n);
    tightness_.assign(n, 0);
    removed_at_.assign(n, 0);
    best_.assign(n, 0);
    is_changed_.assign(n, 0);
    for (Vertex v = 0; v < n; ++v) {
      order_[v] = position_[v] = v;
    }
    free_count_ = n;
    for (Vertex v = 0; v < first.size(); ++v) {
      if (first[v] == 0 && is_free(v)) {
        insert(v);
      }
    }
    // Greedy by ascending degree; ties by number.
    std::vector<Vertex> by_degree(order_);
    std::stable_sort(by_degree.begin(), by_degree.end(),
                     [&](Vertex u, Vertex v) { return graph.degree(u) < graph.degree(v); });
    for (Vertex const v : by_degree) {
      if (is_free(v)) {
        insert(v);
      }
    }
    improve();
    changes_.clear();
    keep_best();
  }

  std::size_t cover_size() const { return graph_.vertices() - best_size_; }

  /// The incumbent, by vertex: 1 if it is in the cover, else 0.
  std::vector<std::uint8_t> cover() const { return complement_of(best_); }

  /// Continues until it has read `effort` more row entries, or a cover has at most `enough`
  /// vertices, or the interrupt stops it.
  void run(std::uint64_t effort, std::size_t enough) {
    std::uint64_t const end = effort_ + effort;
    while (effort_ < end && cover_size() > enough && size_ < graph_.vertices()) {
      ++round_;
      if (stopped()) {
        return;
      }
      std::uint32_t const before = size_;
      perturb();
      improve();
      if (size_ > best_size_) {
        keep_best();
      } else if (size_ < before && !accept(before)) {
        undo();
      }
      changes_.clear();
    }
  }

 private:
  bool stopped() { return interrupt_.stopped_after(effort_ - std::exchange(reported_, effort_)); }

  bool in_set(Vertex v) const { return position_[v] < size_; }
  bool is_free(Vertex v) const {
    return position_[v] >= size_ && position_[v] < size_ + free_count_;
  }

  std::uint64_t random() {
    random_state_ ^= random_state_ << 13;
    random_state_ ^= random_state_ >> 7;
    random_state_ ^= random_state_ << 17;
    return random_state_;
  }
  std::uint32_t random_below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((random() >> 32) * bound >> 32);
  }

  void move_to(Vertex v, Vertex position) {
    Vertex const other = order_[position];
    std::swap(order_[position_[v]], order_[position]);
    position_[other] = position_[v];
    position_[v] = position;
  }

  /// Adds v to the set. Requires: v is free.
  void insert(Vertex v) {
    move_to(v, size_);
    ++size_;
    --free_count_;
    effort_ += graph_.degree(v);
    for (Vertex const u : graph_.neighbours(v)) {
      if (tightness_[u]++ == 0) {
        move_to(u, size_ + free_count_ - 1);
        --free_count_;
      }
    }
    candidates_.push_back(v);
    note_change(v);
  }

  void remove(Vertex v) {
    move_to(v, size_ - 1);
    --size_;
    ++free_count_;
    removed_at_[v] = round_;
    effort_ += graph_.degree(v);
    for (Vertex const u : graph_.neighbours(v)) {
      if (--tightness_[u] == 0) {
        move_to(u, size_ + free_count_);
        ++free_count_;
      } else if (tightness_[u] == 1) {
        once_tight_.push_back(u);
      }
    }
    note_change(v);
  }

  void note_change(Vertex v) {
    changes_.push_back(v);
    if (is_changed_[v] == 0) {
      is_changed_[v] = 1;
      changed_.push_back(v);
    }
  }

  /// Inserts free vertices until there is none. Members that became the only neighbour of an
  /// outsider in the set become candidates for an exchange.
  void fill() {
    while (free_count_ > 0) {
      insert(order_[size_ + random_below(free_count_)]);
    }
    for (Vertex const u : once_tight_) {
      if (tightness_[u] == 1) {
        candidates_.push_back(adjacent_member(u));
      }
    }
    once_tight_.clear();
  }

  Vertex adjacent_member(Vertex u) {
    auto const row = graph_.neighbours(u);
    effort_ += row.size();
    return *std::find_if(row.begin(), row.end(), [&](Vertex w) { return in_set(w); });
  }

  void force_in(Vertex v) {
    auto const row = graph_.neighbours(v);
    for (Vertex const u : row) {
      if (in_set(u)) {
        remove(u);
      }
    }
    insert(v);
  }

  /// Forces one outsider in: of four random ones, the one that was removed longest ago. With
  /// probability 1 / (2 size + 1): several random ones.
  void perturb() {
    std::uint32_t count = 1;
    if (random_below(2 * size_ + 1) == 0) {
      while (random() % 2 == 0) {
        ++count;
      }
    }
    auto const outsider = [&] {
      return order_[size_ + random_below(static_cast<std::uint32_t>(order_.size()) - size_)];
    };
    for (std::uint32_t i = 0; i < count && size_ < order_.size(); ++i) {
      Vertex chosen = outsider();
      for (int tries = count == 1 ? 3 : 0; tries > 0; --tries) {
        Vertex const other = outsider();
        chosen = removed_at_[other] < removed_at_[chosen] ? other : chosen;
      }
      force_in(chosen);
    }
    fill();
  }

  /// Exchanges one member for two until no candidate allows it, or the interrupt stops it.
  void improve() {
    while (!candidates_.empty() && !stopped()) {
      Vertex const member = candidates_.back();
      candidates_.pop_back();
      if (in_set(member) && exchange(member)) {
        fill();
      }
    }
  }

  /// Exchanges `member` for two outsiders that are not adjacent and have no other member as
  /// neighbour. False if there are none.
  bool exchange(Vertex member) {
    effort_ += graph_.degree(member);
    outsiders_.clear();
    for (Vertex const u : graph_.neighbours(member)) {
      if (tightness_[u] == 1) {
        outsiders_.push_back(u);
      }
    }
    if (outsiders_.size() < 2) {
      return false;
    }
    for (Vertex const u : outsiders_) {
      auto const row = graph_.neighbours(u);
      effort_ += std::min(row.size(), outsiders_.size());
      auto next = row.begin();
      for (Vertex const w : outsiders_) {
        next = std::lower_bound(next, row.end(), w);
        if (w != u && (next == row.end() || *next != w)) {
          remove(member);
          insert(u);
          insert(w);
          return true;
        }
      }
    }
    return false;
  }

  /// Whether to keep a smaller set: with probability 1 / (1 + loss in this round * gap to the
  /// best).
  bool accept(std::uint32_t before) {
    std::uint64_t const lost = before - size_;
    std::uint64_t const behind = best_size_ - size_;
    return random() % (1 + lost * behind) == 0;
  }

  void undo() {
    std::vector<Vertex> const changes = std::move(changes_);
    changes_.clear();
    for (auto v = changes.rbegin(); v != changes.rend(); ++v) {
      in_set(*v) ? remove(*v) : insert(*v);
    }
    once_tight_.clear();
    candidates_.clear();
  }

  /// Cost: the vertices that have changed since the last call.
  void keep_best() {
    for (Vertex const v : changed_) {
      best_[v] = in_set(v) ? 1 : 0;
      is_changed_[v] = 0;
    }
    changed_.clear();
    best_size_ = size_;
  }

  HostGraph const& graph_;
  Interrupt& interrupt_;
  std::vector<Vertex> order_;     ///< members, then free vertices, then the others
  std::vector<Vertex> position_;  ///< by vertex: its index in order_
  std::uint32_t size_ = 0;        ///< members
  std::uint32_t free_count_ = 0;
  std::vector<std::uint32_t> tightness_;   ///< by vertex: its neighbours in the set
  std::vector<std::uint64_t> removed_at_;  ///< by vertex: the round of its last removal
  std::uint64_t round_ = 0;
  std::uint64_t effort_ = 0;
  std::uint64_t reported_ = 0;  ///< effort that the interrupt has counted
  std::uint64_t random_state_;

  std::vector<Vertex> candidates_;  ///< members that exchange() tries next
  std::vector<Vertex> once_tight_;  ///< vertices whose tightness fell to 1 since the last fill()
  std::vector<Vertex> outsiders_;   ///< scratch of exchange()
  std::vector<Vertex> changes_;     ///< inserted and removed in this round, for undo()
  std::uint32_t best_size_ = 0;
  std::vector<std::uint8_t> best_;        ///< by vertex: 1 if it is in the largest set so far
  std::vector<std::uint8_t> is_changed_;  ///< by vertex: 1 if it is in changed_
  std::vector<Vertex> changed_;           ///< inserted or removed since best_ was kept
};

}  // namespace taper::vertex_cover::branch_and_reduce
