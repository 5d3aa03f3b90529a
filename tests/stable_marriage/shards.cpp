// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <support/generated.hpp>
#include <support/shards.hpp>
#include <taper/stable_marriage/sharded/solve.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;
using oracle::message_of;

template <class Space>
struct ShardedSolve : ::testing::Test {
  using Memory = typename Space::memory_space;

  template <class Id = std::uint16_t>
  static auto generated(sm::Shards<Space> const& shards, sm::RowPartition const& partition,
                        sm::Workload const& workload) {
    auto const men = sm::allocate_lists<Id>(shards, partition, "test::men");
    auto const women = sm::allocate_lists<Id>(shards, partition, "test::women");
    sm::generate(shards, workload, partition, men, women);
    return sm::ShardedInstance<sm::ConstTable<Id, Memory>>{
        partition, {men.begin(), men.end()}, {women.begin(), women.end()}};
  }

  template <class Instance>
  static oracle::Matching solve(sm::Shards<Space> const& shards, Instance const& instance,
                                sm::Options const& options, sm::Report* report = nullptr) {
    using Id = typename Instance::Id;
    Kokkos::View<Id*, Memory> const partner_of(
        Kokkos::view_alloc(shards.leader(), "test::partner_of"), instance.size());
    auto const got = sm::solve(shards, instance, partner_of, options);
    EXPECT_EQ(sm::count_blocking_pairs(shards.leader(), instance, partner_of), 0u);
    if (report != nullptr) {
      *report = got;
    }
    return oracle::to_matching(partner_of);
  }

  /// The matching of the serial schedule on the whole instance, on the host.
  static oracle::Matching serial(sm::Workload const& workload, sm::Proposer proposer,
                                 std::uint64_t& proposals) {
    Kokkos::DefaultHostExecutionSpace const host;
    auto const [partner_of, report] = oracle::answer_of(
        host, oracle::generated_instance<std::uint32_t>(host, workload),
        {sm::Algorithm::gale_shapley, sm::Contention::fetch_min, sm::Schedule::serial, proposer});
    proposals = report.proposals;
    return partner_of;
  }
};

TYPED_TEST_SUITE(ShardedSolve, oracle::Backends, oracle::BackendNames);

using Ends = std::vector<std::uint32_t>;

/// Partitions with even, uneven and empty shards.
std::vector<sm::RowPartition> partitions_of(std::uint32_t n) {
  return {sm::RowPartition::even(n, 1),
          sm::RowPartition::even(n, 2),
          sm::RowPartition::even(n, 3),
          sm::RowPartition::even(n, 4),
          sm::RowPartition(Ends{0, n / 3, n / 3, n}),
          sm::RowPartition(Ends{n, n}),
          sm::RowPartition(Ends{1, n - 1, n})};
}

std::string name(sm::RowPartition const& partition) {
  std::string text = "shards of";
  for (std::uint32_t k = 0; k < partition.shards(); ++k) {
    text += ' ' + std::to_string(partition.size(k));
  }
  return text;
}

/// n = 331 is no multiple of a tile's width. So tiles are cut by the ends of tables and of shards.
TYPED_TEST(ShardedSolve, GivesTheSerialMatching) {
  for (auto const family : oracle::all_families) {
    for (std::size_t const n : {std::size_t{5}, std::size_t{331}}) {
      sm::Workload const workload{.family = family, .n = n, .seed = n};
      for (auto const proposer : {sm::Proposer::men, sm::Proposer::women}) {
        std::uint64_t proposals = 0;
        auto const expected = TestFixture::serial(workload, proposer, proposals);
        for (auto const& partition : partitions_of(static_cast<std::uint32_t>(n))) {
          auto const shards = oracle::shards<TypeParam>(partition.shards());
          auto const instance = TestFixture::generated(shards, partition, workload);
          for (std::int64_t const threshold : {-1, 0, 1, 40, 1000}) {
            sm::Options const options{
                .proposer = proposer, .tail_threshold = threshold, .tiers = false};
            sm::Report report;
            EXPECT_EQ(TestFixture::solve(shards, instance, options, &report), expected)
                << to_string(family) << ", " << name(partition) << ", tail_threshold " << threshold;
            EXPECT_EQ(report.proposals, proposals);
            EXPECT_LE(report.taper_step, report.proposals);
          }
        }
      }
    }
  }
}

