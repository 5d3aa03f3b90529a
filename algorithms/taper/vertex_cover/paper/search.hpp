// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/balance.hpp>
#include <taper/index_pool.hpp>
#include <taper/polling.hpp>
#include <taper/vertex_cover/paper/board.hpp>
#include <taper/vertex_cover/paper/registry.hpp>

#include <Kokkos_Core.hpp>

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
  answered,      ///< the roots' covers are small enough together
  exhausted,     ///< every root is solved
};

/// What all teams share; reset for each launch but for what it counts down.
struct Control {
  alignas(64) AtomicWord heartbeat;  ///< moves as long as somebody visits nodes
  alignas(64) std::uint32_t stop;    ///< a Stop
  std::uint32_t idle;                ///< teams that wait for work
  std::uint32_t next_root;           ///< roots from here on have not been taken by anybody
  std::uint32_t open_roots;          ///< roots that are not yet solved
  std::uint32_t total;               ///< the sizes of the roots' best covers together
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

/// The search (Algorithm 2), by teams that each work at one node at a time and hand the other
/// nodes on to a Balancing.
///
/// A launch ends with every unfinished node in storage, so that the next one goes on from there.
/// Equivalent to: the recursive program, its calls made in any order. That is right because a node
///   needs of the others only its component's best so far, and any value that this once had is safe:
///   an older, greater one prunes less.
template <ExecutionSpace Exec, class Degree, Balancing Balance>
struct Search {
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

  /// What a team has in its scratch in any case; its arrays follow where they fit.
  KOKKOS_FUNCTION static constexpr std::size_t fixed_bytes() {
    return sizeof(Desk) + Work::lists_bytes() + sizeof(Small);
  }
  static_assert((sizeof(Desk) + Work::lists_bytes()) % sizeof(std::uint64_t) == 0);

  Rows<Memory> graph;
  List<Root> roots;
  Registry<Memory> registry;
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
    Explorer{*this,
             {member, graph, *reinterpret_cast<Desk*>(fixed), reinterpret_cast<Degree*>(own), lists,
              lists + Work::takes_room, visited, visited + vertices / 32},
             *small_graph,
             teams(team),
             team}
        .explore();
  }

 private:
  /// One team's search. All members are called by all lanes together.
  struct Explorer {
    Search const& search;
    Work const work;
    Small& small;
    TeamState& state;
    std::uint32_t const team;
    // The leader's.
    std::uint64_t nodes = 0;
    std::uint64_t since = 0;
    Activity activity = Activity::idle;
    std::uint32_t credit =
        0;  ///< live nodes of `creditor` that are done, which it does not know yet
    std::uint32_t creditor = nothing;

    KOKKOS_FUNCTION void explore() {
      since = search.count ? ticks() : 0;
      work.leader([&]() {
        work.desk.row = state.row;
        work.desk.takes = 0;
        work.desk.candidates = 0;
      });
      bool resumed = state.lean != 0;  // read by all before anybody changes it
      work.barrier();
      std::uint64_t polls = 0;
      Hearing hearing{};
      for (;;) {
        std::uint32_t item = nothing;
        if (!resumed) {
          enter(Activity::storage);
          item = work.from_leader([&]() { return next_item(polls); });
          if (item == leave) {
            break;
          }
        }
        if (resumed || item != nothing) {
          if (!resumed) {
            load(item);
          }
          if (!resumed || next_lean()) {
            visit();
          }
          resumed = false;
          polls = 0;
          continue;
        }
        repay();
        enter(Activity::idle);
        work.leader([&]() { wait(++polls, hearing); });
      }
      repay();
      enter(Activity::idle);
      work.leader([&]() {
        state.row = work.desk.row;
        state.nodes += nodes;
        if (nodes > 0) {
          show_life();
        }
      });
    }

   private:
    static constexpr std::uint32_t leave = nothing - 1;

