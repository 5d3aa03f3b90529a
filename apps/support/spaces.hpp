// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

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

/// The most threads that the host backend can have; Kokkos' tables of them do not grow, and it does
/// not look.
inline constexpr int most_host_threads =
#if defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::Impl::OpenMPTraits::MAX_THREAD_COUNT;
#elif defined(KOKKOS_ENABLE_THREADS)
    Kokkos::Impl::ThreadsInternal::MAX_THREAD_COUNT;
#else
    1;
#endif

/// Threads that the host backend will have where nobody says how many, if it asks somebody else.
inline int default_host_threads() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_get_max_threads();
#else
  return 1;
#endif
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
