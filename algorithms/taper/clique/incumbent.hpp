// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/options.hpp>
#include <taper/clique/weights.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace taper::clique {

/// The heaviest clique so far, and a bound for what was left unsearched. All workers share it.
///
/// After collect() it instead collects all cliques of a weight that is known to be the maximum.
/// Used by: the searches of search.hpp, and independent_set/weighted_search.hpp.
class Incumbent {
 public:
  explicit Incumbent(Progress* progress) : progress_(progress) {}

  /// Begins to collect cliques of `weight`. The search prunes lighter cliques, and after the first
  /// `limit` cliques all others. Requires: no clique is heavier; weight and limit are 1 or more.
  void collect(Weight weight, std::size_t limit) {
    limit_ = limit;
    weight_.store(weight - 1, std::memory_order_relaxed);
  }
  bool collects() const { return limit_ > 0; }

  /// Only heavier cliques are of interest. Relaxed is benign, since the value is only a bound: an
  /// old value costs a branch that the new one would prune. mutex_ guards the clique itself.
  Weight weight() const { return weight_.load(std::memory_order_relaxed); }

  /// Stores the clique if it is heavier than weight().
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
    set(weight);
  }

  /// Another process has a clique of this weight: lighter ones are of no interest.
  void raise(Weight weight) {
    if (weight > this->weight()) {
      std::lock_guard const lock(mutex_);
      set(std::max(weight, this->weight()));
    }
  }

  /// Takes the clique, which another process may have found. Requires: none is heavier.
  void replace(Weight weight, std::vector<Vertex> clique) {
    std::lock_guard const lock(mutex_);
    clique_ = std::move(clique);
    set(weight);
  }

  /// Records that cliques of up to this weight were left unsearched.
  void leave_open(Weight bound) {
    std::lock_guard const lock(mutex_);
    open_ = bound > open_ ? bound : open_;
  }

  // After the search, when no worker runs:
  std::vector<Vertex> const& clique() const { return clique_; }
  std::vector<std::vector<Vertex>>& collected() { return collected_; }
  Weight open() const { return open_; }  ///< the greatest bound of leave_open(); 0: none

 private:
  void set(Weight weight) {
    weight_.store(weight, std::memory_order_relaxed);
    if (progress_ != nullptr) {
      progress_->best.store(weight, std::memory_order_relaxed);
    }
  }

  Progress* progress_;
  std::atomic<Weight> weight_{0};
  std::mutex mutex_;
  std::vector<Vertex> clique_;
  std::size_t limit_ = 0;  ///< of collected_; 0: the heaviest clique is wanted
  std::vector<std::vector<Vertex>> collected_;
  Weight open_ = 0;
};

}  // namespace taper::clique
