// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/vertex_cover/component_search/search_state.hpp>
#include <taper/warp.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace taper::vertex_cover::component_search {

template <unsigned Words>
struct SmallGraph;

/// A team and the graph of its current search node, as a degree array. Degree 0 means a vertex
/// without edges, and `taken` means a vertex in the cover. All other vertices are live. The array
/// records all decisions of the node.
///
/// All lanes of the team call each member together, unless stated otherwise. Members end with a
/// barrier.
/// Equivalent to: the serial program of a team of one thread, as on a host.
/// Defined in: this file, reductions.hpp, components.hpp, small_solve.hpp. Used by: TeamSearch.
template <ExecutionSpace Exec, class Degree>
struct TeamGraph {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  static constexpr bool single_thread = TeamShape<Exec>::single_thread;
  static constexpr Degree taken = std::numeric_limits<Degree>::max();
  static constexpr std::uint32_t take_capacity = 256;
  /// A candidate lists at most two vertices.
  static constexpr std::uint32_t candidate_capacity = take_capacity / 2;
  /// The maximum length of a row of bits. visit_by_bits() keeps two sets of vertices in
  /// `take_list`.
  static constexpr std::uint32_t max_bit_words = take_capacity / 2;
  static constexpr std::uint32_t degrees_per_word = sizeof(std::uint64_t) / sizeof(Degree);

  Member const& team;
  SearchGraph<typename Exec::memory_space> const& rows;
  TeamWorkspace& workspace;
  Degree* degrees;
  std::uint32_t* take_list;       ///< vertices to take into the cover; else temporary data
  std::uint32_t* candidate_list;  ///< vertices of degree 1 or 2 to examine
  std::uint32_t* visited;         ///< one bit per vertex: the component that was found last
  std::uint32_t* marks;           ///< one bit per vertex; else temporary data

  /// Bytes of both lists: a multiple of 8.
  KOKKOS_FUNCTION static constexpr std::size_t lists_bytes() {
    return (take_capacity + candidate_capacity) * sizeof(std::uint32_t);
  }

  /// Bytes of the degree array and both bit arrays. `vertices` is a multiple of 32.
  KOKKOS_FUNCTION static constexpr std::size_t arrays_bytes(std::size_t vertices) {
    return vertices * sizeof(Degree) + 2 * (vertices / 8);
  }

  KOKKOS_FUNCTION static bool is_live(Degree degree) {
    return static_cast<Degree>(degree - 1) < static_cast<Degree>(taken - 1);
  }

  /// Whether v is a live vertex of the node. A neighbour may lie outside the node's range first ..
  /// end-1, where `degrees` still holds values of earlier nodes.
  KOKKOS_FUNCTION bool is_live_here(std::uint32_t v) const {
    NodeHead const& node = workspace.node;
    return v - node.first < node.end - node.first && is_live(degrees[v]);
  }

  KOKKOS_FUNCTION void barrier() const {
    if constexpr (!single_thread) {
      team.team_barrier();
    }
  }

  /// Calls body() in one thread of the team, the leader.
  template <class Do>
  KOKKOS_FUNCTION void leader(Do const& body) const {
    if constexpr (single_thread) {
      body();
    } else {
      Kokkos::single(Kokkos::PerTeam(team), body);
      barrier();
    }
  }

  /// Calls body() in the leader. Returns its result to all lanes.
  template <class Do>
  KOKKOS_FUNCTION std::uint32_t from_leader(Do const& body) const {
    if constexpr (single_thread) {
      return body();
    } else {
      leader([&]() { workspace.broadcast = body(); });
      std::uint32_t const value = workspace.broadcast;
      barrier();
      return value;
    }
  }

