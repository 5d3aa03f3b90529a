// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/lanes.hpp>
#include <taper/polling.hpp>
#include <taper/random.hpp>
#include <taper/work_stealing.hpp>
#include <taper/worklist.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>

/// How work that makes more work is spread over workers that live as long as there is any.
///
/// An item is a number that stands for a piece of work, say a record in an IndexPool. Whoever makes
/// one puts it; whoever is free takes one. Every item that was put is taken exactly once. Nothing
/// here waits, and nothing here knows when all is done: that is the algorithm's to count.
namespace taper {

template <class T>
concept Balancing = requires(T const& balance, std::uint32_t worker, std::uint64_t attempt) {
  /// False: no room; the caller still has the item.
  { balance.put(worker, worker) } -> std::same_as<bool>;
  /// The newest of the worker's own, if any; else what the policy finds elsewhere; else `nothing`.
  /// `attempt` counts a worker's vain tries.
  { balance.take(worker, attempt) } -> std::same_as<std::uint32_t>;
  /// Whether others would find nothing more of this worker's, for one who keeps his work to himself
  /// and shares when it is wanted.
  { balance.hungry(worker) } -> std::same_as<bool>;
  /// The same, for a while in which only the first so many workers put and take: nobody looks for
  /// items of the others.
  { balance.among(worker) } -> std::same_as<T>;
};

namespace detail {

/// A count that one worker alone changes, in a cache line of its own.
struct alignas(64) OwnCount {
  std::uint64_t value;
};

/// How many items each worker has got from others.
template <class MemorySpace>
class MovedItems {
 public:
  template <ExecutionSpace Exec>
  MovedItems(Exec const& where, std::string const& label, std::uint64_t workers)
      : counts_(Kokkos::view_alloc(where, label + "::moved"), workers) {}

  KOKKOS_FUNCTION std::uint32_t counted(std::uint32_t worker, std::uint32_t item) const {
    counts_(worker).value += item != nothing ? 1 : 0;
    return item;
  }

  template <ExecutionSpace Exec>
  std::uint64_t total(Exec const& where) const {
    auto const here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, counts_);
    Kokkos::deep_copy(where, here, counts_);
    where.fence("taper::Balancing: how many items have changed hands");
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < here.extent(0); ++i) {
      sum += here(i).value;
    }
    return sum;
  }

 private:
  Kokkos::View<OwnCount*, MemorySpace> counts_;
};

}  // namespace detail

/// A stack for each worker, which nobody else sees.
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
  Kokkos::View<detail::OwnCount*, MemorySpace> sizes_;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> items_;
};

/// Own stacks, and one bounded list that all share: what is put goes to the list while that has
/// room, so that whoever is free finds it there.
///
/// With `quota`, only so many items are ever shared: each worker has got its part then, and keeps
/// to it, which is no balancing at all but a deal at the start.
template <class MemorySpace>
class SharedList {
 public:
  static constexpr std::uint64_t no_quota = ~std::uint64_t{0};

  template <ExecutionSpace Exec>
  SharedList(Exec const& where, std::string const& label, std::uint64_t workers,
             std::uint64_t stack_items, std::uint64_t list_items, std::uint64_t quota = no_quota)
      : own_(where, label + "::stacks", workers, stack_items),
        list_(where, label + "::list", list_items), moved_(where, label, workers), quota_(quota),
        dealt_(Kokkos::view_alloc(where, label + "::dealt")) {}

