// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/tree_search/offspring.hpp>
#include <taper/warp.hpp>
#include <taper/work_queues.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace taper::tree_search::detail {

/// Why teams end a launch. Of several reasons, the greatest counts.
enum StopReason : std::uint32_t {
  keep_running,
  quota_reached,  ///< a team has made LaunchLimits::steps steps
  store_full,     ///< a team has no room for its own nodes
  exhausted,      ///< no node with children is left
};

/// The state that all teams share: a LaunchControl of run_bounded_search().
struct Control {
  alignas(64) AtomicWord heartbeat;  ///< increases while teams make nodes
  alignas(64) AtomicWord open;       ///< teams with work, and shared batches not yet taken
  alignas(64) std::uint32_t stop;    ///< a StopReason
};

/// What a team keeps between launches, and its counters.
struct TeamState {
  std::uint32_t size;    ///< nodes in its row of Search::parked
  std::uint32_t bottom;  ///< position of the oldest batch in its store
  std::uint32_t stored;  ///< batches in its store
  std::uint32_t slot;    ///< the next of its slots for a shared batch
  // Counters over all launches.
  std::uint32_t depth;
  AtomicWord nodes;
  AtomicWord leaves;
};

/// The limits of a team in one launch.
struct LaunchLimits {
  std::uint64_t steps;     ///< the quota of steps
  std::uint64_t patience;  ///< ticks without work and without a heartbeat after which a team ends
};

/// Tree search by teams that keep their nodes private and share some on demand. The kernel.
///
/// A team is one thread of Kokkos with its lanes: a warp of a GPU. It has a stack of nodes in its
/// scratch. In each step every lane makes one child. The children are those of the newest nodes, as
/// many nodes as it takes. So all lanes compute hashes together, whatever the number of children
/// per node. Nodes that do not fit into the scratch go to the team's own store, a batch at a time.
///
/// If the work queue reports queue_empty() for the team, the team shares a batch: its oldest nodes,
/// up to half of them. It writes the batch to one of its slots and puts the slot's number on the
/// queue. The team that takes the item copies the batch. Apart from the queue, this changes only
/// one variable that all teams share: Control::open.
///
/// Equivalent to: a depth-first search, except for the order of the nodes.
/// Source: the sharing on demand with otherwise private work is that of Acar, Charguéraud and
///   Rainey, "Scheduling parallel programs by work stealing with private deques", PPoPP 2013.
/// Used by: SearchRun (search_run.hpp).
template <ExecutionSpace Exec, WorkQueue Queue>
struct Search {
  using Memory = typename Exec::memory_space;
  /// 16 teams per processor. A GPU with 64K registers per processor then has 128 per thread.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<32, 16>>;
  using Member = typename Policy::member_type;
  using Lanes = Warp<Exec>;
  template <class T>
  using List = Kokkos::View<T*, Memory>;
  template <class T>
  using Table = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

  static constexpr std::uint32_t lanes = Lanes::count;
  static constexpr std::uint32_t batch = 32;      ///< nodes per batch
  static constexpr std::uint32_t capacity = 128;  ///< nodes in a team's scratch, a power of two
  static constexpr std::uint32_t slots = 16;      ///< batches that a team can share at a time
  static constexpr std::uint32_t words = sizeof(Node) / sizeof(std::uint32_t);
  static constexpr std::size_t scratch_bytes = capacity * sizeof(Node);
  static_assert(lanes <= batch && batch + lanes <= capacity);

