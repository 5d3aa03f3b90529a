// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

namespace taper::testing {

template <class Tuple>
struct AsTypes;

template <class... Spaces>
struct AsTypes<std::tuple<Spaces...>> {
  using type = ::testing::Types<Spaces...>;
};

/// Every execution space of this build, for TYPED_TEST_SUITE(Suite, Backends, BackendNames).
using Backends = AsTypes<decltype(std::tuple_cat(
#ifdef KOKKOS_ENABLE_SERIAL
    std::declval<std::tuple<Kokkos::Serial>>(),
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    std::declval<std::tuple<Kokkos::OpenMP>>(),
#endif
#ifdef KOKKOS_ENABLE_THREADS
    std::declval<std::tuple<Kokkos::Threads>>(),
#endif
#ifdef KOKKOS_ENABLE_CUDA
    std::declval<std::tuple<Kokkos::Cuda>>(),
#endif
    std::tuple<>()))>::type;

struct BackendNames {
  template <class Space>
  static std::string GetName(int) {
    return Space::name();
  }
};

}  // namespace taper::testing