  KOKKOS_FUNCTION bool put(std::uint32_t worker, std::uint32_t item) const {
    if (may_share() && list_.put(item)) {
      return true;
    }
    return own_.put(worker, item);
  }

  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t worker, std::uint64_t) const {
    std::uint32_t const item = own_.take(worker);
    return item != nothing ? item : moved_.counted(worker, list_.take());
  }

  /// take(), called by all lanes together, who all get the item.
  template <ExecutionSpace Exec>
  KOKKOS_FUNCTION std::uint32_t take_by_lanes(std::uint32_t worker, std::uint64_t attempt,
                                              std::uint32_t lane) const {
    std::uint32_t const item = Lanes<Exec>::from(0, lane == 0 ? take(worker, attempt) : nothing);
    Lanes<Exec>::sync();  // what the lowest lane may read of it now, all may
    return item;
  }

  KOKKOS_FUNCTION bool hungry(std::uint32_t) const {
    return quota_ == no_quota ? list_.size() < list_.capacity() : relaxed_load(dealt_()) < quota_;
  }

  SharedList among(std::uint32_t) const { return *this; }

  /// Items that came from the list. Async: returns with `where` fenced.
  template <ExecutionSpace Exec>
  std::uint64_t moved(Exec const& where) const {
    return moved_.total(where);
  }

 private:
  KOKKOS_FUNCTION bool may_share() const {
    return quota_ == no_quota ||
           (relaxed_load(dealt_()) < quota_ &&
            Kokkos::atomic_fetch_add(&dealt_(), AtomicWord{1}) < quota_);  // relaxed: a mere count
  }

  PrivateStacks<MemorySpace> own_;
  Worklist<MemorySpace> list_;
  detail::MovedItems<MemorySpace> moved_;
  std::uint64_t quota_;
  Kokkos::View<AtomicWord, MemorySpace> dealt_;
};

/// Own deques; whoever has nothing steals the oldest item of somebody drawn at random.
template <class MemorySpace>
class Stealing {
 public:
  template <ExecutionSpace Exec>
  Stealing(Exec const& where, std::string const& label, std::uint64_t workers,
           std::uint64_t stack_items)
      : deques_(where, label + "::deques", workers, stack_items), moved_(where, label, workers),
        workers_(static_cast<std::uint32_t>(workers)) {}

  KOKKOS_FUNCTION bool put(std::uint32_t worker, std::uint32_t item) const {
    return deques_.put(worker, item);
  }

  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t worker, std::uint64_t attempt) const {
    std::uint32_t item = deques_.take(worker);
    for (std::uint64_t i = 0; item == nothing && i < victims_a_try; ++i) {
      std::uint32_t const victim = draw(worker, attempt * victims_a_try + i);
      if (!deques_.seems_empty(victim)) {
        item = moved_.counted(worker, deques_.steal(victim));
      }
    }
    return item;
  }

  /// take(), called by all lanes together, who all get the item: each looks at another victim.
  template <ExecutionSpace Exec>
  KOKKOS_FUNCTION std::uint32_t take_by_lanes(std::uint32_t worker, std::uint64_t attempt,
                                              std::uint32_t lane) const {
    using Together = Lanes<Exec>;
    std::uint32_t item = Together::from(0, lane == 0 ? deques_.take(worker) : nothing);
    Together::sync();  // what that lane may read of it now, all may
    if (item != nothing) {
      return item;
    }
    std::uint32_t const victim = draw(worker, attempt * Together::count + lane);
    std::uint32_t worth = Together::flags(!deques_.seems_empty(victim));
    for (; item == nothing && worth != 0; worth &= worth - 1) {
      auto const lucky = static_cast<std::uint32_t>(Kokkos::countr_zero(worth));
      item = Together::from(lucky, lane == lucky ? deques_.steal(victim) : nothing);
    }
    Together::sync();  // as above
    return lane == 0 ? moved_.counted(worker, item) : item;
  }

  KOKKOS_FUNCTION bool hungry(std::uint32_t worker) const { return deques_.seems_empty(worker); }

  Stealing among(std::uint32_t workers) const {
    Stealing some = *this;
    some.workers_ = std::min(workers, workers_);
    return some;
  }

  /// Items that were stolen. Async: returns with `where` fenced.
  template <ExecutionSpace Exec>
  std::uint64_t moved(Exec const& where) const {
    return moved_.total(where);
  }

 private:
  static constexpr std::uint64_t victims_a_try = 4;

  KOKKOS_FUNCTION std::uint32_t draw(std::uint32_t worker, std::uint64_t number) const {
    std::uint64_t const bits = scatter_bits(worker + number * 0x9E3779B97F4A7C15u);
    return static_cast<std::uint32_t>((bits >> 32) * workers_ >> 32);
  }

  WorkStealing<MemorySpace> deques_;
  detail::MovedItems<MemorySpace> moved_;
  std::uint32_t workers_;
};

}  // namespace taper