/// The published scheme: one atomic minimum per proposal of the devices, the last proposer on the
/// host.
TYPED_TEST(ShardedSolve, BambooGivesTheSerialMatching) {
  for (auto const family : oracle::all_families) {
    for (std::size_t const n : {std::size_t{5}, std::size_t{331}}) {
      sm::Workload const workload{.family = family, .n = n, .seed = n};
      for (auto const proposer : {sm::Proposer::men, sm::Proposer::women}) {
        std::uint64_t proposals = 0;
        auto const expected = TestFixture::serial(workload, proposer, proposals);
        for (auto const& partition : partitions_of(static_cast<std::uint32_t>(n))) {
          SCOPED_TRACE(std::string(to_string(family)) + ", " + name(partition));
          auto const shards = oracle::shards<TypeParam>(partition.shards());
          auto const instance = TestFixture::generated(shards, partition, workload);
          sm::Options const options{
              .schedule = sm::Schedule::bamboo, .proposer = proposer, .count = true};
          sm::Report report;
          EXPECT_EQ(TestFixture::solve(shards, instance, options, &report), expected);
          EXPECT_EQ(report.proposals, proposals);
          EXPECT_EQ(report.acceptances + report.rejections, proposals);
          EXPECT_EQ(report.atomic_operations, report.perfect              ? 0
                                              : report.migrations.empty() ? proposals
                                                                          : report.taper_step);
          bool const must_migrate =
              family == sm::Family::solo && n > 5 && proposer == sm::Proposer::men;
          ASSERT_LE(report.migrations.size(), 1u);
          EXPECT_TRUE(!must_migrate || report.migrations.size() == 1u);
          if (!report.migrations.empty()) {
            EXPECT_EQ(report.migrations[0].live, 1u);
            EXPECT_EQ(report.tail_side, taper::Location::host);
            EXPECT_EQ(report.bytes_moved == 0, taper::HostExecutionSpace<TypeParam>);
          }
        }
      }
    }
  }
}

/// The tables that one schedule leaves in the workspaces do not disturb the other.
TYPED_TEST(ShardedSolve, SchedulesShareWorkspaces) {
  using Id = std::uint16_t;
  using Space = TypeParam;
  sm::Workload const workload{.family = sm::Family::correlated, .n = 200, .seed = 5};
  std::uint64_t proposals = 0;
  auto const expected = TestFixture::serial(workload, sm::Proposer::men, proposals);
  auto const partition = sm::RowPartition::even(200, 3);
  auto const shards = oracle::shards<Space>(3);
  auto const instance = TestFixture::template generated<Id>(shards, partition, workload);
  sm::ShardedWorkspace<Id, typename Space::memory_space> workspaces;
  for (auto const schedule :
       {sm::Schedule::hybrid, sm::Schedule::bamboo, sm::Schedule::hybrid, sm::Schedule::bamboo}) {
    Kokkos::View<Id*, typename Space::memory_space> const partner_of(
        Kokkos::view_alloc(shards.leader(), "test::partner_of"), instance.size());
    sm::solve(shards, instance, partner_of, {.schedule = schedule}, workspaces);
    EXPECT_EQ(oracle::to_matching(partner_of), expected) << to_string(schedule);
  }
}

TYPED_TEST(ShardedSolve, ThirtyTwoBitIdsGiveTheSameMatching) {
  for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::random}) {
    sm::Workload const workload{.family = family, .n = 130, .seed = 3};
    std::uint64_t proposals = 0;
    auto const expected = TestFixture::serial(workload, sm::Proposer::men, proposals);
    auto const partition = sm::RowPartition::even(130, 3);
    auto const shards = oracle::shards<TypeParam>(3);
    auto const instance =
        TestFixture::template generated<std::uint32_t>(shards, partition, workload);
    EXPECT_EQ(TestFixture::solve(shards, instance, {}), expected) << to_string(family);
    EXPECT_EQ(TestFixture::solve(shards, instance, {.schedule = sm::Schedule::bamboo}), expected)
        << to_string(family);
  }
}

