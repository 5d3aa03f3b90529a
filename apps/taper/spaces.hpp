// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <string_view>
#include <type_traits>

namespace taper::app {

/// A build has one device backend at most: Kokkos' default, where that is none of the host's.
inline constexpr bool has_device =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                Kokkos::DefaultExecutionSpace::memory_space>::accessible;

/// Calls visit(name, std::type_identity<Space>{}) for each enabled backend, the widest first, until
/// one call returns true. The only place that knows backends by name.
template <class Visit>
bool any_space(Visit const& visit) {
#ifdef KOKKOS_ENABLE_CUDA
  if (visit(std::string_view("cuda"), std::type_identity<Kokkos::Cuda>{})) {
    return true;
  }
#endif
#ifdef KOKKOS_ENABLE_HIP
  if (visit(std::string_view("hip"), std::type_identity<Kokkos::HIP>{})) {
    return true;
  }
#endif
#ifdef KOKKOS_ENABLE_SYCL
  if (visit(std::string_view("sycl"), std::type_identity<Kokkos::SYCL>{})) {
    return true;
  }
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  if (visit(std::string_view("openmp"), std::type_identity<Kokkos::OpenMP>{})) {
    return true;
  }
#endif
#ifdef KOKKOS_ENABLE_THREADS
  if (visit(std::string_view("threads"), std::type_identity<Kokkos::Threads>{})) {
    return true;
  }
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  if (visit(std::string_view("serial"), std::type_identity<Kokkos::Serial>{})) {
    return true;
  }
#endif
  return false;
}

template <class Space>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;

/// An instance of the backend on some of its threads, or on all for 0. Only OpenMP has such.
template <class Space>
Space with_threads([[maybe_unused]] int threads) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>) {
    if (threads > 0) {
      return Space(threads);
    }
  }
#endif
  return Space();
}

/// Whether with_threads() can give so many.
template <class Space>
bool has_threads(int threads) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>) {
    return threads <= Space().concurrency();
  }
#endif
  return threads == 0 || (is_host_space<Space> && threads == Space().concurrency());
}

}  // namespace taper::app
