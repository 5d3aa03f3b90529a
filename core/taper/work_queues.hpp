// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/device_deque.hpp>
#include <taper/mpmc_queue.hpp>
#include <taper/random.hpp>
#include <taper/warp.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>

/// Work queues: they distribute work that creates more work over the workers of one kernel.
///
/// An item is a number that stands for a piece of work, such as the index of a record. A worker
/// puts the items that it creates, and takes an item when it is idle. Every item that was put is
/// taken exactly once. No call waits, and no queue detects termination: the algorithm counts its
/// open work itself.
///
/// Used by: tree search, and vertex cover's component search.
namespace taper {

/// A policy for the distribution of items over workers.
template <class T>
concept WorkQueue = requires(T const& queue, std::uint32_t worker, std::uint32_t item,
                             std::uint64_t attempt, std::uint32_t workers) {
  /// False: there is no room, and the caller keeps the item.
  { queue.put(worker, item) } -> std::same_as<bool>;
  /// The worker's own newest item; else an item from elsewhere; else `nothing`. `attempt` counts
  /// the worker's unsuccessful calls.
  { queue.take(worker, attempt) } -> std::same_as<std::uint32_t>;
  /// True if the worker's public queue is empty, so that other workers find none of its items. A
  /// worker that keeps its work in private storage then shares some.
  { queue.queue_empty(worker) } -> std::same_as<bool>;
  /// A copy for a launch in which only the workers 0 .. workers-1 put and take. It does not search
  /// the deques of the others.
  { queue.restricted_to(workers) } -> std::same_as<T>;
};

namespace detail {

/// A counter of one worker, in a cache line of its own.
struct alignas(64) WorkerCount {
  std::uint64_t value;
};

/// Counts the items that each worker has taken from the shared queue or from other workers.
template <class MemorySpace>
class MovedItems {
 public:
  template <ExecutionSpace Exec>
  MovedItems(Exec const& where, std::string const& label, std::uint64_t workers)
      : counts_(Kokkos::view_alloc(where, label + "::moved"), workers) {}

  /// Counts `item` for `worker` unless it is `nothing`. Returns `item`.
  KOKKOS_FUNCTION std::uint32_t counted(std::uint32_t worker, std::uint32_t item) const {
    counts_(worker).value += item != nothing ? 1 : 0;
    return item;
  }

  template <ExecutionSpace Exec>
  std::uint64_t total(Exec const& where) const {
    auto const here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, counts_);
    Kokkos::deep_copy(where, here, counts_);
    where.fence("taper::WorkQueue: wait for the numbers of moved items");
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < here.extent(0); ++i) {
      sum += here(i).value;
    }
    return sum;
  }

 private:
  Kokkos::View<WorkerCount*, MemorySpace> counts_;
};

}  // namespace detail

/// One stack per worker, which only that worker accesses.
template <class MemorySpace>
class PrivateStacks {
 public:
  template <ExecutionSpace Exec>
  PrivateStacks(Exec const& where, std::string const& label, std::uint64_t workers,
                std::uint64_t capacity)
      : sizes_(Kokkos::view_alloc(where, label + "::sizes"), workers),
        items_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::items"), workers,
               std::max<std::uint64_t>(capacity, 1)) {}

  KOKKOS_FUNCTION bool put(std::uint32_t worker, std::uint32_t item) const {
    std::uint64_t& size = sizes_(worker).value;
    if (size == items_.extent(1)) {
      return false;
    }
    items_(worker, size++) = item;
    return true;
  }

  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t worker) const {
    std::uint64_t& size = sizes_(worker).value;
    return size == 0 ? nothing : items_(worker, --size);
  }

 private:
  Kokkos::View<detail::WorkerCount*, MemorySpace> sizes_;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> items_;
};

/// A private stack per worker, and one bounded worklist that all workers share. put() prefers the
/// worklist while it has room, so that idle workers find the item there.
///
/// The worklist is a queue per 32 workers. A worker puts into one of them, and an idle worker takes
/// from all. If thousands of workers exchanged the ends of one queue, a GPU would reach at most a
/// few million calls per second.
///
/// With a `quota`, the shared queue accepts only that many items in all; later items stay on the
/// stack of their worker. This distributes work at the start and never rebalances. It is the
/// baseline without load balancing.
template <class MemorySpace>
class SharedQueue {
 public:
  static constexpr std::uint64_t no_quota = ~std::uint64_t{0};

  template <ExecutionSpace Exec>
  SharedQueue(Exec const& where, std::string const& label, std::uint64_t workers,
              std::uint64_t stack_items, std::uint64_t queue_items, std::uint64_t quota = no_quota)
      : stacks_(where, label + "::stacks", workers, stack_items),
        queues_(where, label + "::queue", queue_count(workers),
                (queue_items + queue_count(workers) - 1) / queue_count(workers)),
        moved_(where, label, workers), quota_(quota),
        shared_(Kokkos::view_alloc(where, label + "::shared")) {}

