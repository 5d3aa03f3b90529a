// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/bounded_search.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace {

using taper::SearchBounds;
using taper::SearchEnd;

struct Control {
  taper::AtomicWord heartbeat;
  std::uint32_t stop;
  std::uint32_t left;
};

/// One worker that does up to `quota` pieces of work per launch.
template <class Memory>
struct Work {
  Kokkos::View<Control, Memory> control;
  std::uint32_t quota;

  KOKKOS_FUNCTION void operator()(int) const {
    std::uint32_t const done = Kokkos::min(quota, control().left);
    control().left -= done;
    control().heartbeat += done;
    control().stop += 7;  // 7 in every launch, if the host has reset it
  }
};

template <class Space>
struct BoundedSearch : ::testing::Test {
  using Memory = typename Space::memory_space;
  Space space;
  Control control{.heartbeat = 0, .stop = 99, .left = 10};
  std::uint64_t launches = 0;

  SearchEnd run(std::uint32_t quota, SearchBounds const& bounds) {
    Kokkos::View<Control, Memory> const there("test::control");
    return taper::run_bounded_search(
        space, "test::bounded_search", control, there, bounds,
        [&] {
          Kokkos::parallel_for("test::work", Kokkos::RangePolicy<Space>(space, 0, 1),
                               Work<Memory>{there, quota});
        },
        [&](std::chrono::duration<double> duration) {
          ++launches;
          EXPECT_GE(duration.count(), 0);
          EXPECT_EQ(control.stop, 7u);
          return control.left == 0;
        });
  }
};
TYPED_TEST_SUITE(BoundedSearch, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(BoundedSearch, LaunchesUntilItIsFinished) {
  EXPECT_EQ(this->run(3, {}), SearchEnd::finished);
  EXPECT_EQ(this->launches, 4u);
  EXPECT_EQ(this->control.heartbeat, 10u);
}

TYPED_TEST(BoundedSearch, StopsAfterALaunchByDeadlineOrFlag) {
  std::atomic<bool> const stop{true};
  EXPECT_EQ(this->run(3, {.stop = &stop}), SearchEnd::stopped);
  EXPECT_EQ(this->launches, 1u);
  EXPECT_EQ(this->control.left, 7u);
  EXPECT_EQ(this->run(3, {.deadline = std::chrono::steady_clock::now()}), SearchEnd::stopped);
  EXPECT_EQ(this->launches, 2u);
  EXPECT_EQ(this->control.left, 4u);
}

TYPED_TEST(BoundedSearch, AFinishedSearchIsNotStopped) {
  std::atomic<bool> const stop{true};
  EXPECT_EQ(this->run(10, {.stop = &stop}), SearchEnd::finished);
}

TYPED_TEST(BoundedSearch, StallsAfterLaunchesWithoutAHeartbeat) {
  EXPECT_EQ(this->run(0, {.max_silent_launches = 5}), SearchEnd::stalled);
  EXPECT_EQ(this->launches, 5u);
}

TEST(NextQuota, AdaptsToTheDurationOfALaunch) {
  using Seconds = std::chrono::duration<double>;
  EXPECT_EQ(taper::next_quota(8, 2, Seconds(0.01), true), 16u);
  EXPECT_EQ(taper::next_quota(8, 2, Seconds(0.01), false), 8u);
  EXPECT_EQ(taper::next_quota(8, 2, Seconds(0.1), true), 8u);
  EXPECT_EQ(taper::next_quota(8, 2, Seconds(0.3), true), 4u);
  EXPECT_EQ(taper::next_quota(8, 2, Seconds(0.3), false), 4u);
  EXPECT_EQ(taper::next_quota(3, 2, Seconds(0.3), true), 2u);
}

}  // namespace
