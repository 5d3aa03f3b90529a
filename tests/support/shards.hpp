// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/oracles.hpp>
#include <taper/resources.hpp>
#include <taper/shards.hpp>
#include <taper/stable_marriage/sharded_instance.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace taper::testing {

/// So many instances: on GPUs each with a queue of its own, on all devices there are in turn; a host
/// backend's default, again and again.
template <class Space>
Shards<Space> shards(std::uint32_t count) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    static std::vector<Space> instances;
    if (instances.empty()) {
      int devices = 0;
      cudaGetDeviceCount(&devices);
      for (std::uint32_t k = 0; k < max_shards; ++k) {
        cudaStream_t stream = nullptr;
        cudaSetDevice(static_cast<int>(k) % devices);
        cudaStreamCreate(&stream);
        instances.emplace_back(stream);
      }
      cudaSetDevice(0);
      reach_peers(Shards<Space>{instances});
      Kokkos::push_finalize_hook([] { instances.clear(); });
    }
    return {{instances.begin(), instances.begin() + count}};
  }
#endif
  return {std::vector<Space>(count)};
}

/// The market in equal shards.
template <class Space>
auto to_sharded(Shards<Space> const& shards, Market const& market) {
  using Id = std::uint16_t;
  using Memory = typename Space::memory_space;
  auto const homes = Homes::even(market.size(), shards.size());
  auto const tables = [&](Lists const& lists) {
    auto const side = stable_marriage::allocate_lists<Id>(shards, homes, "test::lists");
    for (std::uint32_t k = 0; k < shards.size(); ++k) {
      auto const here = Kokkos::create_mirror_view(side[k]);
      for (std::uint32_t row = 0; row < homes.size(k); ++row) {
        for (std::size_t rank = 0; rank < market.size(); ++rank) {
          here(row, rank) = static_cast<Id>(lists[homes.begin(k) + row][rank]);
        }
      }
      Kokkos::deep_copy(side[k], here);
    }
    return std::vector<stable_marriage::ConstTable<Id, Memory>>(side.begin(), side.end());
  };
  return stable_marriage::ShardedInstance<stable_marriage::ConstTable<Id, Memory>>{
      homes, tables(market.men), tables(market.women)};
}

}  // namespace taper::testing
