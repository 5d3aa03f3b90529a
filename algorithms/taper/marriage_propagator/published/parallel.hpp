// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/marriage_propagator/host_state.hpp>
#include <taper/marriage_propagator/published/bounds.hpp>
#include <taper/marriage_propagator/published/kernels.hpp>
#include <taper/marriage_propagator/published/lists.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace taper::marriage_propagator::published {

/// The parallel propagator as published (Section 4): the host sends all domains and bounds, runs
/// the three phases, and retrieves them. It has no inst, so Options::bind_partner must be false.
///
/// Used by: Propagator, if Options::engine is published_parallel. A family of copies shares one.
/// Nothing remains in it from call to call. Calls of several threads exclude each other.
template <ExecutionSpace Exec, class Id>
class ParallelPropagator {
 public:
  using Memory = typename Exec::memory_space;

  ParallelPropagator(Exec const& where, Lists<Id, Memory> const& lists)
      : where_(where), n_(static_cast<int>(lists.preferences[0].extent(0))),
        lists_(lists), rows_{rows<Memory>("men"), rows<Memory>("women")},
        received_{rows<Pinned>("received_men"), rows<Pinned>("received_women")},
        old_(raw("old_bounds"), 4, persons()), now_(raw("bounds"), 4, persons()),
        received_old_(raw("received_bounds"), 4, persons()),
        stacks_(raw("stacks"), stack_count, persons()),
        host_stacks_(raw("host_stacks"), stack_count, persons()),
        round_added_(name("round_added"), persons()), control_(name("control")),
        host_control_(name("host_control")) {}

  /// What a call has cost.
  struct Cost {
    std::uint32_t rounds = 0;       ///< launches of phase 2
    std::uint64_t bytes_moved = 0;  ///< between host and device
  };

  /// One call for `state`. Sets state.failed if some domain becomes empty; then the domains are
  /// those before the call. `is_first`: whether no call has reached a fixpoint yet.
  /// Async: returns with the execution space instance fenced.
  Cost propagate(detail::HostState<Id>& state, bool is_first) {
    std::lock_guard const lock(mutex_);
    cost_ = {};
    send(state, is_first);
    make_domains_coherent(is_first);
    state.failed = !apply_sm_constraint() || !finalize_changes();
    if (!state.failed) {
      take_over(state);
    }
    return cost_;
  }

 private:
  using Pinned = Kokkos::SharedHostPinnedSpace;
  using Threads = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;
  template <class Space>
  using Domains = Kokkos::View<Word**, Kokkos::LayoutRight, Space>;
  template <class Space>
  using Stacks = Kokkos::View<int**, Kokkos::LayoutRight, Space>;

  /// The rows of Stacks.
  enum Stack { mod_men, mod_women, mod_min_men, new_mod_min_men, stack_count };

