// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/options.hpp>
#include <taper/random.hpp>

#include <cstdint>
#include <string_view>

// What a propagator is asked: starting domains, and what a search does to them.
// Lists come from stable_marriage::generate(). All is a function of the seed
// and of the domains alone, so that propagators that agree are asked the same.

namespace taper::marriage_propagator {

/// The classes of calls in the paper's Section 5.
enum class Family {
  all_free,  ///< full domains: the first call, all men free
  missing,   ///< full domains, each value missing with a probability, on both
             ///< sides independently
  two_free,  ///< after the first call: the minima of two men are gone
  none_free  ///< after the first call: values between the bounds are gone
             ///< (partially pruned domains)
};

constexpr std::string_view to_string(Family family) {
  switch (family) {
  case Family::all_free:
    return "all_free";
  case Family::missing:
    return "missing";
  case Family::two_free:
    return "two_free";
  case Family::none_free:
    return "none_free";
  }
  return "?";
}

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
