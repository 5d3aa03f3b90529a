// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace taper::vertex_cover::standard {

/// Variables in a queue, the most active first: a heap. An activity is a sum over the past in which
/// what is late counts more, by a factor for each age().
///
/// Source: Moskewicz et al. 2001 (variable state independent decaying sum), Eén and Sörensson 2003 (what
/// is added grows, instead of all that is there decaying).
class VariablesByActivity {
 public:
  /// Numbered from 0; not in the queue.
  void add_variable() {
    activity_.push_back(0);
    place_.push_back(not_queued);
  }

  /// Cost: logarithmic, as of enqueue() and take().
  void raise(std::uint32_t variable) {
    activity_[variable] += step_;
    if (activity_[variable] > most) {
      for (double& activity : activity_) {
        activity /= most;
      }
      step_ /= most;
    }
    if (place_[variable] != not_queued) {
      sift_up(place_[variable]);
    }
  }
  void age() { step_ *= growth; }

  bool empty() const { return heap_.empty(); }
  /// Does nothing for one that is queued.
  void enqueue(std::uint32_t variable) {
    if (place_[variable] == not_queued) {
      heap_.push_back(variable);
      sift_up(static_cast<std::uint32_t>(heap_.size() - 1));
    }
  }
  /// The most active. Requires: not empty().
  std::uint32_t take() {
    std::uint32_t const top = heap_[0];
    place_[top] = not_queued;
    std::uint32_t const last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      sift_down(last);
    }
    return top;
  }

 private:
  static constexpr std::uint32_t not_queued = std::numeric_limits<std::uint32_t>::max();
  static constexpr double growth = 1 / 0.98;
  static constexpr double most = 1e100;

  void sift_up(std::uint32_t place) {
    std::uint32_t const variable = heap_[place];
    while (place > 0 && activity_[heap_[(place - 1) / 2]] < activity_[variable]) {
      put(place, heap_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    put(place, variable);
  }
  /// From the top.
  void sift_down(std::uint32_t variable) {
    auto const size = static_cast<std::uint32_t>(heap_.size());
    std::uint32_t place = 0;
    for (std::uint32_t child = 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && activity_[heap_[child + 1]] > activity_[heap_[child]]) {
        ++child;
      }
      if (activity_[heap_[child]] <= activity_[variable]) {
        break;
      }
      put(place, heap_[child]);
      place = child;
    }
    put(place, variable);
  }
  void put(std::uint32_t place, std::uint32_t variable) {
    heap_[place] = variable;
    place_[variable] = place;
  }

  std::vector<double> activity_;
  std::vector<std::uint32_t> heap_;
  std::vector<std::uint32_t> place_;  ///< in heap_
  double step_ = 1;
};

}  // namespace taper::vertex_cover::standard