    KOKKOS_FUNCTION Control& control() const { return search.control(); }
    KOKKOS_FUNCTION NodeHead& node() const { return work.desk.node; }
    KOKKOS_FUNCTION std::uint32_t slots() const {
      return static_cast<std::uint32_t>(search.slots.extent(0));
    }
    KOKKOS_FUNCTION void stop(Stop why) const {
      Kokkos::atomic_max(&control().stop, std::uint32_t{why});  // relaxed: polled
    }
    KOKKOS_FUNCTION bool stopped() const { return relaxed_load(control().stop) != go_on; }

    /// The leader's clock goes over to another activity.
    KOKKOS_FUNCTION void enter(Activity next) {
      if (search.count) {
        work.leader([&]() {
          std::uint64_t const now = ticks();
          state.time[static_cast<unsigned>(activity)] += now - since;
          since = now;
          activity = next;
        });
      }
    }

    // The leader alone.

    /// A node in storage, or behind these a root; `nothing` for now; or `leave`.
    KOKKOS_FUNCTION std::uint32_t next_item(std::uint64_t attempt) const {
      std::uint32_t const item = look_for_item(attempt);
      if (item != nothing && attempt > 0) {
        Kokkos::atomic_sub(&control().idle, 1u);  // relaxed: polled
      }
      return item;
    }

    KOKKOS_FUNCTION std::uint32_t look_for_item(std::uint64_t attempt) const {
      if (stopped()) {
        return leave;
      }
      std::uint32_t const item = search.balance.take(team, attempt);
      if (item != nothing) {
        return item;
      }
      auto const roots = static_cast<std::uint32_t>(search.roots.extent(0));
      if (relaxed_load(control().next_root) < roots) {
        std::uint32_t const root = Kokkos::atomic_fetch_add(&control().next_root, 1u);  // relaxed
        if (root < roots) {
          return slots() + root;
        }
      }
      return nothing;
    }

    /// The last sign of life that an idle team has noticed.
    struct Hearing {
      AtomicWord heartbeat;
      std::uint64_t at;  ///< in ticks
    };

    /// The watchdog: no launch outlasts the progress that somebody makes. Who works may be slow, and
    /// who has the work may have found no room to run: so this only ends the launch. By the clock:
    /// on a host with more to do than cores, a single poll may last as long as others please.
    KOKKOS_FUNCTION void wait(std::uint64_t polls, Hearing& last) const {
      if (polls == 1) {
        Kokkos::atomic_add(&control().idle, 1u);  // relaxed: polled
      }
      if (stopped()) {
        return;
      }
      AtomicWord const heartbeat = relaxed_load(control().heartbeat);
      std::uint64_t const now = ticks();
      if (polls == 1 || heartbeat != last.heartbeat) {
        last = {heartbeat, now};
      } else if (now - last.at >= search.pace.patience) {
        stop(nobody_moves);
      }
      taper::pause(polls < 16 ? 200 : 2000);
    }

    KOKKOS_FUNCTION void show_life() const {
      Kokkos::atomic_add(&control().heartbeat, AtomicWord{1});  // relaxed: polled
    }

    KOKKOS_FUNCTION void count_nodes(std::uint32_t more) {
      std::uint64_t const before = nodes;
      nodes += more;
      if (nodes / 16 != before / 16) {
        show_life();
      }
      if (nodes >= search.pace.nodes) {
        stop(pause_here);
      }
    }

    // Nodes to and from storage.

    KOKKOS_FUNCTION static NodeHead& head_of(unsigned char* slot) {
      return *reinterpret_cast<NodeHead*>(slot);
    }
    KOKKOS_FUNCTION static Degree* degrees_of(unsigned char* slot) {
      return reinterpret_cast<Degree*>(slot + sizeof(NodeHead));
    }

    KOKKOS_FUNCTION void load(std::uint32_t item) {
      if (item >= slots()) {
        load_root(item - slots());
      } else {
        load_slot(&search.slots(item, 0));
        work.leader([&]() { search.free_slots.give(team, item); });
      }
      if (work.from_leader([&]() -> std::uint32_t { return creditor != node().entry; }) != 0) {
        repay();
      }
      act(node().action, node().vertex);
    }

