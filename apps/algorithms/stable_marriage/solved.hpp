// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver.hpp"

#include <support/phase_clock.hpp>

#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// Conversions between the library's Views and the types of solver.hpp.
/// Used by: problems_kokkos.cpp and sharded_problems_kokkos.cpp.
namespace taper::app {

/// The report of a solve, and its phase times from the clock's regions.
inline Solved summarize(stable_marriage::Report const& report, support::PhaseClock const& clock) {
  auto const copy = clock.seconds("taper::stable_marriage::copy");
  return {.partner_of_man = {},
          .seconds = {copy, clock.seconds("taper::stable_marriage::precheck"),
                      clock.seconds("taper::stable_marriage::initialisation") - copy,
                      clock.seconds("taper::stable_marriage::execution"),
                      clock.seconds("taper::stable_marriage::postprocessing"),
                      clock.seconds("taper::stable_marriage::streamed")},
          .report = report};
}

inline std::vector<std::pair<std::uint32_t, std::uint32_t>>
to_pairs(std::span<stable_marriage::BlockingPair const> blocking) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (auto const& pair : blocking) {
    pairs.emplace_back(pair.man, pair.woman);
  }
  return pairs;
}

/// Copies the partners to host memory.
template <class Partners>
std::vector<std::uint32_t> to_host(Partners const& partner_of) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, partner_of);
  return {host.data(), host.data() + host.extent(0)};
}

/// Copies the partners to the memory of `Space`.
template <class Id, class Space>
Kokkos::View<Id*, typename Space::memory_space>
to_memory(Space const& space, std::span<std::uint32_t const> partner_of_man) {
  Kokkos::View<Id*, typename Space::memory_space> partner_of(
      Kokkos::view_alloc(space, "taper::app::partner_of"), partner_of_man.size());
  auto const host = Kokkos::create_mirror_view(partner_of);
  for (std::size_t man = 0; man < partner_of_man.size(); ++man) {
    // An id that `Id` cannot hold must remain out of range.
    host(man) = static_cast<Id>(
        std::min<std::uint32_t>(partner_of_man[man], stable_marriage::max_people_for<Id>));
  }
  Kokkos::deep_copy(partner_of, host);
  return partner_of;
}

}  // namespace taper::app
