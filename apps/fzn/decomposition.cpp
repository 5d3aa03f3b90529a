// SPDX-License-Identifier: Apache-2.0
#include <fzn/arguments.hpp>
#include <fzn/decomposition.hpp>

#include <gecode/minimodel.hh>

#include <cstddef>
#include <vector>

namespace taper::fzn {
namespace {

/// One side, with a Boolean variable for each bound of each person.
class Side {
 public:
  /// Requires: `people` have places from `base` on. Throws: see read_lists().
  Side(char const* argument, Gecode::IntVarArgs const& people, Gecode::IntArgs const& lists,
       int base)
      : people_(people), base_(base), n_(people.size()),
        places_(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_)) {
    read_lists(argument, lists, n_, base, [&](int person, int place, int candidate) {
      places_[static_cast<std::size_t>(person * n_ + candidate)] = place;
    });
  }

  /// Creates the variables of at_most().
  void post_bounds(Gecode::Home home) {
    for (Gecode::IntVar const& person : people_) {
      at_most_ << Gecode::BoolVar(home, 0, 0);
      for (int place = 0; place < n_; ++place) {
        at_most_ << Gecode::BoolVar(home, 0, 1);
        Gecode::rel(home, person, Gecode::IRT_LQ, base_ + place, at_most_[at_most_.size() - 1]);
      }
    }
  }

  /// The candidate's place on the person's list, from 0.
  int place(int person, int candidate) const {
    return places_[static_cast<std::size_t>(person * n_ + candidate)];
  }
  /// Whether the person's partner is at `place` or better. `place` may be -1.
  Gecode::BoolVar at_most(int person, int place) const {
    return at_most_[person * (n_ + 1) + place + 1];
  }
  /// Posts: `is` is true if and only if the candidate is the person's partner.
  void post_partner(Gecode::Home home, int person, int candidate, Gecode::BoolVar is) const {
    Gecode::rel(home, people_[person], Gecode::IRT_EQ, base_ + place(person, candidate), is);
  }

 private:
  Gecode::IntVarArgs people_;
  int base_;
  int n_;
  std::vector<int> places_;
  Gecode::BoolVarArgs at_most_;
};

}  // namespace

void decompose_stable_matching(Gecode::Home home, Gecode::IntVarArgs const& men,
                               Gecode::IntVarArgs const& women, Gecode::IntArgs const& men_like,
                               Gecode::IntArgs const& women_like, int base, Gecode::BoolVar holds) {
  require_equal_sides(men.size(), women.size());
  int const n = men.size();
  Side mens(mens_lists_argument, men, men_like, base);
  Side womens(womens_lists_argument, women, women_like, base);
  if (home.failed()) {
    return;
  }
  require_places("men", men, base);
  require_places("women", women, base);
  if (n == 0) {
    return Gecode::rel(home, holds, Gecode::IRT_EQ, 1);
  }
  mens.post_bounds(home);
  womens.post_bounds(home);

  bool const is_open = !holds.one();
  Gecode::BoolVarArgs conditions;
  // What a condition of a pair is equal to: true, or a variable of the conjunction.
  auto const condition = [&] {
    if (is_open) {
      conditions << Gecode::BoolVar(home, 0, 1);
      return conditions[conditions.size() - 1];
    }
    return holds;
  };
  for (int man = 0; man < n; ++man) {
    for (int woman = 0; woman < n; ++woman) {
      // He has her if and only if she has him.
      Gecode::BoolVar const has_her(home, 0, 1);
      Gecode::BoolVar const has_him = is_open ? Gecode::BoolVar(home, 0, 1) : has_her;
      mens.post_partner(home, man, woman, has_her);
      womens.post_partner(home, woman, man, has_him);
      if (is_open) {
        Gecode::rel(home, has_her, Gecode::BOT_EQV, has_him, condition());
      }
      // If one of the two has no better partner, the other has one that is at least as good.
      int const her_place = mens.place(man, woman);
      int const his_place = womens.place(woman, man);
      Gecode::rel(home, mens.at_most(man, her_place - 1), Gecode::BOT_OR,
                  womens.at_most(woman, his_place), condition());
      Gecode::rel(home, mens.at_most(man, her_place), Gecode::BOT_OR,
                  womens.at_most(woman, his_place - 1), condition());
    }
  }
  if (is_open) {
    Gecode::rel(home, Gecode::BOT_AND, conditions, holds);
  }
}

}  // namespace taper::fzn
