// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/communicator.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

// Blocks of agents: each process has the agents of one block, and is their home. Items, such as
// offers, are sorted by the home of the agent that they go to.
// Used by: the folders distributed/ of the algorithms.

namespace taper::distributed {

/// One side of an instance in blocks: process p has the agents first(p) .. first(p+1)-1.
template <class Memory>
struct Blocks {
  Kokkos::View<std::uint64_t*, Memory> first;  ///< processes + 1 ids, from 0

  KOKKOS_FUNCTION std::uint32_t processes() const {
    return static_cast<std::uint32_t>(first.extent(0)) - 1;
  }
  KOKKOS_FUNCTION std::uint64_t all() const { return first(processes()); }

  /// The home of an agent: the last process whose block begins at this id or before it. An empty
  /// block begins where the next one does, so its process is never the last.
  ///
  /// Cost: a binary search over the processes.
  KOKKOS_FUNCTION std::uint32_t home_of(std::uint64_t id) const {
    std::uint32_t low = 0;
    std::uint32_t end = processes();
    while (end - low > 1) {
      std::uint32_t const middle = low + (end - low) / 2;
      (first(middle) <= id ? low : end) = middle;
    }
    return low;
  }
};

/// The blocks of a side. counts[p]: the number of agents of process p.
template <class Memory>
Blocks<Memory> make_blocks(std::vector<std::uint64_t> const& counts) {
  Blocks<Memory> const blocks{
      Kokkos::View<std::uint64_t*, Memory>("taper::distributed::blocks", counts.size() + 1)};
  for (std::size_t process = 0; process < counts.size(); ++process) {
    blocks.first(process + 1) = blocks.first(process) + counts[process];
  }
  return blocks;
}

/// Gathers the values of all blocks in each process. All processes call it.
///
/// `own`: a rank-1 View with a value per agent of this process. Returns a value per agent of all.
/// Cost: each process sends its values to each other process; memory for all values.
template <class Memory, class Values>
Kokkos::View<typename Values::non_const_value_type*, Memory>
gather_blocks(Communicator const& communicator, Blocks<Memory> const& blocks, Values const& own) {
  using Value = typename Values::non_const_value_type;
  Kokkos::View<Value*, Memory> const all("taper::distributed::gathered", blocks.all());
  std::uint32_t const process = communicator.process();
  std::copy_n(own.data(), own.extent(0), all.data() + blocks.first(process));
  Messages messages(communicator, longest_message);
  for (std::uint32_t other = 0; other < communicator.processes(); ++other) {
    if (other != process) {
      messages.receive(other, all.data() + blocks.first(other),
                       (blocks.first(other + 1) - blocks.first(other)) * sizeof(Value));
      messages.send(other, own.data(), own.extent(0) * sizeof(Value));
    }
  }
  messages.wait();
  return all;
}

/// Gathers the items of all processes in each process, in the order of the processes, and returns
/// the first `limit` of them. All processes call it. `own`: the items of this process.
template <class Item>
std::vector<Item> gather_first(Communicator const& communicator, std::vector<Item> const& own,
                               std::uint64_t limit) {
  auto const counts = communicator.gather(own.size());
  std::vector<std::vector<Item>> items(counts.size());
  Messages messages(communicator, longest_message);
  for (std::uint32_t other = 0; other < communicator.processes(); ++other) {
    items[other].resize(counts[other]);
    if (other != communicator.process()) {
      messages.receive(other, items[other].data(), counts[other] * sizeof(Item));
      messages.send(other, own.data(), own.size() * sizeof(Item));
    }
  }
  messages.wait();
  items[communicator.process()] = own;
  std::vector<Item> first;
  for (auto const& part : items) {
    first.insert(first.end(), part.begin(), part.end());
  }
  first.resize(std::min<std::uint64_t>(first.size(), limit));
  return first;
}

/// A View that only grows, so that rounds reuse its memory.
template <class T, class Memory>
class Buffer {
 public:
  explicit Buffer(std::string const& label) : items_(label, 0) {}

  /// Makes room for `count` items. What was in it may be lost.
  template <class Exec>
  void reserve(Exec const& where, std::uint64_t count) {
    if (items_.extent(0) < count) {
      std::string const label = items_.label();
      items_ = {};
      items_ = allocate_large<Kokkos::View<T*, Memory>>(where, label, count);
    }
  }
  Kokkos::View<T*, Memory> const& view() const { return items_; }
  T* data() const { return items_.data(); }

