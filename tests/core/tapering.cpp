// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/stop_at_launch.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

namespace {

using taper::Leg;
using taper::Outcome;
using taper::unlimited;

struct Countdown {
  std::uint32_t id;
  std::uint32_t left;
};

/// Decrements `left`, counts the step in `made(id)`, and retires at 0. Every third step reports a
/// hand-over.
template <class MemorySpace>
struct CountDown {
  using State = Countdown;
  struct Tally {
    std::uint64_t steps = 0;
  };

  Kokkos::View<std::uint32_t*, MemorySpace> made;
  Kokkos::View<std::uint64_t, MemorySpace> total;

  KOKKOS_FUNCTION Outcome operator()(Countdown& chain, Tally& tally) const {
    ++tally.steps;
    Kokkos::atomic_inc(&made(chain.id));
    --chain.left;
    return chain.left == 0 ? Outcome::retired
                           : (chain.left % 3 == 0 ? Outcome::handed_over : Outcome::again);
  }
  KOKKOS_FUNCTION std::uint32_t progress(Countdown const& chain) const { return 1000 - chain.left; }
  KOKKOS_FUNCTION void prefetch_for(Countdown const&) const {}
  KOKKOS_FUNCTION void publish(Tally const& tally) const {
    Kokkos::atomic_add(&total(), tally.steps);
  }
};

struct Walker {
  std::uint32_t id;
  std::uint32_t position;
};

/// Walks to `length` and logs the walker of each step. The first step of walkers 1 and 3 is a
/// hand-over.
template <class MemorySpace>
struct Walk {
  using State = Walker;
  struct Tally {};

  Kokkos::View<std::uint32_t*, MemorySpace> log;
  Kokkos::View<std::uint32_t, MemorySpace> steps;
  std::uint32_t length;

  KOKKOS_FUNCTION Outcome operator()(Walker& walker, Tally&) const {
    log(Kokkos::atomic_fetch_add(&steps(), 1u)) = walker.id;
    if (++walker.position == length) {
      return Outcome::retired;
    }
    bool const hands_over = walker.position == 1 && (walker.id == 1 || walker.id == 3);
    return hands_over ? Outcome::handed_over : Outcome::again;
  }
  KOKKOS_FUNCTION std::uint32_t progress(Walker const& walker) const { return walker.position; }
  KOKKOS_FUNCTION void prefetch_for(Walker const&) const {}
  KOKKOS_FUNCTION void publish(Tally const&) const {}
};

template <class Space>
class Tapering : public ::testing::Test {
 public:
  using Memory = typename Space::memory_space;
  using Step = CountDown<Memory>;

  /// Chain i needs lengths_[i] steps.
  void start() {
    auto const n = lengths_.size();
    frontier_ = taper::Frontier<Countdown, Memory>(space_, "test::frontier", n);
    step_ = {Kokkos::View<std::uint32_t*, Memory>("test::made", n),
             Kokkos::View<std::uint64_t, Memory>("test::total")};
    auto const chains = Kokkos::create_mirror_view(frontier_.waiting);
    for (std::uint32_t i = 0; i < n; ++i) {
      chains(i) = {i, lengths_[i]};
    }
    Kokkos::deep_copy(frontier_.waiting, chains);
  }

  /// The walker of each step, for one worker with six walkers.
  std::vector<std::uint32_t> walk(std::uint32_t length, Leg leg) {
    constexpr std::uint32_t walkers = 6;
    taper::Frontier<Walker, Memory> frontier(space_, "test::walkers", walkers);
    auto const chains = Kokkos::create_mirror_view(frontier.waiting);
    for (std::uint32_t i = 0; i < walkers; ++i) {
      chains(i) = {i, 0};
    }
    Kokkos::deep_copy(frontier.waiting, chains);
    Kokkos::View<std::uint32_t*, Memory> const log("test::log", walkers * length);
    Kokkos::View<std::uint32_t, Memory> const steps("test::steps");
    leg.max_workers = 1;
    taper::run_leg(space_, "test::walk", Walk<Memory>{log, steps, length}, frontier, leg);
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, log);
    return {here.data(), here.data() + here.size()};
  }

