// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/host_state.hpp>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace taper::marriage_propagator::detail {

/// Host states of destroyed copies of a propagator, kept for the next copy. A search that copies at
/// every node thus allocates nothing. Thread-safe.
template <class Id>
class StatePool {
 public:
  /// A state with unspecified contents; null if the pool is empty.
  std::unique_ptr<HostState<Id>> take() {
    std::lock_guard const lock(mutex_);
    if (spare_.empty()) {
      return nullptr;
    }
    auto state = std::move(spare_.back());
    spare_.pop_back();
    return state;
  }
  void put(std::unique_ptr<HostState<Id>> state) {
    std::lock_guard const lock(mutex_);
    spare_.push_back(std::move(state));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<HostState<Id>>> spare_;
};

}  // namespace taper::marriage_propagator::detail
