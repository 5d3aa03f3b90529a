// SPDX-License-Identifier: Apache-2.0
#include "host_market.hpp"

#include <support/backends.hpp>
#include <support/stop_at_launch.hpp>
#include <taper/hospitals_residents/hospitals_residents.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace {

namespace hr = taper::hospitals_residents;
using taper::Status;
using taper::testing::DeviceMarket;
using taper::testing::StopAtLaunch;

constexpr hr::Options engines[]{
    {.schedule = hr::Schedule::serial},
    {.schedule = hr::Schedule::parallel, .wide = hr::Wide::rounds},
    {.schedule = hr::Schedule::parallel, .wide = hr::Wide::chains},
    {.wide = hr::Wide::rounds, .tail_threshold = 3},
    {.wide = hr::Wide::rounds, .tail = hr::Tail::host, .tail_threshold = 30},
    {.schedule = hr::Schedule::serial, .proposer = hr::Proposer::hospitals},
    {.proposer = hr::Proposer::hospitals, .tail_threshold = 5},
    {.mechanism = hr::Mechanism::top_trading_cycles},
};

template <class Space>
struct HospitalsResidentsStop : ::testing::Test {
  taper::Duo<Space, Kokkos::DefaultHostExecutionSpace> duo{Space{}, {}};

  /// Whether these options run here.
  static bool runs(hr::Options const& options) {
    return options.mechanism != hr::Mechanism::top_trading_cycles ||
           std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;
  }
};
TYPED_TEST_SUITE(HospitalsResidentsStop, taper::testing::Backends, taper::testing::BackendNames);

/// Stops before each launch of each engine.
TYPED_TEST(HospitalsResidentsStop, EndsSoonOrSolves) {
  constexpr std::uint64_t most_launches_of_a_piece = 12;
  auto const market = taper::testing::random_market(7, 400, 30, 5, 8);
  DeviceMarket<TypeParam> const there(market);
  for (auto options : engines) {
    if (!this->runs(options)) {
      continue;
    }
    hr::solve(this->duo, there.market(), there.hospital_of, options);
    auto const expected = there.assignment();
    bool ended = false;
    std::uint64_t stopped = 0;
    for (std::uint64_t launch = 0; !ended; ++launch) {
      StopAtLaunch const stop(launch);
      options.stop = stop.flag();
      auto const report = hr::solve(this->duo, there.market(), there.hospital_of, options);
      ended = !stop.is_set();
      if (report.status == Status::stopped) {
        ++stopped;
        EXPECT_TRUE(stop.is_set());
      } else {
        EXPECT_EQ(there.assignment(), expected) << "launch " << launch;
      }
      EXPECT_LE(stop.launches_after(), most_launches_of_a_piece) << "launch " << launch;
    }
    EXPECT_GT(stopped, 0u);
    options.stop = nullptr;
  }
}

TYPED_TEST(HospitalsResidentsStop, BeforeTheCallNothingIsDone) {
  auto const market = taper::testing::random_market(7, 400, 30, 5, 8);
  DeviceMarket<TypeParam> const there(market);
  std::atomic<bool> const set{true};
  for (auto options : engines) {
    if (!this->runs(options)) {
      continue;
    }
    options.stop = &set;
    StopAtLaunch const launches(0);
    auto const report = hr::solve(this->duo, there.market(), there.hospital_of, options);
    EXPECT_EQ(report.status, Status::stopped);
    EXPECT_FALSE(launches.is_set());
  }
}

}  // namespace
