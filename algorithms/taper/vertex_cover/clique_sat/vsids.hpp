// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace taper::vertex_cover::clique_sat {

/// VSIDS: a priority queue (binary heap) of variables, the most active first. The activity of a
/// variable is the sum of its bumps; each decay() makes later bumps count more, by a constant
/// factor.
///
/// Used by: ClauseLearning, to choose decisions.
/// Source: Moskewicz et al. 2001 (variable state independent decaying sum), Eén and Sörensson 2003
/// (the increment grows, instead of all activities decaying).
class VsidsQueue {
 public:
  /// Adds the next variable; numbers start at 0. It is not in the queue yet. A first bump is 1.
  void add_variable(double activity = 0) {
    activity_.push_back(activity);
    position_.push_back(not_queued);
  }

  /// Raises the activity of a variable, queued or not. Cost: logarithmic, as of push() and pop().
  void bump(std::uint32_t variable) {
    activity_[variable] += increment_;
    if (activity_[variable] > rescale_limit) {
      for (double& activity : activity_) {
        activity /= rescale_limit;
      }
      increment_ /= rescale_limit;
    }
    if (position_[variable] != not_queued) {
      sift_up(position_[variable]);
    }
  }
  void decay() { increment_ *= increment_growth; }

  bool empty() const { return heap_.empty(); }
  /// Does nothing if the variable is queued.
  void push(std::uint32_t variable) {
    if (position_[variable] == not_queued) {
      heap_.push_back(variable);
      sift_up(static_cast<std::uint32_t>(heap_.size() - 1));
    }
  }
  /// Removes and returns the most active variable. Requires: not empty().
  std::uint32_t pop() {
    std::uint32_t const top = heap_[0];
    position_[top] = not_queued;
    std::uint32_t const last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      sift_down(last);
    }
    return top;
  }

 private:
  static constexpr std::uint32_t not_queued = std::numeric_limits<std::uint32_t>::max();
  static constexpr double increment_growth = 1 / 0.98;
  static constexpr double rescale_limit = 1e100;

  void sift_up(std::uint32_t position) {
    std::uint32_t const variable = heap_[position];
    while (position > 0 && activity_[heap_[(position - 1) / 2]] < activity_[variable]) {
      put(position, heap_[(position - 1) / 2]);
      position = (position - 1) / 2;
    }
    put(position, variable);
  }
  /// Puts `variable` in its position, from the root downwards.
  void sift_down(std::uint32_t variable) {
    auto const size = static_cast<std::uint32_t>(heap_.size());
    std::uint32_t position = 0;
    for (std::uint32_t child = 1; child < size; child = 2 * position + 1) {
      if (child + 1 < size && activity_[heap_[child + 1]] > activity_[heap_[child]]) {
        ++child;
      }
      if (activity_[heap_[child]] <= activity_[variable]) {
        break;
      }
      put(position, heap_[child]);
      position = child;
    }
    put(position, variable);
  }
  void put(std::uint32_t position, std::uint32_t variable) {
    heap_[position] = variable;
    position_[variable] = position;
  }

  std::vector<double> activity_;
  std::vector<std::uint32_t> heap_;
  std::vector<std::uint32_t> position_;  ///< by variable: its index in heap_, or not_queued
  double increment_ = 1;
};

}  // namespace taper::vertex_cover::clique_sat