/// Instances so small that shards have one row or none.
TYPED_TEST(ShardedSolve, SolvesTinyInstances) {
  std::mt19937_64 random(7);
  for (std::size_t n = 1; n <= 6; ++n) {
    for (int again = 0; again < 8; ++again) {
      auto const market = oracle::random_market(n, random);
      for (std::uint32_t count = 1; count <= 4; ++count) {
        auto const shards = oracle::shards<TypeParam>(count);
        auto const instance = oracle::to_sharded(shards, market);
        EXPECT_EQ(TestFixture::solve(shards, instance, {}), oracle::man_optimal(market));
        EXPECT_EQ(TestFixture::solve(shards, instance, {.schedule = sm::Schedule::bamboo}),
                  oracle::man_optimal(market));
        EXPECT_EQ(TestFixture::solve(shards, instance, {.proposer = sm::Proposer::women}),
                  oracle::woman_optimal(market));
      }
    }
  }
}

/// With identical lists on two shards, half of the standing offers are beaten at each exchange.
TYPED_TEST(ShardedSolve, CountsItsRounds) {
  std::size_t const n = 200;
  auto const shards = oracle::shards<TypeParam>(2);
  auto const instance = TestFixture::generated(
      shards, sm::RowPartition::even(n, 2), sm::Workload{.family = sm::Family::congested, .n = n});
  sm::Report report;
  TestFixture::solve(shards, instance, {.tail_threshold = 0, .count = true}, &report);
  EXPECT_GT(report.rounds, 1u);
  EXPECT_EQ(report.proposals, n * (n + 1) / 2);
  EXPECT_EQ(report.acceptances + report.rejections, report.proposals);
  EXPECT_EQ(report.tail_side, taper::Location::none);
}

TYPED_TEST(ShardedSolve, VerifierFindsUnstableMatchings) {
  auto const shards = oracle::shards<TypeParam>(2);
  std::mt19937_64 random(11);
  auto const market = oracle::random_market(9, random);
  auto const instance = oracle::to_sharded(shards, market);
  auto matching = oracle::man_optimal(market);
  for (std::size_t man = 1; man < matching.size(); ++man) {
    std::swap(matching[0], matching[man]);
    EXPECT_EQ(sm::count_blocking_pairs(shards.leader(), instance,
                                       oracle::to_partners<TypeParam>(matching)),
              oracle::blocking_pairs(market, matching).size());
  }
}

TYPED_TEST(ShardedSolve, RejectsInvalidArguments) {
  std::mt19937_64 random(1);
  auto const shards = oracle::shards<TypeParam>(2);
  auto instance = oracle::to_sharded(shards, oracle::random_market(4, random));
  Kokkos::View<std::uint16_t*, typename TestFixture::Memory> const partner_of("test::partner_of",
                                                                              4);
  EXPECT_EQ(message_of([&] { sm::solve(oracle::shards<TypeParam>(3), instance, partner_of); }),
            "taper::stable_marriage::solve: 2 shards need as many execution spaces and tables per "
            "side, got 3 execution spaces, 2 tables of men and 2 of women");
  EXPECT_EQ(message_of([&] {
              sm::solve(shards, instance, partner_of, {.schedule = sm::Schedule::parallel});
            }),
            "taper::stable_marriage::solve: a sharded run needs schedule 'hybrid' or "
            "'bamboo', algorithm 'locality_aware', contention 'fetch_min' and no tail on the host");
  std::swap(instance.men[0], instance.women[1]);
  instance.men[0] = sm::Table<std::uint16_t, typename TestFixture::Memory>("test::men", 1, 4);
  EXPECT_EQ(message_of([&] { sm::solve(shards, instance, partner_of); }),
            "taper::stable_marriage::solve: shard 0 needs a table of men of 2 x 4, got 1 x 4");
  EXPECT_EQ(message_of([] {
              sm::RowPartition(Ends{3, 2});
            }),
            "taper::stable_marriage::RowPartition: shard 1 ends at 2, before shard 0");
}

}  // namespace
