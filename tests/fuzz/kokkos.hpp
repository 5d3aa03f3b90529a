// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuzz.hpp"

#include <support/oracles.hpp>
#include <taper/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

/// libFuzzer calls it once, before the first input. Kokkos stays initialised until the process
/// ends. It is not inline, so that the compiler keeps it: one source of a target includes it.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  Kokkos::InitializationSettings settings;
  settings.set_num_threads(1).set_disable_warnings(true);
  Kokkos::initialize(settings);
  return 0;
}

namespace taper::fuzz {

using Space = Kokkos::DefaultHostExecutionSpace;

/// The permutation of 0 .. n-1 that a byte stands for: its digits in bases n, n-1, ... say which of
/// the numbers left comes next. For n up to 5 the bytes give all permutations.
inline testing::Matching permutation(std::size_t n, std::size_t byte) {
  auto left = testing::identity(n);
  testing::Matching list;
  while (!left.empty()) {
    auto const at = left.begin() + static_cast<std::ptrdiff_t>(byte % left.size());
    byte /= left.size();
    list.push_back(*at);
    left.erase(at);
  }
  return list;
}

/// A market of n people per side, a byte per list.
inline testing::Market market(std::size_t n, Bytes& bytes) {
  testing::Market market;
  for (testing::Lists* side : {&market.men, &market.women}) {
    for (std::size_t person = 0; person < n; ++person) {
      side->push_back(permutation(n, bytes.next()));
    }
  }
  return market;
}

}  // namespace taper::fuzz
