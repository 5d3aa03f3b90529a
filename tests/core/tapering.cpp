// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
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

/// Takes one from `left` and notes it at `made(id)`; retires at 0. Every third step is a hand-over
/// in name.
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
  KOKKOS_FUNCTION void expect(Countdown const&) const {}
  KOKKOS_FUNCTION void publish(Tally const& tally) const {
    Kokkos::atomic_add(&total(), tally.steps);
  }
};

struct Walker {
  std::uint32_t id;
  std::uint32_t position;
};

/// Walks to `length`, and writes down who took each step. The first step of walkers 1 and 3 is a
/// hand-over.
template <class MemorySpace>
struct Walk {
  using State = Walker;
  struct Tally {};

  Kokkos::View<std::uint32_t*, MemorySpace> who;
  Kokkos::View<std::uint32_t, MemorySpace> steps;
  std::uint32_t length;

  KOKKOS_FUNCTION Outcome operator()(Walker& walker, Tally&) const {
    who(Kokkos::atomic_fetch_add(&steps(), 1u)) = walker.id;
    if (++walker.position == length) {
      return Outcome::retired;
    }
    bool const hands_over = walker.position == 1 && (walker.id == 1 || walker.id == 3);
    return hands_over ? Outcome::handed_over : Outcome::again;
  }
  KOKKOS_FUNCTION std::uint32_t progress(Walker const& walker) const { return walker.position; }
  KOKKOS_FUNCTION void expect(Walker const&) const {}
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

  /// Who takes which step, where one worker has six walkers.
  std::vector<std::uint32_t> walk(std::uint32_t length, Leg leg) {
    constexpr std::uint32_t walkers = 6;
    taper::Frontier<Walker, Memory> frontier(space_, "test::walkers", walkers);
    auto const chains = Kokkos::create_mirror_view(frontier.waiting);
    for (std::uint32_t i = 0; i < walkers; ++i) {
      chains(i) = {i, 0};
    }
    Kokkos::deep_copy(frontier.waiting, chains);
    Kokkos::View<std::uint32_t*, Memory> const who("test::who", walkers * length);
    Kokkos::View<std::uint32_t, Memory> const steps("test::steps");
    leg.workers = 1;
    taper::run_leg(space_, "test::walk", Walk<Memory>{who, steps, length}, frontier, leg);
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, who);
    return {here.data(), here.data() + here.size()};
  }

  void run(Leg const& leg) { taper::run_leg(space_, "test::leg", step_, frontier_, leg); }

  std::vector<std::uint32_t> made() const {
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, step_.made);
    return {here.data(), here.data() + here.size()};
  }

  /// Whoever is parked has exactly the steps left that were not made, whoever is not has made all
  /// of them.
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
      this->run({.turn = turn, .workers = workers});
      EXPECT_EQ(this->frontier_.live, 0u);
      EXPECT_EQ(this->made(), this->lengths_) << "workers " << workers << ", turn " << turn;
    }
  }
}

TYPED_TEST(Tapering, StopsAfterEveryPossibleStepAndGoesOn) {
  for (std::uint64_t const workers : {std::uint64_t{1}, std::uint64_t{3}, unlimited}) {
    for (std::uint64_t const turn : {std::uint64_t{1}, std::uint64_t{4}, unlimited}) {
      for (std::uint64_t steps = 1; steps <= 70; ++steps) {
        this->start();
        for (int leg = 0; this->frontier_.live > 0; ++leg) {
          ASSERT_LT(leg, 400) << "no progress";
          auto const order = steps % 2 == 0 ? taper::Order::same : taper::Order::displaced_first;
          this->run({.steps = steps, .turn = turn, .order = order, .workers = workers});
          this->expect_nothing_lost();
        }
        EXPECT_EQ(this->made(), this->lengths_);
      }
    }
  }
}

TYPED_TEST(Tapering, OneWorkerStopsAfterExactlyTheStepsAllowed) {
  std::uint64_t const all =
      std::accumulate(this->lengths_.begin(), this->lengths_.end(), std::uint64_t{0});
  for (std::uint64_t steps = 1; steps <= all; ++steps) {
    this->start();
    this->run({.steps = steps, .turn = 1, .workers = 1});
    auto const made = this->made();
    EXPECT_EQ(std::accumulate(made.begin(), made.end(), std::uint64_t{0}), steps);
    this->expect_nothing_lost();
  }
}

TYPED_TEST(Tapering, TapersAtTheLiveCount) {
  for (std::uint64_t live = 0; live <= this->lengths_.size(); ++live) {
    this->start();
    this->run({.live = live, .turn = 2, .workers = 1});
    // One worker sees its own flag at once; nothing runs where the count is met from the start.
    EXPECT_EQ(this->frontier_.live, live);
    this->expect_nothing_lost();

    this->start();
    this->run({.live = live});
    EXPECT_LE(this->frontier_.live,
              live);  // others may retire between the flag and their next look at it
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

TYPED_TEST(Tapering, ThoseDisplacedLeadTheNextPassTheLatestFirst) {
  auto const who = this->walk(2, {.turn = 1, .order = taper::Order::displaced_first});
  std::vector<std::uint32_t> const first_pass(who.begin(), who.begin() + 6);
  std::vector<std::uint32_t> second_pass(who.begin() + 6, who.end());
  EXPECT_EQ(first_pass, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(second_pass[0], 3u);
  EXPECT_EQ(second_pass[1], 1u);
  std::sort(second_pass.begin(), second_pass.end());
  EXPECT_EQ(second_pass, first_pass);
  EXPECT_EQ(this->walk(2, {.turn = 1}),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
}

TYPED_TEST(Tapering, AWorkerThatRunsDryStopsTheOthersForANewDeal) {
  this->start();
  int legs = 0;
  while (this->frontier_.live > 0) {
    ASSERT_LT(legs++, 20) << "each leg retires a block at least";
    this->run({.turn = 1, .workers = 4, .rebalance = true});
    this->expect_nothing_lost();
  }
  EXPECT_EQ(this->made(), this->lengths_);
}

TYPED_TEST(Tapering, ParkedChainsMigrateAsTheyAre) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using HostMemory = typename Host::memory_space;
  this->start();
  this->run({.steps = 6, .workers = 1});
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

}  // namespace