    KOKKOS_FUNCTION void load_root(std::uint32_t index) {
      Root const& root = search.roots(index);
      std::uint32_t const end = (root.size + 31) / 32 * 32;
      work.leader([&]() {
        node() = {index, 0, root.base, 0, end, root.action, nothing, 0};
        work.desk.low = 0;
        work.desk.high = end;
      });
      work.each(0, end, [&](std::uint32_t v) {
        work.degrees[v] =
            v < root.size ? static_cast<Degree>(work.row_end(v) - work.row_begin(v)) : Degree{0};
      });
    }

    KOKKOS_FUNCTION void load_slot(unsigned char* slot) const {
      work.leader([&]() {
        node() = head_of(slot);
        work.desk.low = node().first;
        work.desk.high = node().end;
      });
      work.copy(work.degrees, degrees_of(slot), node().first, node().end);
    }

    KOKKOS_FUNCTION void store_slot(unsigned char* slot, Action action,
                                    std::uint32_t vertex) const {
      work.leader([&]() {
        NodeHead head = node();
        head.action = action;
        head.vertex = vertex;
        head.connected = 0;
        head_of(slot) = head;
      });
      work.copy(degrees_of(slot), work.degrees, node().first, node().end);
    }

    KOKKOS_FUNCTION void act(Action action, std::uint32_t vertex) {
      enter(Activity::branching);
      switch (action) {
      case Action::none:
        break;
      case Action::examine:
        work.examine_all();
        break;
      case Action::take_vertex:
        work.take_vertex(vertex);
        break;
      case Action::take_neighbours:
        work.take_neighbours(vertex);
        break;
      }
    }

    /// Hands the node on with an action to be done first. False: there is no room for it.
    KOKKOS_FUNCTION bool hand_on(Action action, std::uint32_t vertex) {
      enter(Activity::storage);
      std::uint32_t const slot = work.from_leader([&]() { return search.free_slots.take(team); });
      if (slot == nothing) {
        return false;
      }
      store_slot(&search.slots(slot, 0), action, vertex);
      return put(slot, node().entry);
    }

    /// The slot's node is now one of `entry`'s live ones, and anybody's.
    KOKKOS_FUNCTION bool put(std::uint32_t slot, std::uint32_t entry) {
      return work.from_leader([&]() -> std::uint32_t { return publish(slot, entry); }) != 0;
    }

    /// The leader's part of that.
    KOKKOS_FUNCTION bool publish(std::uint32_t slot, std::uint32_t entry) {
      bool const on_credit = credit > 0 && creditor == entry;
      if (on_credit) {
        --credit;
      } else {
        search.registry.join(entry);
      }
      if (search.balance.put(team, slot)) {
        return true;
      }
      if (on_credit) {
        ++credit;
      } else {
        search.registry.leave(entry);
      }
      search.free_slots.give(team, slot);
      return false;
    }

    /// Makes a branch of a small search a node in storage; by the lanes of one warp. False: there is no
    /// room for it.
    KOKKOS_FUNCTION bool share(std::uint32_t lane, std::uint32_t live,
                               typename Small::Branch const& branch,
                               typename Small::Set const& taken) {
      using Warp = Lanes<Exec>;
      std::uint32_t const slot = Warp::from(0, lane == 0 ? search.free_slots.take(team) : nothing);
      if (slot == nothing) {
        return false;
      }
      unsigned char* const to = &search.slots(slot, 0);
      Degree* const degrees = degrees_of(to);
      for (std::uint32_t v = node().first + lane; v < node().end; v += Warp::count) {
        degrees[v] = work.degrees[v];
      }
      Warp::sync();
      for (std::uint32_t i = lane; i < live; i += Warp::count) {
        degrees[work.takes[i]] = branch.live.has(i)
                                     ? static_cast<Degree>((small.rows[i] & branch.live).size())
                                 : taken.has(i) ? Work::gone
                                                : Degree{0};
      }
      Warp::sync();
      bool is_put = false;
      if (lane == 0) {
        bool const is_branch = branch.vertex != nothing;
        head_of(to) = node();
        head_of(to).cover += taken.size();
        head_of(to).action = is_branch ? Action::take_vertex : Action::examine;
        head_of(to).vertex = is_branch ? work.takes[branch.vertex] : nothing;
        head_of(to).connected = 0;
        is_put = publish(slot, node().entry);
      }
      return Warp::flags(is_put) != 0;
    }

