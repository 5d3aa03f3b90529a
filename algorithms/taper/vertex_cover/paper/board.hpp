// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/lanes.hpp>
#include <taper/polling.hpp>
#include <taper/vertex_cover/paper/small_search.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace taper::vertex_cover::paper {

/// How many work together at one node.
template <ExecutionSpace Exec>
struct SearchTeam {
  /// A host's core has a team for itself, and needs neither barriers nor atomics within it.
  static constexpr bool alone = !is_gpu<Exec>;

  int threads;  ///< a team
  int lanes;    ///< vector lanes a thread

  /// A thread walks along a row of the graph at a time, with as many lanes as rows are long.
  static SearchTeam of(std::uint64_t vertices, std::uint64_t degree) {
    if constexpr (alone) {
      return {1, 1};
    } else {
      int const all = vertices <= 2048 ? 32 : vertices <= 8192 ? 64 : 128;
      auto const lanes = static_cast<int>(std::clamp<std::uint64_t>(std::bit_ceil(degree), 4, 32));
      return {all / lanes, lanes};
    }
  }
};

/// The graph that is searched: rows sorted, and entries counted from the first vertex of their root
/// component, `base`, so that a component's arrays start at 0.
template <class MemorySpace>
struct Rows {
  Kokkos::View<std::uint32_t const*, MemorySpace> offsets;
  Kokkos::View<std::uint32_t const*, MemorySpace> entries;
  bool long_rows;  ///< on average
};

/// What a team does next to the graph that it has loaded.
enum class Action : std::uint32_t {
  none,             ///< its reductions are done
  examine,          ///< nothing is known about it: every vertex may be reducible
  take_vertex,      ///< the branch with the vertex in the cover
  take_neighbours,  ///< the branch with its neighbours in the cover
};

/// What a search node is, beside its degrees.
struct NodeHead {
  std::uint32_t entry;  ///< the component that it is a node of
  std::uint32_t cover;  ///< vertices of that component taken so far
  std::uint32_t base;   ///< first vertex of the root component
  std::uint32_t first;  ///< its vertices are first .. end-1, multiples of 32, counted from base
  std::uint32_t end;
  Action action;
  std::uint32_t vertex;     ///< of the action
  std::uint32_t connected;  ///< 1: it is known to be connected
};
static_assert(sizeof(NodeHead) == 32);

/// What the lanes of a team tell each other.
struct Desk {
  NodeHead node;
  std::uint32_t low;  ///< all live vertices are low .. high-1
  std::uint32_t high;
  std::uint32_t takes;       ///< vertices listed to be taken
  std::uint32_t candidates;  ///< vertices listed whose degree has come down to 2 or 1
  std::uint32_t reached;     ///< vertices that a search from one of them has reached
  std::uint32_t again;
  std::uint32_t told;  ///< a value that the leader tells the others
  std::uint32_t row;   ///< the team's own row of the registry's covers
};

/// What one look at all degrees tells.
struct Survey {
  std::uint64_t top;      ///< the greatest degree, and under it the complement of its first vertex
  std::uint64_t degrees;  ///< their sum: twice the edges
  std::uint32_t live;     ///< vertices that have an edge
  std::uint32_t low;      ///< the first of them
  std::uint32_t high;     ///< behind the last

  KOKKOS_FUNCTION std::uint32_t top_degree() const { return static_cast<std::uint32_t>(top >> 32); }
  KOKKOS_FUNCTION std::uint32_t top_vertex() const { return ~static_cast<std::uint32_t>(top); }
  /// Connected graphs alone: a clique.
  KOKKOS_FUNCTION bool is_clique() const { return degrees == std::uint64_t{live} * (live - 1); }
  /// Connected graphs with degrees of 2 and more alone: a chordless cycle.
  KOKKOS_FUNCTION bool is_cycle() const { return degrees == std::uint64_t{live} * 2; }
};

/// Joins surveys of parts of a graph.
struct JoinSurveys {
  using reducer = JoinSurveys;
  using value_type = Survey;
  using result_view_type =
      Kokkos::View<Survey, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Survey& result;

