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

/// Between the library's Views and what commands know; for the sources that compile backends.
namespace taper::app {

inline Solved summarize(stable_marriage::Report const& report, support::PhaseClock const& clock) {
  Solved solved;
  auto const copy = clock.seconds("taper::stable_marriage::copy");
  solved.seconds = {copy,
                    clock.seconds("taper::stable_marriage::precheck"),
                    clock.seconds("taper::stable_marriage::initialisation") - copy,
                    clock.seconds("taper::stable_marriage::execution"),
                    clock.seconds("taper::stable_marriage::postprocessing"),
                    clock.seconds("taper::stable_marriage::streamed")};
  solved.perfect = report.perfect;
  solved.proposals = report.proposals;
  // Whoever is matched was accepted once, so there is no 0 among what was counted.
  if (report.acceptances > 0) {
    solved.counts = Counts{report.acceptances, report.rejections, report.atomic_operations,
                           report.failed_compare_exchanges};
  }
  solved.taper_step = report.taper_step;
  solved.taper_live = report.taper_live;
  solved.tail_side = report.tail_side;
  solved.bytes_moved = report.bytes_moved;
  solved.tiers = report.tiers;
  solved.rounds = report.rounds;
  solved.copied_bytes = report.copied_bytes;
  return solved;
}

inline std::vector<std::pair<std::uint32_t, std::uint32_t>>
to_pairs(std::span<stable_marriage::BlockingPair const> blocking) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (auto const& pair : blocking) {
    pairs.emplace_back(pair.man, pair.woman);
  }
  return pairs;
}

template <class Partners>
std::vector<std::uint32_t> to_host(Partners const& partner_of) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, partner_of);
  return {host.data(), host.data() + host.extent(0)};
}

template <class Id, class Space>
Kokkos::View<Id*, typename Space::memory_space>
to_memory(Space const& space, std::span<std::uint32_t const> partner_of_man) {
  Kokkos::View<Id*, typename Space::memory_space> partner_of(
      Kokkos::view_alloc(space, "taper::app::partner_of"), partner_of_man.size());
  auto const host = Kokkos::create_mirror_view(partner_of);
  for (std::size_t man = 0; man < partner_of_man.size(); ++man) {
    // An id too wide for the table must stay out of range.
    host(man) = static_cast<Id>(
        std::min<std::uint32_t>(partner_of_man[man], stable_marriage::max_size<Id>));
  }
  Kokkos::deep_copy(partner_of, host);
  return partner_of;
}

}  // namespace taper::app