 private:
  Kokkos::View<T*, Memory> items_;
};

/// First pass of SortByHome: counts the items of each home in each chunk. A worker takes a chunk.
template <class Item, class Home, class Memory>
struct CountByHome {
  Kokkos::View<Item*, Memory> items;
  Home home;
  std::uint64_t count, chunks;
  std::uint32_t homes;
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, Memory> next;  ///< per chunk and home

  KOKKOS_FUNCTION void operator()(std::uint64_t chunk) const {
    for (std::uint32_t to = 0; to < homes; ++to) {
      next(chunk, to) = 0;
    }
    std::uint64_t const end = count * (chunk + 1) / chunks;
    for (std::uint64_t i = count * chunk / chunks; i < end; ++i) {
      if (std::uint32_t const to = home(items(i)); to < homes) {
        ++next(chunk, to);
      }
    }
  }
};

/// Second pass: moves the items of each chunk to their places.
template <class Item, class Home, class Memory>
struct MoveByHome {
  /// Its `next` has the place of the next item by now, instead of a count.
  CountByHome<Item, Home, Memory> counted;
  Kokkos::View<Item*, Memory> sorted;

  KOKKOS_FUNCTION void operator()(std::uint64_t chunk) const {
    std::uint64_t const end = counted.count * (chunk + 1) / counted.chunks;
    for (std::uint64_t i = counted.count * chunk / counted.chunks; i < end; ++i) {
      Item const item = counted.items(i);
      if (std::uint32_t const to = counted.home(item); to < counted.homes) {
        sorted(counted.next(chunk, to)++) = item;
      }
    }
  }
};

/// Sorts items by their homes with a stable counting sort. home(item) is the home of an item.
template <ExecutionSpace Exec, class Item>
class SortByHome {
  using Memory = typename Exec::memory_space;

 public:
  SortByHome(Exec const& where, std::uint32_t homes)
      : where_(where), homes_(homes),
        next_("taper::distributed::next_by_home", static_cast<std::size_t>(where.concurrency()),
              padded(homes)),
        sorted_("taper::distributed::by_home"), first_(homes + 1) {}

  /// Sorts the first `count` items. Items whose home is not below `homes` are left out: kernels
  /// mark those that go nowhere.
  ///
  /// Async: returns with the execution space instance fenced.
  template <class Home>
  void operator()(Kokkos::View<Item*, Memory> const& items, std::uint64_t count, Home const& home) {
    constexpr std::uint64_t least_per_chunk = 1024;  // fewer items are not worth another thread
    auto const chunks = std::clamp<std::uint64_t>(count / least_per_chunk, 1, next_.extent(0));
    ItemRange<Exec> const range(where_, 0, chunks);
    CountByHome<Item, Home, Memory> const counted{items, home, count, chunks, homes_, next_};
    Kokkos::parallel_for("taper::distributed::count_by_home", range, counted);
    where_.fence("taper::distributed: wait for the counts of each home");
    std::uint64_t before = 0;
    for (std::uint32_t to = 0; to < homes_; ++to) {
      first_[to] = before;
      for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
        std::uint64_t const own = next_(chunk, to);
        next_(chunk, to) = before;
        before += own;
      }
    }
    first_[homes_] = before;
    sorted_.reserve(where_, before);
    Kokkos::parallel_for("taper::distributed::move_by_home", range,
                         MoveByHome<Item, Home, Memory>{counted, sorted_.view()});
    where_.fence("taper::distributed: wait for the sorted items");
  }

  // After sorting: the items, and those of one home. first(homes) is the number of all items.
  Kokkos::View<Item*, Memory> const& view() const { return sorted_.view(); }
  std::uint64_t first(std::uint32_t home) const { return first_[home]; }
  std::uint64_t count(std::uint32_t home) const { return first_[home + 1] - first_[home]; }
  Item const* data(std::uint32_t home) const { return sorted_.data() + first_[home]; }

 private:
  /// The counters of a chunk, padded to 128 bytes: no two chunks share a pair of cache lines.
  static std::size_t padded(std::uint32_t homes) { return (std::size_t{homes} + 15) / 16 * 16; }

  Exec where_;
  std::uint32_t homes_;
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, Memory> next_;
  Buffer<Item, Memory> sorted_;
  std::vector<std::uint64_t> first_;
};

}  // namespace taper::distributed
