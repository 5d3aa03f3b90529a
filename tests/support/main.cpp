// SPDX-License-Identifier: Apache-2.0
#include <support/case_stride.hpp>
#include <support/select_source.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char* argv[]) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!taper::testing::select_source(argc, argv)) {
    return 1;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (taper::testing::case_stride > 1) {
    std::printf(
        "This build has a sanitizer: tests with thousands of similar cases run one in %zu.\n",
        taper::testing::case_stride);
  }
  return RUN_ALL_TESTS();
}
