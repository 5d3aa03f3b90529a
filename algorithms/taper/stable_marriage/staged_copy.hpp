// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace taper::stable_marriage::detail {

/// Copies blocks of entries from host memory to device memory on several streams at once.
///
/// Each of the execution space instances `streams` takes a block in turn. Before a stream takes its
/// next block, the calling thread waits for the stream's previous block and calls its callback. So
/// the callback of one block overlaps with the copies on the other streams.
///
/// Copy engines cannot read pageable memory. For pageable entries, `buffers` provides page-locked
/// memory, one equal part per stream, and the threads of `host` first copy a block there. With an
/// extent of 0, no block is staged.
///
/// The number of streams does not change the result. With one stream, or if an instance completes
/// its copies before the call returns, nothing overlaps.
///
/// Used by: solve_streamed.hpp.
template <ExecutionSpace Device, HostExecutionSpace Host, class T>
class StagedCopy {
 public:
  using Buffers = Kokkos::View<T*, Kokkos::SharedHostPinnedSpace>;

  StagedCopy(std::string name, std::span<Device const> streams, Host const& host,
             Buffers const& buffers)
      : name_(std::move(name)), streams_(streams), host_(host), buffers_(buffers),
        arrived_(streams.size()) {}

  /// Starts the copy of a block of `entries`, at most a stream's part of the buffers.
  ///
  /// A later send() or finish() waits for the block and calls arrived(). Blocks arrive in the order
  /// in which they were sent.
  void send(T const* from, T* to, std::size_t entries, std::function<void()> arrived) {
    std::size_t const stream = next_;
    next_ = (next_ + 1) % streams_.size();
    wait_for(stream);
    if (buffers_.extent(0) != 0) {
      T* const buffer = buffers_.data() + stream * (buffers_.extent(0) / streams_.size());
      Kokkos::deep_copy(host_, Entries<T, Kokkos::HostSpace>(buffer, entries),
                        Entries<T const, Kokkos::HostSpace>(from, entries));
      host_.fence(name_ + ": copy of a block to its buffer");
      from = buffer;
    }
    Kokkos::deep_copy(streams_[stream], Entries<T, typename Device::memory_space>(to, entries),
                      Entries<T const, Kokkos::HostSpace>(from, entries));
    arrived_[stream] = std::move(arrived);
  }

  /// Returns when all blocks have arrived.
  void finish() {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      wait_for((next_ + i) % streams_.size());
    }
  }

 private:
  template <class Entry, class Space>
  using Entries = Kokkos::View<Entry*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  void wait_for(std::size_t stream) {
    if (arrived_[stream]) {
      streams_[stream].fence(name_ + ": copy of a block to the device");
      std::exchange(arrived_[stream], nullptr)();
    }
  }

  std::string name_;
  std::span<Device const> streams_;
  Host const& host_;
  Buffers buffers_;
  std::vector<std::function<void()>> arrived_;  ///< callback of each stream's block, if it has one
  std::size_t next_ = 0;
};

}  // namespace taper::stable_marriage::detail
