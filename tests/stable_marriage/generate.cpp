// SPDX-License-Identifier: Apache-2.0
#include <taper/stable_marriage/generate.hpp>

#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <support/generated.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace taper::stable_marriage;
using taper::RandomStream;
using taper::testing::identity;
using taper::testing::Lists;
using taper::testing::Market;
using taper::testing::message_of;
using taper::testing::rank_in;

template <class Space, class Id = std::uint16_t>
Market generated(Workload const& workload) {
  auto const instance = taper::testing::generated_instance<Id>(Space(), workload);
  return taper::testing::to_market(instance.men, instance.women);
}

std::vector<Workload> workloads(std::size_t n, std::uint64_t seed = 1) {
  std::vector<Workload> all{{Family::perfect, n, seed},
                            {Family::congested, n, seed},
                            {Family::uniform, n, seed},
                            {Family::random, n, seed, 1},
                            {Family::random, n, seed, 3},
                            {Family::random, n, seed, 5},
                            {Family::random, n, seed, n + 1},
                            {Family::correlated, n, seed, 5, 0.0},
                            {Family::correlated, n, seed, 5, 0.25},
                            {Family::correlated, n, seed, 5, 0.9},
                            {Family::correlated, n, seed, 5, 1.0}};
  if (n >= 4) {
    all.push_back({Family::solo, n, seed});
  }
  return all;
}

std::string describe(Workload const& w) {
  return std::string(to_string(w.family)) + " n=" + std::to_string(w.n) +
         " seed=" + std::to_string(w.seed) + " group_size=" + std::to_string(w.group_size) +
         " strength=" + std::to_string(w.strength);
}

/// A second implementation of the families: plain loops over people. It shares only the random
/// numbers.
class Reference {
 public:
  explicit Reference(Workload const& workload) : w_(workload) {}

  Market market() const { return {side(0), side(1)}; }

 private:
  enum Draw : std::uint64_t { list, order, score };

  RandomStream stream(Draw draw, std::uint64_t side, std::size_t person = 0) const {
    return {w_.seed, std::uint64_t{draw} * (std::uint64_t{2} << 32) +
                         side * (std::uint64_t{1} << 32) + person};
  }

  static void shuffle(std::vector<std::size_t>& ids, std::size_t begin, std::size_t end,
                      RandomStream& random) {
    for (std::size_t count = end - begin; count > 1; --count) {
      std::swap(ids[begin + count - 1],
                ids[begin + random.below(static_cast<std::uint32_t>(count))]);
    }
  }

  std::vector<std::size_t> common_order(std::uint64_t side) const {
    auto ids = identity(w_.n);
    auto random = stream(order, side);
    shuffle(ids, 0, w_.n, random);
    return ids;
  }

  /// `front`, then all other ids in shuffled order, then `back`.
  std::vector<std::size_t> pinned(std::vector<std::size_t> const& front,
                                  std::vector<std::size_t> const& back, RandomStream random) const {
    auto ids = front;
    for (std::size_t id = 0; id < w_.n; ++id) {
      if (std::count(front.begin(), front.end(), id) == 0 &&
          std::count(back.begin(), back.end(), id) == 0) {
        ids.push_back(id);
      }
    }
    shuffle(ids, front.size(), ids.size(), random);
    ids.insert(ids.end(), back.begin(), back.end());
    return ids;
  }

  std::vector<std::size_t> grouped(std::size_t group_size, std::uint64_t side,
                                   std::size_t person) const {
    auto ids = common_order(side);
    auto random = stream(list, side, person);
    for (std::size_t begin = 0; begin < w_.n; begin += group_size) {
      shuffle(ids, begin, std::min(begin + group_size, w_.n), random);
    }
    return ids;
  }

  std::vector<std::size_t> solo(std::uint64_t side, std::size_t person) const {
    auto const n = w_.n;
    auto const random = stream(list, side, person);
    if (side == 0) {
      std::size_t const m = std::min(person, n - 2);
      return pinned({m}, {(m + n - 2) % (n - 1), n - 1}, random);
    }
    if (person == n - 1) {
      return pinned({}, {}, random);
    }
    std::size_t const first = (person + 1) % (n - 1);
    return pinned({first, (first + n - 1) % n}, {}, random);
  }

  std::vector<std::size_t> correlated(std::uint64_t side, std::size_t person) const {
    auto const weight = static_cast<std::uint64_t>(std::llround(w_.strength * 65536));
    std::vector<std::uint64_t> value(w_.n);
    for (std::size_t id = 0; id < w_.n; ++id) {
      value[id] = weight * (stream(score, side).at(id) >> 16) +
                  (65536 - weight) * (stream(list, side, person).at(id) >> 16);
    }
    auto ids = identity(w_.n);
    std::stable_sort(ids.begin(), ids.end(),
                     [&](std::size_t a, std::size_t b) { return value[a] > value[b]; });
    return ids;
  }

