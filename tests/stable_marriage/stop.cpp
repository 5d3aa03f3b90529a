// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/generated.hpp>
#include <support/stop_at_launch.hpp>
#include <taper/stable_marriage/solve_streamed.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;
using oracle::StopAtLaunch;
using taper::Status;

/// Options for each kind of stage and tail.
std::vector<sm::Options> engines() {
  using enum sm::Algorithm;
  using enum sm::Contention;
  using enum sm::Schedule;
  return {{gale_shapley, compare_exchange, serial},
          {locality_aware, fetch_min, serial},
          {mcvitie_wilson, compare_exchange, parallel},
          {locality_aware, fetch_min, parallel},
          {.schedule = bamboo},
          {},
          {.tiers = false, .lazy_ranks = sm::LazyRanks::columns},
          {.tiers = false, .lazy_ranks = sm::LazyRanks::shortlists},
          {.tiers = false, .lazy_ranks = sm::LazyRanks::never, .max_threads = 2},
          {gale_shapley, fetch_min, hybrid},
          {.tail = sm::Tail::host, .tail_threshold = 20},
          {.tail = sm::Tail::device, .tail_threshold = 20}};
}

template <class Space>
struct Stop : ::testing::Test {
  static constexpr std::uint64_t n = 300;
  taper::Duo<Space, Kokkos::DefaultHostExecutionSpace> duo{Space{}, {}};
};
TYPED_TEST_SUITE(Stop, oracle::Backends, oracle::BackendNames);

/// Stops before each launch of each engine, on instances that need all stages. Families that fall
/// into tiers are solved before the second look at the flag.
TYPED_TEST(Stop, EndsSoonOrSolves) {
  // The pieces between two looks at the flag: the search for tiers has the most launches, 15.
  constexpr std::uint64_t most_launches_of_a_piece = 15;
  for (auto options : engines()) {
    std::uint64_t stopped = 0;
    for (auto const family :
         {sm::Family::solo, sm::Family::congested, sm::Family::random, sm::Family::uniform}) {
      auto const instance =
          oracle::generated_instance(TypeParam{}, {.family = family, .n = this->n, .seed = 5});
      auto const expected =
          oracle::gale_shapley(oracle::to_market(instance.men, instance.women)).partner_of;
      bool ended = false;
      for (std::uint64_t launch = 0; !ended; launch += launch < 40 ? 1 : 1 + launch / 8) {
        StopAtLaunch const stop(launch);
        options.stop = stop.flag();
        auto const answer = oracle::answer_of(this->duo, instance, options);
        ended = !stop.is_set();
        if (answer.report.status == Status::stopped) {
          ++stopped;
          EXPECT_TRUE(stop.is_set());
        } else {
          EXPECT_EQ(answer.partner_of, expected) << to_string(family) << ", launch " << launch;
        }
        EXPECT_LE(stop.launches_after(), most_launches_of_a_piece)
            << to_string(family) << ", " << to_string(options.schedule) << ", launch " << launch;
      }
    }
    EXPECT_GT(stopped, 0u) << to_string(options.schedule);
  }
}

TYPED_TEST(Stop, BeforeTheCallNothingIsDone) {
  auto const instance = oracle::generated_instance(TypeParam{}, {.n = this->n});
  Kokkos::View<std::uint16_t*, typename TypeParam::memory_space> const partner_of("test", this->n);
  std::atomic<bool> const set{true};
  for (auto options : engines()) {
    options.stop = &set;
    StopAtLaunch const launches(0);
    auto const report = sm::solve(this->duo, instance, partner_of, options);
    EXPECT_EQ(report.status, Status::stopped);
    EXPECT_FALSE(launches.is_set());
  }
}

/// After a stop the same workspace serves a solve.
TYPED_TEST(Stop, AWorkspaceServesAgain) {
  using Memory = typename TypeParam::memory_space;
  auto const instance =
      oracle::generated_instance(TypeParam{}, {.family = sm::Family::random, .n = this->n});
  auto const expected =
      oracle::gale_shapley(oracle::to_market(instance.men, instance.women)).partner_of;
  sm::Workspace<std::uint16_t, Memory> workspace;
  Kokkos::View<std::uint16_t*, Memory> const partner_of("test::partner_of", this->n);
  for (std::uint64_t launch = 0; launch < 30; ++launch) {
    {
      StopAtLaunch const stop(launch);
      sm::solve(this->duo, instance, partner_of,
                {.tiers = false, .lazy_ranks = sm::LazyRanks::never, .stop = stop.flag()},
                workspace);
    }
    auto const report = sm::solve(this->duo, instance, partner_of, {}, workspace);
    EXPECT_EQ(report.status, Status::solved);
    EXPECT_EQ(oracle::to_matching(partner_of), expected) << "launch " << launch;
  }
}

}  // namespace
