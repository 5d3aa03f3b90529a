// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/family.hpp>
#include <taper/marriage_propagator/options.hpp>
#include <taper/random.hpp>

#include <cmath>
#include <cstdint>

// What a propagator is asked: starting domains, and what a search does to them.
// Lists come from stable_marriage::generate(). All is a function of the seed
// and of the domains alone, so that propagators that agree are asked the same.

namespace taper::marriage_propagator {

/// Removes each value with a probability of 1 in `one_in`.
template <class Propagator>
void remove_at_random(Propagator& propagator, std::uint32_t one_in, std::uint64_t seed) {
  RandomStream random(seed, 0);
  for (People const side : {People::men, People::women}) {
    for (std::uint32_t person = 0; person < propagator.size(); ++person) {
      for (std::uint32_t value = 0; value < propagator.size(); ++value) {
        if (random.below(one_in) == 0) {
          propagator.remove(side, person, value);
        }
      }
    }
  }
}

/// Removes the minima of `men` men who have two values or more; fewer where
/// there are no so many.
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
    if (propagator.count(People::men, man) > 1) {
      propagator.remove(People::men, man, propagator.least(People::men, man));
      --men;
    }
  }
}

/// Removes one value between the bounds of each of `people` men and women by
/// turns, who have such; nobody is free then.
template <class Propagator>
void remove_between(Propagator& propagator, std::uint32_t people, std::uint64_t seed) {
  std::uint32_t const n = propagator.size();
  if (n == 0) {
    return;
  }
  RandomStream random(seed, 2);
  std::uint32_t const start = random.below(n);
  for (std::uint32_t i = 0; i < 2 * n && people > 0; ++i) {
    People const side = i % 2 == 0 ? People::men : People::women;
    std::uint32_t const person = (start + i / 2) % n;
    std::uint32_t const least = propagator.least(side, person);
    std::uint32_t const greatest = propagator.greatest(side, person);
    for (std::uint32_t value = least + 1; value < greatest; ++value) {
      // A value between one's own bounds may be a bound of the other's.
      std::uint32_t const partner = propagator.partner(side, person, value);
      std::uint32_t const twin = propagator.twin_value(side, person, value);
      if (propagator.contains(side, person, value) &&
          twin != propagator.least(other(side), partner) &&
          twin != propagator.greatest(other(side), partner)) {
        propagator.remove(side, person, value);
        --people;
        break;
      }
    }
  }
}

/// What the second constraint of the paper's models does, in which the roles are exchanged:
/// `people` men and women by turns, from the `first` of an order of the seed's on, keep of their
/// domains what `lists` has, a propagator with Options::symmetric of the same market, after its
/// first call. Nobody is free then.
template <class Propagator, class Lists>
void keep_lists(Propagator& propagator, Lists const& lists, std::uint32_t first,
                std::uint32_t people, std::uint64_t seed) {
  std::uint32_t const n = propagator.size();
  RandomStream random(seed, 4);
  std::uint32_t const start = n > 0 ? random.below(n) : 0;
  for (std::uint32_t i = first; i < 2 * n && i < first + people; ++i) {
    People const side = i % 2 == 0 ? People::men : People::women;
    std::uint32_t const person = (start + i / 2) % n;
    propagator.keep(side, person, lists.row(side, person));
  }
}

/// What a search does next: a woman and the best man of her `lists` (as above) are assigned to each
/// other, which some stable matching allows. Free are then her partner so far and this man. Does
/// nothing where everybody has but one.
template <class Propagator, class Lists>
void assign_couple(Propagator& propagator, Lists const& lists, std::uint64_t seed) {
  std::uint32_t const n = propagator.size();
  RandomStream random(seed, 5);
  std::uint32_t const start = n > 0 ? random.below(n) : 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t const woman = (start + i) % n;
    if (lists.count(People::women, woman) > 1) {
      std::uint32_t const value = lists.least(People::women, woman);
      std::uint32_t const man = propagator.partner(People::women, woman, value);
      propagator.assign(People::women, woman, value);
      propagator.assign(People::men, man, propagator.twin_value(People::women, woman, value));
      return;
    }
  }
}