  std::vector<std::size_t> row(std::uint64_t side, std::size_t person) const {
    switch (w_.family) {
    case Family::perfect:
      return pinned({common_order(side)[person]}, {}, stream(list, side, person));
    case Family::solo:
      return solo(side, person);
    case Family::congested:
      return grouped(1, side, person);
    case Family::random:
      return grouped(w_.group_size, side, person);
    case Family::uniform:
      return grouped(w_.n, side, person);
    case Family::correlated:
      return correlated(side, person);
    }
    return {};
  }

  Lists side(std::uint64_t which) const {
    Lists lists;
    for (std::size_t person = 0; person < w_.n; ++person) {
      lists.push_back(row(which, person));
    }
    return lists;
  }

  Workload w_;
};

/// FNV-1a over all ids of both tables, each as 32 bits.
std::uint64_t hash(Market const& market) {
  std::uint64_t value = 0xCBF29CE484222325u;
  for (Lists const* side : {&market.men, &market.women}) {
    for (auto const& list : *side) {
      for (std::size_t const id : list) {
        for (int shift = 0; shift < 32; shift += 8) {
          value = (value ^ (id >> shift & 0xFF)) * 0x100000001B3u;
        }
      }
    }
  }
  return value;
}

std::set<std::size_t> slice(std::vector<std::size_t> const& list, std::size_t begin,
                            std::size_t end) {
  using Offset = std::vector<std::size_t>::difference_type;
  return {list.begin() + static_cast<Offset>(begin),
          list.begin() + static_cast<Offset>(std::min(end, list.size()))};
}

/// The mean difference of the ranks of a candidate in two neighbouring lists; 0 if all agree.
double disagreement(Lists const& lists) {
  double sum = 0;
  for (std::size_t person = 1; person < lists.size(); ++person) {
    for (std::size_t id = 0; id < lists.size(); ++id) {
      auto const a = static_cast<double>(rank_in(lists[person - 1], id));
      auto const b = static_cast<double>(rank_in(lists[person], id));
      sum += std::abs(a - b);
    }
  }
  return sum / static_cast<double>((lists.size() - 1) * lists.size());
}

