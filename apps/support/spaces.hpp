// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config_error.hpp"

#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

#include <string>
#include <string_view>
#include <type_traits>

// The Kokkos backends of this build. Used by: sources named *_kokkos.cpp.
namespace taper::app {

/// Whether the build has a device backend. It has at most one: Kokkos' default execution space, if
/// the host cannot reach its memory.
inline constexpr bool has_device =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                Kokkos::DefaultExecutionSpace::memory_space>::accessible;

/// Calls visit(name, std::type_identity<Space>{}) for each enabled backend, the widest first, until
/// one call returns true. No other code knows backends by name.
template <class Visit>
bool any_space(Visit const& visit) {
#ifdef KOKKOS_ENABLE_CUDA
  if (visit(std::string_view("cuda"), std::type_identity<Kokkos::Cuda>{})) {
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

/// The most threads that the host backend can have. Kokkos' tables of threads have this fixed size,
/// and Kokkos does not check it.
inline constexpr int max_host_threads =
#if defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::Impl::OpenMPTraits::MAX_THREAD_COUNT;
#elif defined(KOKKOS_ENABLE_THREADS)
    Kokkos::Impl::ThreadsInternal::MAX_THREAD_COUNT;
#else
    1;
#endif

/// Threads that the host backend starts if neither the user nor Kokkos' settings give a number.
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

/// An execution space instance on `threads` threads of the backend; 0: on all. Backends other than
/// OpenMP always use all.
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

/// Whether with_threads() can give this number of threads.
template <class Space>
bool can_have_threads(int threads) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>) {
    return threads <= Space().concurrency();
  }
#endif
  return threads == 0 || (is_host_space<Space> && threads == Space().concurrency());
}

/// Calls use(std::type_identity<Space>{}) for the backend with this name.
/// Throws ConfigError if the build does not have it.
template <class Use>
void with_backend(std::string_view backend, Use const& use) {
  bool const known =
      any_space([&]<class Space>(std::string_view name, std::type_identity<Space> space) {
        if (name == backend) {
          use(space);
        }
        return name == backend;
      });
  if (!known) {
    throw ConfigError("this build has no backend '" + std::string(backend) + "'");
  }
}

/// A backend with the host, on which a run may end. The host of a host backend has the same cores.
template <class Space>
using WithHost = Duo<Space, Kokkos::DefaultHostExecutionSpace>;

/// The place that `Space` stands for: a device is paired with the host, so that hybrid runs may
/// migrate; a host backend runs alone.
template <class Space>
auto with_host() {
  if constexpr (is_host_space<Space>) {
    return Space{};
  } else {
    return WithHost<Space>{};
  }
}

}  // namespace taper::app