  KOKKOS_FUNCTION bool put(std::uint32_t worker, std::uint32_t item) const {
    if (may_share() && queues_.put(worker % queues_.count(), item)) {
      return true;
    }
    return stacks_.put(worker, item);
  }

  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t worker, std::uint64_t attempt) const {
    std::uint32_t item = stacks_.take(worker);
    if (item == nothing) {
      std::uint32_t const tries = Kokkos::min(+queues_per_attempt, queues_.count());
      for (std::uint32_t i = 0; item == nothing && i < tries; ++i) {
        std::uint64_t const queue = worker + attempt * tries + i;
        item = queues_.take(static_cast<std::uint32_t>(queue % queues_.count()));
      }
      moved_.counted(worker, item);
    }
    return item;
  }

  /// take() for a warp as the worker: all its lanes call it together, and all get the item.
  template <ExecutionSpace Exec>
  KOKKOS_FUNCTION std::uint32_t warp_take(std::uint32_t worker, std::uint64_t attempt,
                                          std::uint32_t lane) const {
    std::uint32_t const item = Warp<Exec>::shuffle(0, lane == 0 ? take(worker, attempt) : nothing);
    Warp<Exec>::sync();  // the item's data, which lane 0 may read since take(), for all lanes
    return item;
  }

  /// True if put() would share an item: the shared queue has room, or the quota is not used up.
  KOKKOS_FUNCTION bool queue_empty(std::uint32_t worker) const {
    return quota_ == no_quota ? queues_.size(worker % queues_.count()) < queues_.capacity()
                              : relaxed_load(shared_()) < quota_;
  }

  SharedQueue restricted_to(std::uint32_t) const { return *this; }

  /// The number of items taken from the shared queue. Async: returns with `where` fenced.
  template <ExecutionSpace Exec>
  std::uint64_t moved(Exec const& where) const {
    return moved_.total(where);
  }

 private:
  static constexpr std::uint32_t queues_per_attempt = 4;

  static std::uint64_t queue_count(std::uint64_t workers) {
    return std::max<std::uint64_t>(workers / 32, 1);
  }

  KOKKOS_FUNCTION bool may_share() const {
    // relaxed: the counter orders nothing else. The load keeps it from growing without limit.
    return quota_ == no_quota || (relaxed_load(shared_()) < quota_ &&
                                  Kokkos::atomic_fetch_add(&shared_(), AtomicWord{1}) < quota_);
  }

  PrivateStacks<MemorySpace> stacks_;
  MpmcQueues<MemorySpace> queues_;
  detail::MovedItems<MemorySpace> moved_;
  std::uint64_t quota_;
  Kokkos::View<AtomicWord, MemorySpace> shared_;  ///< items counted against the quota
};

/// A work-stealing deque per worker. A worker whose deque is empty steals the oldest item of a
/// victim drawn at random.
template <class MemorySpace>
class StealingDeques {
 public:
  template <ExecutionSpace Exec>
  StealingDeques(Exec const& where, std::string const& label, std::uint64_t workers,
                 std::uint64_t stack_items)
      : deques_(where, label + "::deques", workers, stack_items), moved_(where, label, workers),
        workers_(static_cast<std::uint32_t>(workers)) {}

  KOKKOS_FUNCTION bool put(std::uint32_t worker, std::uint32_t item) const {
    return deques_.put(worker, item);
  }

  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t worker, std::uint64_t attempt) const {
    std::uint32_t item = deques_.take(worker);
    for (std::uint64_t i = 0; item == nothing && i < victims_per_attempt; ++i) {
      std::uint32_t const victim = draw_victim(worker, attempt * victims_per_attempt + i);
      if (!deques_.seems_empty(victim)) {
        item = moved_.counted(worker, deques_.steal(victim));
      }
    }
    return item;
  }

  /// take() for a warp as the worker: all its lanes call it together, and all get the item. Each
  /// lane draws and checks another victim.
  template <ExecutionSpace Exec>
  KOKKOS_FUNCTION std::uint32_t warp_take(std::uint32_t worker, std::uint64_t attempt,
                                          std::uint32_t lane) const {
    using Lanes = Warp<Exec>;
    std::uint32_t item = Lanes::shuffle(0, lane == 0 ? deques_.take(worker) : nothing);
    Lanes::sync();  // the item's data, which lane 0 may read since take(), for all lanes
    if (item != nothing) {
      return item;
    }
    std::uint32_t const victim = draw_victim(worker, attempt * Lanes::count + lane);
    // A bit per lane whose victim has work. These lanes try to steal, one after another.
    std::uint32_t candidates = Lanes::ballot(!deques_.seems_empty(victim));
    for (; item == nothing && candidates != 0; candidates &= candidates - 1) {
      auto const thief = static_cast<std::uint32_t>(Kokkos::countr_zero(candidates));
      item = Lanes::shuffle(thief, lane == thief ? deques_.steal(victim) : nothing);
    }
    Lanes::sync();  // as above
    return lane == 0 ? moved_.counted(worker, item) : item;
  }

  KOKKOS_FUNCTION bool queue_empty(std::uint32_t worker) const {
    return deques_.seems_empty(worker);
  }

  StealingDeques restricted_to(std::uint32_t workers) const {
    StealingDeques restricted = *this;
    restricted.workers_ = std::min(workers, workers_);
    return restricted;
  }

  /// The number of items stolen. Async: returns with `where` fenced.
  template <ExecutionSpace Exec>
  std::uint64_t moved(Exec const& where) const {
    return moved_.total(where);
  }

 private:
  static constexpr std::uint64_t victims_per_attempt = 4;

  /// Draw number `number` of a worker, uniform over all workers.
  KOKKOS_FUNCTION std::uint32_t draw_victim(std::uint32_t worker, std::uint64_t number) const {
    std::uint64_t const bits = scatter_bits(worker + number * 0x9E3779B97F4A7C15u);
    return static_cast<std::uint32_t>((bits >> 32) * workers_ >> 32);
  }

  DeviceDeques<MemorySpace> deques_;
  detail::MovedItems<MemorySpace> moved_;
  std::uint32_t workers_;
};

}  // namespace taper