  static std::string name(char const* thing) {
    return std::string("taper::marriage_propagator::published::") + thing;
  }
  static auto raw(char const* thing) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, name(thing));
  }
  template <class Space>
  Domains<Space> rows(char const* thing) const {
    return Domains<Space>(raw(thing), persons(), words_for(persons()));
  }
  /// Per side.
  std::size_t persons() const { return lists_.preferences[0].extent(0); }

  Data<Id> data() const {
    return {lists_.matrices(),
            rows_of(rows_[0]),
            rows_of(rows_[1]),
            bounds_of(old_),
            bounds_of(now_),
            control_.data(),
            n_};
  }
  int* stack(Stack which) const { return rows_of(stacks_)[which]; }

  /// Lists the modified persons and the free men, and sends these lists with all domains and
  /// bounds. Values that are missing before the first call count as modifications too.
  void send(detail::HostState<Id>& state, bool is_first) {
    host_control_() = {};
    length_men_stack_ = 0;
    length_women_stack_ = 0;
    Bounds const old = state.bounds.old();
    Bounds const now = state.bounds.now();
    Rows<Word> const men = rows_of(state.domains[0].rows);
    Rows<Word> const women = rows_of(state.domains[1].rows);
    for (int i = 0; i < n_; ++i) {
      std::uint32_t const person = static_cast<std::uint32_t>(i);
      Word const* const man = men[person];
      Word const* const woman = women[person];
      if (state.domains[0].count(person) != state.bounds.old_size(Side::men, person)) {
        host_stacks_(mod_men, length_men_stack_++) = i;
        now.min_men[i] = next_value(man, n_, now.min_men[i]);
        now.max_men[i] = last_value(man, now.max_men[i]);
      }
      if (state.domains[1].count(person) != state.bounds.old_size(Side::women, person)) {
        host_stacks_(mod_women, length_women_stack_++) = i;
        now.min_women[i] = next_value(woman, n_, now.min_women[i]);
        now.max_women[i] = last_value(woman, now.max_women[i]);
      }
      if (is_first || now.min_men[i] != old.min_men[i]) {
        host_stacks_(mod_min_men, host_control_().length_min_men_stack++) = i;
      }
    }
    copy(rows_[0], state.domains[0].rows);
    copy(rows_[1], state.domains[1].rows);
    copy(old_, state.bounds.old_table());
    copy(now_, state.bounds.now_table());
    copy(stacks_, host_stacks_);
    copy(control_, host_control_);
  }

  /// Phase 1.
  void make_domains_coherent(bool is_first) const {
    int const threads = length_men_stack_ + length_women_stack_;
    if (threads > 0) {
      Kokkos::parallel_for(name("make_domains_coherent"), Threads(where_, 0, threads),
                           MakeDomainsCoherent<Id>{data(), stack(mod_men), stack(mod_women),
                                                   length_men_stack_, stack(mod_min_men),
                                                   is_first});
    }
  }

  /// Phase 2. It is not launched if no man is free. False if some domain becomes empty.
  bool apply_sm_constraint() {
    int* men = stack(mod_min_men);
    int* new_men = stack(new_mod_min_men);
    read_control("wait for the number of free men");
    for (int length = host_control_().length_min_men_stack; length > 0;) {
      Kokkos::parallel_for(
          name("apply_sm_constraint"), Threads(where_, 0, length),
          ApplySmConstraint<Id>{data(), men, new_men, round_added_.data(), ++round_});
      ++cost_.rounds;
      read_control("wait for the number of men freed by missing values");
      if (host_control_().failed != 0) {
        return false;
      }
      std::swap(men, new_men);
      length = std::exchange(host_control_().new_length_min_men_stack, 0);
      copy(control_, host_control_);
    }
    return true;
  }

  /// Phase 3, and the way back. False if some domain is empty.
  bool finalize_changes() {
    Kokkos::parallel_for(name("finalize_changes"), Threads(where_, 0, n_),
                         FinalizeChanges<Id>{data()});
    copy(received_[0], rows_[0]);
    copy(received_[1], rows_[1]);
    copy(received_old_, old_);
    read_control("wait for the domains");
    return host_control_().failed == 0;
  }

  /// Writes the received domains to the host state, as MiniCPP's variables would be narrowed.
  void take_over(detail::HostState<Id>& state) const {
    state.trail_pending();
    state.pending.clear();
    state.free.clear();
    state.assigned.clear();
    Bounds const old = bounds_of(received_old_);
    for (int i = 0; i < n_; ++i) {
      take_over(state, Side::men, static_cast<std::uint32_t>(i), old.min_men[i], old.max_men[i]);
      take_over(state, Side::women, static_cast<std::uint32_t>(i), old.min_women[i],
                old.max_women[i]);
    }
  }
  void take_over(detail::HostState<Id>& state, Side side, std::uint32_t person, int least,
                 int greatest) const {
    detail::SideView<Id> const view = state.view_of(side);
    for (std::uint32_t word = 0; word < view.words(); ++word) {
      Word const gone = view.rows(person, word) & ~received_[index_of(side)](person, word);
      if (gone == 0) {
        continue;
      }
      view.rows(person, word) &= ~gone;
      view.count[person] -= count_bits(gone);
      state.mark_changed(side, person);
      if (side == Side::men) {
        state.size -= count_bits(gone);
        state.trail_values(person, word, gone);
      }
    }
    state.set_bounds(side, person, static_cast<std::uint32_t>(least),
                     static_cast<std::uint32_t>(greatest));
  }

  void read_control(char const* reason) {
    copy(host_control_, control_);
    where_.fence(name("propagate: ") + reason);
  }

  /// Copies a View, and counts its bytes.
  template <class To, class From>
  void copy(To const& to, From const& from) {
    Kokkos::deep_copy(where_, to, from);
    if constexpr (is_gpu<Exec>) {
      cost_.bytes_moved += to.span() * sizeof(typename To::value_type);
    }
  }

  Exec where_;
  int n_;
  Lists<Id, Memory> lists_;
  std::array<Domains<Memory>, 2> rows_;
  std::array<Domains<Pinned>, 2> received_;
  BoundsTable<Memory> old_;
  BoundsTable<Memory> now_;
  BoundsTable<Pinned> received_old_;
  Stacks<Memory> stacks_;
  Stacks<Pinned> host_stacks_;
  Kokkos::View<std::uint32_t*, Memory> round_added_;
  Kokkos::View<Control, Memory> control_;
  Kokkos::View<Control, Pinned> host_control_;
  int length_men_stack_ = 0;
  int length_women_stack_ = 0;
  std::uint32_t round_ = 0;
  Cost cost_;
  std::mutex mutex_;
};

}  // namespace taper::marriage_propagator::published
