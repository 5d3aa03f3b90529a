// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/options.hpp>
#include <taper/clique/weights.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace taper::clique {

/// The heaviest clique so far, and the bound of what was left unsearched. All workers share it.
///
/// Or a collection: all cliques of a weight that is known to be the maximum.
class Incumbent {
 public:
  explicit Incumbent(Progress* progress) : progress_(progress) {}

  /// From now on, cliques of `weight` are collected instead, and nothing lighter is of interest.
  /// After the first `limit` nothing is. Requires: no clique is heavier; 1 or more of both.
  void collect(Weight weight, std::size_t limit) {
    limit_ = limit;
    weight_.store(weight - 1, std::memory_order_relaxed);
  }
  bool collects() const { return limit_ > 0; }

  /// relaxed: benign, since the value is only a bound. An old one costs a branch that the newer one
  /// would prune; the clique itself is guarded by mutex_.
  Weight weight() const { return weight_.load(std::memory_order_relaxed); }

  /// Takes the clique if it is heavier.
  void offer(Weight weight, std::vector<Vertex> const& clique) {
    if (weight <= this->weight()) {
      return;
    }
    std::lock_guard const lock(mutex_);
    if (weight <= this->weight()) {
      return;
    }
    if (limit_ > 0) {
      collected_.push_back(clique);
      if (collected_.size() == limit_) {
        weight_.store(max_weight_sum, std::memory_order_relaxed);
      }
      return;
    }
    clique_ = clique;
    weight_.store(weight, std::memory_order_relaxed);
    if (progress_ != nullptr) {
      progress_->best.store(weight, std::memory_order_relaxed);
    }
  }

  /// Records that cliques of at most `bound` were not searched for.
  void leave_open(Weight bound) {
    std::lock_guard const lock(mutex_);
    open_ = bound > open_ ? bound : open_;
  }

  // After the search, when no worker runs:
  std::vector<Vertex> const& clique() const { return clique_; }
  std::vector<std::vector<Vertex>>& collected() { return collected_; }
  Weight open() const { return open_; }  ///< 0: nothing was left

 private:
  Progress* progress_;
  std::atomic<Weight> weight_{0};
  std::mutex mutex_;
  std::vector<Vertex> clique_;
  std::size_t limit_ = 0;  ///< of collected_; 0: the heaviest clique is wanted
  std::vector<std::vector<Vertex>> collected_;
  Weight open_ = 0;
};

}  // namespace taper::clique
