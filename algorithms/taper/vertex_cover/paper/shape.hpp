// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/resources.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/paper/board.hpp>
#include <taper/vertex_cover/paper/control.hpp>
#include <taper/vertex_cover/paper/node.hpp>
#include <taper/vertex_cover/paper/registry.hpp>
#include <taper/vertex_cover/paper/small_graph.hpp>
#include <taper/vertex_cover/paper/task.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace taper::vertex_cover::paper {

/// The shape of a search: how many teams, and how much of everything they share.
template <ExecutionSpace Exec>
struct Shape {
  SearchTeam<Exec> team;
  std::uint64_t teams;
  bool in_scratch;        ///< a team's arrays
  std::uint64_t slots;    ///< search nodes in storage
  std::uint64_t stack;    ///< search nodes that a team can hold
  std::uint64_t queue;    ///< search nodes in the shared list
  std::uint64_t entries;  ///< of the registry
};

/// A search node in storage, and a row of the registry's covers, of so many vertices, a multiple of 32.
template <class Degree>
constexpr std::size_t slot_bytes(std::size_t vertices) {
  return sizeof(NodeHead) + vertices * sizeof(Degree);
}
constexpr std::size_t row_bytes(std::size_t vertices) {
  return vertices / 8;
}

/// What a team has in its scratch in any case; its arrays follow where they fit.
template <ExecutionSpace Exec, class Degree>
KOKKOS_FUNCTION constexpr std::size_t fixed_scratch_bytes() {
  return sizeof(Desk) + Board<Exec, Degree>::lists_bytes() + sizeof(SmallGraph<small_words>);
}

/// Search::Policy's launch bounds: so many threads a processor have the registers that they need.
inline constexpr std::uint64_t resident_lanes = 1024;

/// What a team needs in any case, and so many nodes in storage and open entries a team as searches
/// were seen to need; all that in three quarters of the free memory, with fewer teams if it must be.
/// On a host, where others want memory too, in a quarter of that. Nodes in storage get an eighth of
/// what the teams leave, which no graph of the paper's Table I fills: with three quarters of it a
/// search of few, large nodes was mostly allocation (SYNTHETICnew on an H100, 26 ms for 18).
template <ExecutionSpace Exec, class Degree>
Shape<Exec> plan_shape(Exec const& where, Task const& task, Options const& options,
                       std::uint32_t vertices) {
  constexpr std::size_t fixed = fixed_scratch_bytes<Exec, Degree>();
  std::size_t const slot = slot_bytes<Degree>(vertices);
  std::size_t const row = row_bytes(vertices);
  std::size_t const entry = sizeof(Entry) + row + (options.k >= 0 ? sizeof(std::uint32_t) : 0);
  Shape<Exec> shape{};
  shape.team =
      SearchTeam<Exec>::of(vertices, task.graph.entries.size() / task.graph.vertices() + 1);
  auto const lanes = static_cast<std::uint64_t>(shape.team.threads * shape.team.lanes);
  std::size_t const arrays = Board<Exec, Degree>::arrays_bytes(vertices);
  auto const scratch = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
  shape.in_scratch = fixed + arrays + 64 <= scratch;

  // A depth-first search from a node of n vertices leaves at most n nodes waiting: each branch, and
  // each component but one that it hands on, has at least one vertex less than the node it is of.
  shape.stack = options.stack_nodes != 0 ? options.stack_nodes : vertices + 1;
  std::uint64_t const slots_a_team =
      options.stack_nodes != 0 ? options.stack_nodes : shape.stack / 8 + 32;
  std::uint64_t const entries_a_team = vertices / 8 + 64;

  std::uint64_t const resident =
      resident_teams(where, lanes, fixed + (shape.in_scratch ? arrays : 0), resident_lanes);
  std::uint64_t const known = free_memory_bytes(where);
  std::uint64_t const allowed =
      (known == 0 ? std::uint64_t{1} << 30 : known) / (is_gpu<Exec> ? 4 : 16) * 3;
  std::uint64_t const for_roots = task.roots.size() * entry;
  std::uint64_t const memory = allowed - std::min(allowed / 2, for_roots);
  std::uint64_t const a_team = slot + row + vertices * sizeof(std::uint32_t) +
                               std::bit_ceil(shape.stack) * sizeof(std::uint32_t) +
                               (shape.in_scratch ? 0 : arrays);
  std::uint64_t const shared = slots_a_team * slot + entries_a_team * entry;
  std::uint64_t const wanted = options.teams == 0 ? resident
                               : is_gpu<Exec>     ? std::min(options.teams, resident)
                                                  : options.teams;
  // With too little memory for all, half of it is for what teams share.
  shape.teams = std::clamp<std::uint64_t>(
      wanted, 1,
      std::max({std::uint64_t{1}, memory / (a_team + shared), memory / 2 / (a_team + shared / 8)}));
  std::uint64_t const left = memory - std::min(memory / 2, shape.teams * a_team);
  shape.slots = std::clamp<std::uint64_t>(shape.teams * slots_a_team, 1,
                                          std::max<std::uint64_t>(1, left / 8 / slot));
  shape.queue = options.queue_nodes != 0 ? options.queue_nodes : 2 * shape.teams;
  shape.entries = options.registry_entries != 0
                      ? options.registry_entries
                      : std::min(shape.teams * entries_a_team, left / 4 / entry + 1);
  return shape;
}

}  // namespace taper::vertex_cover::paper
