// SPDX-License-Identifier: Apache-2.0
#include <taper/stable_marriage/verify.hpp>

#include <support/backends.hpp>
#include <support/case_stride.hpp>
#include <support/error_message.hpp>
#include <support/oracles.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace taper::stable_marriage;
using taper::testing::identity;
using taper::testing::Lists;
using taper::testing::Market;
using taper::testing::Matching;
using taper::testing::message_of;
using taper::testing::to_instance;
using taper::testing::to_partners;
using taper::testing::to_table;

constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

/// A market with three stable matchings: all men get their first, second or third choices.
Market latin_square() {
  return {{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}, {{1, 2, 0}, {2, 0, 1}, {0, 1, 2}}};
}

// Tests of the oracles: wrong matchings, and answers that are known by hand.

TEST(Oracle, SolvesTheLatinSquare) {
  auto const market = latin_square();
  std::vector<Matching> const stable{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
  EXPECT_EQ(taper::testing::stable_matchings_by_trial(market), stable);
  EXPECT_EQ(taper::testing::stable_matchings(market), stable);
  EXPECT_EQ(taper::testing::man_optimal(market), stable[0]);
  EXPECT_EQ(taper::testing::woman_optimal(market), stable[2]);
  EXPECT_EQ(taper::testing::gale_shapley(market).partner_of, stable[0]);
  EXPECT_EQ(taper::testing::gale_shapley(market).proposals, 3u);
}

TEST(Oracle, RefusesWrongMatchings) {
  auto const market = latin_square();
  EXPECT_FALSE(taper::testing::is_stable(market, {0, 2, 1}));
  EXPECT_FALSE(taper::testing::is_stable(market, {0, 1, 1}));
  EXPECT_FALSE(taper::testing::is_stable(market, {0, 1, 3}));
  EXPECT_FALSE(taper::testing::is_stable(market, {0, 1}));
  // Man 1 and woman 2 are each other's first choice. Woman 1 prefers man 2, but he prefers his own.
  std::vector<std::pair<std::size_t, std::size_t>> const expected{{1, 2}};
  Market const market2{{{0, 1, 2}, {2, 1, 0}, {2, 1, 0}}, {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}};
  EXPECT_EQ(taper::testing::blocking_pairs(market2, {0, 1, 2}), expected);
}

TEST(Oracle, ItsAlgorithmsAgree) {
  auto const check = [](Market const& market) {
    auto const stable = taper::testing::stable_matchings(market);
    ASSERT_EQ(stable, taper::testing::stable_matchings_by_trial(market));
    ASSERT_EQ(taper::testing::gale_shapley(market).partner_of, taper::testing::man_optimal(market));
    auto const women_propose = taper::testing::gale_shapley(taper::testing::exchanged(market));
    ASSERT_EQ(taper::testing::inverse(women_propose.partner_of),
              taper::testing::woman_optimal(market));
  };
  std::size_t markets = 0;
  for (std::size_t n = 0; n <= 3; ++n) {
    taper::testing::for_each_market(n, [&](Market const& market) {
      check(market);
      ++markets;
    });
  }
  EXPECT_EQ(markets, 1u + 1u + 16u + (46656u - 1) / taper::testing::case_stride + 1);
  std::mt19937_64 random(1);
  for (std::size_t n = 4; n <= 6; ++n) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      check(taper::testing::random_market(n, random));
    }
  }
}

/// Checks many small markets with one call. They form one market, in which each list has the people
/// of its small market first. So no pair from two small markets blocks.
template <class Space>
class Batch {
 public:
  void add(Market const& market, Matching const& partner_of) {
    auto const first = static_cast<std::uint32_t>(partner_of_.size());
    for (auto const& [man, woman] : taper::testing::blocking_pairs(market, partner_of)) {
      expected_.push_back(
          {first + static_cast<std::uint32_t>(man), first + static_cast<std::uint32_t>(woman)});
    }
    append(market_.men, market.men);
    append(market_.women, market.women);
    for (std::size_t const woman : partner_of) {
      partner_of_.push_back(first + woman);
    }
    if (partner_of_.size() >= 120) {
      check();
    }
  }

  void check() {
    complete(market_.men);
    complete(market_.women);
    auto const instance = to_instance<Space>(market_);
    auto const partner_of = to_partners<Space>(partner_of_);
    EXPECT_EQ(count_blocking_pairs(Space(), instance, partner_of), expected_.size());
    EXPECT_EQ(find_blocking_pairs(Space(), instance, partner_of, everything), expected_);
    *this = {};
  }

 private:
  static void append(Lists& all, Lists const& lists) {
    std::size_t const first = all.size();
    for (auto list : lists) {
      for (auto& id : list) {
        id += first;
      }
      all.push_back(std::move(list));
    }
  }

  static void complete(Lists& all) {
    for (auto& list : all) {
      auto const [low, high] = std::minmax_element(list.begin(), list.end());
      for (std::size_t id = 0, begin = *low, end = *high; id < all.size(); ++id) {
        if (id < begin || id > end) {
          list.push_back(id);
        }
      }
    }
  }

