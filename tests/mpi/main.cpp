// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <mpi.h>

#include <cstdio>

// Each process runs all tests. Tests expect, and never leave before the others: then all processes
// make the same calls of MPI.
int main(int argc, char* argv[]) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (process != 0) {  // the others print failures alone
    struct Failures : ::testing::EmptyTestEventListener {
      void OnTestPartResult(::testing::TestPartResult const& result) override {
        if (result.failed()) {
          std::fprintf(stderr, "%s:%d: %s\n", result.file_name(), result.line_number(),
                       result.message());
        }
      }
    };
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  int failed = 0;
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    failed = RUN_ALL_TESTS();
  }
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
