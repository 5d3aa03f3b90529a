// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/call_spec.hpp>
#include <taper/marriage_propagator/options.hpp>
#include <taper/random.hpp>

#include <cmath>
#include <cstdint>

// Generated calls: starting domains, and what a search does to them. Lists come from
// stable_marriage::generate(). Everything depends on the seed and the domains alone. So propagators
// that agree get the same calls.
// Used by: `taper run`, the tests and the benchmarks.

namespace taper::marriage_propagator {

/// Removes each value with probability 1 / one_in.
template <class Propagator>
void remove_at_random(Propagator& propagator, std::uint32_t one_in, std::uint64_t seed) {
  RandomStream random(seed, 0);
  for (Side const side : {Side::men, Side::women}) {
    for (std::uint32_t person = 0; person < propagator.size(); ++person) {
      for (std::uint32_t value = 0; value < propagator.size(); ++value) {
        if (random.below(one_in) == 0) {
          propagator.remove(side, person, value);
        }
      }
    }
  }
}

/// Removes the least values of `men` men that have two values or more, or of all such men if they
/// are fewer.
template <class Propagator>
void remove_minima(Propagator& propagator, std::uint32_t men, std::uint64_t seed) {
  std::uint32_t const n = propagator.size();
  if (n == 0) {
    return;
  }
  RandomStream random(seed, 1);
  std::uint32_t const start = random.below(n);
  for (std::uint32_t i = 0; i < n && men > 0; ++i) {
    std::uint32_t const man = (start + i) % n;
    if (propagator.count(Side::men, man) > 1) {
      propagator.remove(Side::men, man, propagator.least(Side::men, man));
      --men;
    }
  }
}

/// Removes one value strictly between the bounds of `people` persons, men and women by turns. Skips
/// persons without such a value. No proposer becomes free.
template <class Propagator>
void remove_between(Propagator& propagator, std::uint32_t people, std::uint64_t seed) {
  std::uint32_t const n = propagator.size();
  if (n == 0) {
    return;
  }
  RandomStream random(seed, 2);
  std::uint32_t const start = random.below(n);
  for (std::uint32_t i = 0; i < 2 * n && people > 0; ++i) {
    Side const side = i % 2 == 0 ? Side::men : Side::women;
    std::uint32_t const person = (start + i / 2) % n;
    std::uint32_t const least = propagator.least(side, person);
    std::uint32_t const greatest = propagator.greatest(side, person);
    for (std::uint32_t value = least + 1; value < greatest; ++value) {
      // The value must not be a bound of the partner either.
      std::uint32_t const partner = propagator.partner(side, person, value);
      std::uint32_t const reverse = propagator.reverse_value(side, person, value);
      if (propagator.contains(side, person, value) &&
          reverse != propagator.least(other(side), partner) &&
          reverse != propagator.greatest(other(side), partner)) {
        propagator.remove(side, person, value);
        --people;
        break;
      }
    }
  }
}

/// Reduces the domains of `people` persons to those in `lists`. They are men and women by turns,
/// starting with number `first` of an order that the seed determines. No proposer becomes free.
///
/// lists: a propagator of the same market with Options::symmetric, after its first call. This is
/// what the second constraint of the paper's models does, which has the sides exchanged.
template <class Propagator, class Lists>
void keep_lists(Propagator& propagator, Lists const& lists, std::uint32_t first,
                std::uint32_t people, std::uint64_t seed) {
  std::uint32_t const n = propagator.size();
  RandomStream random(seed, 4);
  std::uint32_t const start = n > 0 ? random.below(n) : 0;
  for (std::uint32_t i = first; i < 2 * n && i < first + people; ++i) {
    Side const side = i % 2 == 0 ? Side::men : Side::women;
    std::uint32_t const person = (start + i / 2) % n;
    propagator.keep(side, person, lists.row(side, person));
  }
}

/// Assigns a woman and the best man of her domain in `lists` (see keep_lists()) to each other. Some
/// stable matching has this pair. It frees her former partner and this man, as the next step of a
/// search does. Does nothing if each woman has one value left.
template <class Propagator, class Lists>
void assign_couple(Propagator& propagator, Lists const& lists, std::uint64_t seed) {
  std::uint32_t const n = propagator.size();
  RandomStream random(seed, 5);
  std::uint32_t const start = n > 0 ? random.below(n) : 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t const woman = (start + i) % n;
    if (lists.count(Side::women, woman) > 1) {
      std::uint32_t const value = lists.least(Side::women, woman);
      std::uint32_t const man = propagator.partner(Side::women, woman, value);
      propagator.assign(Side::women, woman, value);
      propagator.assign(Side::men, man, propagator.reverse_value(Side::women, woman, value));
      return;
    }
  }
}

