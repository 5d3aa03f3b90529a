// SPDX-License-Identifier: Apache-2.0
#include <support/like_cases.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char* argv[]) {
  ::testing::InitGoogleTest(&argc, argv);
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (taper::testing::like_cases_step > 1) {
    std::printf("Under a sanitizer: of thousands of like cases, one in %zu is taken.\n",
                taper::testing::like_cases_step);
  }
  return RUN_ALL_TESTS();
}
