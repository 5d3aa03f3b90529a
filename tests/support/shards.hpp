// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/oracles.hpp>
#include <taper/device_info.hpp>
#include <taper/stable_marriage/sharded/instance.hpp>
#include <taper/stable_marriage/sharded/shards.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace taper::testing {

/// `count` execution space instances. On GPUs each has a stream of its own, distributed over all
/// devices. On a host all are the default instance.
template <class Space>
stable_marriage::Shards<Space> shards(std::uint32_t count) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    static std::vector<Space> instances;
    if (instances.empty()) {
      int devices = 0;
      cudaGetDeviceCount(&devices);
      for (std::uint32_t k = 0; k < stable_marriage::max_shards; ++k) {
        cudaStream_t stream = nullptr;
        cudaSetDevice(static_cast<int>(k) % devices);
        cudaStreamCreate(&stream);
        instances.emplace_back(stream);
      }
      cudaSetDevice(0);
      enable_peer_access(instances);
      Kokkos::push_finalize_hook([] { instances.clear(); });
    }
    return {{instances.begin(), instances.begin() + count}};
  }
#endif
  return {std::vector<Space>(count)};
}

/// A market in shards of equal size.
template <class Space>
auto to_sharded(stable_marriage::Shards<Space> const& shards, Market const& market) {
  using Id = std::uint16_t;
  using Memory = typename Space::memory_space;
  auto const partition = stable_marriage::RowPartition::even(market.size(), shards.size());
  auto const tables = [&](Lists const& lists) {
    auto const side = stable_marriage::allocate_lists<Id>(shards, partition, "test::lists");
    for (std::uint32_t k = 0; k < shards.size(); ++k) {
      auto const here = Kokkos::create_mirror_view(side[k]);
      for (std::uint32_t row = 0; row < partition.size(k); ++row) {
        for (std::size_t rank = 0; rank < market.size(); ++rank) {
          here(row, rank) = static_cast<Id>(lists[partition.begin(k) + row][rank]);
        }
      }
      Kokkos::deep_copy(side[k], here);
    }
    return std::vector<stable_marriage::ConstTable<Id, Memory>>(side.begin(), side.end());
  };
  return stable_marriage::ShardedInstance<stable_marriage::ConstTable<Id, Memory>>{
      partition, tables(market.men), tables(market.women)};
}

}  // namespace taper::testing