  /// Calls body(i) for each number, one lane per number.
  template <class Do>
  KOKKOS_FUNCTION void each(std::uint32_t begin, std::uint32_t end, Do const& body) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, end), body);
    barrier();
  }

  /// Calls body(i) for each number, with all vector lanes of one thread per number.
  template <class Do>
  KOKKOS_FUNCTION void each_by_thread(std::uint32_t begin, std::uint32_t end,
                                      Do const& body) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), body);
    barrier();
  }

  /// Calls body(lane) in all lanes of one warp together; on a host, in one thread.
  template <class Do>
  KOKKOS_FUNCTION void each_warp_lane(Do const& body) const {
    each(0, Warp<Exec>::count, body);
  }

  KOKKOS_FUNCTION std::uint32_t row_begin(std::uint32_t v) const {
    return rows.offsets(workspace.node.base + v);
  }

  KOKKOS_FUNCTION std::uint32_t row_end(std::uint32_t v) const {
    return rows.offsets(workspace.node.base + v + 1);
  }

  /// Calls body(w) for each neighbour w of v in the input graph. Called by the vector lanes of a
  /// thread.
  template <class Do>
  KOKKOS_FUNCTION void along_row(std::uint32_t v, Do const& body) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, row_begin(v), row_end(v)),
                         [&](std::uint32_t e) { body(rows.entries(e)); });
  }

  /// The neighbours of v in the input graph. Requires: rows of bits.
  KOKKOS_FUNCTION BitRow bit_row(std::uint32_t v) const {
    return {&rows.bits(workspace.node.base + v, 0), rows.bits.stride(1)};
  }

  /// Calls body(i, bits) for each word i of 32 vertices between `low` and `high`. `bits` are the
  /// neighbours of v in the input graph. Called by one lane. Requires: rows of bits.
  template <class Do>
  KOKKOS_FUNCTION void along_bits(std::uint32_t v, Do const& body) const {
    BitRow const row = bit_row(v);
    std::uint32_t const end = (workspace.high + 31) / 32;
    for (std::uint32_t i = workspace.low / 32; i < end; ++i) {
      body(i, row.word(i));
    }
  }

  /// Makes reduce_candidates() examine every vertex. Used for nodes of which nothing is known.
  KOKKOS_FUNCTION void make_all_candidates() const {
    leader([&]() { workspace.candidate_count = candidate_capacity + 1; });
  }

  /// Statistics of the live vertices between `low` and `high`; of the visited ones only, if asked.
  KOKKOS_FUNCTION DegreeStats degree_stats(bool only_visited = false) const {
    DegreeStats found{0, 0, 0, nothing, 0};
    std::uint32_t const first = workspace.low / degrees_per_word;
    std::uint32_t const end = (workspace.high + degrees_per_word - 1) / degrees_per_word;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, first, end),
        [&](std::uint32_t i, DegreeStats& sum) {
          if (word(i) == 0) {
            return;
          }
          for (std::uint32_t v = i * degrees_per_word; v < (i + 1) * degrees_per_word; ++v) {
            Degree const degree = degrees[v];
            if (is_live(degree) && (!only_visited || has(visited, v))) {
              std::uint64_t const top = std::uint64_t{degree} << 32 | std::uint32_t{~v};
              sum.top = Kokkos::max(sum.top, top);
              sum.degrees += degree;
              ++sum.live;
              sum.low = Kokkos::min(sum.low, v);
              sum.high = v + 1;
            }
          }
        },
        JoinDegreeStats{found});
    barrier();
    return found;
  }

  /// Writes the words first .. end-1 of a set: one bit per vertex, is_in(v).
  template <class Predicate>
  KOKKOS_FUNCTION void write_bits(std::uint32_t* bits, std::uint32_t first, std::uint32_t end,
                                  Predicate const& is_in) const {
    each(first, end, [&](std::uint32_t i) { bits[i] = bits_of(i, is_in); });
  }

  template <class Predicate>
  KOKKOS_FUNCTION static std::uint32_t bits_of(std::uint32_t i, Predicate const& is_in) {
    std::uint32_t word = 0;
    for (std::uint32_t v = 0; v < 32; ++v) {
      word |= std::uint32_t{is_in(i * 32 + v)} << v;
    }
    return word;
  }

  /// Writes the set of live vertices to `marks`.
  KOKKOS_FUNCTION void mark_live() const {
    write_bits(marks, workspace.low / 32, (workspace.high + 31) / 32,
               [&](std::uint32_t v) { return is_live(degrees[v]); });
  }

  KOKKOS_FUNCTION static bool has(std::uint32_t const* set, std::uint32_t v) {
    return (set[v / 32] >> v % 32 & 1) != 0;
  }

  /// Copies the degrees of first .. end-1, two multiples of 32.
  KOKKOS_FUNCTION void copy(Degree* to, Degree const* from, std::uint32_t first,
                            std::uint32_t end) const {
    if constexpr (single_thread) {
      std::memcpy(to + first, from + first, (end - first) * sizeof(Degree));
    } else {
      auto const* const source = reinterpret_cast<std::uint64_t const*>(from);
      auto* const target = reinterpret_cast<std::uint64_t*>(to);
      each(first / degrees_per_word, end / degrees_per_word,
           [&](std::uint32_t i) { target[i] = source[i]; });
    }
  }

  // Take vertices into the cover: reductions.hpp
  KOKKOS_FUNCTION void list_vertex(std::uint32_t v) const;
  KOKKOS_FUNCTION void take_listed() const;
  KOKKOS_FUNCTION void take_vertex(std::uint32_t v) const;
  KOKKOS_FUNCTION void take_neighbours(std::uint32_t v) const;
  KOKKOS_FUNCTION void take_high_degrees(std::uint32_t budget) const;

  // The rules for degrees one and two: reductions.hpp
  KOKKOS_FUNCTION void reduce_candidates() const;

  // Components, cliques and cycles: components.hpp
  KOKKOS_FUNCTION void visit_component(std::uint32_t start, std::uint32_t live) const;
  KOKKOS_FUNCTION void solve_clique(DegreeStats const& clique) const;
  KOKKOS_FUNCTION void solve_cycle(DegreeStats const& cycle) const;

  // Small graphs: small_solve.hpp
  template <unsigned Words>
  KOKKOS_FUNCTION void extract(SmallGraph<Words>& small, std::uint32_t live) const;
  template <unsigned Words>
  KOKKOS_FUNCTION void take_cover(SmallGraph<Words> const& small, std::uint32_t live) const;

 private:
  struct LiveNeighbours {
    std::uint32_t first;
    std::uint32_t last;
  };

  // Take vertices into the cover: reductions.hpp
  KOKKOS_FUNCTION bool mark_taken(std::uint32_t v) const;
  KOKKOS_FUNCTION void decrement_degree(std::uint32_t v) const;
  KOKKOS_FUNCTION bool should_recount(std::uint32_t count) const;
  KOKKOS_FUNCTION void recount() const;
  KOKKOS_FUNCTION void list_candidate(std::uint32_t v, std::uint32_t degree) const;

  // The rules for degrees one and two: reductions.hpp
  KOKKOS_FUNCTION LiveNeighbours live_neighbours(std::uint32_t v) const;
  KOKKOS_FUNCTION LiveNeighbours live_neighbours_by_bits(std::uint32_t v) const;
  KOKKOS_FUNCTION bool adjacent(std::uint32_t u, std::uint32_t w) const;
  KOKKOS_FUNCTION bool precedes(std::uint32_t u, std::uint32_t v) const;
  KOKKOS_FUNCTION bool may_apply(std::uint32_t v) const;
  KOKKOS_FUNCTION bool applies(std::uint32_t v, LiveNeighbours const& ends) const;
  KOKKOS_FUNCTION void list_ends(LiveNeighbours const& ends) const;

  // Components, cliques and cycles: components.hpp
  KOKKOS_FUNCTION std::uint32_t sweep_index(std::uint32_t i, bool forward) const;
  KOKKOS_FUNCTION void visit_by_bits(std::uint32_t start, std::uint32_t live) const;
  KOKKOS_FUNCTION std::uint32_t adjacent_to_set(std::uint32_t const* set, std::uint32_t word,
                                                std::uint32_t wanted) const;
  KOKKOS_FUNCTION void pull(bool forward) const;
  KOKKOS_FUNCTION void push(bool forward) const;
  KOKKOS_FUNCTION void push_from(std::uint32_t v) const;

  // Small graphs: small_solve.hpp
  template <unsigned Words>
  KOKKOS_FUNCTION void extract_bits(SmallGraph<Words>& small, std::uint32_t live) const;
  template <unsigned Words>
  KOKKOS_FUNCTION void extract_entries(SmallGraph<Words>& small, std::uint32_t live) const;
  KOKKOS_FUNCTION std::uint32_t rank(std::uint32_t v) const;

  /// Reads eight bytes of degrees at once.
  KOKKOS_FUNCTION std::uint64_t word(std::uint32_t i) const {
    if constexpr (single_thread) {
      std::uint64_t value;
      std::memcpy(&value, degrees + i * degrees_per_word, sizeof value);
      return value;
    } else {
      return reinterpret_cast<std::uint64_t const*>(degrees)[i];
    }
  }

  // A team of one thread needs no atomics. The atomics of a larger team access memory that no other
  // team uses. They are relaxed: a barrier separates the writes from the reads of their results.
  KOKKOS_FUNCTION static std::uint32_t add(std::uint32_t& target, std::uint32_t value) {
    if constexpr (single_thread) {
      std::uint32_t const old = target;
      target += value;
      return old;
    } else {
      return Kokkos::atomic_fetch_add(&target, value);
    }
  }

  /// Inserts v. Returns whether it is new.
  KOKKOS_FUNCTION static bool insert(std::uint32_t* set, std::uint32_t v) {
    std::uint32_t const bit = 1u << v % 32;
    if constexpr (single_thread) {
      bool const is_new = (set[v / 32] & bit) == 0;
      set[v / 32] |= bit;
      return is_new;
    } else {
      // relaxed: it saves atomics on vertices that are in; for the others, fetch_or decides.
      return (relaxed_load(set[v / 32]) & bit) == 0 &&
             (Kokkos::atomic_fetch_or(&set[v / 32], bit) & bit) == 0;
    }
  }

  KOKKOS_FUNCTION static void remove(std::uint32_t* set, std::uint32_t v) {
    Kokkos::atomic_and(&set[v / 32], ~(1u << v % 32));
  }

  /// Like has(), for a set that other lanes are changing.
  KOKKOS_FUNCTION static bool has_relaxed(std::uint32_t const* set, std::uint32_t v) {
    return ((single_thread ? set[v / 32] : relaxed_load(set[v / 32])) >> v % 32 & 1) != 0;
  }

  // A GPU has no atomics on one or two bytes. Atomics on the surrounding 32-bit word have the same
  // effect: mark_taken() sets all bits of an entry; decrement_degree() never borrows from the next
  // entry, because the degree is at least 1.
  KOKKOS_FUNCTION std::uint32_t& word_around(std::uint32_t v) const {
    return reinterpret_cast<std::uint32_t*>(degrees)[v * sizeof(Degree) / 4];
  }
  KOKKOS_FUNCTION static unsigned shift_of(std::uint32_t v) { return v * sizeof(Degree) % 4 * 8; }
};

}  // namespace taper::vertex_cover::component_search
