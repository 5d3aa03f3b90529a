// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace taper {

/// Brings blocks of entries from host memory to a device's, several at the same time: one after
/// another each of the instances `lanes` takes a block, and before a lane takes its next one, the
/// calling thread waits for the one before and says that it has arrived. So while something is done
/// about a block, the blocks of the other lanes are under way.
///
/// Where the entries are pageable, which copy engines do not reach, `buffers` has page-locked room,
/// cut into a part for each lane: the host's threads put a block there first. An extent of 0:
/// nothing is staged.
///
/// Any number of lanes gives the same result; with one, or where an instance's copies are done
/// before the call returns, nothing overlaps.
template <ExecutionSpace Device, HostExecutionSpace Host, class T>
class Conveyor {
 public:
  using Buffers = Kokkos::View<T*, Kokkos::SharedHostPinnedSpace>;

  Conveyor(std::string name, std::span<Device const> lanes, Host const& host,
           Buffers const& buffers)
      : name_(std::move(name)), lanes_(lanes), host_(host), buffers_(buffers),
        arrived_(lanes.size()) {}

  /// Sends `entries` on their way, at most the lane's part of the buffers. Calls arrived(), from
  /// here or from finish(), once they are there; blocks arrive in the order in which they were sent.
  void send(T const* from, T* to, std::size_t entries, std::function<void()> arrived) {
    std::size_t const lane = next_;
    next_ = (next_ + 1) % lanes_.size();
    land(lane);
    if (buffers_.extent(0) != 0) {
      T* const buffer = buffers_.data() + lane * (buffers_.extent(0) / lanes_.size());
      Kokkos::deep_copy(host_, Entries<T, Kokkos::HostSpace>(buffer, entries),
                        Entries<T const, Kokkos::HostSpace>(from, entries));
      host_.fence(name_ + ": a block is in its buffer");
      from = buffer;
    }
    Kokkos::deep_copy(lanes_[lane], Entries<T, typename Device::memory_space>(to, entries),
                      Entries<T const, Kokkos::HostSpace>(from, entries));
    arrived_[lane] = std::move(arrived);
  }

  /// Returns when all blocks have arrived.
  void finish() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      land((next_ + i) % lanes_.size());
    }
  }

 private:
  template <class Entry, class Space>
  using Entries = Kokkos::View<Entry*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  void land(std::size_t lane) {
    if (arrived_[lane]) {
      lanes_[lane].fence(name_ + ": a block has arrived");
      std::exchange(arrived_[lane], nullptr)();
    }
  }

  std::string name_;
  std::span<Device const> lanes_;
  Host const& host_;
  Buffers buffers_;
  std::vector<std::function<void()>> arrived_;  ///< of each lane's block, if it has one
  std::size_t next_ = 0;
};

}  // namespace taper
