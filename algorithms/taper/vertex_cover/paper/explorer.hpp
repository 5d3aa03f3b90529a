// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/polling.hpp>
#include <taper/vertex_cover/paper/board.hpp>
#include <taper/vertex_cover/paper/control.hpp>
#include <taper/vertex_cover/paper/registry.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// One team's search: its board, and what it tells and asks the other teams. All members are called by
/// all lanes together, where nothing else is said.
template <class Search>
class Explorer {
 public:
  using Exec = typename Search::Space;
  using Degree = typename Search::Width;
  using Memory = typename Search::Memory;
  using Work = typename Search::Work;
  using Small = typename Search::Small;

  KOKKOS_FUNCTION Explorer(Search const& its_search, Work const& its_work, Small& its_small,
                           std::uint32_t number)
      : search(its_search), work(its_work), small(its_small), state(its_search.teams(number)),
        team(number) {}

  KOKKOS_FUNCTION void explore();

 private:
  enum class Verdict { hopeless, covered, open };
  enum class Split { whole, part, solved, done };
  struct Others;  ///< in small_graphs.hpp
  /// What an idle team knows of the others.
  struct Hearing {
    AtomicWord heartbeat;  ///< the last sign of life
    std::uint64_t at;      ///< when it was noticed, in ticks
    std::uint32_t idle;    ///< teams, lately
  };

  static constexpr std::uint32_t leave = nothing - 1;
  /// Of a part that is not handed on.
  static constexpr std::uint32_t nodes_on_the_spot = 64;
  static constexpr std::uint64_t polls_a_look = 16;
  static constexpr std::uint32_t nanoseconds_an_idle_team = 4;
  static constexpr std::uint32_t first_branch = 1u << 31;  ///< its second is still to be visited

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

  // Where nodes come from: explore.hpp

  KOKKOS_FUNCTION std::uint32_t next_item(std::uint64_t attempt);
  KOKKOS_FUNCTION std::uint32_t look_for_item(std::uint64_t attempt);
  KOKKOS_FUNCTION void wait(std::uint64_t polls, Hearing& last) const;

  // Nodes to and from storage: storage.hpp

  KOKKOS_FUNCTION static NodeHead& head_of(unsigned char* slot) {
    return *reinterpret_cast<NodeHead*>(slot);
  }
  KOKKOS_FUNCTION static Degree* degrees_of(unsigned char* slot) {
    return reinterpret_cast<Degree*>(slot + sizeof(NodeHead));
  }
  KOKKOS_FUNCTION void load(std::uint32_t item);
  KOKKOS_FUNCTION void load_root(std::uint32_t index);
  KOKKOS_FUNCTION void load_slot(unsigned char* slot) const;
  KOKKOS_FUNCTION void store_slot(unsigned char* slot, Action action, std::uint32_t vertex) const;
  KOKKOS_FUNCTION void act(Action action, std::uint32_t vertex);
  KOKKOS_FUNCTION bool hand_on(Action action, std::uint32_t vertex);
  KOKKOS_FUNCTION bool put(std::uint32_t slot, std::uint32_t entry);
  KOKKOS_FUNCTION bool publish(std::uint32_t slot, std::uint32_t entry);
  KOKKOS_FUNCTION void complete_node();
  KOKKOS_FUNCTION void repay();

  // A node: visit.hpp

  KOKKOS_FUNCTION void visit();
  KOKKOS_FUNCTION Verdict reduce(Survey& survey) const;
  KOKKOS_FUNCTION void branch(std::uint32_t vertex, bool lean);

  // Small graphs: small_graphs.hpp

  KOKKOS_FUNCTION bool solve_small(std::uint32_t live, std::uint32_t best, bool whole);
  KOKKOS_FUNCTION bool share(std::uint32_t lane, std::uint32_t live,
                             typename Small::Branch const& branch,
                             typename Small::Set const& taken);
  KOKKOS_FUNCTION TAPER_NOINLINE void tell(std::uint32_t lane, std::uint32_t live,
                                           typename Small::Set const& cover) const;

  // Where there is no room to store a node: lean_branching.hpp

  KOKKOS_FUNCTION void branch_lean(std::uint32_t vertex, bool lean);
  KOKKOS_FUNCTION bool next_lean();
  KOKKOS_FUNCTION bool paused_lean() const;

  // Components: parts.hpp

  KOKKOS_FUNCTION Split split(Survey& left);
  KOKKOS_FUNCTION bool solve_at_once(Survey const& part);
  KOKKOS_FUNCTION bool open_branch(std::uint32_t& branch, std::uint32_t& rest, std::uint32_t before,
                                   std::uint32_t all) const;
  KOKKOS_FUNCTION void write_taken(std::uint32_t branch) const;
  KOKKOS_FUNCTION std::uint32_t first_best(std::uint32_t branch, std::uint32_t before,
                                           std::uint32_t size) const;
  template <class Predicate>
  KOKKOS_FUNCTION void open_part(std::uint32_t entry, std::uint32_t branch, std::uint32_t before,
                                 Survey const& part, Predicate const& is_in) const;
  KOKKOS_FUNCTION bool hand_on_part(std::uint32_t branch, std::uint32_t before, Survey const& part);
  KOKKOS_FUNCTION void become_part(std::uint32_t branch, std::uint32_t rest, std::uint32_t before,
                                   Survey const& part, std::uint32_t unopened, std::uint32_t found);
  KOKKOS_FUNCTION Split close_branch(std::uint32_t branch, std::uint32_t rest, std::uint32_t before,
                                     std::uint32_t unopened, std::uint32_t found);
  KOKKOS_FUNCTION void contribute_taken(std::uint32_t branch, std::uint32_t before,
                                        std::uint32_t excess) const;
  /// The range of a component's vertices, as multiples of 32.
  KOKKOS_FUNCTION std::uint32_t first_of(Survey const& part) const {
    return search.bounds ? part.low / 32 * 32 : node().first;
  }
  KOKKOS_FUNCTION std::uint32_t end_of(Survey const& part) const {
    return search.bounds ? (part.high + 31) / 32 * 32 : node().end;
  }

  // Covers, and components that are solved: closing.hpp

  KOKKOS_FUNCTION void record_cover() const;
  KOKKOS_FUNCTION void improve(std::uint32_t component, std::uint32_t size,
                               std::uint32_t& row) const;
  KOKKOS_FUNCTION void lower_total(std::uint32_t gain) const;
  template <class Bits>
  KOKKOS_FUNCTION void merge(std::uint32_t* into, Bits const& bits, std::uint32_t first,
                             std::uint32_t end) const;
  KOKKOS_FUNCTION void close_component(std::uint32_t component);
  KOKKOS_FUNCTION std::uint32_t leave_branch(std::uint32_t branch, std::uint32_t count);

  Search const& search;
  Work const work;
  Small& small;
  TeamState& state;
  std::uint32_t const team;
  // The leader's.
  bool roots_are_left = true;
  std::uint64_t nodes = 0;
  std::uint64_t since = 0;
  Activity activity = Activity::idle;
  /// Live nodes of `creditor` that are done, which it does not know yet.
  std::uint32_t credit = 0;
  std::uint32_t creditor = nothing;
};

}  // namespace taper::vertex_cover::paper
