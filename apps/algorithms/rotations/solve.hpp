// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/blocking_pair.hpp>
#include <taper/roommates/report.hpp>
#include <taper/rotations/enumerate.hpp>
#include <taper/rotations/market.hpp>
#include <taper/rotations/options.hpp>
#include <taper/rotations/poset.hpp>
#include <taper/rotations/report.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

// The solvers and checks, compiled in solve_kokkos.cpp with the optimizations of solvers. They need
// no Kokkos. The front doors document them.

namespace taper::app {

rotations::RotationPoset solve_rotations(rotations::Market const& market);
rotations::Optimum solve_optimum(rotations::RotationPoset const& poset,
                                 rotations::Options const& options);
rotations::Count solve_count(rotations::RotationPoset const& poset, std::uint64_t limit,
                             std::atomic<bool> const* stop = nullptr);
bool list_matchings(rotations::RotationPoset const& poset,
                    std::function<bool(std::span<std::int32_t const>)> const& visit);
std::optional<preferences::Flaw> check_matching(rotations::Market const& market,
                                                std::span<std::int32_t const> partner_of_man);

roommates::Result solve_roommates(preferences::Lists const& lists,
                                  std::atomic<bool> const* stop = nullptr);

}  // namespace taper::app