  KOKKOS_FUNCTION void join(Survey& into, Survey const& other) const {
    into.top = Kokkos::max(into.top, other.top);
    into.degrees += other.degrees;
    into.live += other.live;
    into.low = Kokkos::min(into.low, other.low);
    into.high = Kokkos::max(into.high, other.high);
  }
  KOKKOS_FUNCTION void init(Survey& value) const { value = {0, 0, 0, nothing, 0}; }
  KOKKOS_FUNCTION Survey& reference() const { return result; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(&result); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }
};

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

  /// Lists a vertex to be taken.
  KOKKOS_FUNCTION void list_take(std::uint32_t v) const {
    std::uint32_t const slot = add(desk.takes, 1);
    if (slot < takes_room) {
      takes[slot] = v;
    }
  }

  /// Takes what is listed into the cover; who comes down to degree 2 or 1 by that is a candidate.
  /// A vertex that did not fit the list is not taken. A vertex may be listed more than once.
  KOKKOS_FUNCTION void take_listed() const {
    std::uint32_t const count = Kokkos::min(desk.takes, +takes_room);
    barrier();
    if (count == 0) {
      return;
    }
    each(0, count, [&](std::uint32_t i) {
      if (mark_gone(takes[i])) {
        add(desk.node.cover, 1);
      } else {
        takes[i] = nothing;
      }
    });
    // Both ends of an edge may have been taken: only who is left loses an edge by it.
    each_by_thread(0, count, [&](std::uint32_t i) {
      if (takes[i] != nothing) {
        along_row(takes[i], [&](std::uint32_t w) {
          if (is_live_here(w)) {
            lower(w);
          }
        });
      }
    });
    leader([&]() { desk.takes = 0; });
  }

  KOKKOS_FUNCTION void take_vertex(std::uint32_t v) const {
    leader([&]() { list_take(v); });
    take_listed();
  }

  KOKKOS_FUNCTION void take_neighbours(std::uint32_t v) const {
    std::uint32_t const end = row_end(v);
    for (std::uint32_t e = row_begin(v); e < end; e += takes_room) {
      each(e, Kokkos::min(end, e + takes_room), [&](std::uint32_t i) {
        std::uint32_t const w = graph.entries(i);
        if (is_live_here(w)) {
          list_take(w);
        }
      });
      take_listed();
    }
  }

  /// Takes who has more neighbours than the cover may still grow by (the high-degree rule), or as
  /// many of them as fit the list.
  KOKKOS_FUNCTION void take_above(std::uint32_t budget) const {
    each(desk.low, desk.high, [&](std::uint32_t v) {
      if (is_live(degrees[v]) && degrees[v] > budget) {
        list_take(v);
      }
    });
    take_listed();
  }

  KOKKOS_FUNCTION void examine_all() const {
    leader([&]() { desk.candidates = candidates_room + 1; });
  }

  /// Applies the degree-one and the degree-two triangle rule to candidates until there are none.
  ///
  /// Both take the neighbours of a vertex whose neighbours are all adjacent to each other. Many such
  /// vertices are reduced at once; of several in one clique only the first, so that no two of them
  /// are adjacent. Then reducing one after the other would take the same: what one takes is no
  /// other's vertex, and takes away at most neighbours that the other would take as well.
  KOKKOS_FUNCTION void reduce_candidates() const {
    for (;;) {
      std::uint32_t const count = desk.candidates;
      barrier();
      if (count == 0) {
        return;
      }
      leader([&]() { desk.candidates = 0; });
      if (count <= candidates_room) {
        each_by_thread(0, count, [&](std::uint32_t i) { reduce_at(candidates[i]); });
      } else {
        each_by_thread(desk.low, desk.high, [&](std::uint32_t v) { reduce_at(v); });
        if (desk.takes > takes_room) {  // some were not taken: look again
          examine_all();
        }
      }
      take_listed();
    }
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

  /// Marks as visited who can be reached from `start`, and counts them; may stop when all `live`
  /// are. In sweeps there and back that see what they have just marked: vertices are numbered in the
  /// order of a search, so that few sweeps reach all.
  KOKKOS_FUNCTION void visit_from(std::uint32_t start, std::uint32_t live) const {
    each(desk.low / 32, (desk.high + 31) / 32,
         [&](std::uint32_t i) { visited[i] = pending[i] = 0; });
    leader([&]() {
      visited[start / 32] = pending[start / 32] = 1u << start % 32;
      desk.reached = 1;
      desk.again = 1;
    });
    bool forth = true;
    while (from_leader([&]() {
      std::uint32_t const more = desk.reached < live ? desk.again : 0;
      desk.again = 0;
      return more;
    })) {
      if (graph.long_rows) {
        pull(forth);
      } else {
        push(forth);
      }
      forth = !forth;
    }
  }

  /// Takes all of a visited clique but its first vertex.
  KOKKOS_FUNCTION void solve_clique(Survey const& clique) const {
    each(clique.low, clique.high, [&](std::uint32_t v) {
      if (has(visited, v)) {
        degrees[v] = v == clique.low ? Degree{0} : gone;
      }
    });
    leader([&]() { desk.node.cover += clique.live - 1; });
  }

  /// Takes one vertex of a chordless cycle; what is left is a path, which the degree-one rule
  /// solves: of n vertices 1 + (n - 1) / 2, which is n / 2 rounded up.
  KOKKOS_FUNCTION void solve_cycle(Survey const& cycle) const {
    take_vertex(cycle.low);
    reduce_candidates();
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

  KOKKOS_FUNCTION static bool has(std::uint32_t const* set, std::uint32_t v) {
    return (set[v / 32] >> v % 32 & 1) != 0;
  }

  /// Writes the graph of the vertices that are marked as visited, whole components all, as a small
  /// one. Its vertices are `takes[0]` and so on, in the order that they have here.
  template <unsigned Words>
  KOKKOS_FUNCTION void extract(SmallGraph<Words>& small, std::uint32_t live) const {
    std::uint32_t const first = desk.low / 32;
    std::uint32_t const end = (desk.high + 31) / 32;
    std::uint32_t* const before = pending;  // visited vertices before a word
    leader([&]() {
      std::uint32_t sum = 0;
      for (std::uint32_t i = first; i < end; ++i) {
        before[i] = sum;
        sum += static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(visited[i]));
      }
    });
    each(first, end, [&](std::uint32_t i) {
      std::uint32_t at = before[i];
      for (std::uint32_t bits = visited[i]; bits != 0; bits &= bits - 1) {
        takes[at++] =
            i * 32 + static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(bits));
      }
    });
    each(0, live, [&](std::uint32_t i) { small.rows[i] = VertexSet<Words>::none(); });
    each_by_thread(0, live, [&](std::uint32_t i) {
      along_row(takes[i], [&](std::uint32_t w) {
        if (is_live_here(w)) {
          std::uint32_t const below = visited[w / 32] & ((1u << w % 32) - 1);
          std::uint32_t const j =
              before[w / 32] +
              static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(below));
          insert(small.rows[i].word[j / 64], j % 64);
        }
      });
    });
  }

  /// Decides the vertices of a small graph as its cover does.
  template <unsigned Words>
  KOKKOS_FUNCTION void take_cover(SmallGraph<Words> const& small, std::uint32_t live) const {
    each(0, live,
         [&](std::uint32_t i) { degrees[takes[i]] = small.cover.has(i) ? gone : Degree{0}; });
    leader([&]() { desk.node.cover += small.size; });
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

 private:
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
  KOKKOS_FUNCTION static void insert(std::uint64_t& word, std::uint32_t bit) {
    if constexpr (alone) {
      word |= std::uint64_t{1} << bit;
    } else {
      Kokkos::atomic_or(&word, std::uint64_t{1} << bit);
    }
  }
  KOKKOS_FUNCTION static void remove(std::uint32_t* set, std::uint32_t v) {
    Kokkos::atomic_and(&set[v / 32], ~(1u << v % 32));
  }
  KOKKOS_FUNCTION static bool holds_now(std::uint32_t const* set, std::uint32_t v) {
    return ((alone ? set[v / 32] : relaxed_load(set[v / 32])) >> v % 32 & 1) != 0;
  }

  KOKKOS_FUNCTION std::uint32_t swept(std::uint32_t i, bool forth) const {
    return forth ? i : desk.low + (desk.high - 1 - i);
  }

  /// Long rows: whoever is not visited looks for a neighbour who is (Section III-B), and mostly finds
  /// one among the first of its row.
  KOKKOS_FUNCTION void pull(bool forth) const {
    each(desk.low, desk.high, [&](std::uint32_t i) {
      std::uint32_t const v = swept(i, forth);
      if (!is_live(degrees[v]) || has(visited, v)) {
        return;
      }
      std::uint32_t const end = row_end(v);
      for (std::uint32_t e = row_begin(v); e < end; ++e) {
        std::uint32_t const w = graph.entries(e);
        if (is_live_here(w) && holds_now(visited, w)) {
          insert(visited, v);
          add(desk.reached, 1);
          desk.again = 1;
          return;
        }
      }
    });
  }

  /// Short rows: whoever has been visited visits its neighbours, once. A lane looks at a vertex, or,
  /// where it is alone, at a word of 32.
  KOKKOS_FUNCTION void push(bool forth) const {
    if constexpr (alone) {
      std::uint32_t const first = desk.low / 32;
      std::uint32_t const end = (desk.high + 31) / 32;
      for (std::uint32_t i = first; i < end; ++i) {
        std::uint32_t& word = pending[forth ? i : first + (end - 1 - i)];
        auto const base = static_cast<std::uint32_t>(&word - pending) * 32;
        while (word != 0) {
          std::uint32_t const v =
              base + static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(word));
          word &= word - 1;
          push_from(v);
        }
      }
    } else {
      each(desk.low, desk.high, [&](std::uint32_t i) {
        std::uint32_t const v = swept(i, forth);
        if (holds_now(pending, v)) {
          remove(pending, v);
          push_from(v);
        }
      });
    }
  }

  KOKKOS_FUNCTION void push_from(std::uint32_t v) const {
    std::uint32_t const end = row_end(v);
    for (std::uint32_t e = row_begin(v); e < end; ++e) {
      std::uint32_t const w = graph.entries(e);
      if (is_live_here(w) && insert(visited, w)) {
        insert(pending, w);
        add(desk.reached, 1);
        desk.again = 1;
      }
    }
  }

  // A GPU has no atomics on one or two bytes; those on the word around them do the same. Taking sets
  // all bits of an entry; lowering never borrows from its neighbour, since the entry is at least 1.
  KOKKOS_FUNCTION std::uint32_t& word_around(std::uint32_t v) const {
    return reinterpret_cast<std::uint32_t*>(degrees)[v * sizeof(Degree) / 4];
  }
  KOKKOS_FUNCTION static unsigned shift_of(std::uint32_t v) { return v * sizeof(Degree) % 4 * 8; }
  KOKKOS_FUNCTION bool mark_gone(std::uint32_t v) const {
    if constexpr (alone) {
      bool const is_new = degrees[v] != gone;
      degrees[v] = gone;
      return is_new;
    } else {
      std::uint32_t const old =
          Kokkos::atomic_fetch_or(&word_around(v), std::uint32_t{gone} << shift_of(v));
      return static_cast<Degree>(old >> shift_of(v)) != gone;
    }
  }
  KOKKOS_FUNCTION void lower(std::uint32_t v) const {
    Degree now;
    if constexpr (alone) {
      now = --degrees[v];
    } else {
      std::uint32_t const old = Kokkos::atomic_fetch_sub(&word_around(v), 1u << shift_of(v));
      now = static_cast<Degree>(static_cast<Degree>(old >> shift_of(v)) - 1);
    }
    if (now == 1 || now == 2) {
      std::uint32_t const slot = add(desk.candidates, 1);
      if (slot < candidates_room) {
        candidates[slot] = v;
      }
    }
  }

  struct LiveNeighbours {
    std::uint32_t first;
    std::uint32_t last;
  };

  /// Of a vertex with one or two of them; by the vector lanes of a thread.
  KOKKOS_FUNCTION LiveNeighbours live_neighbours(std::uint32_t v) const {
    using Ends = Kokkos::MinMax<std::uint32_t>;
    typename Ends::value_type ends;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, row_begin(v), row_end(v)),
        [&](std::uint32_t e, typename Ends::value_type& so_far) {
          std::uint32_t const w = graph.entries(e);
          if (is_live_here(w)) {
            so_far.min_val = Kokkos::min(so_far.min_val, w);
            so_far.max_val = Kokkos::max(so_far.max_val, w);
          }
        },
        Ends(ends));
    return {ends.min_val, ends.max_val};
  }

  KOKKOS_FUNCTION bool adjacent(std::uint32_t u, std::uint32_t w) const {
    std::uint32_t begin = row_begin(u);
    std::uint32_t end = row_end(u);
    while (begin < end) {
      std::uint32_t const middle = begin + (end - begin) / 2;
      if (graph.entries(middle) < w) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin < row_end(u) && graph.entries(begin) == w;
  }

  /// Whether `u` is a vertex of v's clique that is reduced instead of v: its whole neighbourhood is
  /// that clique too, and it comes first.
  KOKKOS_FUNCTION bool goes_before(std::uint32_t u, std::uint32_t v) const {
    return degrees[u] == degrees[v] && u < v;
  }

  KOKKOS_FUNCTION void reduce_at(std::uint32_t v) const {
    Degree const degree = degrees[v];
    if (degree != 1 && degree != 2) {
      return;
    }
    auto const [u, w] = live_neighbours(v);
    bool const applies =
        !goes_before(u, v) && !goes_before(w, v) && (degree == 1 || adjacent(u, w));
    if (applies) {
      Kokkos::single(Kokkos::PerThread(team), [&]() {
        list_take(u);
        if (degree == 2) {
          list_take(w);
        }
      });
    }
  }
};

}  // namespace taper::vertex_cover::paper
