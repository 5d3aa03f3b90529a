// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace taper::testing {

/// True for labels of work that Kokkos itself launches inside a copy, an initialisation or a fence.
inline bool is_kokkos_own(std::string const& label) {
  return label.rfind("Kokkos::", 0) == 0 || label.rfind("HostSpace::", 0) == 0 ||
         label.rfind("Cuda", 0) == 0;
}

/// Two instances that tools can tell apart; one if the backend has no more.
template <class Space>
std::vector<Space> two_instances() {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    auto const parts = Kokkos::Experimental::partition_space(Space{}, 1, 1);
    return {parts[0], parts[1]};
  }
#endif
  return {Space{}};
}

}  // namespace taper::testing