  Offspring<Memory> offspring;
  Queue queue;                 ///< an item is slot * batch + (number of nodes) - 1
  Table<Node> shared;          ///< a row per slot: its batch
  List<std::uint32_t> in_use;  ///< 1: the slot's batch has not been copied yet
  Table<Node> store;           ///< a row per team: a ring buffer of batches
  Table<Node> parked;          ///< a row per team: its scratch between launches
  List<TeamState> teams;
  Kokkos::View<Control, Memory> control;
  LaunchLimits limits;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const scratch = static_cast<std::uint32_t*>(
        member.team_shmem().get_shmem_aligned(+scratch_bytes, alignof(Node)));
    auto const team = static_cast<std::uint32_t>(member.league_rank());
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), [&](std::uint32_t lane) {
      Worker{*this, scratch, team, lane}.run();
    });
  }

  /// The capacity of a team's store, in batches.
  KOKKOS_FUNCTION std::uint32_t store_batches() const {
    return static_cast<std::uint32_t>(store.extent(1) / batch);
  }

 private:
  /// One lane of a team. All lanes call each member function together. Data members that are not
  /// marked as the lane's own have the same value in all lanes.
  struct Worker {
    Search const& search;
    std::uint32_t* const scratch;
    std::uint32_t const team;
    std::uint32_t const lane;  ///< the lane's own
    std::uint32_t first = 0;   ///< the oldest node's position in scratch
    std::uint32_t size = 0;    ///< nodes in scratch
    std::uint32_t bottom = 0;  ///< bottom, stored, slot: see TeamState
    std::uint32_t stored = 0;
    std::uint32_t slot = 0;
    std::uint64_t steps = 0;
    std::uint64_t attempts = 0;  ///< calls of take()
    Tally tally{};               ///< the lane's own

    KOKKOS_FUNCTION void run() {
      unpark();
      bool has_work = size + stored > 0;
      std::uint64_t polls = 0;
      Observation observation{};
      for (bool leave = false; !leave;) {
        if (size > 0) {
          leave = step();
        } else if (stored > 0) {
          refill();
        } else if (has_work) {
          close_work();
          has_work = false;
        } else if (is_stopped()) {
          leave = true;
        } else if (take()) {
          has_work = true;
          polls = 0;
        } else {
          leave = wait(++polls, observation);
        }
      }
      if (has_work && size + stored == 0) {
        close_work();
      }
      park();
    }

   private:
    KOKKOS_FUNCTION Control& control() const { return search.control(); }
    KOKKOS_FUNCTION void stop(StopReason reason) const {
      if (lane == 0) {
        Kokkos::atomic_max(&control().stop, std::uint32_t{reason});  // relaxed: teams poll it
      }
    }
    KOKKOS_FUNCTION void advance_heartbeat() const {
      if (lane == 0) {
        Kokkos::atomic_add(&control().heartbeat, AtomicWord{1});  // relaxed: teams poll it
      }
    }
    KOKKOS_FUNCTION bool is_stopped() const {
      return Lanes::shuffle(0, relaxed_load(control().stop)) != keep_running;
    }

    // --- The scratch. On a GPU the same words of neighbouring nodes are adjacent, so that the
    // lanes access different banks.

    KOKKOS_FUNCTION std::uint32_t& word(std::uint32_t number, std::uint32_t position) const {
      return scratch[is_gpu<Exec> ? number * capacity + position : position * words + number];
    }
    /// The position of node number `i` of the stack; the oldest is number 0.
    KOKKOS_FUNCTION std::uint32_t position_of(std::uint32_t i) const {
      return (first + i) % capacity;
    }
    static constexpr std::uint32_t depth_word = 5;
    static constexpr std::uint32_t next_word = 6;
    static constexpr std::uint32_t children_word = 7;

    KOKKOS_FUNCTION Sha1Digest state_at(std::uint32_t position) const {
      return {{word(0, position), word(1, position), word(2, position), word(3, position),
               word(4, position)}};
    }
    KOKKOS_FUNCTION Node node_at(std::uint32_t position) const {
      return {state_at(position), word(depth_word, position), word(next_word, position),
              word(children_word, position)};
    }
    KOKKOS_FUNCTION void set(std::uint32_t position, Node const& node) const {
      for (std::uint32_t i = 0; i < 5; ++i) {
        word(i, position) = node.state.word[i];
      }
      word(depth_word, position) = node.depth;
      word(next_word, position) = node.next;
      word(children_word, position) = node.children;
    }

    /// Copies the `count` oldest nodes to `to`. They stay in the scratch.
    KOKKOS_FUNCTION void copy_out(Node* to, std::uint32_t count) const {
      for (std::uint32_t i = lane; i < count; i += lanes) {
        to[i] = node_at(position_of(i));
      }
      Lanes::sync();
    }
    /// Copies `count` nodes to the empty stack.
    KOKKOS_FUNCTION void copy_in(Node const* from, std::uint32_t count) {
      first = 0;
      size = count;
      for (std::uint32_t i = lane; i < count; i += lanes) {
        set(i, from[i]);
      }
      Lanes::sync();
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
      // relaxed: the host reads the counters after the launch.
      Kokkos::atomic_add(&state.nodes, AtomicWord{tally.nodes});
      Kokkos::atomic_add(&state.leaves, AtomicWord{tally.leaves});
      Kokkos::atomic_max(&state.depth, tally.depth);
      if (steps > 0) {
        advance_heartbeat();
      }
    }

    // --- The team's own store.

    /// Batch number `i` of the store; the oldest is number 0.
    KOKKOS_FUNCTION Node* batch_in_store(std::uint32_t i) const {
      return &search.store(team, (bottom + i) % search.store_batches() * batch);
    }
    /// Moves the oldest batch of the stack to the store. False: the store is full.
    KOKKOS_FUNCTION bool spill() {
      if (stored == search.store_batches()) {
        return false;
      }
      copy_out(batch_in_store(stored), batch);
      ++stored;
      first = position_of(batch);
      size -= batch;
      return true;
    }
    /// Moves the newest batch of the store to the empty stack.
    KOKKOS_FUNCTION void refill() {
      --stored;
      copy_in(batch_in_store(stored), batch);
    }

    // --- One step.

    /// True: the team leaves the launch.
    KOKKOS_FUNCTION bool step() {
      if (size + lanes > capacity && !spill()) {
        stop(store_full);
        return true;
      }
      // These loads complete during the hashing.
      std::uint32_t const reason = relaxed_load(control().stop);
      bool const queue_empty = search.queue.queue_empty(team);
      expand();
      if (++steps % steps_per_heartbeat == 0) {
        advance_heartbeat();
      }
      if (steps == search.limits.steps) {
        stop(quota_reached);
      }
      if (Lanes::shuffle(0, std::uint32_t{queue_empty}) != 0 && (size > 1 || stored > 0)) {
        share();
      }
      return Lanes::shuffle(0, reason) != keep_running;
    }

    /// Makes one child per lane, of the newest nodes.
    KOKKOS_FUNCTION void expand() {
      // Lane i counts the children that its node, the i-th newest, makes in this step.
      std::uint32_t const position = position_of(size - 1 - lane);
      std::uint32_t const next = lane < size ? word(next_word, position) : 0;
      std::uint32_t const left = lane < size ? word(children_word, position) - next : 0;
      std::uint32_t const wanted = Kokkos::min(left, +lanes);
      std::uint32_t const up_to = Lanes::inclusive_sum(lane, wanted);
      std::uint32_t const before = Kokkos::min(up_to - wanted, +lanes);
      std::uint32_t const granted = Kokkos::min(wanted, lanes - before);

      // Binary search: the parent of lane i's child is the first node whose `up_to` exceeds i.
      std::uint32_t parent = 0;
      for (std::uint32_t half = lanes / 2; half > 0; half /= 2) {
        parent += Lanes::shuffle(parent + half - 1, up_to) <= lane ? half : 0;
      }
      bool const busy = lane < Lanes::shuffle(lanes - 1, up_to);
      std::uint32_t const number = Lanes::shuffle(parent, next - before) + lane;
      std::uint32_t const parent_position = position_of(size - 1 - parent);
      // Lanes without a child compute a hash, too. They read inside the scratch, but not a node.
      std::uint32_t const depth = word(depth_word, parent_position) + 1;
      Sha1Digest const state = sha1_of(state_at(parent_position), number);
      std::uint32_t const children = busy ? search.offspring(depth, state) : 0;
      if (busy) {
        tally.add(depth, children == 0);
      }

      Lanes::sync();  // all lanes have read their parents
      bool const emptied = granted > 0 && granted == left;
      if (granted > 0 && !emptied) {
        word(next_word, position) = next + granted;
      }
      size -= static_cast<std::uint32_t>(Kokkos::popcount(Lanes::ballot(emptied)));
      std::uint32_t const inner = Lanes::ballot(children > 0);
      if (children > 0) {
        std::uint32_t const rank =
            static_cast<std::uint32_t>(Kokkos::popcount(inner & ((std::uint32_t{1} << lane) - 1)));
        set(position_of(size + rank), {state, depth, 0, children});
      }
      size += static_cast<std::uint32_t>(Kokkos::popcount(inner));
      Lanes::sync();  // all lanes may read the children
    }

    // --- Exchange with other teams.

    /// Shares a batch: the store's oldest, or the older half of the stack.
    KOKKOS_FUNCTION void share() {
      std::uint32_t const mine = team * slots + slot;
      if (Lanes::shuffle(0, relaxed_load(search.in_use(mine))) != 0) {
        return;  // the slot's last batch has not been taken or copied yet
      }
      if (lane == 0) {
        memory_fence();  // acquire: the slot's last taker has read its batch
      }
      Lanes::sync();
      std::uint32_t const count = stored > 0 ? batch : Kokkos::min(size / 2, +batch);
      Node* const nodes = &search.shared(mine, 0);
      if (stored > 0) {
        Node const* const oldest = batch_in_store(0);
        for (std::uint32_t i = lane; i < count; i += lanes) {
          nodes[i] = oldest[i];
        }
        Lanes::sync();
      } else {
        copy_out(nodes, count);
      }
      std::uint32_t is_shared = 0;
      if (lane == 0) {
        // Both relaxed: put() publishes them before a team can take the batch, free the slot and
        // call close_work().
        relaxed_store(search.in_use(mine), std::uint32_t{1});
        Kokkos::atomic_add(&control().open, AtomicWord{1});
        is_shared = search.queue.put(team, mine * batch + count - 1) ? 1 : 0;
        if (is_shared == 0) {
          Kokkos::atomic_sub(&control().open, AtomicWord{1});  // not the last: this team has work
          relaxed_store(search.in_use(mine), std::uint32_t{0});
        }
      }
      if (Lanes::shuffle(0, is_shared) == 0) {
        return;
      }
      slot = (slot + 1) % slots;
      if (stored > 0) {
        bottom = (bottom + 1) % search.store_batches();
        --stored;
      } else {
        first = position_of(count);
        size -= count;
      }
    }

    /// Takes a shared batch. False: there is none.
    KOKKOS_FUNCTION bool take() {
      std::uint32_t const item = search.queue.template warp_take<Exec>(team, attempts++, lane);
      if (item == nothing) {
        return false;
      }
      copy_in(&search.shared(item / batch, 0), item % batch + 1);
      if (lane == 0) {
        memory_fence();  // release: the batch is read before the slot becomes free
        relaxed_store(search.in_use(item / batch), std::uint32_t{0});
      }
      return true;
    }

    /// Records that this team has no work left. If nothing else is open, the search ends.
    ///
    /// The count cannot reach 0 early: a batch is counted before it can be taken, by a team that
    /// itself counts as open.
    KOKKOS_FUNCTION void close_work() const {
      if (lane == 0 && Kokkos::atomic_fetch_sub(&control().open, AtomicWord{1}) == 1) {
        stop(exhausted);
      }
    }

    /// What an idle team has last seen of the others.
    struct Observation {
      AtomicWord heartbeat;  ///< the last value
      std::uint64_t at;      ///< the time at which it changed, in ticks
    };

    /// One poll of an idle team. True: the team leaves the launch, because it has seen no heartbeat
    /// for LaunchLimits::patience. A team with work may be waiting for a place on the device; the
    /// next launch continues from here. The clock decides, not a count of polls: on a crowded host
    /// each poll may give a time slice to another program.
    KOKKOS_FUNCTION bool wait(std::uint64_t polls, Observation& last) const {
      AtomicWord const heartbeat = Lanes::shuffle(0, relaxed_load(control().heartbeat));
      std::uint64_t const now = Lanes::shuffle(0, ticks());
      if (polls == 1 || heartbeat != last.heartbeat) {
        last = {heartbeat, now};
      }
      taper::pause(polls < 16 ? 100 : 1000);
      return now - last.at >= search.limits.patience;
    }

    static constexpr std::uint64_t steps_per_heartbeat = 64;
  };
};

}  // namespace taper::tree_search::detail
