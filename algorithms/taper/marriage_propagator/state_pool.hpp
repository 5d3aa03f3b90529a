// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/ledger.hpp>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace taper::marriage_propagator::detail {

/// Ledgers of a family of copies that nobody uses any more. A search that copies at every node takes one
/// from here, and allocates nothing. For any threads.
template <class Id>
class SpareLedgers {
 public:
  /// Null where there is none.
  std::unique_ptr<Ledger<Id>> take() {
    std::lock_guard const lock(mutex_);
    if (spare_.empty()) {
      return nullptr;
    }
    auto ledger = std::move(spare_.back());
    spare_.pop_back();
    return ledger;
  }
  void give(std::unique_ptr<Ledger<Id>> ledger) {
    std::lock_guard const lock(mutex_);
    spare_.push_back(std::move(ledger));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Ledger<Id>>> spare_;
};

}  // namespace taper::marriage_propagator::detail
