// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

// What tests over several processes share.

namespace taper::testing {

inline std::uint32_t own_process() {
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  return static_cast<std::uint32_t>(process);
}
inline std::uint32_t process_count() {
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  return static_cast<std::uint32_t>(processes);
}

/// The number of small random graphs, from TAPER_MPI_COVERS.
inline std::size_t graph_count() {
  char const* const text = std::getenv("TAPER_MPI_COVERS");
  return text == nullptr ? 60 : std::strtoull(text, nullptr, 10);
}

/// For at_poll: each process sleeps at about one of 50 moments, for up to `longest`; the last one
/// ten times as long.
inline std::function<void()> delays(std::chrono::microseconds longest, std::uint64_t seed) {
  return [longest, random = std::mt19937_64(seed + own_process())]() mutable {
    if (random() % 50 == 0) {
      auto const slow = own_process() + 1 == process_count() ? 10 : 1;
      std::this_thread::sleep_for(slow * longest * (random() % 1000) / 1000);
    }
  };
}

}  // namespace taper::testing
