// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/standard/reduction_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

/// Iterated local search for a large independent set, the complement of a small cover.
///
/// Forces a vertex in, repairs, and then exchanges one member for two outsiders where that is
/// possible; keeps what came of it, or goes back.
/// Source: Andrade, Resende and Werneck 2012.
class LocalSearch {
 public:
  /// Requires: sorted rows.
  LocalSearch(HostGraph const& graph, Interrupt& interrupt) : graph_(graph), interrupt_(interrupt) {
    auto const n = static_cast<Vertex>(graph.vertices());
    order_.resize(n);
    place_.resize(n);
    tightness_.assign(n, 0);
    left_at_.assign(n, 0);
    for (Vertex v = 0; v < n; ++v) {
      order_[v] = place_[v] = v;
    }
    free_ = n;
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

  std::size_t cover_size() const { return graph_.vertices() - best_.size(); }

  /// The best cover so far: 1 for each vertex in it.
  std::vector<std::uint8_t> cover() const {
    std::vector<std::uint8_t> in_cover(graph_.vertices(), 1);
    for (Vertex const v : best_) {
      in_cover[v] = 0;
    }
    return in_cover;
  }

  /// Goes on until `effort` more row entries have been looked at, or a cover of at most `enough`
  /// vertices is found.
  void run(std::uint64_t effort, std::size_t enough) {
    std::uint64_t const end = effort_ + effort;
    while (effort_ < end && cover_size() > enough && size_ < graph_.vertices()) {
      ++now_;
      if (over()) {
        return;
      }
      std::uint32_t const before = size_;
      perturb();
      improve();
      if (size_ > best_.size()) {
        keep_best();
      } else if (size_ < before && !accept(before)) {
        undo();
      }
      changes_.clear();
    }
  }

 private:
  bool over() { return interrupt_.over_after(effort_ - std::exchange(told_, effort_)); }

  bool in_set(Vertex v) const { return place_[v] < size_; }
  bool is_free(Vertex v) const { return place_[v] >= size_ && place_[v] < size_ + free_; }

  std::uint64_t random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((random() >> 32) * bound >> 32);
  }

  void move_to(Vertex v, Vertex place) {
    Vertex const other = order_[place];
    std::swap(order_[place_[v]], order_[place]);
    place_[other] = place_[v];
    place_[v] = place;
  }

  /// Requires: v free.
  void insert(Vertex v) {
    move_to(v, size_);
    ++size_;
    --free_;
    effort_ += graph_.degree(v);
    for (Vertex const u : graph_.neighbours(v)) {
      if (tightness_[u]++ == 0) {
        move_to(u, size_ + free_ - 1);
        --free_;
      }
    }
    candidates_.push_back(v);
    changes_.push_back(v);
  }

  void remove(Vertex v) {
    move_to(v, size_ - 1);
    --size_;
    ++free_;
    left_at_[v] = now_;
    effort_ += graph_.degree(v);
    for (Vertex const u : graph_.neighbours(v)) {
      if (--tightness_[u] == 0) {
        move_to(u, size_ + free_);
        ++free_;
      } else if (tightness_[u] == 1) {
        once_tight_.push_back(u);
      }
    }
    changes_.push_back(v);
  }

  /// Whatever has become free goes in; members that have become the only one beside an outsider
  /// are to be looked at.
  void fill() {
    while (free_ > 0) {
      insert(order_[size_ + below(free_)]);
    }
    for (Vertex const u : once_tight_) {
      if (tightness_[u] == 1) {
        candidates_.push_back(member_beside(u));
      }
    }
    once_tight_.clear();
  }

  Vertex member_beside(Vertex u) {
    auto const row = graph_.neighbours(u);
    effort_ += row.size();
    return *std::find_if(row.begin(), row.end(), [&](Vertex w) { return in_set(w); });
  }

  void force(Vertex v) {
    auto const row = graph_.neighbours(v);
    for (Vertex const u : row) {
      if (in_set(u)) {
        remove(u);
      }
    }
    insert(v);
  }

  /// Forces one outsider in, the one of four that left longest ago; now and then, several.
  void perturb() {
    std::uint32_t count = 1;
    if (below(2 * size_ + 1) == 0) {
      while (random() % 2 == 0) {
        ++count;
      }
    }
    auto const outsider = [&] {
      return order_[size_ + below(static_cast<std::uint32_t>(order_.size()) - size_)];
    };
    for (std::uint32_t i = 0; i < count && size_ < order_.size(); ++i) {
      Vertex chosen = outsider();
      for (int tries = count == 1 ? 3 : 0; tries > 0; --tries) {
        Vertex const other = outsider();
        chosen = left_at_[other] < left_at_[chosen] ? other : chosen;
      }
      force(chosen);
    }
    fill();
  }

  /// Exchanges one member for two until no member allows that, or the run is over.
  void improve() {
    while (!candidates_.empty() && !over()) {
      Vertex const member = candidates_.back();
      candidates_.pop_back();
      if (in_set(member) && exchange(member)) {
        fill();
      }
    }
  }

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

  bool accept(std::uint32_t before) {
    std::uint64_t const lost = before - size_;
    std::uint64_t const behind = best_.size() - size_;
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

  void keep_best() { best_.assign(order_.begin(), order_.begin() + size_); }

  HostGraph const& graph_;
  Interrupt& interrupt_;
  std::vector<Vertex> order_;  ///< members, then free vertices, then the others
  std::vector<Vertex> place_;  ///< where a vertex stands in it
  std::uint32_t size_ = 0;
  std::uint32_t free_ = 0;
  std::vector<std::uint32_t> tightness_;  ///< members beside a vertex
  std::vector<std::uint64_t> left_at_;    ///< round in which it last left the set
  std::uint64_t now_ = 0;
  std::uint64_t effort_ = 0;
  std::uint64_t told_ = 0;  ///< effort that the interrupt knows of
  std::uint64_t state_ = 0x9E3779B97F4A7C15u;

  std::vector<Vertex> candidates_, once_tight_, outsiders_, changes_, best_;
};

}  // namespace taper::vertex_cover::standard
