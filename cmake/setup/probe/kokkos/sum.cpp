// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  int sum = 0;
  Kokkos::parallel_reduce(
      "taper::setup::sum", Kokkos::RangePolicy<>(0, 100),
      KOKKOS_LAMBDA(int i, int& partial) { partial += i; }, sum);
  return sum == 4950 ? 0 : 1;
}
