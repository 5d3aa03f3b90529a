// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/host_state.hpp>
#include <taper/marriage_propagator/published/bounds.hpp>
#include <taper/marriage_propagator/published/lists.hpp>
#include <taper/marriage_propagator/published/variables.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <queue>

namespace taper::marriage_propagator::published {

/// The serial propagator as published: Algorithm 2, with the queue of Section 4.1. One object per
/// call; runs on the calling thread.
///
/// The functions have the names and the lines of Algorithm 2. remove_value and inst serve both
/// sides, as the paper corrects its source. docs/constraint.md lists what else differs.
///
/// Used by: Propagator, if Options::engine is published_serial.
template <class Id>
class SerialPropagator {
 public:
  SerialPropagator(detail::HostState<Id>& state, Lists<Id, Kokkos::HostSpace> const& lists,
                   bool binds_partners)
      : state_(state), n_(static_cast<int>(state.n)), pm(lists.matrices().pm),
        pw(lists.matrices().pw), mpw(lists.matrices().mpw), wpm(lists.matrices().wpm),
        xlb(state.bounds.old().min_men), yub(state.bounds.old().max_women),
        x(state, Side::men, binds_partners, calls_), y(state, Side::women, binds_partners, calls_),
        binds_partners_(binds_partners) {}

  /// If some domain becomes empty, it sets state.failed, and the domains are then meaningless.
  /// `is_first`: whether no call has reached a fixpoint yet.
  void propagate(bool is_first) {
    take_removals();
    find_changes(x, true);
    find_changes(y, false);
    if (is_first) {
      init();
    }
    while (!calls_.empty() && !state_.failed) {
      Call const call = calls_.front();
      calls_.pop();
      perform(call);
    }
    if (!state_.failed) {
      keep_bounds(is_first);
    }
  }

 private:
  void delta_min(int i) {
    int const l = pm(i, x.get_min(i));
    y.set_max(l, wpm(l, i));
    for (int k = xlb[i]; k <= x.get_min(i) - 1; ++k) {
      int const j = pm(i, k);
      y.set_max(j, wpm(j, i) - 1);
    }
    xlb[i] = x.get_min(i);
  }

  void delta_max(int j) {
    for (int k = y.get_max(j) + 1; k <= yub[j]; ++k) {
      int const i = pw(j, k);
      x.rem_val(i, mpw(i, j));
    }
    yub[j] = y.get_max(j);
  }

  void remove_value(int i, int a, bool is_man) {
    if (is_man) {
      int const j = pm(i, a);
      y.rem_val(j, wpm(j, i));
    } else {
      int const j = pw(i, a);
      x.rem_val(j, mpw(j, i));
    }
  }

  void init() {
    for (int i = 0; i <= n_ - 1; ++i) {
      delta_min(i);
    }
  }

  /// Binds the partner of a person with one value left.
  void inst(int i, bool is_man) {
    if (is_man) {
      for (int k = xlb[i]; k <= x.get_val(i) - 1; ++k) {
        int const j = pm(i, k);
        y.set_max(j, wpm(j, i) - 1);
      }
      int const j = pm(i, x.get_val(i));
      y.set_val(j, wpm(j, i));
      for (int k = x.get_val(i) + 1; k <= n_ - 1; ++k) {
        int const rival = pm(i, k);
        y.rem_val(rival, wpm(rival, i));
      }
    } else {
      for (int k = 0; k <= y.get_val(i) - 1; ++k) {
        int const rival = pw(i, k);
        x.rem_val(rival, mpw(rival, i));
      }
      int const j = pw(i, y.get_val(i));
      x.set_val(j, mpw(j, i));
      for (int k = y.get_val(i) + 1; k <= yub[i]; ++k) {
        int const rival = pw(i, k);
        x.rem_val(rival, mpw(rival, i));
      }
    }
  }

  /// Section 4.1: MiniCPP does not say what has changed. So the propagator compares all sizes with
  /// the old ones. It looks through a changed domain for values that are missing between the old
  /// bounds, except for those of delta_min below a minimum and of delta_max above a maximum.
  void find_changes(Variables<Id> const& variables, bool is_man) {
    Bounds const old = state_.bounds.old();
    Side const side = is_man ? Side::men : Side::women;
    for (int i = 0; i < n_; ++i) {
      if (variables.size(i) == state_.bounds.old_size(side, static_cast<std::uint32_t>(i))) {
        continue;
      }
      int const min = variables.get_min(i);
      int const max = variables.get_max(i);
      if (is_man && min > xlb[i]) {
        calls_.push({Function::delta_min, is_man, i});
      }
      if (!is_man && max < yub[i]) {
        calls_.push({Function::delta_max, is_man, i});
      }
      int const first = is_man ? min + 1 : old.min_women[i];
      int const last = is_man ? old.max_men[i] : max - 1;
      for (int a = first; a <= last; ++a) {
        if (!variables.has(i, a)) {
          calls_.push({Function::remove_value, is_man, i, a});
        }
      }
      if (binds_partners_ && variables.size(i) == 1) {
        calls_.push({Function::inst, is_man, i});
      }
    }
  }

  void perform(Call const& call) {
    switch (call.function) {
    case Function::delta_min:
      return delta_min(call.person);
    case Function::delta_max:
      return delta_max(call.person);
    case Function::remove_value:
      return remove_value(call.person, call.value, call.is_man);
    case Function::inst:
      return inst(call.person, call.is_man);
    }
  }

  /// Takes over the solver's removals: these persons' bounds change too, and the trail needs the
  /// values that men lost.
  void take_removals() {
    state_.trail_pending();
    for (Side const side : {Side::men, Side::women}) {
      for (std::uint32_t const person : state_.pending.persons.of(side).persons()) {
        state_.mark_changed(side, person);
      }
    }
    state_.pending.clear();
  }

  /// Records the bounds of all domains in a first call, and later of the changed ones.
  void keep_bounds(bool is_first) {
    for (Side const side : {Side::men, Side::women}) {
      Variables<Id> const& variables = side == Side::men ? x : y;
      auto const keep = [&](std::uint32_t person) {
        int const i = static_cast<int>(person);
        state_.set_bounds(side, person, static_cast<std::uint32_t>(variables.get_min(i)),
                          static_cast<std::uint32_t>(variables.get_max(i)));
      };
      for (std::uint32_t person = 0; is_first && person < state_.n; ++person) {
        keep(person);
      }
      for (std::uint32_t const person : state_.changed.of(side).persons()) {
        keep(person);
      }
    }
    state_.free.clear();
    state_.assigned.clear();
  }

  detail::HostState<Id>& state_;
  int n_;
  std::queue<Call> calls_;
  // The names of Algorithm 2.
  Matrix<Id> pm, pw, mpw, wpm;
  int* xlb;
  int* yub;
  Variables<Id> x, y;
  bool binds_partners_;
};

}  // namespace taper::marriage_propagator::published