  void run(Leg const& leg) { taper::run_leg(space_, "test::leg", step_, frontier_, leg); }

  std::vector<std::uint32_t> made() const {
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, step_.made);
    return {here.data(), here.data() + here.size()};
  }

  /// A parked chain has exactly the remaining steps left. Every other chain has made all its steps.
  void expect_nothing_lost() const {
    auto const steps = made();
    std::vector<std::uint32_t> expected = lengths_;
    auto const chains = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, frontier_.waiting);
    for (std::uint64_t i = 0; i < frontier_.live; ++i) {
      ASSERT_GT(chains(i).left, 0u);
      expected[chains(i).id] -= chains(i).left;
    }
    EXPECT_EQ(steps, expected);
    auto const total = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, step_.total);
    EXPECT_EQ(total(), std::accumulate(steps.begin(), steps.end(), std::uint64_t{0}));
  }

  std::vector<std::uint32_t> const lengths_{5, 1, 40, 7, 100, 3, 3, 65, 2, 33, 64, 1};
  Space space_;
  taper::Frontier<Countdown, Memory> frontier_{space_, "test::frontier", 0};
  Step step_{Kokkos::View<std::uint32_t*, Memory>("test::made", 0),
             Kokkos::View<std::uint64_t, Memory>("test::total")};
};