    // A node that is done and one that is new mostly follow one another, and are of one component.
    // So a team keeps to itself that nodes are done, and gives their places among the live ones to
    // new nodes, until it turns to another component or to none. A component that has more live
    // nodes than it knows is not taken for solved too early; nor too late, since whoever holds back
    // is working at a node of it.

    KOKKOS_FUNCTION void complete_node() {
      std::uint32_t const entry = node().entry;
      if (work.from_leader([&]() -> std::uint32_t { return credit > 0 && creditor != entry; }) !=
          0) {
        repay();
      }
      work.leader([&]() {
        creditor = entry;
        ++credit;
      });
    }

    KOKKOS_FUNCTION void repay() {
      std::uint32_t const count = work.from_leader([&]() {
        std::uint32_t const owed = credit;
        credit = 0;
        return owed;
      });
      if (count != 0) {
        std::uint32_t const component = work.from_leader([&]() { return creditor; });
        if (work.from_leader([&]() { return search.registry.leave(component, count); }) == 0) {
          close_component(component);
        }
      }
    }

    // The search.

    enum class Verdict { hopeless, covered, open };
    enum class Split { whole, part, solved, done };

    /// From the node on the board down to where nothing is left of it.
    KOKKOS_FUNCTION void visit() {
      bool connected = node().connected != 0;
      for (;;) {
        bool const stopping = work.from_leader([&]() -> std::uint32_t {
          count_nodes(1);
          return stopped();
        }) != 0;
        enter(Activity::reducing);
        Survey survey;
        Verdict verdict = reduce(survey);
        // A node that split() has left is connected until something is taken.
        connected = connected && node().cover == 0;
        bool const lean = state.lean != 0;
        work.barrier();
        if (verdict == Verdict::open && survey.live <= search.small) {
          std::uint32_t const best =
              work.from_leader([&]() { return search.registry.best(node().entry); });
          work.write_bits(work.visited, work.desk.low / 32, (work.desk.high + 31) / 32,
                          [&](std::uint32_t v) { return Work::is_live(work.degrees[v]); });
          bool const found =
              best > node().cover && solve_small(survey.live, best - node().cover, true);
          verdict = found ? Verdict::covered : Verdict::hopeless;
        }
        if (verdict == Verdict::open && search.components && !connected && !lean) {
          enter(Activity::components);
          Split const result = split(survey);
          if (result == Split::done) {
            return;
          }
          if (result == Split::part) {
            connected = true;
            continue;
          }
          verdict = result == Split::solved ? Verdict::covered : Verdict::open;
        }
        connected = false;
        if (verdict == Verdict::open) {
          if (lean && stopping) {
            work.leader([&]() { state.lean_paused = 1; });
            return;
          }
          if (stopping && hand_on(Action::none, nothing)) {
            complete_node();  // the stored one has taken its place
            return;
          }
          branch(survey.top_vertex(), lean);
          continue;
        }
        enter(Activity::covers);
        if (verdict == Verdict::covered) {
          record_cover();
        }
        if (lean && next_lean()) {
          continue;
        }
        if (lean && paused_lean()) {
          return;
        }
        complete_node();
        return;
      }
    }

    /// The reductions at a node, to their fixpoint, and the stopping conditions.
    KOKKOS_FUNCTION Verdict reduce(Survey& survey) const {
      for (;;) {
        work.reduce_candidates();
        std::uint32_t const best =
            work.from_leader([&]() { return search.registry.best(node().entry); });
        std::uint32_t const cover = node().cover;
        if (cover >= best) {
          return Verdict::hopeless;
        }
        survey = work.survey();
        if (search.bounds) {
          work.leader([&]() {
            work.desk.low = Kokkos::min(survey.low, survey.high);
            work.desk.high = survey.high;
          });
        }
        if (survey.degrees == 0) {
          return Verdict::covered;
        }
        // So many vertices may still be taken; each covers as many edges as it has, at most.
        std::uint32_t const budget = best - cover - 1;
        if (survey.degrees / 2 > std::uint64_t{budget} * survey.top_degree()) {
          return Verdict::hopeless;
        }
        if (survey.top_degree() <= budget) {
          return Verdict::open;
        }
        work.take_above(budget);
      }
    }