/// Performs everything that leads to the specified call, but not the call itself.
/// propagator: fresh. lists: see keep_lists().
template <class Propagator, class Lists>
void prepare_call(CallSpec const& spec, Propagator& propagator, Lists const& lists) {
  if (spec.family == Family::all_free) {
    return;
  }
  if (spec.family == Family::missing) {
    return remove_at_random(propagator, spec.one_in, spec.seed);
  }
  propagator.propagate();
  bool const decides = spec.family == Family::two_free;
  auto const people = 2 * propagator.size();
  auto const before = static_cast<std::uint32_t>(std::llround(spec.narrowed * people));
  auto deeper = lists.copy();
  for (std::uint32_t couple = 0; decides && couple < spec.decided; ++couple) {
    assign_couple(propagator, deeper, spec.seed);
    propagator.propagate();
    assign_couple(deeper, deeper, spec.seed);
    deeper.propagate();
  }
  keep_lists(propagator, deeper, 0, before, spec.seed);
  propagator.propagate();
  propagator.save();
  if (decides) {
    assign_couple(propagator, deeper, spec.seed);
  } else {
    keep_lists(propagator, lists, before, spec.modified, spec.seed);
  }
}

/// A whole search for the first solution of the paper's models, with two constraints of one market.
/// `second` has the sides exchanged. Both are called by turns until neither changes anything. Then
/// the first man with several values is assigned to his best woman left. This repeats until each
/// person has one value. No assignment fails: the constraints ensure it.
///
/// Requires: both are fresh. `call(propagator)` calls propagate().
template <class Propagator, class Call>
void search(Propagator& first, Propagator& second, Call const& call) {
  auto const send_changes = [](Propagator const& from, Propagator& to) {
    for (Side const side : {Side::men, Side::women}) {
      for (std::uint32_t const person : from.changed(side)) {
        to.keep(other(side), person, from.row(side, person));
      }
    }
  };
  auto const assign = [](Propagator& propagator, Side side, std::uint32_t man,
                         std::uint32_t value) {
    std::uint32_t const woman = propagator.partner(side, man, value);
    std::uint32_t const reverse = propagator.reverse_value(side, man, value);
    propagator.assign(side, man, value);
    propagator.assign(other(side), woman, reverse);
  };
  call(first);
  send_changes(first, second);
  call(second);
  send_changes(second, first);
  for (std::uint32_t man = 0;;) {
    while (first.pending() || second.pending()) {
      call(first);
      send_changes(first, second);
      if (second.pending()) {
        call(second);
        send_changes(second, first);
      }
    }
    while (man < first.size() && first.count(Side::men, man) == 1) {
      ++man;
    }
    if (man == first.size()) {
      return;
    }
    first.save();
    second.save();
    std::uint32_t const value = first.least(Side::men, man);
    assign(first, Side::men, man, value);
    assign(second, Side::women, man, value);
  }
}

/// One step of a random search.
struct Decision {
  enum class Act { remove, assign, halve, save, restore, propagate };
  Act act;
  Side side = Side::men;
  std::uint32_t person = 0;
  std::uint32_t value = 0;
};

/// An endless random search. It saves and restores, and removes, assigns and halves values,
/// sometimes several times before a call.
class Decisions {
 public:
  explicit Decisions(std::uint64_t seed) : random_(seed, 3) {}

  /// `failed`: whether the last call failed. `pending`: whether a value was removed since.
  template <class Propagator>
  Decision next(Propagator const& propagator, bool failed, bool pending) {
    using Act = Decision::Act;
    bool const deep = propagator.depth() > 0;
    if (failed) {
      return {Act::restore};
    }
    std::uint32_t const die = random_.below(16);
    if (pending && die < 10) {
      return {Act::propagate};
    }
    if (!pending && (!deep || (die < 4 && propagator.depth() < 12))) {
      return {Act::save};
    }
    if (deep && (die < 6 || random_.below(16) < propagator.depth() / 2)) {
      return {Act::restore};
    }
    Decision decision{die < 12 ? Act::remove : die < 14 ? Act::halve : Act::assign};
    decision.side = random_.below(2) == 0 ? Side::men : Side::women;
    decision.person = random_.below(propagator.size());
    decision.value = random_.below(propagator.size());
    // Half of the values are bounds, which have the largest effect.
    std::uint32_t const bound = random_.below(4);
    if (bound < 2 && propagator.count(decision.side, decision.person) > 0) {
      decision.value = bound == 0 ? propagator.least(decision.side, decision.person)
                                  : propagator.greatest(decision.side, decision.person);
    }
    return decision;
  }

 private:
  RandomStream random_;
};

/// Performs `decision` on `propagator`. A propagate is left to the caller.
template <class Propagator>
void apply_decision(Decision const& decision, Propagator& propagator) {
  using Act = Decision::Act;
  switch (decision.act) {
  case Act::remove:
    return propagator.remove(decision.side, decision.person, decision.value);
  case Act::assign:
    return propagator.assign(decision.side, decision.person, decision.value);
  case Act::halve:
    for (std::uint32_t value = decision.value; value < propagator.size(); value += 2) {
      propagator.remove(decision.side, decision.person, value);
    }
    return;
  case Act::save:
    return propagator.save();
  case Act::restore:
    return propagator.restore();
  case Act::propagate:
    return;
  }
}

}  // namespace taper::marriage_propagator
