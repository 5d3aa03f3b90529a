// SPDX-License-Identifier: Apache-2.0
//
// The decisions that read a machine profile: of the tail policy, and of the options of three
// algorithms. The profiles are synthetic, and no device is used.
#include <taper/marriage_propagator/options.hpp>
#include <taper/matmul/options.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/tail_policy.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>

namespace {

namespace mm = taper::matmul;
namespace mp = taper::marriage_propagator;
namespace sm = taper::stable_marriage;
using sm::TailSituation;
using taper::Location;
using taper::MachineProfile;

/// A GPU beside a host, n = 10,000 and 16-bit ids.
constexpr TailSituation gpu_and_host{.concurrency = 270'336,
                                     .gpu = true,
                                     .may_migrate = true,
                                     .bytes_to_host = 5'260'000,
                                     .bytes_to_device = 100'000,
                                     .bytes_per_row = 20'000};

/// A core makes acceptances four times as fast as the GPU; the GPU scans ten times as fast.
MachineProfile synthetic_profile() {
  MachineProfile machine;
  machine.device = {
      .proposal_us = 1, .scan_candidates_per_us = 10'000, .launch_us = 12, .propagator = {}};
  machine.host = {
      .proposal_us = 0.25, .scan_candidates_per_us = 1000, .launch_us = 5, .propagator = {}};
  machine.copies = {
      .to_host_bytes_per_us = 20'000, .to_device_bytes_per_us = 10'000, .latency_us = 9};
  return machine;
}

TEST(TailPolicy, AHostTapersWhenFewerChainsThanThreadsAreLive) {
  MachineProfile const machine = synthetic_profile();
  for (MachineProfile const* profile : {static_cast<MachineProfile const*>(nullptr), &machine}) {
    EXPECT_EQ(sm::plan_tail(profile, {.concurrency = 1}).threshold, 1u);
    EXPECT_EQ(sm::plan_tail(profile, {.concurrency = 2}).threshold, 1u);
    EXPECT_EQ(sm::plan_tail(profile, {.concurrency = 64}).threshold, 63u);
    EXPECT_EQ(sm::plan_tail(profile, {.concurrency = 64}).location, Location::device);
    EXPECT_EQ(sm::plan_tail(profile, {.concurrency = 64, .may_migrate = true}).location,
              Location::host);
  }
}

TEST(TailPolicy, WithoutAProfileAGpuTapersToOneChainPerWarpAndHandsOverTheLastFour) {
  auto const plan = sm::plan_tail(nullptr, gpu_and_host);
  EXPECT_EQ(plan.threshold, 4225u);
  EXPECT_EQ(plan.location, Location::device);
  auto const last = sm::plan_hand_over(nullptr, gpu_and_host);
  EXPECT_EQ(last.max_chains, 4u);
  EXPECT_EQ(last.min_gpu_steps, 128u);
  EXPECT_EQ(last.min_acceptances_per_refill, 64u);
  EXPECT_EQ(sm::choose_location(nullptr, gpu_and_host, 1, 1e9), Location::device);
}

TEST(TailPolicy, OnlyADuoMigrates) {
  MachineProfile machine = synthetic_profile();
  machine.device.proposal_us = 1e6;
  TailSituation alone = gpu_and_host;
  alone.may_migrate = false;
  EXPECT_EQ(sm::plan_hand_over(nullptr, alone).max_chains, 0u);
  EXPECT_EQ(sm::plan_hand_over(&machine, alone).max_chains, 0u);
  EXPECT_EQ(sm::choose_location(&machine, alone, 1, 1), Location::device);
}

TEST(TailPolicy, ACoreGetsAsManyChainsAsItIsTimesFaster) {
  MachineProfile machine = synthetic_profile();
  auto const last = sm::plan_hand_over(&machine, gpu_and_host);
  EXPECT_EQ(last.max_chains, 4u);
  EXPECT_EQ(last.min_gpu_steps, 18u + 263 + 10)
      << "two latencies, 5.26 MB to the host and 0.1 MB back, at 1 us per step";
  EXPECT_EQ(last.min_acceptances_per_refill, 16u)
      << "a launch of 12 us, at 0.75 us saved per acceptance";
  machine.host.proposal_us = 2;
  EXPECT_EQ(sm::plan_hand_over(&machine, gpu_and_host).max_chains, 0u) << "the core is slower";
  machine.host.proposal_us = 1e-4;
  EXPECT_EQ(sm::plan_hand_over(&machine, gpu_and_host).max_chains, 10'000u);
  EXPECT_EQ(sm::plan_tail(&machine, gpu_and_host).threshold, 10'000u)
      << "the tail begins when the host may take all chains";
}

TEST(TailPolicy, LongRunsAreFollowedWhereTheyTakeLessTime) {
  MachineProfile machine = synthetic_profile();
  // Device 1 + 1 us; host 0.25 + 10 + 18 + 2 us.
  EXPECT_EQ(sm::choose_location(&machine, gpu_and_host, 1, 10'000), Location::device);
  machine.device.scan_candidates_per_us = 100;
  EXPECT_EQ(sm::choose_location(&machine, gpu_and_host, 1, 10'000), Location::host) << "101 us";
  EXPECT_EQ(sm::choose_location(&machine, gpu_and_host, 3, 10'000), Location::host);
  EXPECT_EQ(sm::choose_location(&machine, gpu_and_host, 4, 10'000), Location::device)
      << "the device follows all at once";
  machine.copies.latency_us = 100;
  EXPECT_EQ(sm::choose_location(&machine, gpu_and_host, 1, 10'000), Location::device)
      << "two copies per acceptance";
}

/// A more expensive host never gets more work.
TEST(TailPolicy, IsMonotonicInTheCostsOfTheHost) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-3, 5);
  auto const any = [&] { return std::pow(10.0, exponent(random)); };
  for (int i = 0; i < 10'000; ++i) {
    MachineProfile machine;
    for (taper::ExecutionCosts* const costs : {&machine.device, &machine.host}) {
      costs->proposal_us = any();
      costs->scan_candidates_per_us = any();
      costs->launch_us = any();
    }
    machine.copies = {any(), any(), any()};
    double const run = any();
    std::uint64_t const chains = 1 + random() % 100;
    double const factor = 1 + static_cast<double>(random() % 9);
    MachineProfile costlier = machine;
    switch (random() % 4) {
    case 0:
      costlier.host.proposal_us *= factor;
      break;
    case 1:
      costlier.host.scan_candidates_per_us /= factor;
      break;
    case 2:
      costlier.copies.latency_us *= factor;
      break;
    default:
      costlier.copies.to_host_bytes_per_us /= factor;
    }
    auto const last = sm::plan_hand_over(&machine, gpu_and_host);
    auto const fewer = sm::plan_hand_over(&costlier, gpu_and_host);
    EXPECT_LE(fewer.max_chains, last.max_chains);
    EXPECT_EQ(last.max_chains > 0, machine.host.proposal_us < machine.device.proposal_us);
    if (fewer.max_chains > 0) {
      EXPECT_GE(fewer.min_gpu_steps, last.min_gpu_steps);
      EXPECT_GE(fewer.min_acceptances_per_refill, last.min_acceptances_per_refill);
      EXPECT_GE(last.min_gpu_steps, 1u);
      EXPECT_GE(last.min_acceptances_per_refill, 1u);
    }
    if (sm::choose_location(&machine, gpu_and_host, chains, run) == Location::device) {
      EXPECT_EQ(sm::choose_location(&costlier, gpu_and_host, chains, run), Location::device);
      EXPECT_EQ(sm::choose_location(&machine, gpu_and_host, chains + 1, run), Location::device);
    }
  }
}

TEST(WorkerPolicy, WorkersHaveAtLeastTheirMinimumOfProposers) {
  EXPECT_EQ(sm::plan_workers(8, 10'000, 4096), 2u);
  EXPECT_EQ(sm::plan_workers(8, 100'000, 4096), 8u) << "at most the concurrency";
  EXPECT_EQ(sm::plan_workers(8, 64, 4096), 1u);
  EXPECT_EQ(sm::plan_workers(0, 0, 0), 1u);
  EXPECT_EQ(sm::plan_workers(8, 5, 0), 5u) << "a minimum of 0 counts as 1";
}

TEST(WorkerPolicy, MinProposersPerThreadComeFromTheOptionsElseFromTheProfile) {
  MachineProfile machine;
  machine.min_proposers_per_thread = 7;
  EXPECT_EQ(sm::min_proposers_per_thread({}), 4096u);
  EXPECT_EQ(sm::min_proposers_per_thread({.machine = &machine}), 7u);
  EXPECT_EQ(sm::min_proposers_per_thread({.min_proposers_per_thread = 9, .machine = &machine}), 9u);
}

TEST(PropagatorPolicy, ThresholdsApplyToTheSituationOfACall) {
  mp::Thresholds const thresholds{.free_people = 10, .modified_values = 100, .domain_size = 1000};
  auto const parallel = [&](mp::Situation situation) {
    situation.n = 32;  // rows of one word, full domains of 1024 values per side
    return mp::choose_parallel(thresholds, situation);
  };
  EXPECT_TRUE(parallel({10, 0, 0, 1024}));
  EXPECT_FALSE(parallel({9, 0, 0, 1024}));
  EXPECT_FALSE(parallel({10, 0, 0, 1020})) << "a person with fewer values left counts less";
  EXPECT_TRUE(parallel({11, 0, 0, 1020}));
  EXPECT_FALSE(parallel({1000, 0, 0, 999})) << "small domains take little time";
  EXPECT_TRUE(parallel({10, 5, 5, 1024}));
  EXPECT_FALSE(parallel({10, 6, 6, 1024}))
      << "the same number, but only their first values were removed";
  EXPECT_FALSE(parallel({10, 20, 20, 1024})) << "few proposers with many proposals";
  EXPECT_FALSE(parallel({10, 20, 719, 1024})) << "the same, with more values";
  EXPECT_TRUE(parallel({10, 20, 720, 1024})) << "the values are most of the work";
  EXPECT_TRUE(parallel({10, 20, 20, 1024, true}))
      << "similar lists: all proposers advance together";
  EXPECT_TRUE(parallel({0, 50, 50, 1000}));
  EXPECT_FALSE(parallel({0, 50, 49, 1000}));
  EXPECT_FALSE(parallel({0, 49, 50, 1000})) << "one row per modified domain";
  auto window = thresholds;
  window.modified_values_end = 120;
  EXPECT_TRUE(mp::choose_parallel(window, {0, 50, 69, 1000, false, 32}));
  EXPECT_FALSE(mp::choose_parallel(window, {0, 50, 70, 1000, false, 32})) << "nearly all go";
  EXPECT_TRUE(mp::choose_parallel(window, {10, 50, 70, 1024, true, 32})) << "the free decide";
  EXPECT_FALSE(mp::choose_parallel({}, {1024, 1, 1, 1u << 20, true, 1024})) << "never";
}

TEST(PropagatorPolicy, ThresholdsAreThoseOfTheKindOfListsAndTheNearestSize) {
  taper::ExecutionCosts costs;
  auto const of = [&](std::uint64_t n, bool similar_lists, auto... given) {
    std::optional<mp::Thresholds> const options{given...};
    return mp::thresholds_for(options, &costs, false, 16, n, similar_lists);
  };
  auto const free = [&](std::uint64_t n, bool similar_lists) {
    return of(n, similar_lists).free_people;
  };
  EXPECT_EQ(free(2400, false), mp::default_thresholds(false, 16).free_people) << "not measured";
  EXPECT_EQ(free(2400, true), mp::Thresholds::never) << "similar lists suit one thread of a host";
  costs.propagator = {{false, 512, {.free_people = 1}},
                      {false, 2048, {.free_people = 2}},
                      {true, 1024, {.free_people = 3}}};
  EXPECT_EQ(free(1, false), 1u);
  EXPECT_EQ(free(1000, false), 1u) << "a factor of 1.95, against 2.05";
  EXPECT_EQ(free(1050, false), 2u);
  EXPECT_EQ(free(1'000'000, false), 2u);
  EXPECT_EQ(free(0, true), 3u);
  EXPECT_EQ(free(1'000'000, true), 3u);
  EXPECT_EQ(of(2048, true).modified_values_end, mp::Thresholds::never);
  costs.propagator.back().thresholds.modified_values_end = 1000;
  EXPECT_EQ(of(2048, true).modified_values_end, 4000u) << "four times the pairs";
  EXPECT_EQ(of(512, true).modified_values_end, 250u);
  EXPECT_EQ(of(1000, true, mp::Thresholds{.free_people = 9}).free_people, 9u) << "of the options";
  costs.propagator.pop_back();
  EXPECT_EQ(free(1024, true), mp::Thresholds::never) << "this kind was not measured";
  EXPECT_EQ(mp::thresholds_for({}, nullptr, true, 1, 100, true).free_people, 256u) << "a GPU";
}

TEST(WorkerPolicy, ThreadLimitsHoldForTheirKindOfListsFromHalfToTwiceTheirSize) {
  using taper::ListKind;
  MachineProfile machine;
  auto const limit = [&](std::uint64_t n) {
    return sm::max_threads({.machine = &machine}, ListKind::similar_lists, n);
  };
  EXPECT_EQ(limit(4096), std::nullopt);
  machine.thread_limits = {{ListKind::similar_lists, 4096, 2},
                           {ListKind::similar_lists, 12'000, 4},
                           {ListKind::other_lists, 1000, 1}};
  EXPECT_EQ(limit(0), std::nullopt);
  EXPECT_EQ(limit(2047), std::nullopt);
  EXPECT_EQ(limit(2048), 2u);
  EXPECT_EQ(limit(7000), 2u);
  EXPECT_EQ(limit(7100), 4u) << "the nearest";
  EXPECT_EQ(limit(24'000), 4u);
  EXPECT_EQ(limit(24'001), std::nullopt) << "larger runs gain from more threads";
  EXPECT_EQ(sm::max_threads({.machine = &machine}, ListKind::distinct_first_choices, 4096),
            std::nullopt);
  EXPECT_EQ(sm::max_threads({.max_threads = 7, .machine = &machine}, ListKind::other_lists, 1000),
            7u)
      << "of the options";
}

TEST(ForkJoinPolicy, ThresholdsComeFromTheOptionsElseTheProfileElseTheDefaults) {
  MachineProfile machine;
  machine.fork_join = {{"fork_join", "ikj", 48}, {"strassen", "ikj", 96}};
  mm::Options options{.engine = mm::Engine::strassen, .kernel = mm::Kernel::ikj};
  EXPECT_EQ(mm::threshold_of(options),
            mm::default_threshold(mm::Engine::strassen, mm::Kernel::ikj));
  options.machine = &machine;
  EXPECT_EQ(mm::threshold_of(options), 96);
  options.kernel = mm::Kernel::packed;
  EXPECT_EQ(mm::threshold_of(options),
            mm::default_threshold(mm::Engine::strassen, mm::Kernel::packed))
      << "the profile has no entry for it";
  options.threshold = 5;
  EXPECT_EQ(mm::threshold_of(options), 5);
}

}  // namespace
