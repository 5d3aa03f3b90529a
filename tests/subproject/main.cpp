// SPDX-License-Identifier: Apache-2.0
#include <taper/matmul/matmul.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using Space = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const a("a", 3, 3);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const c("c", 3, 3);
  Kokkos::deep_copy(a, 2.0);
  taper::matmul::multiply(Space{}, 1.0, a, a, 0.0, c);
  std::printf("%g\n", c(2, 2));
  return c(2, 2) == 12.0 ? 0 : 1;
}