    /// The other teams, for a small search. They may get parts of it where it is all that is left of
    /// the node.
    struct Others {
      Explorer& self;
      std::uint32_t live;
      bool whole;  ///< what is searched is all that is left of the node

      KOKKOS_FUNCTION Wish visited(std::uint32_t nodes) const {
        self.count_nodes(nodes);
        return !whole           ? Wish::none
               : self.stopped() ? Wish::leave
               : relaxed_load(self.control().idle) > 0 && self.search.balance.hungry(self.team)
                   ? Wish::share
                   : Wish::none;
      }
      KOKKOS_FUNCTION void fell_apart(std::uint32_t parts) const { self.count_parts(parts); }
      KOKKOS_FUNCTION std::uint32_t best() const {
        std::uint32_t const best = self.search.registry.best(self.node().entry);
        return best - Kokkos::min(best, self.node().cover);
      }
      KOKKOS_FUNCTION bool give(std::uint32_t lane, typename Small::Branch const& branch,
                                typename Small::Set const& taken) const {
        return self.share(lane, live, branch, taken);
      }
    };

    /// Searches the graph of the visited vertices for a cover of less than `best` to the end, and takes
    /// the least one. False: there is none, or others have found one that is no larger.
    KOKKOS_FUNCTION bool solve_small(std::uint32_t live, std::uint32_t best, bool whole) {
      enter(Activity::small);
      work.extract(small, live);
      work.each_warp_lane([&](std::uint32_t lane) {
        SmallSearch<Exec, small_words>::run(small, lane, live, best, search.components,
                                            Others{*this, live, whole});
      });
      work.leader([&]() { state.component_branches += small.splits; });
      bool const found = !small.cover.empty();
      if (found) {
        work.take_cover(small, live);
      }
      return found;
    }

    /// Stores the branch with the vertex, and goes on with the branch with its neighbours: that one
    /// shrinks faster, so that fewer nodes wait at a time, and the larger ones wait where others
    /// take them.
    KOKKOS_FUNCTION void branch(std::uint32_t vertex, bool lean) {
      if (lean || !hand_on(Action::take_vertex, vertex)) {
        branch_lean(vertex, lean);
      }
      act(Action::take_neighbours, vertex);
    }

    // Lean branching, where there is no room to store a node: the node from which it began is
    // parked, and of what follows only the decisions are kept. A node is then built anew from the
    // parked one. Only decisions are repeated, no reductions: what these took stays to be decided,
    // so that no cover that the node stands for is lost, and all that are found cover the parked
    // node's graph, since a vertex's neighbours in the less reduced graph are those in the reduced
    // one and vertices that it had taken.

    static constexpr std::uint32_t first_branch = 1u << 31;  ///< its second is still to be visited

    KOKKOS_FUNCTION void branch_lean(std::uint32_t vertex, bool lean) {
      if (!lean) {
        store_slot(&search.parked(team, 0), Action::none, nothing);
      }
      work.leader([&]() {
        search.path(team, state.lean++) = vertex | first_branch;
        ++state.lean_branches;
      });
    }

    /// Builds the next node from the parked one. False: there is none, or the launch ends here.
    KOKKOS_FUNCTION bool next_lean() {
      enter(Activity::storage);
      bool const any = work.from_leader([&]() -> std::uint32_t {
        while (state.lean > 0 && state.lean_paused == 0 &&
               (search.path(team, state.lean - 1) & first_branch) == 0) {
          --state.lean;
        }
        return state.lean > 0 && !stopped();
      }) != 0;
      if (!any) {
        return false;
      }
      std::uint32_t const depth = work.from_leader([&]() {
        if (state.lean_paused == 0) {
          search.path(team, state.lean - 1) &= ~first_branch;
        }
        state.lean_paused = 0;
        return state.lean;
      });
      load_slot(&search.parked(team, 0));
      for (std::uint32_t i = 0; i < depth; ++i) {
        std::uint32_t const decision = search.path(team, i);
        act((decision & first_branch) != 0 ? Action::take_neighbours : Action::take_vertex,
            decision & ~first_branch);
      }
      return true;
    }

