// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/options.hpp>
#include <taper/clique/weights.hpp>

#include <atomic>
#include <mutex>
#include <vector>

namespace taper::clique {

/// The heaviest clique so far, and the bound of what was left unsearched. All workers share it.
class Incumbent {
 public:
  explicit Incumbent(Progress* progress) : progress_(progress) {}

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
  Weight open() const { return open_; }  ///< 0: nothing was left

 private:
  Progress* progress_;
  std::atomic<Weight> weight_{0};
  std::mutex mutex_;
  std::vector<Vertex> clique_;
  Weight open_ = 0;
};

}  // namespace taper::clique
