// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace taper {

/// A deque of pointers on a host: its owner pushes and takes at one end, newest first; thieves steal
/// from the other end, oldest first. Whoever gets an item sees what was written before push().
///
/// Nobody waits for anybody: a thief who meets another, or the owner at his last item, goes away
/// with nothing. The capacity is fixed, and a full deque refuses: its owner then has work for
/// himself and plenty for others, and no old array needs to be kept for late thieves.
///
/// Source: Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, and its orders by Lê,
///   Pop, Cohen and Zappa Nardelli, "Correct and efficient work-stealing for weak memory models",
///   PPoPP 2013. Where they have a sequentially consistent fence between two accesses, here both
///   accesses are sequentially consistent: it costs the same on x86 and AArch64, and the thread
///   sanitizer, which knows no fences, can check it.
template <class T>
class ChaseLev {
 public:
  /// Room for `capacity` items, rounded up to a power of two.
  explicit ChaseLev(std::size_t capacity = 1024)
      : mask_(static_cast<std::int64_t>(std::bit_ceil(capacity)) - 1),
        items_(std::make_unique<std::atomic<T*>[]>(std::bit_ceil(capacity))) {}

  std::size_t capacity() const { return static_cast<std::size_t>(mask_) + 1; }

  /// The owner's. False: it is full.
  bool push(T* item) {
    std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);  // the owner's own writing
    // An old top only makes it look fuller. acquire: a thief has read his item before he moves the
    // top, and we overwrite it after we have seen that.
    if (bottom - top_.load(std::memory_order_acquire) > mask_) {
      return false;
    }
    at(bottom).store(item, std::memory_order_relaxed);  // published by the next line
    // release: the item, and what it points to. seq_cst: before the owner looks whether somebody
    // sleeps, see Bell.
    bottom_.store(bottom + 1, std::memory_order_seq_cst);
    return true;
  }

  /// The owner's newest; null if there is none.
  T* take() {
    std::int64_t const bottom = bottom_.load(std::memory_order_relaxed) - 1;
    // seq_cst, both: a thief reads the top before the bottom. If the top read here is older than
    // the one that he moves from, then his bottom is this one, and he sees that the item is gone.
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top > bottom) {
      // relaxed: below this bottom there is nothing to be had.
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return nullptr;
    }
    T* item = at(bottom).load(std::memory_order_relaxed);  // the owner's own writing
    if (top == bottom) {
      // The last one: whoever moves the top has it. seq_cst: in one order with the loads of it.
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)) {
        item = nullptr;
      }
      bottom_.store(bottom + 1, std::memory_order_relaxed);  // as above
    }
    return item;
  }

  /// The oldest, for others than the owner; null if there is none, or somebody else was quicker.
  T* steal() {
    std::int64_t top = top_.load(std::memory_order_seq_cst);  // before the bottom: see take()
    // seq_cst: see take(), and Bell; acquire: the item, and what it points to.
    if (top >= bottom_.load(std::memory_order_seq_cst)) {
      return nullptr;
    }
    // relaxed: published by the bottom. If it has been overwritten, then the top has moved.
    T* const item = at(top).load(std::memory_order_relaxed);
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)
               ? item
               : nullptr;
  }

  /// Whether stealing is worth a try. Of what was pushed before the caller said that he would
  /// sleep, see Bell, it tells the truth.
  bool seems_empty() const {
    return top_.load(std::memory_order_seq_cst) >= bottom_.load(std::memory_order_seq_cst);
  }

 private:
  std::atomic<T*>& at(std::int64_t position) {
    return items_[static_cast<std::size_t>(position & mask_)];
  }

  alignas(64) std::atomic<std::int64_t> top_{0};     // only grows; moved by thieves
  alignas(64) std::atomic<std::int64_t> bottom_{0};  // written by the owner alone
  std::int64_t mask_;
  std::unique_ptr<std::atomic<T*>[]> items_;
};

}  // namespace taper