    KOKKOS_FUNCTION bool paused_lean() const {
      return work.from_leader([&]() -> std::uint32_t { return state.lean > 0; }) != 0;
    }

    // Covers.

    /// The node has covered its graph: what it has taken is a cover of its component.
    KOKKOS_FUNCTION void record_cover() const {
      if (work.from_leader([&]() -> std::uint32_t {
            return node().cover < search.registry.best(node().entry);
          }) == 0) {
        return;
      }
      work.write_bits(&search.registry.covers(work.desk.row, 0), node().first / 32, node().end / 32,
                      [&](std::uint32_t v) { return work.degrees[v] == Work::gone; });
      work.leader([&]() { improve(node().entry, node().cover, work.desk.row); });
    }

    /// The leader's.
    KOKKOS_FUNCTION void improve(std::uint32_t component, std::uint32_t size,
                                 std::uint32_t& row) const {
      std::uint32_t const gain = search.registry.improve(component, size, row);
      if (gain > 0 && search.registry.entries(component).up == nothing) {
        // relaxed: the host reads the covers after the launch
        if (Kokkos::atomic_fetch_sub(&control().total, gain) - gain <= search.enough) {
          stop(answered);
        }
      }
    }

    // Components.

    /// Looks for components, and hands on each as soon as it is found, but for the last, which stays
    /// on the board: then `part`, a node of its own. Cliques and cycles are solved at once. `whole`:
    /// there is but one. `solved`: nothing is left. `done`: nothing is left here, the node's end
    /// depends on components that others have.
    KOKKOS_FUNCTION Split split(Survey& left) {
      std::uint32_t const before = node().cover;
      std::uint32_t branch = nothing;
      std::uint32_t rest = nothing;
      std::uint32_t found = 0;
      for (;;) {
        work.visit_from(left.low, left.live);
        ++found;
        bool const last = work.desk.reached == left.live;
        Survey const part = last ? left : work.survey(true);
        if (part.is_clique() || part.is_cycle() || part.live <= search.small) {
          if (part.is_clique()) {
            work.solve_clique(part);
          } else if (part.is_cycle()) {
            work.solve_cycle(part);
          } else {
            solve_small(part.live, part.live, false);  // all its vertices but one are a cover
            enter(Activity::components);
          }
          if (last) {
            return branch == nothing ? Split::solved : close_branch(branch, rest, before, found);
          }
        } else if (last && branch == nothing) {
          return Split::whole;
        } else {
          if (branch == nothing && !open_branch(branch, rest, before)) {
            return Split::whole;
          }
          if (last || !hand_on_part(branch, before, part)) {
            become_part(branch, rest, before, left, found);
            return Split::part;
          }
        }
        left = work.survey();
      }
    }

    /// Two entries or none: the branch, and a component for what is not handed on. What has been taken
    /// since `before` is counted by contribute_taken().
    KOKKOS_FUNCTION bool open_branch(std::uint32_t& branch, std::uint32_t& rest,
                                     std::uint32_t before) const {
      branch = work.from_leader([&]() { return search.registry.take(team); });
      rest = branch == nothing ? nothing
                               : work.from_leader([&]() { return search.registry.take(team); });
      if (rest == nothing) {
        work.leader([&]() {
          if (branch != nothing) {
            search.registry.give(team, branch);
          }
          ++state.unsplit;
        });
        branch = nothing;
        return false;
      }
      work.leader([&]() {
        // Itself, as long as it looks for components, and the rest.
        search.registry.open(branch, before, 2, node().entry, node().first / 32, node().end / 32,
                             nothing);
      });
      write_taken(branch);
      return true;
    }

