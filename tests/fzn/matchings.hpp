// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fzn/stable_matching.hpp>
#include <support/oracles.hpp>

#include <Kokkos_Core.hpp>
#include <gecode/int.hh>
#include <gecode/minimodel.hh>
#include <gecode/search.hh>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

// A Gecode space of stable matchings. Used by: all tests of the constraint in Gecode.

namespace taper::testing {

namespace mp = taper::marriage_propagator;

/// The variables and values that a search takes first. A single order can hide a wrong propagator.
enum class Order { men_best_first, women_best_first, men_worst_first, women_halved, random };
constexpr Order orders[] = {Order::men_best_first, Order::women_best_first, Order::men_worst_first,
                            Order::women_halved, Order::random};

/// The cost that branch and bound minimises, in places from 0: the sum of all, the greatest, or the
/// difference between the sums of the sides.
enum class Cost { egalitarian, regret, sex_equal };

inline int cost_of(Cost cost, Market const& market, Matching const& partner_of) {
  int men = 0;
  int women = 0;
  int worst = 0;
  for (std::size_t man = 0; man < market.size(); ++man) {
    int const his = static_cast<int>(rank_in(market.men[man], partner_of[man]));
    int const hers = static_cast<int>(rank_in(market.women[partner_of[man]], man));
    men += his;
    women += hers;
    worst = std::max({worst, his, hers});
  }
  return cost == Cost::egalitarian ? men + women
         : cost == Cost::regret    ? worst
                                   : std::abs(men - women);
}

/// How a test posts the constraint.
struct Setting {
  int base = 0;
  bool twice = false;  ///< adds a second constraint, with the sides exchanged
  mp::Options options = {.schedule = mp::Schedule::serial};
  Cost cost = Cost::egalitarian;
};

class Matchings : public Gecode::IntMinimizeSpace {
 public:
  Matchings(Market const& market, Setting const& setting)
      : men(*this, static_cast<int>(market.size()), setting.base,
            setting.base + std::max<int>(0, static_cast<int>(market.size()) - 1)),
        women(*this, static_cast<int>(market.size()), setting.base,
              setting.base + std::max<int>(0, static_cast<int>(market.size()) - 1)),
        total(*this, 0, static_cast<int>(2 * market.size() * market.size())) {
    auto const pm = flat(market.men, setting.base);
    auto const pw = flat(market.women, setting.base);
    taper::fzn::stable_matching(*this, men, women, pm, pw, setting.base, setting.options);
    if (setting.twice) {
      taper::fzn::stable_matching(*this, women, men, pw, pm, setting.base, setting.options);
    }
    if (market.size() > 0) {
      measure(setting);
    }
  }
  Matchings(Matchings& from) : IntMinimizeSpace(from) {
    men.update(*this, from.men);
    women.update(*this, from.women);
    total.update(*this, from.total);
  }
  Gecode::Space* copy() override { return new Matchings(*this); }
  Gecode::IntVar cost() const override { return total; }

  void branch_by(Order order) {
    switch (order) {
    case Order::men_best_first:
      return Gecode::branch(*this, men, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_MIN());
    case Order::women_best_first:
      return Gecode::branch(*this, women, Gecode::INT_VAR_SIZE_MIN(), Gecode::INT_VAL_MIN());
    case Order::men_worst_first:
      return Gecode::branch(*this, men, Gecode::INT_VAR_SIZE_MAX(), Gecode::INT_VAL_MAX());
    case Order::women_halved:
      return Gecode::branch(*this, women, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_SPLIT_MAX());
    case Order::random:
      return Gecode::branch(*this, men + women, Gecode::INT_VAR_RND(Gecode::Rnd(7)),
                            Gecode::INT_VAL_RND(Gecode::Rnd(8)));
    }
  }

  Matching matching(Market const& market, int base) const {
    Matching partner_of;
    for (std::size_t man = 0; man < market.size(); ++man) {
      partner_of.push_back(
          market.men[man][static_cast<std::size_t>(men[static_cast<int>(man)].val() - base)]);
    }
    for (std::size_t woman = 0; woman < market.size(); ++woman) {
      std::size_t const rank =
          static_cast<std::size_t>(women[static_cast<int>(woman)].val() - base);
      EXPECT_EQ(partner_of[market.women[woman][rank]], woman);
    }
    return partner_of;
  }

  Gecode::IntVarArray const& of(mp::Side side) const { return side == mp::Side::men ? men : women; }

  static Gecode::IntArgs flat(Lists const& lists, int base) {
    Gecode::IntArgs ids(static_cast<int>(lists.size() * lists.size()));
    int i = 0;
    for (auto const& list : lists) {
      for (auto const id : list) {
        ids[i++] = static_cast<int>(id) + base;
      }
    }
    return ids;
  }

  Gecode::IntVarArray men;
  Gecode::IntVarArray women;
  Gecode::IntVar total;

 private:
  void measure(Setting const& setting) {
    switch (setting.cost) {
    case Cost::egalitarian:
      return Gecode::rel(*this, Gecode::sum(men) + Gecode::sum(women) ==
                                    total + 2 * men.size() * setting.base);
    case Cost::regret:
      return Gecode::rel(*this, Gecode::max(men + women) == total + setting.base);
    case Cost::sex_equal:
      return Gecode::rel(*this, Gecode::abs(Gecode::sum(men) - Gecode::sum(women)) == total);
    }
  }
};

/// All matchings that an engine finds, sorted.
template <template <class> class Engine>
std::vector<Matching> all_of(Matchings* root, Market const& market, int base,
                             Gecode::Search::Options const& options) {
  Engine<Matchings> engine(root, options);
  std::vector<Matching> found;
  while (std::unique_ptr<Matchings> const solution{engine.next()}) {
    found.push_back(solution->matching(market, base));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace taper::testing
