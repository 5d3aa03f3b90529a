// SPDX-License-Identifier: Apache-2.0
//
// Runs that taper wherever a seed says, one instance after another. By default a few small ones;
// TAPER_TEST_SEEDS=20 TAPER_TEST_PEOPLE=2000 is a longer look. configs/seeds.yaml does the same for
// all engines as they taper by themselves.
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <support/shards.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/solve_shards.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;
using Id = std::uint16_t;

std::size_t setting(char const* variable, std::size_t otherwise) {
  char const* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

template <class Space>
struct Tables {
  using Memory = typename Space::memory_space;
  sm::Table<Id, Memory> men;
  sm::Table<Id, Memory> women;

  Tables(Space const& where, sm::Workload const& workload)
      : men("test::men", workload.n, workload.n), women("test::women", workload.n, workload.n) {
    sm::generate(where, workload, men, women);
  }

  template <class Place>
  oracle::Matching solve(Place const& place, sm::Options const& options) const {
    Kokkos::View<Id*, Memory> const partner_of("test::partner_of", men.extent(0));
    sm::solve(place, sm::Instance<sm::ConstTable<Id, Memory>>{men, women}, partner_of, options);
    return oracle::to_matching(partner_of);
  }
};

template <class Space>
struct Seeds : ::testing::Test {};

TYPED_TEST_SUITE(Seeds, oracle::Backends, oracle::BackendNames);

TYPED_TEST(Seeds, TaperAnywhere) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Memory = typename TypeParam::memory_space;
  std::size_t const n = setting("TAPER_TEST_PEOPLE", 150);
  std::size_t const seeds = setting("TAPER_TEST_SEEDS", 3);
  for (auto const family : {sm::Family::perfect, sm::Family::solo, sm::Family::congested,
                            sm::Family::random, sm::Family::uniform, sm::Family::correlated}) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      std::mt19937_64 random(seed);
      auto const up_to = [&](std::uint64_t most) { return random() % (most + 1); };
      sm::Workload const workload{.family = family, .n = n, .seed = seed};
      auto const expected =
          Tables<Host>(Host{}, workload)
              .solve(Host{}, {.algorithm = sm::Algorithm::gale_shapley,
                              .schedule = sm::Schedule::sequential});

      // Few are free most of the time: small numbers are met late, large ones at once.
      auto const live = [&] { return static_cast<std::int64_t>(up_to(up_to(n))); };
      TypeParam const space;
      Tables<TypeParam> const tables(space, workload);
      for (auto const tail : {sm::Tail::device, sm::Tail::host}) {
        sm::Options const options{.tail = tail, .taper_live = live()};
        EXPECT_EQ(tables.solve(taper::Duo<TypeParam, Host>{space, {}}, options), expected)
            << to_string(family) << ", seed " << seed << ", tail " << to_string(tail)
            << ", taper_live " << options.taper_live;
      }

      std::uint32_t const count = 1 + static_cast<std::uint32_t>(up_to(4));
      std::vector<std::uint32_t> ends{static_cast<std::uint32_t>(n)};
      while (ends.size() < count) {
        ends.push_back(static_cast<std::uint32_t>(up_to(n)));
      }
      std::sort(ends.begin(), ends.end());
      taper::Homes const homes(ends);
      auto const shards = oracle::shards<TypeParam>(count);
      auto const men = sm::allocate_lists<Id>(shards, homes, "test::men");
      auto const women = sm::allocate_lists<Id>(shards, homes, "test::women");
      sm::generate(shards, workload, homes, men, women);
      sm::ShardedInstance<sm::ConstTable<Id, Memory>> const instance{
          homes, {men.begin(), men.end()}, {women.begin(), women.end()}};
      Kokkos::View<Id*, Memory> const partner_of(
          Kokkos::view_alloc(shards.leader(), "test::partner_of"), n);
      sm::Options const options{.taper_live = live()};
      sm::solve(shards, instance, partner_of, options);
      EXPECT_EQ(oracle::to_matching(partner_of), expected)
          << to_string(family) << ", seed " << seed << ", " << count << " shards, taper_live "
          << options.taper_live;
    }
  }
}

}  // namespace