    KOKKOS_FUNCTION void write_taken(std::uint32_t branch) const {
      work.write_bits(search.registry.cover_of(branch), node().first / 32, node().end / 32,
                      [&](std::uint32_t v) { return work.degrees[v] == Work::gone; });
    }

    /// A component's Best to begin with (Algorithm 2, line 17): what the ancestor has left for it, or
    /// all its vertices but one. The latter is a cover, and stands in the entry's row.
    KOKKOS_FUNCTION std::uint32_t first_best(std::uint32_t branch, std::uint32_t before,
                                             std::uint32_t size) const {
      std::uint32_t const best = search.registry.best(search.registry.entries(branch).up);
      std::uint32_t const sum = search.registry.best(branch) + (node().cover - before);
      return Kokkos::min(best > sum ? best - sum : 0, size - 1);
    }

    /// The range of a component's vertices, as multiples of 32.
    KOKKOS_FUNCTION std::uint32_t first_of(Survey const& part) const {
      return search.bounds ? part.low / 32 * 32 : node().first;
    }
    KOKKOS_FUNCTION std::uint32_t end_of(Survey const& part) const {
      return search.bounds ? (part.high + 31) / 32 * 32 : node().end;
    }

    template <class Predicate>
    KOKKOS_FUNCTION void open_part(std::uint32_t entry, std::uint32_t branch, std::uint32_t before,
                                   Survey const& part, Predicate const& is_in) const {
      work.leader([&]() {
        search.registry.open(entry, first_best(branch, before, part.live), 0, branch,
                             first_of(part) / 32, end_of(part) / 32, part.live - 1);
      });
      work.write_bits(search.registry.cover_of(entry), first_of(part) / 32, end_of(part) / 32,
                      [&](std::uint32_t v) { return v != part.low && is_in(v); });
    }

    /// Hands on the component that has been visited. False: there is no entry or no slot left.
    KOKKOS_FUNCTION bool hand_on_part(std::uint32_t branch, std::uint32_t before,
                                      Survey const& part) {
      std::uint32_t const entry = work.from_leader([&]() { return search.registry.take(team); });
      std::uint32_t const slot =
          entry == nothing ? nothing
                           : work.from_leader([&]() { return search.free_slots.take(team); });
      if (slot == nothing) {
        work.leader([&]() {
          if (entry != nothing) {
            search.registry.give(team, entry);
          }
          ++state.unsplit;
        });
        return false;
      }
      auto const is_in = [&](std::uint32_t v) { return Work::has(work.visited, v); };
      open_part(entry, branch, before, part, is_in);
      std::uint32_t const first = first_of(part);
      std::uint32_t const end = end_of(part);
      unsigned char* const to = &search.slots(slot, 0);
      work.leader([&]() {
        head_of(to) = {entry, 0, node().base, first, end, Action::none, nothing, 1};
        search.registry.join(branch);
      });
      work.each(first, end, [&](std::uint32_t v) {
        degrees_of(to)[v] = is_in(v) ? work.degrees[v] : Degree{0};
      });
      if (!put(slot, entry)) {
        work.leader([&]() {
          search.registry.leave(branch);
          search.registry.give(team, entry);
          ++state.unsplit;
        });
        return false;
      }
      work.each(first, end, [&](std::uint32_t v) {
        if (is_in(v)) {
          work.degrees[v] = 0;
        }
      });
      return true;
    }

    /// What is left on the board becomes a node of its own, and the branch's last component.
    KOKKOS_FUNCTION void become_part(std::uint32_t branch, std::uint32_t rest, std::uint32_t before,
                                     Survey const& part, std::uint32_t found) {
      open_part(rest, branch, before, part,
                [&](std::uint32_t v) { return Work::is_live(work.degrees[v]); });
      work.leader([&]() { search.registry.join(rest); });
      contribute_taken(branch, before);
      work.leader([&]() { search.registry.leave(branch); });  // not the last: the rest is live
      work.each(node().first, node().end, [&](std::uint32_t v) {
        if (work.degrees[v] == Work::gone) {
          work.degrees[v] = 0;
        }
      });
      work.leader([&]() {
        node().entry = rest;
        node().cover = 0;
        std::uint32_t const first = first_of(part);
        node().end = end_of(part);
        node().first = first;
        count_branch(found);
      });
    }

