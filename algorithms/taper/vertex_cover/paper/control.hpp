// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/vertex_cover/paper/node.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace taper::vertex_cover::paper {

/// What a team is busy with (Figure 4).
enum class Activity : unsigned { idle, storage, branching, reducing, components, covers, small };
inline constexpr std::size_t activities = 7;
inline constexpr std::array<std::string_view, activities> activity_names{
    "idle", "storage", "branching", "reducing", "components", "covers", "small graphs"};

/// A set of the vertices of a small graph has so many words.
inline constexpr unsigned small_words = 2;

/// Why the teams leave a launch; of several reasons the greatest holds.
enum Stop : std::uint32_t {
  go_on,
  nobody_moves,  ///< a team has polled for long, and seen no sign of life from the others
  pause_here,    ///< a team has visited its share of nodes
  answered,      ///< what the roots are good for is small enough together
  exhausted,     ///< every root is solved
};

/// What all teams share; reset for each launch but for what it counts down.
struct Control {
  alignas(64) AtomicWord heartbeat;  ///< moves as long as somebody visits nodes
  alignas(64) std::uint32_t stop;    ///< a Stop
  std::uint32_t idle;                ///< teams that wait for work
  std::uint32_t next_root;           ///< roots from here on have not been taken by anybody
  std::uint32_t open_roots;          ///< roots that are not yet solved
  std::uint32_t total;               ///< what the roots are good for together
};

/// What a team keeps between launches, and counts.
struct TeamState {
  std::uint32_t row;          ///< of the registry's covers
  std::uint32_t lean;         ///< decisions since the parked node; 0: none is parked
  std::uint32_t lean_paused;  ///< 1: the node that all of these lead to is still to be visited
  AtomicWord nodes;
  AtomicWord component_branches;
  AtomicWord lean_branches;     ///< for which there was no room in storage
  AtomicWord unsplit;           ///< graphs in parts that were left as they are, for want of room
  AtomicWord time[activities];  ///< in ticks, where counted
};

/// A root component: its vertices are base .. base + size - 1.
struct Root {
  std::uint32_t base;
  std::uint32_t size;
  Action action;  ///< none if the host has reduced it, else examine
};

/// How a launch is to go.
struct Pace {
  std::uint64_t nodes;  ///< a team's share
  std::uint64_t
      patience;         ///< ticks that a team looks around in vain, and without a sign of life from
                        ///< others, until it ends the launch
  std::uint32_t shift;  ///< the first team of the league; another one each time, so that none is
                        ///< always among those for which there is no room
};

inline constexpr std::uint32_t histogram_bins = 4096;

}  // namespace taper::vertex_cover::paper
