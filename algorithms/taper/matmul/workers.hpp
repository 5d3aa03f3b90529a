// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

// Loops over items on host threads, and host memory.
// Used by: the host engines, add(), and the staging ring.

namespace taper::matmul::detail {

/// The number of threads of `where`.
template <HostExecutionSpace Exec>
std::int64_t worker_count(Exec const& where) {
  return static_cast<std::int64_t>(concurrency(where));
}

/// Calls f(worker, item) for each item 0 .. items-1 on the threads of `where`. A worker that is
/// done takes the next item. `worker` is in 0 .. worker_count(where)-1, and one worker makes one
/// call at a time.
/// Async: returns with `where` fenced.
template <HostExecutionSpace Exec, class F>
void for_each_item(Exec const& where, std::string const& label, std::int64_t items, F const& f) {
  std::atomic<std::int64_t> next{0};
  std::int64_t const workers = std::min(worker_count(where), items);
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>(
          where, 0, workers, Kokkos::ChunkSize(1)),
      [&](std::int64_t worker) {
        // relaxed: an item is a number and publishes no data; the end of the launch publishes the
        // results.
        for (std::int64_t item = next.fetch_add(1, std::memory_order_relaxed); item < items;
             item = next.fetch_add(1, std::memory_order_relaxed)) {
          f(worker, item);
        }
      });
  where.fence(label + ": wait for all items");  // their counter is on this stack
}

/// Uninitialised host memory for `entries` of T. It begins at a cache line.
///
/// Buffers of 2 MiB or more begin at a huge page and ask for huge pages: the fault of a fresh 4 KiB
/// page costs as much as an addition of the entries in it.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t entries)
      : entries_(entries), data_(allocate(bytes()), Free{alignment(bytes())}) {
    advise_huge_pages(data_.get(), bytes());
  }

  T* data() const { return data_.get(); }
  std::int64_t entries() const { return entries_; }
  std::size_t bytes() const { return static_cast<std::size_t>(entries_) * sizeof(T); }

 private:
  static constexpr std::size_t huge = std::size_t{2} << 20;
  struct Free {
    std::align_val_t alignment;
    void operator()(T* data) const { ::operator delete(data, alignment); }
  };
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= huge ? huge : 64};
  }
  static T* allocate(std::size_t bytes) {
    return static_cast<T*>(::operator new(bytes, alignment(bytes)));
  }

  std::int64_t entries_ = 0;
  std::unique_ptr<T, Free> data_{nullptr, Free{std::align_val_t{64}}};
};

/// Lends buffers to the branches of a recursion. It lends a returned buffer again before it
/// allocates another: its pages are present, and may be in a cache. Any thread may call it.
template <class T>
class BufferPool {
 public:
  /// A borrowed buffer; the destructor returns it.
  class Loan {
   public:
    Loan(BufferPool& owner, std::int64_t entries) : owner_(owner), buffer_(owner.take(entries)) {}
    ~Loan() { owner_.put_back(std::move(buffer_)); }
    Loan(Loan const&) = delete;
    Loan& operator=(Loan const&) = delete;

    T* data() const { return buffer_.data(); }

   private:
    BufferPool& owner_;
    Buffer<T> buffer_;
  };

  /// Bytes of all buffers. This is the peak, since the pool frees no buffer before its end.
  std::uint64_t bytes() const { return bytes_; }

 private:
  /// Rounds a size up by at most an eighth, so that halves of odd extents, which differ by one,
  /// share buffers.
  static std::int64_t size_class(std::int64_t entries) {
    auto const wanted = static_cast<std::uint64_t>(std::max<std::int64_t>(entries, 64));
    std::uint64_t const step = std::bit_floor(wanted) / 8;
    return static_cast<std::int64_t>((wanted + step - 1) / step * step);
  }

  Buffer<T> take(std::int64_t entries) {
    std::int64_t const size = size_class(entries);
    {
      std::lock_guard const lock(mutex_);
      if (auto& free = free_[size]; !free.empty()) {
        Buffer<T> buffer = std::move(free.back());
        free.pop_back();
        return buffer;
      }
      bytes_ += static_cast<std::uint64_t>(size) * sizeof(T);
    }
    return Buffer<T>(size);
  }

  void put_back(Buffer<T> buffer) {
    std::lock_guard const lock(mutex_);
    free_[buffer.entries()].push_back(std::move(buffer));
  }

  std::mutex mutex_;
  std::map<std::int64_t, std::vector<Buffer<T>>> free_;
  std::uint64_t bytes_ = 0;
};

}  // namespace taper::matmul::detail