    /// The branch has found all components, and the last of them needed no search.
    KOKKOS_FUNCTION Split close_branch(std::uint32_t branch, std::uint32_t rest,
                                       std::uint32_t before, std::uint32_t found) {
      contribute_taken(branch, before);
      work.leader([&]() {
        search.registry.give(team, rest);
        count_branch(found);
      });
      std::uint32_t const component = leave_branch(branch, 2);  // itself, and the rest
      if (component != nothing) {
        close_component(component);
      }
      return Split::done;
    }

    /// What the branch itself has taken since it was opened.
    KOKKOS_FUNCTION void contribute_taken(std::uint32_t branch, std::uint32_t before) const {
      merge(
          search.registry.cover_of(branch),
          [&](std::uint32_t i) {
            return Work::bits_of(i, [&](std::uint32_t v) { return work.degrees[v] == Work::gone; });
          },
          node().first / 32, node().end / 32);
      work.leader([&]() { search.registry.add(branch, node().cover - before); });
    }

    /// Adds vertices to a branch's cover, to which others may be adding theirs.
    template <class Bits>
    KOKKOS_FUNCTION void merge(std::uint32_t* into, Bits const& bits, std::uint32_t first,
                               std::uint32_t end) const {
      work.each(first, end, [&](std::uint32_t i) {
        std::uint32_t const more = bits(i);
        if (more != 0) {
          Kokkos::atomic_or(&into[i], more);  // relaxed: released by add()
        }
      });
    }

    /// The leader's.
    KOKKOS_FUNCTION void count_branch(std::uint32_t found) const {
      ++state.component_branches;
      count_parts(found);
    }
    KOKKOS_FUNCTION void count_parts(std::uint32_t found) const {
      if (search.count) {
        Kokkos::atomic_add(&search.histogram(Kokkos::min(found, histogram_bins - 1)),
                           AtomicWord{1});  // relaxed: a mere count
      }
    }

    /// All nodes of a component are done. The last descendant does what is to be done after a
    /// component, and after a branch, and so on upwards (Section III-C).
    KOKKOS_FUNCTION void close_component(std::uint32_t component) {
      Registry<Memory> const& registry = search.registry;
      for (;;) {
        Entry const solved = registry.entries(component);
        if (solved.up == nothing) {
          work.leader([&]() {
            // relaxed: the host reads the covers after the launch
            if (Kokkos::atomic_fetch_sub(&control().open_roots, 1u) == 1) {
              stop(exhausted);
            }
          });
          return;
        }
        std::uint32_t const* const cover = registry.cover_of(component);
        merge(
            registry.cover_of(solved.up), [&](std::uint32_t i) { return cover[i]; },
            solved.first_word, solved.end_word);
        work.leader([&]() {
          registry.add(solved.up, size_of(solved.cover));
          registry.give(team, component);
        });
        component = leave_branch(solved.up, 1);
        if (component == nothing) {
          return;
        }
      }
    }

    /// `count` of a branch's live ones are done. If they were the last, so is the branch, one of the
    /// nodes of its component; returns that component if this node was its last, else `nothing`.
    KOKKOS_FUNCTION std::uint32_t leave_branch(std::uint32_t branch, std::uint32_t count) {
      Registry<Memory> const& registry = search.registry;
      return work.from_leader([&]() {
        if (registry.leave(branch, count) != 0) {
          return nothing;
        }
        Entry& solved = registry.entries(branch);
        std::uint32_t const ancestor = solved.up;
        std::uint32_t row = row_of(solved.cover);
        improve(ancestor, size_of(solved.cover), row);
        solved.cover = SizedCover::pack(size_of(solved.cover), row);
        registry.give(team, branch);
        return registry.leave(ancestor) == 0 ? ancestor : nothing;
      });
    }
  };
};

}  // namespace taper::vertex_cover::paper