  Market market_;
  Matching partner_of_;
  std::vector<BlockingPair> expected_;
};

template <class Space>
struct Verify : ::testing::Test {};
TYPED_TEST_SUITE(Verify, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(Verify, AgreesWithTheDefinitionOnAllSmallMarkets) {
  for (std::size_t n = 1; n <= 3; ++n) {
    Batch<TypeParam> batch;
    auto const matchings = taper::testing::all_permutations(n);
    taper::testing::for_each_market(n, [&](Market const& market) {
      for (auto const& matching : matchings) {
        batch.add(market, matching);
      }
    });
    batch.check();
  }
}

TYPED_TEST(Verify, AgreesWithTheDefinitionForAllMatchingsOfRandomMarkets) {
  std::mt19937_64 random(2);
  Batch<TypeParam> batch;
  for (auto const& [n, markets] : {std::pair{4, 100}, {5, 50}, {6, 10}, {7, 2}, {8, 1}}) {
    auto const matchings = taper::testing::all_permutations(static_cast<std::size_t>(n));
    for (int i = 0; i < markets; ++i) {
      auto const market = taper::testing::random_market(static_cast<std::size_t>(n), random);
      for (std::size_t k = 0; k < matchings.size(); k += taper::testing::case_stride) {
        batch.add(market, matchings[k]);
      }
    }
  }
  batch.check();
}

TYPED_TEST(Verify, AgreesWithTheDefinitionOnSingleMarkets) {
  std::mt19937_64 random(7);
  for (std::size_t n = 1; n <= 5; ++n) {
    auto const market = taper::testing::random_market(n, random);
    auto const instance = to_instance<TypeParam, std::uint32_t>(market);
    for (auto const& matching : taper::testing::all_permutations(n)) {
      EXPECT_EQ(count_blocking_pairs(TypeParam(), instance,
                                     to_partners<TypeParam, std::uint32_t>(matching)),
                taper::testing::blocking_pairs(market, matching).size());
    }
  }
}

TYPED_TEST(Verify, FindsAllPairsThatItCounts) {
  std::mt19937_64 random(3);
  for (std::size_t const n : {1u, 2u, 7u, 31u, 32u, 33u, 100u, 257u}) {
    auto const market = taper::testing::random_market(n, random);
    auto const instance = to_instance<TypeParam>(market);
    auto matching = identity(n);
    std::shuffle(matching.begin(), matching.end(), random);
    auto const partner_of = to_partners<TypeParam>(matching);

    auto const brute = taper::testing::blocking_pairs(market, matching);
    std::vector<BlockingPair> expected;
    for (auto const& [man, woman] : brute) {
      expected.push_back({static_cast<std::uint32_t>(man), static_cast<std::uint32_t>(woman)});
    }
    EXPECT_EQ(count_blocking_pairs(TypeParam(), instance, partner_of), expected.size());
    EXPECT_EQ(find_blocking_pairs(TypeParam(), instance, partner_of, everything), expected);
    for (std::size_t const limit :
         {std::size_t{0}, std::size_t{1}, expected.size() / 2, expected.size()}) {
      auto const first = std::min(limit, expected.size());
      auto const shortened = std::vector(expected.data(), expected.data() + first);
      EXPECT_EQ(find_blocking_pairs(TypeParam(), instance, partner_of, limit), shortened);
    }
  }
}

TYPED_TEST(Verify, AcceptsStableMatchingsOnly) {
  std::mt19937_64 random(4);
  for (std::size_t const n : {2u, 8u, 40u, 130u}) {
    auto const market = taper::testing::random_market(n, random);
    auto const instance = to_instance<TypeParam>(market);
    auto matching = taper::testing::gale_shapley(market).partner_of;
    EXPECT_EQ(count_blocking_pairs(TypeParam(), instance, to_partners<TypeParam>(matching)), 0u);
    EXPECT_TRUE(
        find_blocking_pairs(TypeParam(), instance, to_partners<TypeParam>(matching), everything)
            .empty());
    std::swap(matching[0], matching[n - 1]);
    EXPECT_EQ(count_blocking_pairs(TypeParam(), instance, to_partners<TypeParam>(matching)),
              taper::testing::blocking_pairs(market, matching).size());
  }
}

TYPED_TEST(Verify, RefusesMatchingsThatAreNotPerfect) {
  auto const instance = to_instance<TypeParam>(latin_square());
  struct Case {
    Matching matching;
    std::optional<std::size_t> bad;
  };
  std::vector<Case> const cases{
      {{0, 1, 2}, {}}, {{2, 0, 1}, {}}, {{1, 1, 2}, 1},     {{2, 2, 2}, 1},     {{0, 1, 0}, 2},
      {{3, 1, 2}, 0},  {{0, 1, 3}, 2},  {{0, 65535, 0}, 1}, {{65535, 0, 0}, 0}, {{65535, 0, 1}, 0}};
  for (auto const& [matching, bad] : cases) {
    auto const partner_of = to_partners<TypeParam>(matching);
    EXPECT_EQ(find_bad_partner(TypeParam(), partner_of), bad);
    EXPECT_EQ(is_perfect_matching(TypeParam(), partner_of), !bad.has_value());
    if (bad) {
      auto const why = ": partner_of is no perfect matching: the partner of man " +
                       std::to_string(*bad) + " is out of range or the partner of an earlier man";
      EXPECT_EQ(message_of([&] { (void)count_blocking_pairs(TypeParam(), instance, partner_of); }),
                "taper::stable_marriage::count_blocking_pairs" + why);
      EXPECT_EQ(
          message_of([&] { (void)find_blocking_pairs(TypeParam(), instance, partner_of, 1); }),
          "taper::stable_marriage::find_blocking_pairs" + why);
    }
  }
}

TYPED_TEST(Verify, RefusesEveryMapThatIsNoPermutation) {
  for (std::size_t code = 0; code < 5 * 5 * 5 * 5; ++code) {
    Matching const matching{code % 5, code / 5 % 5, code / 25 % 5, code / 125};
    EXPECT_EQ(is_perfect_matching(TypeParam(), to_partners<TypeParam>(matching)),
              taper::testing::is_perfect(matching));
  }
}

TYPED_TEST(Verify, RefusesNegativePartners) {
  Kokkos::View<int*, typename TypeParam::memory_space> const partner_of("taper::testing::partners",
                                                                        2);
  EXPECT_EQ(find_bad_partner(TypeParam(), partner_of), std::optional<std::size_t>(1));
  Kokkos::deep_copy(partner_of, -1);
  EXPECT_EQ(find_bad_partner(TypeParam(), partner_of), std::optional<std::size_t>(0));
}

TYPED_TEST(Verify, RefusesExtentsThatDisagree) {
  auto const instance = to_instance<TypeParam>(latin_square());
  EXPECT_EQ(message_of([&] {
              (void)count_blocking_pairs(TypeParam(), instance, to_partners<TypeParam>({0, 1}));
            }),
            "taper::stable_marriage::count_blocking_pairs: partner_of has 2 entries, the instance "
            "has 3 men");
  Instance const lopsided{instance.men, to_table<TypeParam>({{0, 1}, {1, 0}})};
  EXPECT_EQ(message_of([&] {
              (void)count_blocking_pairs(TypeParam(), lopsided, to_partners<TypeParam>({0, 1, 2}));
            }),
            "taper::stable_marriage::count_blocking_pairs: the tables must be n x n for one n, but "
            "men is 3 x 3 and women is 2 x 2");
}

TYPED_TEST(Verify, AcceptsMarketsOfNoneAndOne) {
  auto const empty = to_instance<TypeParam>(Market{});
  auto const no_partners = to_partners<TypeParam>({});
  EXPECT_TRUE(is_perfect_matching(TypeParam(), no_partners));
  EXPECT_EQ(count_blocking_pairs(TypeParam(), empty, no_partners), 0u);
  EXPECT_TRUE(find_blocking_pairs(TypeParam(), empty, no_partners, everything).empty());
  EXPECT_EQ(find_bad_row(TypeParam(), empty.men), std::nullopt);

  auto const one = to_instance<TypeParam>({{{0}}, {{0}}});
  auto const partner = to_partners<TypeParam>({0});
  EXPECT_EQ(count_blocking_pairs(TypeParam(), one, partner), 0u);
}

TYPED_TEST(Verify, FindsTheFirstBadRow) {
  auto const bad = [](Lists const& lists) {
    return find_bad_row(TypeParam(), to_table<TypeParam>(lists));
  };
  EXPECT_EQ(bad({{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}), std::nullopt);
  EXPECT_EQ(bad({{0, 1, 1}, {2, 1, 0}, {1, 2, 0}}), (BadEntry{0, 2}));
  EXPECT_EQ(bad({{0, 1, 2}, {3, 1, 1}, {9, 2, 0}}), (BadEntry{1, 0}));
  EXPECT_EQ(bad({{0, 1, 2}, {2, 1, 0}, {1, 65535, 1}}), (BadEntry{2, 1}));
  EXPECT_EQ(bad({{0, 1}, {1, 0}, {1, 1}}), (BadEntry{2, 1})) << "a table need not be square";
}

TYPED_TEST(Verify, FindsTheFirstBadRowOfMany) {
  std::mt19937_64 random(5);
  std::size_t const n = 300;
  for (int repeat = 0; repeat < 20; ++repeat) {
    auto lists = taper::testing::random_market(n, random).men;
    std::optional<BadEntry> first;
    for (int damage = 0; damage < repeat; ++damage) {
      lists[random() % n][random() % n] = random() % (n + 1);
    }
    for (std::size_t row = 0; row < n && !first; ++row) {
      for (std::size_t entry = 0; entry < n && !first; ++entry) {
        auto const id = lists[row][entry];
        if (id >= n || taper::testing::rank_in(lists[row], id) < entry) {
          first = BadEntry{row, entry};
        }
      }
    }
    EXPECT_EQ(find_bad_row(TypeParam(), to_table<TypeParam>(lists)), first);
  }
}

}  // namespace
