// SPDX-License-Identifier: Apache-2.0
#include <taper/backend.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

namespace {

/// An instance with a number of threads of its own, as Kokkos 4 declares it: called without an
/// argument, concurrency() returns the number of the default instance.
struct OldSpace : Kokkos::DefaultHostExecutionSpace {
  using execution_space = OldSpace;
  explicit OldSpace(int its_threads = 7) : threads(its_threads) {}
  static int concurrency(OldSpace const& where = OldSpace()) { return where.threads; }
  int threads;
};

TEST(Concurrency, IsThatOfTheInstance) {
  EXPECT_EQ(taper::concurrency(OldSpace()), 7u);
  EXPECT_EQ(taper::concurrency(OldSpace(2)), 2u);
#ifdef KOKKOS_ENABLE_OPENMP
  EXPECT_EQ(taper::concurrency(Kokkos::OpenMP(1)), 1u);
#endif
}

}  // namespace
