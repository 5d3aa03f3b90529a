// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/independent_set/weighted_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace taper::independent_set {

/// Iterated local search for a heavy independent set. It proves no bound.
///
/// It begins with a greedy set. A round forces a few vertices into the set, improves the set around
/// them by moves, and undoes the round if the set has become too light. A move inserts a vertex
/// that weighs more than its neighbours in the set together, and removes these.
///
/// Sources: the moves are the (omega, 1)-swaps of B. Nogueira, R. G. S. Pinheiro and A.
/// Subramanian, "A hybrid iterated local search heuristic for the maximum weight independent set
/// problem", 2018. The choice of forced vertices and of sets to keep: D. V. Andrade, M. G. C.
/// Resende and R. F. Werneck, "Fast local search for the maximum independent set problem", 2012.
/// Used by: Search.
class WeightedLocalSearch {
 public:
  /// Begins with a greedy set of a whole graph: vertices with a high quotient of weight and degree
  /// first. `first`: a mark per vertex; marked vertices come before all others. Those that are
  /// adjacent to a vertex of the set are left out.
  /// Requires: all vertices of the graph are live, and it does not change until the search ends.
  void begin(WeightedGraph& graph, std::span<std::uint8_t const> first = {}) {
    graph_ = &graph;
    Vertex const n = graph.vertices();
    in_set_.assign(n, 0);
    queued_.assign(n, 0);
    taken_weight_.assign(n, 0);
    last_flip_.assign(n, 0);
    changed_.assign(n, 0);
    changes_.clear();
    log_.clear();
    queue_.clear();
    weight_ = 0;
    order_.clear();
    for (Vertex v = 0; v < n; ++v) {
      order_.emplace_back(static_cast<double>(graph.weight(v)) / (graph.degree(v) + 1.0), v);
    }
    std::sort(order_.begin(), order_.end(), std::greater<>{});
    std::stable_partition(order_.begin(), order_.end(), [&](auto const& entry) {
      return !first.empty() && first[entry.second] != 0;
    });
    for (auto const& [value, v] : order_) {
      if (taken_weight_[v] == 0) {
        flip(v);
      }
    }
    log_.clear();
    best_ = in_set_;
    best_weight_ = weight_;
    changed_.assign(n, 0);
    changes_.clear();
  }

  /// Runs rounds until it has read `patience` row entries without finding a heavier set, or the
  /// interrupt stops it, or the set weighs `enough`.
  void run(std::uint64_t patience, Weight enough, vertex_cover::Interrupt& interrupt) {
    Vertex const n = graph_->vertices();
    std::mt19937 random(n);
    constexpr double caution = 100;  // 1 and 10 gave lighter sets, 1000 about the same
    double const mean = static_cast<double>(best_weight_) / std::max(1.0, n / 4.0);
    std::uint64_t last_gain = work_;
    std::uint64_t counted = work_;
    while (best_weight_ < enough && work_ - last_gain < patience) {
      Weight const old = weight_;
      ++round_;
      for (bool more = true; more; more = random() % (2 * n) == 0) {
        Vertex const v = outsider(random);
        if (in_set_[v] == 0) {
          insert(v);
        }
      }
      improve();
      if (weight_ > best_weight_) {
        keep_best();
        last_gain = work_;
      } else if (weight_ < old) {
        double const lost = static_cast<double>(old - weight_) / mean;
        double const behind = static_cast<double>(best_weight_ - weight_) / mean;
        if ((1 + caution * lost * behind) * static_cast<double>(random()) > 0x1p32) {
          undo();
        }
      }
      log_.clear();
      if (interrupt.stopped_after(work_ - std::exchange(counted, work_))) {
        return;
      }
    }
  }

  Weight weight() const { return best_weight_; }
  std::span<std::uint8_t const> in_set() const { return best_; }

 private:
  /// Of four random vertices outside the set, the one whose last change is oldest.
  Vertex outsider(std::mt19937& random) {
    Vertex chosen = 0;
    for (int i = 0, tries = 0; i < 4 && tries < 16; ++tries) {
      auto const v = static_cast<Vertex>(std::uint64_t{random()} * graph_->vertices() >> 32);
      if (in_set_[v] == 0) {
        chosen = i++ == 0 || last_flip_[v] < last_flip_[chosen] ? v : chosen;
      }
    }
    work_ += 4;
    return chosen;
  }

  /// Makes the present set the best one. Copies only what has changed since the last one.
  void keep_best() {
    for (Vertex const v : changes_) {
      best_[v] = in_set_[v];
      changed_[v] = 0;
    }
    changes_.clear();
    best_weight_ = weight_;
  }

  /// Inserts queued vertices that are heavier than their neighbours in the set, until none is.
  void improve() {
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      Vertex const v = queue_[head];
      queued_[v] = 0;
      if (in_set_[v] == 0 && graph_->weight(v) > taken_weight_[v]) {
        insert(v);
      }
    }
    queue_.clear();
  }

  /// A move: removes the neighbours of v from the set, and inserts v.
  void insert(Vertex v) {
    removed_.clear();
    if (taken_weight_[v] > 0) {
      for (Vertex const u : graph_->neighbours(v)) {
        if (in_set_[u] != 0) {
          removed_.push_back(u);
        }
      }
      work_ += graph_->degree(v);
    }
    for (Vertex const u : removed_) {
      flip(u);
      enqueue_around(u);
    }
    flip(v);
  }

  /// Puts v into the set or out of it.
  void flip(Vertex v) {
    log_.push_back(v);
    in_set_[v] ^= 1;
    last_flip_[v] = round_;
    if (changed_[v] == 0) {
      changed_[v] = 1;
      changes_.push_back(v);
    }
    Weight const change = in_set_[v] != 0 ? graph_->weight(v) : -graph_->weight(v);
    weight_ += change;
    for (Vertex const u : graph_->neighbours(v)) {
      taken_weight_[u] += change;
    }
    work_ += graph_->degree(v) + 1;
  }

  /// Queues v and its neighbours, which may be worth a move now.
  void enqueue_around(Vertex v) {
    for (Vertex const u : graph_->neighbours(v)) {
      if (queued_[u] == 0) {
        queued_[u] = 1;
        queue_.push_back(u);
      }
    }
    if (queued_[v] == 0) {
      queued_[v] = 1;
      queue_.push_back(v);
    }
  }

  /// Undoes the flips of this round.
  void undo() {
    for (std::size_t i = log_.size(); i-- > 0;) {
      flip(log_[i]);  // it appends to log_, behind the entries that are read
    }
  }

  WeightedGraph* graph_ = nullptr;
  Weight weight_ = 0;
  Weight best_weight_ = 0;
  std::uint64_t round_ = 0;
  std::vector<std::uint8_t> in_set_;
  std::vector<std::uint8_t> best_;  ///< the heaviest set so far
  std::vector<Vertex> changes_;     ///< vertices that changed since then
  std::vector<std::uint8_t> changed_;
  std::vector<std::uint64_t> last_flip_;  ///< by vertex: the round in which it changed
  std::vector<std::uint8_t> queued_;
  std::vector<Weight> taken_weight_;  ///< by vertex: the weight of its neighbours in the set
  std::vector<std::pair<double, Vertex>> order_;
  std::vector<Vertex> queue_;    ///< vertices that may be worth a move
  std::vector<Vertex> log_;      ///< flips since the last accepted set
  std::vector<Vertex> removed_;  ///< by one insertion
  std::uint64_t work_ = 0;       ///< row entries that were read
};

}  // namespace taper::independent_set
