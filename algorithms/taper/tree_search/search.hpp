// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/balance.hpp>
#include <taper/lanes.hpp>
#include <taper/polling.hpp>
#include <taper/tree_search/offspring.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace taper::tree_search::detail {

/// Why the teams leave a launch; of several reasons the greatest holds.
enum Stop : std::uint32_t {
  go_on,
  pause_here,  ///< a team has made its share of steps
  store_full,  ///< a team has no room for its own nodes
  exhausted,   ///< nobody has any node left
};

/// What all teams share.
struct Control {
  alignas(64) AtomicWord heartbeat;  ///< moves as long as somebody makes nodes
  alignas(64) AtomicWord open;       ///< teams at work, and batches that nobody has taken
  alignas(64) std::uint32_t stop;    ///< a Stop
};

/// What a team keeps between launches, and counts.
struct TeamState {
  std::uint32_t size;    ///< nodes parked
  std::uint32_t bottom;  ///< the oldest batch in its store
  std::uint32_t stored;  ///< batches there
  std::uint32_t slot;    ///< of its slots the next to be lent
  std::uint32_t depth;
  AtomicWord nodes;
  AtomicWord leaves;
};

/// How a launch is to go.
struct Pace {
  std::uint64_t steps;  ///< a team's share
  std::uint64_t polls;  ///< vain looks around without a sign of life until a team leaves
};

/// The search by teams that keep what they find, and share it when others run dry.
///
/// A team is the lanes of one thread. It has a stack of nodes in its scratch, and in each step makes
/// as many children as it has lanes, of as many of its newest nodes as these take: so lanes are
/// busy whatever a node's number of children, and all of them hash together. What does not fit goes
/// to a store of the team's own, a batch at a time.
///
/// Whenever the balance says that others would find nothing of this team's, its oldest nodes, up to
/// half of them, become a batch that is anybody's; it lies in one of a few slots of the team's, from
/// which whoever takes it copies it. So handing work on touches nothing that all teams share but
/// the count of what is open.
///
/// Equivalent to: a depth-first search, its nodes made in another order.
/// Source: sharing on demand, with all other work private, as in Acar, Charguéraud and Rainey,
///   "Scheduling parallel programs by work stealing with private deques", PPoPP 2013.
template <ExecutionSpace Exec, Balancing Balance>
struct Search {
  using Memory = typename Exec::memory_space;
  /// On a GPU with 64K registers a processor, 128 for each thread of 16 such teams.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<32, 16>>;
  using Member = typename Policy::member_type;
  using Together = Lanes<Exec>;
  template <class T>
  using List = Kokkos::View<T*, Memory>;
  template <class T>
  using Table = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

  static constexpr std::uint32_t lanes = Together::count;
  static constexpr std::uint32_t batch = 32;  ///< nodes
  static constexpr std::uint32_t room = 128;  ///< nodes in a team's scratch, a power of two
  static constexpr std::uint32_t slots = 16;  ///< batches that a team can have lent at a time
  static constexpr std::uint32_t words = sizeof(Node) / sizeof(std::uint32_t);
  static constexpr std::size_t scratch_bytes = room * sizeof(Node);
  static_assert(lanes <= batch && batch + lanes <= room);

