// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/balance.hpp>
#include <taper/index_pool.hpp>

// In the order in which the data flows. What all teams share.
#include <taper/vertex_cover/paper/control.hpp>
// How many teams there are, and what they have.
#include <taper/vertex_cover/paper/shape.hpp>
// The graph that a team works at, and what it may do to that.
#include <taper/vertex_cover/paper/board.hpp>
// Vertices go into the cover,
#include <taper/vertex_cover/paper/taking.hpp>
// by the rules for small degrees, where they apply,
#include <taper/vertex_cover/paper/reductions.hpp>
// and of a part alone, if the graph has come apart, or is small.
#include <taper/vertex_cover/paper/components.hpp>
#include <taper/vertex_cover/paper/extraction.hpp>
// One team.
#include <taper/vertex_cover/paper/explorer.hpp>
// It looks for a node, in its own storage and the others',
#include <taper/vertex_cover/paper/explore.hpp>
#include <taper/vertex_cover/paper/storage.hpp>
// reduces it and branches,
#include <taper/vertex_cover/paper/visit.hpp>
// which needs no room where there is none, and searches it to its end where it is small;
#include <taper/vertex_cover/paper/lean_branching.hpp>
#include <taper/vertex_cover/paper/small_graphs.hpp>
// a node may fall into parts,
#include <taper/vertex_cover/paper/parts.hpp>
// and who solves the last of them goes on with what is above.
#include <taper/vertex_cover/paper/closing.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace taper::vertex_cover::paper {

/// The search (Algorithm 2), by teams that each work at one node at a time and hand the other
/// nodes on to a Balancing.
///
/// A launch ends with every unfinished node in storage, so that the next one goes on from there.
/// Equivalent to: the recursive program, its calls made in any order. That is right because a node
///   needs of the others only its component's best so far, and any value that this once had is safe:
///   an older, greater one prunes less.
///
/// `Answers`: it ends as soon as the roots are good for `enough`, whatever is nested below them.
template <ExecutionSpace Exec, class Degree, Balancing Balance, bool Answers>
struct Search {
  static constexpr bool answers = Answers;
  using Space = Exec;
  using Width = Degree;
  using Memory = typename Exec::memory_space;
  /// 64 registers a thread on a GPU with 64K of them and room for 1024 such threads a processor.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<128, 8>>;
  using Member = typename Policy::member_type;
  using Work = Board<Exec, Degree>;
  using Small = SmallGraph<small_words>;
  static_assert(Small::room <= Work::takes_room);
  template <class T>
  using List = Kokkos::View<T*, Memory>;
  template <class T>
  using Table = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

  KOKKOS_FUNCTION static constexpr std::size_t fixed_bytes() {
    return fixed_scratch_bytes<Exec, Degree>();
  }
  static_assert((sizeof(Desk) + Work::lists_bytes()) % sizeof(std::uint64_t) == 0);

  Rows<Memory> graph;
  List<Root> roots;
  Registry<Memory, Answers> registry;
  Balance balance;
  IndexPool<Memory> free_slots;
  Table<unsigned char> slots;   ///< nodes in storage: a NodeHead and the degrees
  Table<unsigned char> parked;  ///< a slot a team, for lean branching
  Table<std::uint32_t> path;    ///< a team's decisions since its parked node
  Table<unsigned char> arrays;  ///< a team's arrays, where they are not in its scratch
  List<TeamState> teams;
  Kokkos::View<Control, Memory> control;
  List<AtomicWord> histogram;
  std::uint32_t vertices;  ///< of the largest root, rounded up to whole words of 32
  std::uint32_t enough;    ///< stop at covers of so many vertices together
  bool components;
  bool bounds;
  bool count;
  std::uint32_t small;  ///< vertices of a graph that is searched as a small one, at most
  Pace pace;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    bool const in_scratch = arrays.extent(0) == 0;
    auto* const fixed = static_cast<unsigned char*>(member.team_shmem().get_shmem_aligned(
        fixed_bytes() + (in_scratch ? Work::arrays_bytes(vertices) : 0), 16));
    auto const team =
        static_cast<std::uint32_t>((member.league_rank() + pace.shift) % member.league_size());
    unsigned char* const own = in_scratch ? fixed + fixed_bytes() : &arrays(team, 0);
    auto* const small_graph = reinterpret_cast<Small*>(fixed + sizeof(Desk));
    auto* const lists = reinterpret_cast<std::uint32_t*>(fixed + sizeof(Desk) + sizeof(Small));
    auto* const visited = reinterpret_cast<std::uint32_t*>(own + vertices * sizeof(Degree));
    Work const work{member,
                    graph,
                    *reinterpret_cast<Desk*>(fixed),
                    reinterpret_cast<Degree*>(own),
                    lists,
                    lists + Work::takes_room,
                    visited,
                    visited + vertices / 32};
    Explorer<Search>(*this, work, *small_graph, team).explore();
  }
};

}  // namespace taper::vertex_cover::paper
