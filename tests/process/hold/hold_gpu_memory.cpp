// SPDX-License-Identifier: Apache-2.0
//
// hold_gpu_memory PART: takes this part of the free memory of the GPU, 0 to 1, until its standard
// input ends. Prints a line when it has the memory.
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: hold_gpu_memory PART\n", stderr);
    return 2;
  }
  Kokkos::ScopeGuard const kokkos;
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
    std::fputs("hold_gpu_memory: no GPU\n", stderr);
    return 2;
  }
  auto const bytes = static_cast<std::size_t>(std::atof(argv[1]) * static_cast<double>(free));
  try {
    Kokkos::View<char*, Kokkos::CudaSpace> const memory("memory", bytes);
    std::printf("holds %zu MiB of %zu MiB\n", memory.span() >> 20, total >> 20);
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "hold_gpu_memory: %s\n", error.what());
    return 2;
  }
  return 0;
}
