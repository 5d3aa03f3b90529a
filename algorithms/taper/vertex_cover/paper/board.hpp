// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/lanes.hpp>
#include <taper/polling.hpp>
#include <taper/vertex_cover/paper/node.hpp>
#include <taper/vertex_cover/paper/survey.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace taper::vertex_cover::paper {

template <unsigned Words>
struct SmallGraph;

/// One team and the graph that it works at: an array of degrees, where 0 means without edges and
/// `gone` means taken into the cover. The array is the search node, and says what the node has
/// decided.
///
/// All members are called by all lanes of the team together, and end with a barrier.
/// Equivalent to: the sequential program of a team of one thread, as on a host.
template <ExecutionSpace Exec, class Degree>
struct Board {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Graph = Rows<typename Exec::memory_space>;

  static constexpr bool alone = SearchTeam<Exec>::alone;
  static constexpr Degree gone = std::numeric_limits<Degree>::max();
  static constexpr std::uint32_t takes_room = 256;
  static constexpr std::uint32_t candidates_room = takes_room / 2;  // each takes at most two
  /// Of a row of bits: see flood().
  static constexpr std::uint32_t most_bit_words = takes_room / 2;
  static constexpr std::uint32_t entries_a_word = sizeof(std::uint64_t) / sizeof(Degree);

  Member const& team;
  Graph const& graph;
  Desk& desk;
  Degree* degrees;
  std::uint32_t* takes;
  std::uint32_t* candidates;
  std::uint32_t* visited;  ///< a bit a vertex
  std::uint32_t* pending;  ///< likewise

  /// Bytes of what lies beside the desk, for `vertices`, a multiple of 32: whole words of 8.
  KOKKOS_FUNCTION static constexpr std::size_t lists_bytes() {
    return (takes_room + candidates_room) * sizeof(std::uint32_t);
  }

  KOKKOS_FUNCTION static constexpr std::size_t arrays_bytes(std::size_t vertices) {
    return vertices * sizeof(Degree) + 2 * (vertices / 8);
  }

  KOKKOS_FUNCTION static bool is_live(Degree degree) {
    return static_cast<Degree>(degree - 1) < static_cast<Degree>(gone - 1);
  }

  /// For neighbours, which need not be among the node's vertices: where these end, `degrees` holds
  /// what earlier nodes have left.
  KOKKOS_FUNCTION bool is_live_here(std::uint32_t v) const {
    NodeHead const& node = desk.node;
    return v - node.first < node.end - node.first && is_live(degrees[v]);
  }

  KOKKOS_FUNCTION void barrier() const {
    if constexpr (!alone) {
      team.team_barrier();
    }
  }

  template <class Do>
  KOKKOS_FUNCTION void leader(Do const& what) const {
    if constexpr (alone) {
      what();
    } else {
      Kokkos::single(Kokkos::PerTeam(team), what);
      barrier();
    }
  }

  /// What `what` returns to the leader.
  template <class Do>
  KOKKOS_FUNCTION std::uint32_t from_leader(Do const& what) const {
    if constexpr (alone) {
      return what();
    } else {
      leader([&]() { desk.told = what(); });
      std::uint32_t const told = desk.told;
      barrier();
      return told;
    }
  }