/// Brings a fresh propagator to the question: all but the call itself. `lists` as above.
template <class Propagator, class Lists>
void ask(Question const& question, Propagator& propagator, Lists const& lists) {
  if (question.family == Family::all_free) {
    return;
  }
  if (question.family == Family::missing) {
    return remove_at_random(propagator, question.one_in, question.seed);
  }
  propagator.propagate();
  bool const decides = question.family == Family::two_free;
  auto const people = 2 * propagator.size();
  auto const before = static_cast<std::uint32_t>(std::llround(question.narrowed * people));
  auto deeper = lists.copy();
  for (std::uint32_t couple = 0; decides && couple < question.decided; ++couple) {
    assign_couple(propagator, deeper, question.seed);
    propagator.propagate();
    assign_couple(deeper, deeper, question.seed);
    deeper.propagate();
  }
  keep_lists(propagator, deeper, 0, before, question.seed);
  propagator.propagate();
  propagator.save();
  if (decides) {
    assign_couple(propagator, deeper, question.seed);
  } else {
    keep_lists(propagator, lists, before, question.modified, question.seed);
  }
}

/// A whole search for the first solution of the paper's models: two constraints of a market, of
/// which `second` has the roles exchanged, are called by turns until neither changes anything; then
/// the first man who has several values left and whoever he likes best of these are assigned to each
/// other, and so on until everybody has one. That no assignment fails, the constraints see to.
///
/// Requires: both fresh. `call(propagator)` calls propagate().
template <class Propagator, class Call>
void search(Propagator& first, Propagator& second, Call const& call) {
  auto const tell = [](Propagator const& from, Propagator& to) {
    for (People const side : {People::men, People::women}) {
      for (std::uint32_t const person : from.changed(side)) {
        to.keep(other(side), person, from.row(side, person));
      }
    }
  };
  auto const assign = [](Propagator& propagator, People side, std::uint32_t man,
                         std::uint32_t value) {
    std::uint32_t const woman = propagator.partner(side, man, value);
    std::uint32_t const twin = propagator.twin_value(side, man, value);
    propagator.assign(side, man, value);
    propagator.assign(other(side), woman, twin);
  };
  call(first);
  tell(first, second);
  call(second);
  tell(second, first);
  for (std::uint32_t man = 0;;) {
    while (first.pending() || second.pending()) {
      call(first);
      tell(first, second);
      if (second.pending()) {
        call(second);
        tell(second, first);
      }
    }
    while (man < first.size() && first.count(People::men, man) == 1) {
      ++man;
    }
    if (man == first.size()) {
      return;
    }
    first.save();
    second.save();
    std::uint32_t const value = first.least(People::men, man);
    assign(first, People::men, man, value);
    assign(second, People::women, man, value);
  }
}

/// One act of a search.
struct Decision {
  enum class Act { remove, assign, halve, save, restore, propagate };
  Act act;
  People side = People::men;
  std::uint32_t person = 0;
  std::uint32_t value = 0;
};

/// An endless search at random: levels are opened and closed, and values
/// removed, assigned and halved away, now and then several before a call.
class Decisions {
 public:
  explicit Decisions(std::uint64_t seed) : random_(seed, 3) {}

  /// `failed`: what the last call came to. `pending`: whether anything was
  /// removed since.
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
    decision.side = random_.below(2) == 0 ? People::men : People::women;
    decision.person = random_.below(propagator.size());
    decision.value = random_.below(propagator.size());
    // Half of the time a bound, where most happens.
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

/// Does to `propagator` what `decision` says, but for propagate().
template <class Propagator>
void carry_out(Decision const& decision, Propagator& propagator) {
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