TYPED_TEST_SUITE(Tapering, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(Tapering, RunsEveryChainToItsEnd) {
  for (std::uint64_t const workers : {std::uint64_t{1}, std::uint64_t{5}, unlimited}) {
    for (std::uint64_t const turn : {std::uint64_t{1}, std::uint64_t{4}, unlimited}) {
      this->start();
      this->run({.turn = turn, .max_workers = workers});
      EXPECT_EQ(this->frontier_.live, 0u);
      EXPECT_EQ(this->made(), this->lengths_) << "workers " << workers << ", turn " << turn;
    }
  }
}

TYPED_TEST(Tapering, ContinuesAfterAStopAtAnyStep) {
  for (std::uint64_t const workers : {std::uint64_t{1}, std::uint64_t{3}, unlimited}) {
    for (std::uint64_t const turn : {std::uint64_t{1}, std::uint64_t{4}, unlimited}) {
      for (std::uint64_t steps = 1; steps <= 70; ++steps) {
        this->start();
        for (int leg = 0; this->frontier_.live > 0; ++leg) {
          ASSERT_LT(leg, 400) << "no progress";
          auto const order = steps % 2 == 0 ? taper::Order::same : taper::Order::handed_over_first;
          this->run({.max_steps = steps, .turn = turn, .order = order, .max_workers = workers});
          this->expect_nothing_lost();
        }
        EXPECT_EQ(this->made(), this->lengths_);
      }
    }
  }
}

TYPED_TEST(Tapering, OneWorkerStopsAfterExactlyMaxSteps) {
  std::uint64_t const all =
      std::accumulate(this->lengths_.begin(), this->lengths_.end(), std::uint64_t{0});
  for (std::uint64_t steps = 1; steps <= all; ++steps) {
    this->start();
    this->run({.max_steps = steps, .turn = 1, .max_workers = 1});
    auto const made = this->made();
    EXPECT_EQ(std::accumulate(made.begin(), made.end(), std::uint64_t{0}), steps);
    this->expect_nothing_lost();
  }
}

TYPED_TEST(Tapering, StopsAtTheLiveCount) {
  for (std::uint64_t live = 0; live <= this->lengths_.size(); ++live) {
    this->start();
    this->run({.stop_at_live = live, .turn = 2, .max_workers = 1});
    // One worker sees its own flag at once. If the count is met at the start, nothing runs.
    EXPECT_EQ(this->frontier_.live, live);
    this->expect_nothing_lost();

    this->start();
    this->run({.stop_at_live = live});
    // Other workers may retire chains before they next read the flag.
    EXPECT_LE(this->frontier_.live, live);
    this->expect_nothing_lost();
    this->run({});
    EXPECT_EQ(this->made(), this->lengths_);
  }
}

TYPED_TEST(Tapering, ATurnEndsAtAMultipleOfItsLength) {
  EXPECT_EQ(this->walk(3, {.turn = 2}),
            (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(this->walk(2, {}), (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
}

TYPED_TEST(Tapering, HandedOverChainsComeFirstInTheNextPassTheLatestAtTheFront) {
  auto const log = this->walk(2, {.turn = 1, .order = taper::Order::handed_over_first});
  std::vector<std::uint32_t> const first_pass(log.begin(), log.begin() + 6);
  std::vector<std::uint32_t> second_pass(log.begin() + 6, log.end());
  EXPECT_EQ(first_pass, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(second_pass[0], 3u);
  EXPECT_EQ(second_pass[1], 1u);
  std::sort(second_pass.begin(), second_pass.end());
  EXPECT_EQ(second_pass, first_pass);
  EXPECT_EQ(this->walk(2, {.turn = 1}),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
}

TYPED_TEST(Tapering, AnIdleWorkerStopsTheLegForRebalancing) {
  this->start();
  int legs = 0;
  while (this->frontier_.live > 0) {
    ASSERT_LT(legs++, 20) << "each leg retires at least a block";
    this->run({.turn = 1, .max_workers = 4, .rebalance = true});
    this->expect_nothing_lost();
  }
  EXPECT_EQ(this->made(), this->lengths_);
}

TYPED_TEST(Tapering, ParkedChainsMigrateUnchanged) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using HostMemory = typename Host::memory_space;
  this->start();
  this->run({.max_steps = 6, .max_workers = 1});
  auto [here, bytes] = taper::migrate(this->space_, Host{}, "test::frontier", this->frontier_);
  constexpr bool same = std::is_same_v<HostMemory, typename TypeParam::memory_space>;
  EXPECT_EQ(bytes, same ? 0u : this->frontier_.live * sizeof(Countdown));
  ASSERT_EQ(here.live, this->frontier_.live);

  CountDown<HostMemory> const step{
      Kokkos::View<std::uint32_t*, HostMemory>("test::made", this->lengths_.size()),
      Kokkos::View<std::uint64_t, HostMemory>("test::total")};
  taper::run_leg(Host{}, "test::tail", step, here, {});
  EXPECT_EQ(here.live, 0u);
  auto made = this->made();
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] += step.made(i);
  }
  EXPECT_EQ(made, this->lengths_);
}

TYPED_TEST(Tapering, AStoppedLegLeavesItsChains) {
  std::atomic<bool> flag{true};
  this->start();
  this->run({.stop = {&flag}});
  EXPECT_EQ(this->frontier_.live, this->lengths_.size());
  this->expect_nothing_lost();
  flag = false;
  this->run({.stop = {&flag}});
  EXPECT_EQ(this->frontier_.live, 0u);
  EXPECT_EQ(this->made(), this->lengths_);
}

TYPED_TEST(Tapering, ALegIsStoppedBetweenSlices) {
  using Space = typename TypeParam::memory_space;
  constexpr auto slice = taper::detail::steps_per_slice<TypeParam>;
  constexpr auto length = static_cast<std::uint32_t>(3 * slice + 5);
  TypeParam const space;
  taper::Frontier<Countdown, Space> frontier(space, "test::frontier", 1);
  Kokkos::deep_copy(frontier.waiting, Countdown{0, length});
  CountDown<Space> const step{Kokkos::View<std::uint32_t*, Space>("test::made", 1),
                              Kokkos::View<std::uint64_t, Space>("test::total")};
  auto const made = [&] {
    std::uint64_t total = 0;
    Kokkos::deep_copy(total, step.total);
    return total;
  };
  {
    taper::testing::StopAtLaunch const stop(1);
    taper::run_leg(space, "test::leg", step, frontier, {.stop = {stop.flag()}});
  }
  EXPECT_EQ(frontier.live, 1u);
  EXPECT_EQ(made(), 2 * slice);
  std::atomic<bool> const never{false};
  taper::run_leg(space, "test::leg", step, frontier, {.max_steps = slice - 1, .stop = {&never}});
  EXPECT_EQ(made(), 3 * slice - 1);
  taper::run_leg(space, "test::leg", step, frontier, {.stop = {&never}});
  EXPECT_EQ(frontier.live, 0u);
  EXPECT_EQ(made(), length);
}

}  // namespace
