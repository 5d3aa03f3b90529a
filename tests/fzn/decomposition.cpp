// SPDX-License-Identifier: Apache-2.0
#include "matchings.hpp"

#include <fzn/decomposition.hpp>
#include <taper/marriage_propagator/marriage_propagator.hpp>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
using oracle::Market;
using oracle::Matching;
using oracle::Matchings;

/// When the constraint's truth is decided: not, before posting, or afterwards.
enum class Truth { open, no, no_later, yes, yes_later };

/// Any places of n persons per side, and whether they are one stable matching.
class Decomposed : public Gecode::Space {
 public:
  Decomposed(Market const& market, int base, Truth truth)
      : men(*this, size_of(market), base, base + std::max(0, size_of(market) - 1)),
        women(*this, size_of(market), base, base + std::max(0, size_of(market) - 1)),
        holds(*this, truth == Truth::yes ? 1 : 0, truth == Truth::no ? 0 : 1) {
    taper::fzn::decompose_stable_matching(*this, men, women, Matchings::flat(market.men, base),
                                          Matchings::flat(market.women, base), base, holds);
    if (truth == Truth::no_later || truth == Truth::yes_later) {
      Gecode::rel(*this, holds, Gecode::IRT_EQ, truth == Truth::yes_later ? 1 : 0);
    }
  }
  Decomposed(Decomposed& from) : Space(from) {
    men.update(*this, from.men);
    women.update(*this, from.women);
    holds.update(*this, from.holds);
  }
  Gecode::Space* copy() override { return new Decomposed(*this); }

  static int size_of(Market const& market) { return static_cast<int>(market.size()); }

  Gecode::IntVarArray men;
  Gecode::IntVarArray women;
  Gecode::BoolVar holds;
};

/// By the definition: each has the other as partner, and no two prefer each other.
bool is_stable(Market const& market, Decomposed const& found, int base) {
  auto const place = [&](Gecode::IntVarArray const& side, std::size_t person) {
    return static_cast<std::size_t>(side[static_cast<int>(person)].val() - base);
  };
  for (std::size_t man = 0; man < market.size(); ++man) {
    for (std::size_t woman = 0; woman < market.size(); ++woman) {
      std::size_t const her_rank = oracle::rank_in(market.men[man], woman);
      std::size_t const his_rank = oracle::rank_in(market.women[woman], man);
      std::size_t const his_place = place(found.men, man);
      std::size_t const her_place = place(found.women, woman);
      if ((his_place == her_rank) != (her_place == his_rank) ||
          (her_rank < his_place && his_rank < her_place)) {
        return false;
      }
    }
  }
  return true;
}

/// All n^(2 n) assignments are looked at, with each way to decide the truth, and whether the truth
/// is branched on first or last.
TEST(Decomposition, HoldsExactlyForStableMatchings) {
  std::mt19937_64 random(1);
  std::size_t stable = 0;
  std::vector<Market> markets{
      {{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}, {{1, 2, 0}, {2, 0, 1}, {0, 1, 2}}}};  // has 3 matchings
  for (std::size_t const n : {0u, 1u, 2u, 3u, 3u}) {
    markets.push_back(oracle::random_market(n, random));
  }
  for (Market const& market : markets) {
    std::size_t const n = market.size();
    int const base = static_cast<int>(random() % 3) - 1;
    std::size_t assignments = 1;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      assignments *= n;
    }
    std::size_t const matchings = oracle::stable_matchings(market).size();
    for (Truth const truth :
         {Truth::open, Truth::no, Truth::no_later, Truth::yes, Truth::yes_later}) {
      for (bool const truth_first : {false, true}) {
        Decomposed root(market, base, truth);
        if (truth_first) {
          Gecode::branch(root, root.holds, Gecode::BOOL_VAL_MIN());
        }
        Gecode::branch(root, root.women, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_MAX());
        Gecode::branch(root, root.men, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_MIN());
        Gecode::branch(root, root.holds, Gecode::BOOL_VAL_MIN());
        Gecode::DFS<Decomposed> engine(&root);
        std::size_t found[2] = {0, 0};
        while (std::unique_ptr<Decomposed> const solution{engine.next()}) {
          ASSERT_EQ(solution->holds.val() == 1, is_stable(market, *solution, base));
          ++found[solution->holds.val()];
        }
        bool const can_hold = truth != Truth::no && truth != Truth::no_later;
        bool const can_fail = truth != Truth::yes && truth != Truth::yes_later;
        EXPECT_EQ(found[1], can_hold ? matchings : 0u) << n;
        EXPECT_EQ(found[0], can_fail ? assignments - matchings : 0u) << n;
        stable += found[1];
      }
    }
  }
  EXPECT_GE(stable, 6u * (3 + 5));
}

/// Once it holds, propagation alone leaves the domains of the symmetric propagator.
TEST(Decomposition, LeavesTheGsListsOnceItHolds) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  std::mt19937_64 random(2);
  for (std::uint32_t const n : {5u, 12u, 20u}) {
    auto const market = oracle::random_market(n, random);
    auto state = mp::Propagator<Host>::post(
        Host{}, oracle::to_instance<Host>(market),
        {.schedule = mp::Schedule::serial, .symmetric = true, .bind_partner = false});
    ASSERT_EQ(state.propagate().status, mp::Status::fixpoint);
    for (Truth const truth : {Truth::yes, Truth::yes_later}) {
      Decomposed root(market, 0, truth);
      ASSERT_NE(root.status(), Gecode::SS_FAILED);
      for (std::uint32_t person = 0; person < n; ++person) {
        for (std::uint32_t value = 0; value < n; ++value) {
          int const index = static_cast<int>(person);
          EXPECT_EQ(root.men[index].in(static_cast<int>(value)),
                    state.contains(mp::Side::men, person, value));
          EXPECT_EQ(root.women[index].in(static_cast<int>(value)),
                    state.contains(mp::Side::women, person, value));
        }
      }
    }
  }
}

/// The messages are those of the propagator.
TEST(Decomposition, ErrorsNameTheArgumentAtFault) {
  Decomposed space(Market{}, 0, Truth::yes);
  auto const message_of = [&](Gecode::IntVarArgs const& men, Gecode::IntVarArgs const& women,
                              Gecode::IntArgs const& pm, Gecode::IntArgs const& pw) -> std::string {
    try {
      taper::fzn::decompose_stable_matching(space, men, women, pm, pw, 0,
                                            Gecode::BoolVar(space, 0, 1));
    } catch (Gecode::Exception const& error) {
      return error.what();
    }
    return "no Gecode::Exception was thrown";
  };
  Gecode::IntVarArgs const two(space, 2, 0, 1);
  Gecode::IntVarArgs const three(space, 3, 0, 2);
  Gecode::IntVarArgs const late(space, 2, 1, 2);
  Gecode::IntArgs const lists{0, 1, 1, 0};
  EXPECT_EQ(message_of(two, three, lists, lists),
            "stable_matching: there are 2 men and 3 women: the sides must be equal");
  EXPECT_EQ(message_of(three, three, lists, lists),
            "stable_matching: pm (the men's lists) has 4 entries, but 3 people per side need 9");
  EXPECT_EQ(message_of(two, two, lists, {0, 1, 1, 1}),
            "stable_matching: pw (the women's lists): entry 1 of row 1 (both from 0) is 1, which "
            "is repeated");
  EXPECT_EQ(message_of(two, late, lists, lists),
            "stable_matching: women: variable 0 (from 0) has 1..2, but places are 0..1");
}

}  // namespace