template <class Space>
struct Generate : ::testing::Test {};
TYPED_TEST_SUITE(Generate, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(Generate, EqualsPlainLoops) {
  for (std::size_t const n : {0u, 1u, 2u, 3u, 4u, 5u, 16u, 33u, 150u}) {
    for (auto const& workload : workloads(n, 1000 + n)) {
      auto const market = generated<TypeParam>(workload);
      auto const expected = Reference(workload).market();
      ASSERT_EQ(market.men, expected.men) << describe(workload);
      ASSERT_EQ(market.women, expected.women) << describe(workload);
    }
  }
}

// Published results name these instances by family, n and seed. They must never change.
TYPED_TEST(Generate, InstancesNeverChange) {
  struct Case {
    Workload workload;
    std::uint64_t hash;
  };
  std::array const cases{Case{{Family::perfect, 64}, 0x82CF7ECF92C2D5A5u},
                         Case{{Family::solo, 64}, 0xED841E5E749057C5u},
                         Case{{Family::congested, 64}, 0xD32E420BFF3CDB25u},
                         Case{{Family::random, 64}, 0xFC1A9F20CA9ED855u},
                         Case{{Family::uniform, 64}, 0xA97394BBDF747595u},
                         Case{{Family::correlated, 64}, 0xA62704A034796A15u}};
  for (auto const& [workload, expected] : cases) {
    EXPECT_EQ(hash(generated<TypeParam>(workload)), expected) << describe(workload);
  }
}

TYPED_TEST(Generate, EveryListIsAPermutation) {
  for (auto const& workload : workloads(700)) {
    auto const market = generated<TypeParam>(workload);
    for (Lists const* side : {&market.men, &market.women}) {
      for (auto const& list : *side) {
        ASSERT_TRUE(taper::testing::is_permutation(list)) << describe(workload);
      }
    }
  }
}

TYPED_TEST(Generate, IdWidthChangesNothing) {
  for (auto const& workload : workloads(60)) {
    auto const narrow = generated<TypeParam, std::uint16_t>(workload);
    auto const wide = generated<TypeParam, std::uint32_t>(workload);
    EXPECT_EQ(hash(narrow), hash(wide)) << describe(workload);
  }
}

TYPED_TEST(Generate, SeedsAndSidesDiffer) {
  for (auto const& workload : workloads(40)) {
    auto other = workload;
    other.seed = workload.seed + 1;
    auto const market = generated<TypeParam>(workload);
    EXPECT_NE(market.men, generated<TypeParam>(other).men) << describe(workload);
    EXPECT_NE(market.women, generated<TypeParam>(other).women) << describe(workload);
    EXPECT_NE(market.men, market.women) << describe(workload);
  }
}

TYPED_TEST(Generate, PerfectHasDistinctTopChoicesOnBothSides) {
  auto const market = generated<TypeParam>({Family::perfect, 80});
  for (Lists const* side : {&market.men, &market.women}) {
    std::set<std::size_t> tops;
    std::set<std::size_t> seconds;
    for (auto const& list : *side) {
      tops.insert(list[0]);
      seconds.insert(list[1]);
    }
    EXPECT_EQ(tops.size(), 80u);
    EXPECT_LT(seconds.size(), 80u) << "the rest of the lists should be random";
  }
  EXPECT_EQ(taper::testing::gale_shapley(market).proposals, 80u);
  EXPECT_EQ(taper::testing::gale_shapley(taper::testing::exchanged(market)).proposals, 80u);
}

TYPED_TEST(Generate, SoloLeavesOneManFreeAfterOneRound) {
  for (std::size_t const n : {4u, 5u, 6u, 17u, 64u}) {
    auto const market = generated<TypeParam>({Family::solo, n});
    std::set<std::size_t> tops;
    for (auto const& list : market.men) {
      tops.insert(list.front());
      EXPECT_EQ(list.back(), n - 1);
    }
    EXPECT_EQ(tops.size(), n - 1);
    EXPECT_EQ(market.men[n - 1].front(), n - 2);
    EXPECT_EQ(market.women[n - 2][0], 0u);
    EXPECT_EQ(market.women[n - 2][1], n - 1);
    EXPECT_EQ(taper::testing::gale_shapley(market).proposals, n * n - (n - 1))
        << "paper, III-A; n = " << n;
  }
}

TYPED_TEST(Generate, CongestedListsAreAllTheSame) {
  auto const market = generated<TypeParam>({Family::congested, 50});
  for (Lists const* side : {&market.men, &market.women}) {
    EXPECT_EQ(*side, Lists(50, side->front()));
    EXPECT_NE(side->front(), identity(50));
  }
  EXPECT_EQ(taper::testing::gale_shapley(market).proposals, 50u * 51u / 2u);
}

TYPED_TEST(Generate, RandomShufflesWithinCommonGroups) {
  std::size_t const n = 53;
  for (std::size_t const group_size : {2u, 5u, 52u, 53u, 54u}) {
    auto const market = generated<TypeParam>({Family::random, n, 3, group_size});
    for (Lists const* side : {&market.men, &market.women}) {
      for (std::size_t begin = 0; begin < n; begin += group_size) {
        auto const group = slice(side->front(), begin, begin + group_size);
        for (auto const& list : *side) {
          ASSERT_EQ(slice(list, begin, begin + group_size), group);
        }
      }
      EXPECT_GT(std::set(side->begin(), side->end()).size(), n / 2)
          << "lists should differ within the groups";
    }
  }
}

TYPED_TEST(Generate, GroupSizeOneIsCongestedAndNIsUniform) {
  std::size_t const n = 31;
  EXPECT_EQ(hash(generated<TypeParam>({Family::random, n, 9, 1})),
            hash(generated<TypeParam>({Family::congested, n, 9})));
  for (std::size_t const group_size : {n, n + 1, std::numeric_limits<std::size_t>::max()}) {
    EXPECT_EQ(hash(generated<TypeParam>({Family::random, n, 9, group_size})),
              hash(generated<TypeParam>({Family::uniform, n, 9})));
  }
}

TYPED_TEST(Generate, UniformAndUncorrelatedListsFavourNoCandidate) {
  std::size_t const n = 400;
  for (Workload const& workload :
       {Workload{Family::uniform, n}, Workload{Family::correlated, n, 1, 5, 0.0}}) {
    auto const market = generated<TypeParam>(workload);
    for (Lists const* side : {&market.men, &market.women}) {
      std::vector<double> rank_sum(n, 0);
      for (auto const& list : *side) {
        for (std::size_t rank = 0; rank < n; ++rank) {
          rank_sum[list[rank]] += static_cast<double>(rank);
        }
      }
      // A mean of n ranks, each uniform on 0 .. n-1: standard deviation n / sqrt(12 n), here 5.8.
      for (double const sum : rank_sum) {
        EXPECT_NEAR(sum / static_cast<double>(n), (static_cast<double>(n) - 1) / 2, 6 * 5.8)
            << describe(workload);
      }
      // Two independent permutations differ by about n / 3 per candidate.
      EXPECT_NEAR(disagreement(*side), static_cast<double>(n) / 3, 2.0) << describe(workload);
    }
  }
}

TYPED_TEST(Generate, CorrelatedListsGoFromIndependentToIdentical) {
  double last = std::numeric_limits<double>::infinity();
  for (double const strength : {0.0, 0.3, 0.6, 0.9, 0.99, 1.0}) {
    auto const market = generated<TypeParam>({Family::correlated, 120, 1, 5, strength});
    double const now = disagreement(market.men);
    EXPECT_LT(now, last) << "strength " << strength;
    last = now;
    if (strength == 1.0) {
      EXPECT_EQ(market.men, Lists(120, market.men.front()));
      EXPECT_EQ(market.women, Lists(120, market.women.front()));
    }
  }
  EXPECT_EQ(last, 0.0);
}

TYPED_TEST(Generate, RefusesInvalidWorkloads) {
  using Tables = Table<std::uint16_t, TypeParam>;
  Tables const five("taper::testing::five", 5, 5);
  Tables const three("taper::testing::three", 3, 3);
  Tables const wide("taper::testing::wide", 5, 6);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const error = [](Workload const& workload, Tables const& men, Tables const& women) {
    return message_of([&] { generate(TypeParam(), workload, men, women); });
  };
  std::string const prefix = "taper::stable_marriage::generate: ";
  EXPECT_EQ(error({Family::uniform, 4}, five, five),
            prefix + "the workload has n = 4, but men is 5 x 5 and women is 5 x 5");
  EXPECT_EQ(error({Family::uniform, 5}, five, three),
            prefix + "the workload has n = 5, but men is 5 x 5 and women is 3 x 3");
  EXPECT_EQ(error({Family::uniform, 5}, wide, five),
            prefix + "the workload has n = 5, but men is 5 x 6 and women is 5 x 5");
  EXPECT_EQ(error({Family::solo, 3}, three, three),
            prefix + "the solo family needs n >= 4, but n = 3");
  EXPECT_EQ(error({Family::random, 5, 1, 0}, five, five),
            prefix + "the random family needs group_size >= 1, but group_size = 0");
  for (double const strength : {-0.01, 1.01, nan}) {
    EXPECT_EQ(error({Family::correlated, 5, 1, 5, strength}, five, five),
              prefix + "the correlated family needs 0 <= strength <= 1, but strength = " +
                  std::to_string(strength));
  }
  EXPECT_EQ(error({Family::uniform, 5, 1, 0, nan}, five, five), "no taper::Error was thrown")
      << "options of other families";
}

/// A table without memory, for computing offsets only.
template <class Id, class Space>
auto imaginary_table(std::size_t n) {
  using Imaginary =
      Kokkos::View<Id**, Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return Imaginary(reinterpret_cast<Id*>(std::uintptr_t{1} << 20), n, n);
}

TYPED_TEST(Generate, OffsetsAre64Bit) {
  auto const offset = [](auto const& table, std::size_t row, std::size_t column) {
    return static_cast<std::uint64_t>(&table(row, column) - table.data());
  };
  auto const large = imaginary_table<std::uint32_t, Kokkos::HostSpace>(100000);
  EXPECT_EQ(offset(large, 99999, 99999), 9999999999u);
  EXPECT_EQ(offset(large, 50000, 1), 5000000001u);
  auto const narrow = imaginary_table<std::uint16_t, Kokkos::HostSpace>(65535);
  EXPECT_EQ(offset(narrow, 65534, 65534), 65535ull * 65535ull - 1);
  EXPECT_EQ((imaginary_table<std::uint32_t, TypeParam>(100000).span()), 10000000000u);
}

// The error comes before any write.
TYPED_TEST(Generate, RefusesMorePeopleThanIdsCanNumber) {
  auto const table = imaginary_table<std::uint16_t, TypeParam>(65536);
  EXPECT_EQ(message_of([&] {
              generate(TypeParam(), {Family::uniform, 65536}, table, table);
            }),
            "taper::stable_marriage::generate: n = 65536 needs wider ids: 16-bit ids number at "
            "most 65535");
}

TEST(Family, NamesParseToTheirValues) {
  for (std::string_view const name :
       {"perfect", "solo", "congested", "random", "uniform", "correlated"}) {
    auto const family = parse<Family>(name);
    ASSERT_TRUE(family.has_value());
    EXPECT_EQ(to_string(*family), name);
  }
  EXPECT_FALSE(parse<Family>("Solo").has_value());
}

}  // namespace
