// SPDX-License-Identifier: Apache-2.0
#include <support/select_source.hpp>

#include <gtest/gtest.h>

/// The main() of tests without Kokkos.
int main(int argc, char* argv[]) {
  ::testing::InitGoogleTest(&argc, argv);
  return taper::testing::select_source(argc, argv) ? RUN_ALL_TESTS() : 1;
}
