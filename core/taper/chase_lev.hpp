// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace taper {

/// A work-stealing deque of pointers for host threads. Its owner pushes and takes the newest item
/// at one end; thieves steal the oldest item at the other end. A thread that gets an item sees what
/// was written before push().
///
/// No call waits. A thief that meets another thief, or the owner at the last item, returns without
/// an item. The capacity is fixed, and push() on a full deque fails: the owner keeps the item, and
/// others have enough to steal. So no replaced array must be kept alive for late thieves.
///
/// Source: Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, with the memory orders
///   of Lê, Pop, Cohen and Zappa Nardelli, "Correct and efficient work-stealing for weak memory
///   models", PPoPP 2013. They place a sequentially consistent fence between two accesses. Here
///   both accesses are sequentially consistent instead. The cost is the same on x86 and AArch64,
///   and the thread sanitizer, which does not model fences, can check it.
/// Used by: ThreadPool, under fork_join(). DeviceDeques is the same algorithm for kernels.
template <class T>
class ChaseLev {
 public:
  /// Room for `capacity` items, rounded up to a power of two.
  explicit ChaseLev(std::size_t capacity = 1024)
      : mask_(static_cast<std::int64_t>(std::bit_ceil(capacity)) - 1),
        items_(std::make_unique<std::atomic<T*>[]>(std::bit_ceil(capacity))) {}

  std::size_t capacity() const { return static_cast<std::size_t>(mask_) + 1; }

  /// Called by the owner. False: the deque is full.
  bool push(T* item) {
    std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);  // written by this thread
    // An outdated top only makes the deque appear fuller. acquire: a thief reads its item before it
    // moves the top, and this thread overwrites the item only after it has seen the move.
    if (bottom - top_.load(std::memory_order_acquire) > mask_) {
      return false;
    }
    at(bottom).store(item, std::memory_order_relaxed);  // published by the next line
    // release: the item and what it points to. seq_cst: the owner then checks for sleepers, see
    // EventCount.
    bottom_.store(bottom + 1, std::memory_order_seq_cst);
    return true;
  }

  /// Called by the owner. The newest item, or null if the deque is empty.
  T* take() {
    std::int64_t const bottom = bottom_.load(std::memory_order_relaxed) - 1;
    // Both seq_cst: a thief reads the top before the bottom. If this top is older than the one that
    // the thief moves, then the thief reads this bottom and sees that the item is gone.
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top > bottom) {
      // relaxed: no item lies below this bottom.
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return nullptr;
    }
    T* item = at(bottom).load(std::memory_order_relaxed);  // written by this thread
    if (top == bottom) {
      // The last item goes to the thread that moves the top. seq_cst: in one total order with the
      // loads of the top.
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)) {
        item = nullptr;
      }
      bottom_.store(bottom + 1, std::memory_order_relaxed);  // as above
    }
    return item;
  }

  /// Called by threads other than the owner. The oldest item, or null if the deque is empty or
  /// another thread has taken the item first.
  T* steal() {
    std::int64_t top = top_.load(std::memory_order_seq_cst);  // before the bottom: see take()
    // seq_cst: see take() and EventCount. acquire: the item and what it points to.
    if (top >= bottom_.load(std::memory_order_seq_cst)) {
      return nullptr;
    }
    // relaxed: published by the bottom. If the owner has overwritten it, the top has moved.
    T* const item = at(top).load(std::memory_order_relaxed);
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)
               ? item
               : nullptr;
  }

  /// False if steal() is worth a call. The answer is exact for items pushed before the caller has
  /// registered as a sleeper, see EventCount.
  bool seems_empty() const {
    return top_.load(std::memory_order_seq_cst) >= bottom_.load(std::memory_order_seq_cst);
  }

 private:
  std::atomic<T*>& at(std::int64_t position) {
    return items_[static_cast<std::size_t>(position & mask_)];
  }

  alignas(64) std::atomic<std::int64_t> top_{0};     // never decreases; moved by thieves
  alignas(64) std::atomic<std::int64_t> bottom_{0};  // written only by the owner
  std::int64_t mask_;
  std::unique_ptr<std::atomic<T*>[]> items_;
};

}  // namespace taper
