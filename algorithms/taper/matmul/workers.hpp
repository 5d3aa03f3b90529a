// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/duo.hpp>
#include <taper/large_view.hpp>

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

namespace taper::matmul::detail {

template <HostExecutionSpace Exec>
std::int64_t workers_of(Exec const& where) {
  return static_cast<std::int64_t>(concurrency(where));
}

/// Calls f(worker, item) for each item 0 .. items-1 on the threads of `where`; whoever is done takes
/// the next. `worker` is one of 0 .. workers_of(where)-1 and calls one at a time.
template <HostExecutionSpace Exec, class F>
void for_each_item(Exec const& where, std::string const& label, std::int64_t items, F const& f) {
  std::atomic<std::int64_t> next{0};
  std::int64_t const workers = std::min(workers_of(where), items);
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>(
          where, 0, workers, Kokkos::ChunkSize(1)),
      [&](std::int64_t worker) {
        // relaxed: an item is only a number; the launch's end publishes what was made of it.
        for (std::int64_t item = next.fetch_add(1, std::memory_order_relaxed); item < items;
             item = next.fetch_add(1, std::memory_order_relaxed)) {
          f(worker, item);
        }
      });
  where.fence(label + ": the counter of items is on this stack");
}

/// Host memory for `entries` of T, uninitialised, from a cache line on; from a huge page on where it is
/// as large, since a fresh page of 4 KiB each would cost as much as an addition of what it holds.
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

/// Buffers that branches of a recursion borrow and give back. One that was given back is lent again
/// before another is allocated: its pages are there, and perhaps in a cache. Any thread may call.
template <class T>
class Temporaries {
 public:
  class Loan {
   public:
    Loan(Temporaries& owner, std::int64_t entries) : owner_(owner), buffer_(owner.take(entries)) {}
    ~Loan() { owner_.give(std::move(buffer_)); }
    Loan(Loan const&) = delete;
    Loan& operator=(Loan const&) = delete;

    T* data() const { return buffer_.data(); }

   private:
    Temporaries& owner_;
    Buffer<T> buffer_;
  };

  /// Bytes of all buffers: none is freed before the end, so that this is the peak.
  std::uint64_t bytes() const { return bytes_; }

 private:
  /// Halves of odd extents differ by one; rounded up to an eighth they have one size.
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

  void give(Buffer<T> buffer) {
    std::lock_guard const lock(mutex_);
    free_[buffer.entries()].push_back(std::move(buffer));
  }

  std::mutex mutex_;
  std::map<std::int64_t, std::vector<Buffer<T>>> free_;
  std::uint64_t bytes_ = 0;
};

}  // namespace taper::matmul::detail