  Offspring<Memory> offspring;
  Balance balance;             ///< an item is a slot * batch + its nodes - 1
  Table<Node> lent;            ///< a row a slot
  List<std::uint32_t> in_use;  ///< 1: the slot's batch has not been copied yet
  Table<Node> store;           ///< a row a team, of batches in a ring
  Table<Node> parked;          ///< a row a team: its scratch, between launches
  List<TeamState> teams;
  Kokkos::View<Control, Memory> control;
  Pace pace;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const scratch = static_cast<std::uint32_t*>(
        member.team_shmem().get_shmem_aligned(+scratch_bytes, alignof(Node)));
    auto const team = static_cast<std::uint32_t>(member.league_rank());
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), [&](std::uint32_t lane) {
      Worker{*this, scratch, team, lane}.run();
    });
  }

  /// Batches that a team's store can have.
  KOKKOS_FUNCTION std::uint32_t store_batches() const {
    return static_cast<std::uint32_t>(store.extent(1) / batch);
  }

 private:
  /// One lane of a team. All members are called by all lanes together, and what is not the lane's
  /// own is the same in all of them.
  struct Worker {
    Search const& search;
    std::uint32_t* const scratch;
    std::uint32_t const team;
    std::uint32_t const lane;
    std::uint32_t first = 0;  ///< the oldest node's place in scratch
    std::uint32_t size = 0;
    std::uint32_t bottom = 0;
    std::uint32_t stored = 0;
    std::uint32_t slot = 0;
    std::uint64_t steps = 0;
    std::uint64_t attempts = 0;
    Tally tally{};  ///< the lane's own

    KOKKOS_FUNCTION void run() {
      unpark();
      bool at_work = size + stored > 0;
      std::uint64_t polls = 0;
      std::uint64_t patience = search.pace.polls;
      AtomicWord heard = 0;
      for (bool leave = false; !leave;) {
        if (size > 0) {
          leave = step();
        } else if (stored > 0) {
          refill();
        } else if (at_work) {
          close_work();
          at_work = false;
        } else if (is_stopped()) {
          leave = true;
        } else if (take()) {
          at_work = true;
          polls = 0;
          patience = search.pace.polls;
        } else {
          leave = wait(++polls, patience, heard);
        }
      }
      if (at_work && size + stored == 0) {
        close_work();
      }
      park();
    }

   private:
    KOKKOS_FUNCTION Control& control() const { return search.control(); }
    KOKKOS_FUNCTION void raise(Stop why) const {
      if (lane == 0) {
        Kokkos::atomic_max(&control().stop, std::uint32_t{why});  // relaxed: polled
      }
    }
    KOKKOS_FUNCTION void show_life() const {
      if (lane == 0) {
        Kokkos::atomic_add(&control().heartbeat, AtomicWord{1});  // relaxed: polled
      }
    }
    KOKKOS_FUNCTION bool is_stopped() const {
      return Together::from(0, relaxed_load(control().stop)) != go_on;
    }

    // The scratch. On a GPU a word of neighbouring nodes lies side by side, in different banks.

    KOKKOS_FUNCTION std::uint32_t& word(std::uint32_t which, std::uint32_t place) const {
      return scratch[is_gpu<Exec> ? which * room + place : place * words + which];
    }
    KOKKOS_FUNCTION std::uint32_t place_of(std::uint32_t age) const { return (first + age) % room; }
    static constexpr std::uint32_t depth_word = 5;
    static constexpr std::uint32_t next_word = 6;
    static constexpr std::uint32_t children_word = 7;

    KOKKOS_FUNCTION Sha1Digest state_at(std::uint32_t place) const {
      return {{word(0, place), word(1, place), word(2, place), word(3, place), word(4, place)}};
    }
    KOKKOS_FUNCTION Node node_at(std::uint32_t place) const {
      return {state_at(place), word(depth_word, place), word(next_word, place),
              word(children_word, place)};
    }
    KOKKOS_FUNCTION void set(std::uint32_t place, Node const& node) const {
      for (std::uint32_t i = 0; i < 5; ++i) {
        word(i, place) = node.state.word[i];
      }
      word(depth_word, place) = node.depth;
      word(next_word, place) = node.next;
      word(children_word, place) = node.children;
    }

    /// The `count` oldest nodes from here to there; they stay.
    KOKKOS_FUNCTION void copy_out(Node* to, std::uint32_t count) const {
      for (std::uint32_t i = lane; i < count; i += lanes) {
        to[i] = node_at(place_of(i));
      }
      Together::sync();
    }
    /// `count` nodes to the empty stack.
    KOKKOS_FUNCTION void copy_in(Node const* from, std::uint32_t count) {
      first = 0;
      size = count;
      for (std::uint32_t i = lane; i < count; i += lanes) {
        set(i, from[i]);
      }
      Together::sync();
    }

    KOKKOS_FUNCTION void unpark() {
      TeamState const state = search.teams(team);
      bottom = state.bottom;
      stored = state.stored;
      slot = state.slot;
      copy_in(&search.parked(team, 0), state.size);
    }
    KOKKOS_FUNCTION void park() const {
      copy_out(&search.parked(team, 0), size);
      TeamState& state = search.teams(team);
      if (lane == 0) {
        state.size = size;
        state.bottom = bottom;
        state.stored = stored;
        state.slot = slot;
      }
      Kokkos::atomic_add(&state.nodes, AtomicWord{tally.nodes});  // relaxed: read after the launch
      Kokkos::atomic_add(&state.leaves, AtomicWord{tally.leaves});
      Kokkos::atomic_max(&state.depth, tally.depth);
      if (steps > 0) {
        show_life();
      }
    }

    // The team's own store.

    KOKKOS_FUNCTION Node* batch_in_store(std::uint32_t age) const {
      return &search.store(team, (bottom + age) % search.store_batches() * batch);
    }
    KOKKOS_FUNCTION bool spill() {
      if (stored == search.store_batches()) {
        return false;
      }
      copy_out(batch_in_store(stored), batch);
      ++stored;
      first = place_of(batch);
      size -= batch;
      return true;
    }
    KOKKOS_FUNCTION void refill() {
      --stored;
      copy_in(batch_in_store(stored), batch);
    }

    // One step.

    /// True: leave.
    KOKKOS_FUNCTION bool step() {
      if (size + lanes > room && !spill()) {
        raise(store_full);
        return true;
      }
      // Asked before the hashing, answered behind it.
      std::uint32_t const stop = relaxed_load(control().stop);
      bool const hungry = search.balance.hungry(team);
      expand();
      if (++steps % beat == 0) {
        show_life();
      }
      if (steps == search.pace.steps) {
        raise(pause_here);
      }
      if (Together::from(0, std::uint32_t{hungry}) != 0 && (size > 1 || stored > 0)) {
        share();
      }
      return Together::from(0, stop) != go_on;
    }

    /// Makes one child a lane, of the newest nodes.
    KOKKOS_FUNCTION void expand() {
      // Each lane looks at one node, the lowest at the newest: how many children this gives now.
      std::uint32_t const place = place_of(size - 1 - lane);
      std::uint32_t const next = lane < size ? word(next_word, place) : 0;
      std::uint32_t const left = lane < size ? word(children_word, place) - next : 0;
      std::uint32_t const wanted = Kokkos::min(left, +lanes);
      std::uint32_t const upto = Together::sum_upto(lane, wanted);
      std::uint32_t const before = Kokkos::min(upto - wanted, +lanes);
      std::uint32_t const given = Kokkos::min(wanted, lanes - before);

      // The parent of a lane's child is the first with more children up to it than lanes before.
      std::uint32_t parent = 0;
      for (std::uint32_t half = lanes / 2; half > 0; half /= 2) {
        parent += Together::from(parent + half - 1, upto) <= lane ? half : 0;
      }
      bool const busy = lane < Together::from(lanes - 1, upto);
      std::uint32_t const number = Together::from(parent, next - before) + lane;
      std::uint32_t const parent_place = place_of(size - 1 - parent);
      // Lanes without a child hash along: what they read is in the scratch, if no node.
      std::uint32_t const depth = word(depth_word, parent_place) + 1;
      Sha1Digest const state = sha1_of(state_at(parent_place), number);
      std::uint32_t const children = busy ? search.offspring(depth, state) : 0;
      if (busy) {
        tally.add(depth, children == 0);
      }

      Together::sync();  // the parents have been read
      bool const emptied = given > 0 && given == left;
      if (given > 0 && !emptied) {
        word(next_word, place) = next + given;
      }
      size -= static_cast<std::uint32_t>(Kokkos::popcount(Together::flags(emptied)));
      std::uint32_t const inner = Together::flags(children > 0);
      if (children > 0) {
        std::uint32_t const rank =
            static_cast<std::uint32_t>(Kokkos::popcount(inner & ((std::uint32_t{1} << lane) - 1)));
        set(place_of(size + rank), {state, depth, 0, children});
      }
      size += static_cast<std::uint32_t>(Kokkos::popcount(inner));
      Together::sync();  // the children are there for all
    }

    // To and from others.

    /// Lends a batch: the store's oldest, or the older half of the stack.
    KOKKOS_FUNCTION void share() {
      std::uint32_t const mine = team * slots + slot;
      if (Together::from(0, relaxed_load(search.in_use(mine))) != 0) {
        return;  // the last of that slot is still waiting, or being copied
      }
      if (lane == 0) {
        memory_fence();  // acquire: whoever had the slot has read it
      }
      Together::sync();
      std::uint32_t const count = stored > 0 ? batch : Kokkos::min(size / 2, +batch);
      Node* const nodes = &search.lent(mine, 0);
      if (stored > 0) {
        Node const* const oldest = batch_in_store(0);
        for (std::uint32_t i = lane; i < count; i += lanes) {
          nodes[i] = oldest[i];
        }
        Together::sync();
      } else {
        copy_out(nodes, count);
      }
      std::uint32_t is_lent = 0;
      if (lane == 0) {
        relaxed_store(search.in_use(mine), std::uint32_t{1});
        // relaxed: put() publishes it, before anybody can take the batch and close it.
        Kokkos::atomic_add(&control().open, AtomicWord{1});
        is_lent = search.balance.put(team, mine * batch + count - 1) ? 1 : 0;
        if (is_lent == 0) {
          Kokkos::atomic_sub(&control().open, AtomicWord{1});  // not the last: we are at work
          relaxed_store(search.in_use(mine), std::uint32_t{0});
        }
      }
      if (Together::from(0, is_lent) == 0) {
        return;
      }
      slot = (slot + 1) % slots;
      if (stored > 0) {
        bottom = (bottom + 1) % search.store_batches();
        --stored;
      } else {
        first = place_of(count);
        size -= count;
      }
    }

    /// A batch of somebody's, if there is one.
    KOKKOS_FUNCTION bool take() {
      std::uint32_t const item =
          search.balance.template take_by_lanes<Exec>(team, attempts++, lane);
      if (item == nothing) {
        return false;
      }
      copy_in(&search.lent(item / batch, 0), item % batch + 1);
      if (lane == 0) {
        memory_fence();  // release: it has been read
        relaxed_store(search.in_use(item / batch), std::uint32_t{0});
      }
      return true;
    }

    /// What this team had taken is done. Who closes the last of all ends the search: a batch is
    /// opened before it can be taken, by a team whose own work is open.
    KOKKOS_FUNCTION void close_work() const {
      if (lane == 0 && Kokkos::atomic_fetch_sub(&control().open, AtomicWord{1}) == 1) {
        raise(exhausted);
      }
    }

    /// True: leave. The watchdog: nobody waits longer than others make progress; whoever has work
    /// may have found no room to run yet, and the next launch goes on from where this one ends.
    KOKKOS_FUNCTION bool wait(std::uint64_t polls, std::uint64_t& patience,
                              AtomicWord& heard) const {
      AtomicWord const heartbeat = Together::from(0, relaxed_load(control().heartbeat));
      if (heartbeat != heard) {
        heard = heartbeat;
        patience = polls + search.pace.polls;
      }
      taper::pause(polls < 16 ? 100 : 1000);
      return polls >= patience;
    }

    static constexpr std::uint64_t beat = 64;  ///< steps from one sign of life to the next
  };
};

}  // namespace taper::tree_search::detail