  /// `what` for each number, a lane a number.
  template <class Do>
  KOKKOS_FUNCTION void each(std::uint32_t begin, std::uint32_t end, Do const& what) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, end), what);
    barrier();
  }

  /// `what` for each number, and all vector lanes of a thread for one number.
  template <class Do>
  KOKKOS_FUNCTION void each_by_thread(std::uint32_t begin, std::uint32_t end,
                                      Do const& what) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), what);
    barrier();
  }

  /// `what` for the lanes of one warp, all together; on a host, for one thread.
  template <class Do>
  KOKKOS_FUNCTION void each_warp_lane(Do const& what) const {
    each(0, Lanes<Exec>::count, what);
  }

  KOKKOS_FUNCTION std::uint32_t row_begin(std::uint32_t v) const {
    return graph.offsets(desk.node.base + v);
  }

  KOKKOS_FUNCTION std::uint32_t row_end(std::uint32_t v) const {
    return graph.offsets(desk.node.base + v + 1);
  }

  /// `what` for each neighbour in the graph as it was; by the vector lanes of a thread.
  template <class Do>
  KOKKOS_FUNCTION void along_row(std::uint32_t v, Do const& what) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, row_begin(v), row_end(v)),
                         [&](std::uint32_t e) { what(graph.entries(e)); });
  }

  /// v's neighbours in the graph as it was. Requires rows of bits.
  KOKKOS_FUNCTION BitRow bit_row(std::uint32_t v) const {
    return {&graph.bits(desk.node.base + v, 0), graph.bits.stride(1)};
  }

  /// `what` for each word of 32 vertices between `low` and `high`, and which of them are v's neighbours in
  /// the graph as it was; by one lane. Requires rows of bits.
  template <class Do>
  KOKKOS_FUNCTION void along_bits(std::uint32_t v, Do const& what) const {
    BitRow const row = bit_row(v);
    std::uint32_t const end = (desk.high + 31) / 32;
    for (std::uint32_t i = desk.low / 32; i < end; ++i) {
      what(i, row.word(i));
    }
  }

  KOKKOS_FUNCTION void examine_all() const {
    leader([&]() { desk.candidates = candidates_room + 1; });
  }

  /// Looks at the live vertices between `low` and `high`; where told, at those visited alone.
  KOKKOS_FUNCTION Survey survey(bool only_visited = false) const {
    Survey found{0, 0, 0, nothing, 0};
    std::uint32_t const first = desk.low / entries_a_word;
    std::uint32_t const end = (desk.high + entries_a_word - 1) / entries_a_word;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, first, end),
        [&](std::uint32_t i, Survey& sum) {
          if (word(i) == 0) {
            return;
          }
          for (std::uint32_t v = i * entries_a_word; v < (i + 1) * entries_a_word; ++v) {
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
        JoinSurveys{found});
    barrier();
    return found;
  }

  /// Writes one bit a vertex of the words first .. end-1.
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

  /// Marks as pending who is live.
  KOKKOS_FUNCTION void write_live() const {
    write_bits(pending, desk.low / 32, (desk.high + 31) / 32,
               [&](std::uint32_t v) { return is_live(degrees[v]); });
  }

  KOKKOS_FUNCTION static bool has(std::uint32_t const* set, std::uint32_t v) {
    return (set[v / 32] >> v % 32 & 1) != 0;
  }

  /// Copies degrees; both ends are multiples of 32.
  KOKKOS_FUNCTION void copy(Degree* to, Degree const* from, std::uint32_t first,
                            std::uint32_t end) const {
    if constexpr (alone) {
      std::memcpy(to + first, from + first, (end - first) * sizeof(Degree));
    } else {
      auto const* const source = reinterpret_cast<std::uint64_t const*>(from);
      auto* const target = reinterpret_cast<std::uint64_t*>(to);
      each(first / entries_a_word, end / entries_a_word,
           [&](std::uint32_t i) { target[i] = source[i]; });
    }
  }

  // Vertices into the cover: taking.hpp
  KOKKOS_FUNCTION void list_take(std::uint32_t v) const;
  KOKKOS_FUNCTION void take_listed() const;
  KOKKOS_FUNCTION void take_vertex(std::uint32_t v) const;
  KOKKOS_FUNCTION void take_neighbours(std::uint32_t v) const;
  KOKKOS_FUNCTION void take_above(std::uint32_t budget) const;

  // The rules for small degrees: reductions.hpp
  KOKKOS_FUNCTION void reduce_candidates() const;

  // Components, and those that are solved at once: components.hpp
  KOKKOS_FUNCTION void visit_from(std::uint32_t start, std::uint32_t live) const;
  KOKKOS_FUNCTION void solve_clique(Survey const& clique) const;
  KOKKOS_FUNCTION void solve_cycle(Survey const& cycle) const;

  // Small graphs: extraction.hpp
  template <unsigned Words>
  KOKKOS_FUNCTION void extract(SmallGraph<Words>& small, std::uint32_t live) const;
  template <unsigned Words>
  KOKKOS_FUNCTION void take_cover(SmallGraph<Words> const& small, std::uint32_t live) const;

 private:
  struct LiveNeighbours {
    std::uint32_t first;
    std::uint32_t last;
  };

  // Vertices into the cover: taking.hpp
  KOKKOS_FUNCTION bool mark_gone(std::uint32_t v) const;
  KOKKOS_FUNCTION void lower(std::uint32_t v) const;
  KOKKOS_FUNCTION bool recounts(std::uint32_t count) const;
  KOKKOS_FUNCTION void recount() const;
  KOKKOS_FUNCTION void note_degree(std::uint32_t v, std::uint32_t degree) const;

  // The rules for small degrees: reductions.hpp
  KOKKOS_FUNCTION LiveNeighbours live_neighbours(std::uint32_t v) const;
  KOKKOS_FUNCTION LiveNeighbours live_neighbours_by_bits(std::uint32_t v) const;
  KOKKOS_FUNCTION bool adjacent(std::uint32_t u, std::uint32_t w) const;
  KOKKOS_FUNCTION bool goes_before(std::uint32_t u, std::uint32_t v) const;
  KOKKOS_FUNCTION bool may_apply(std::uint32_t v) const;
  KOKKOS_FUNCTION bool applies(std::uint32_t v, LiveNeighbours const& ends) const;
  KOKKOS_FUNCTION void list_ends(LiveNeighbours const& ends) const;

  // Components, and those that are solved at once: components.hpp
  KOKKOS_FUNCTION std::uint32_t swept(std::uint32_t i, bool forth) const;
  KOKKOS_FUNCTION void flood(std::uint32_t start, std::uint32_t live) const;
  KOKKOS_FUNCTION std::uint32_t beside(std::uint32_t const* set, std::uint32_t word,
                                       std::uint32_t wanted) const;
  KOKKOS_FUNCTION void pull(bool forth) const;
  KOKKOS_FUNCTION void push(bool forth) const;
  KOKKOS_FUNCTION void push_from(std::uint32_t v) const;

  // Small graphs: extraction.hpp
  template <unsigned Words>
  KOKKOS_FUNCTION void extract_bits(SmallGraph<Words>& small, std::uint32_t live) const;
  template <unsigned Words>
  KOKKOS_FUNCTION void extract_entries(SmallGraph<Words>& small, std::uint32_t live) const;
  KOKKOS_FUNCTION std::uint32_t rank(std::uint32_t v) const;

  /// Eight bytes of degrees at once.
  KOKKOS_FUNCTION std::uint64_t word(std::uint32_t i) const {
    if constexpr (alone) {
      std::uint64_t value;
      std::memcpy(&value, degrees + i * entries_a_word, sizeof value);
      return value;
    } else {
      return reinterpret_cast<std::uint64_t const*>(degrees)[i];
    }
  }

  // A team of one thread needs no atomics. Those of a larger one are on memory that it alone uses,
  // and all relaxed: barriers separate who writes from who reads.
  KOKKOS_FUNCTION static std::uint32_t add(std::uint32_t& target, std::uint32_t value) {
    if constexpr (alone) {
      std::uint32_t const old = target;
      target += value;
      return old;
    } else {
      return Kokkos::atomic_fetch_add(&target, value);
    }
  }

  /// Whether v was not in the set before.
  KOKKOS_FUNCTION static bool insert(std::uint32_t* set, std::uint32_t v) {
    std::uint32_t const bit = 1u << v % 32;
    if constexpr (alone) {
      bool const is_new = (set[v / 32] & bit) == 0;
      set[v / 32] |= bit;
      return is_new;
    } else {
      return (relaxed_load(set[v / 32]) & bit) == 0 &&
             (Kokkos::atomic_fetch_or(&set[v / 32], bit) & bit) == 0;
    }
  }

  KOKKOS_FUNCTION static void remove(std::uint32_t* set, std::uint32_t v) {
    Kokkos::atomic_and(&set[v / 32], ~(1u << v % 32));
  }

  KOKKOS_FUNCTION static bool holds_now(std::uint32_t const* set, std::uint32_t v) {
    return ((alone ? set[v / 32] : relaxed_load(set[v / 32])) >> v % 32 & 1) != 0;
  }

  // A GPU has no atomics on one or two bytes; those on the word around them do the same. Taking sets
  // all bits of an entry; lowering never borrows from its neighbour, since the entry is at least 1.
  KOKKOS_FUNCTION std::uint32_t& word_around(std::uint32_t v) const {
    return reinterpret_cast<std::uint32_t*>(degrees)[v * sizeof(Degree) / 4];
  }
  KOKKOS_FUNCTION static unsigned shift_of(std::uint32_t v) { return v * sizeof(Degree) % 4 * 8; }
};

}  // namespace taper::vertex_cover::paper
