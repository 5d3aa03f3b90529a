// SPDX-License-Identifier: Apache-2.0
//
// What the policies decide on made-up machines. No device is asked for anything.
#include <taper/marriage_propagator/options.hpp>
#include <taper/matmul/options.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/tail_policy.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace {

namespace mm = taper::matmul;
namespace mp = taper::marriage_propagator;
namespace sm = taper::stable_marriage;
using taper::MachineProfile;
using taper::Side;
using taper::TailSituation;

/// A GPU beside a host, n = 10,000 and 16-bit ids.
constexpr TailSituation gpu_and_host{.concurrency = 270'336,
                                     .gpu = true,
                                     .host_offered = true,
                                     .bytes_to_host = 5'260'000,
                                     .bytes_to_device = 100'000,
                                     .bytes_a_row = 20'000};

/// A core that is four times as fast at acceptances as the GPU, which scans ten times as fast.
MachineProfile made_up() {
  MachineProfile machine;
  machine.device = {
      .proposal_us = 1, .scan_candidates_per_us = 10'000, .launch_us = 12, .propagator = {}};
  machine.host = {
      .proposal_us = 0.25, .scan_candidates_per_us = 1000, .launch_us = 5, .propagator = {}};
  machine.copies = {
      .to_host_bytes_per_us = 20'000, .to_device_bytes_per_us = 10'000, .latency_us = 9};
  return machine;
}

TEST(TailPolicy, AHostTapersWhenItsThreadsAreNoLongerFull) {
  MachineProfile const machine = made_up();
  for (MachineProfile const* profile : {static_cast<MachineProfile const*>(nullptr), &machine}) {
    EXPECT_EQ(taper::plan_tail(profile, {.concurrency = 1}).live, 1u);
    EXPECT_EQ(taper::plan_tail(profile, {.concurrency = 2}).live, 1u);
    EXPECT_EQ(taper::plan_tail(profile, {.concurrency = 64}).live, 63u);
    EXPECT_EQ(taper::plan_tail(profile, {.concurrency = 64}).side, Side::device);
    EXPECT_EQ(taper::plan_tail(profile, {.concurrency = 64, .host_offered = true}).side,
              Side::host);
  }
}

TEST(TailPolicy, WithoutAProfileAGpuTapersToAChainAWarpAndGivesTheLastFourAway) {
  auto const plan = taper::plan_tail(nullptr, gpu_and_host);
  EXPECT_EQ(plan.live, 4225u);
  EXPECT_EQ(plan.side, Side::device);
  auto const last = taper::plan_last_chains(nullptr, gpu_and_host);
  EXPECT_EQ(last.chains, 4u);
  EXPECT_EQ(last.looks, 128u);
  EXPECT_EQ(last.acceptances_a_fetch, 64u);
  EXPECT_EQ(taper::choose_side(nullptr, gpu_and_host, 1, 1e9), Side::device);
}

TEST(TailPolicy, OnlyADuoMigrates) {
  MachineProfile machine = made_up();
  machine.device.proposal_us = 1e6;
  TailSituation alone = gpu_and_host;
  alone.host_offered = false;
  EXPECT_EQ(taper::plan_last_chains(nullptr, alone).chains, 0u);
  EXPECT_EQ(taper::plan_last_chains(&machine, alone).chains, 0u);
  EXPECT_EQ(taper::choose_side(&machine, alone, 1, 1), Side::device);
}

TEST(TailPolicy, ACoreGetsAsManyChainsAsItIsFaster) {
  MachineProfile machine = made_up();
  auto const last = taper::plan_last_chains(&machine, gpu_and_host);
  EXPECT_EQ(last.chains, 4u);
  EXPECT_EQ(last.looks, 18u + 263 + 10) << "two latencies, 5.26 MB there, 0.1 MB back, by 1 us";
  EXPECT_EQ(last.acceptances_a_fetch, 16u) << "12 us, by the 0.75 us that an acceptance gains";
  machine.host.proposal_us = 2;
  EXPECT_EQ(taper::plan_last_chains(&machine, gpu_and_host).chains, 0u) << "the core is slower";
  machine.host.proposal_us = 1e-4;
  EXPECT_EQ(taper::plan_last_chains(&machine, gpu_and_host).chains, 10'000u);
  EXPECT_EQ(taper::plan_tail(&machine, gpu_and_host).live, 10'000u)
      << "what can all be the host's is no longer wide";
}

TEST(TailPolicy, LongRunsGoWhereTheyAreScannedSooner) {
  MachineProfile machine = made_up();
  // Device 1 + 1 us; host 0.25 + 10 + 18 + 2 us.
  EXPECT_EQ(taper::choose_side(&machine, gpu_and_host, 1, 10'000), Side::device);
  machine.device.scan_candidates_per_us = 100;
  EXPECT_EQ(taper::choose_side(&machine, gpu_and_host, 1, 10'000), Side::host) << "101 us";
  EXPECT_EQ(taper::choose_side(&machine, gpu_and_host, 3, 10'000), Side::host);
  EXPECT_EQ(taper::choose_side(&machine, gpu_and_host, 4, 10'000), Side::device)
      << "which follows all at once";
  machine.copies.latency_us = 100;
  EXPECT_EQ(taper::choose_side(&machine, gpu_and_host, 1, 10'000), Side::device)
      << "two copies an acceptance";
}

/// What makes the host dearer never gives it anything.
TEST(TailPolicy, IsMonotonous) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-3, 5);
  auto const any = [&] { return std::pow(10.0, exponent(random)); };
  for (int i = 0; i < 10'000; ++i) {
    MachineProfile machine;
    for (taper::SideCosts* const side : {&machine.device, &machine.host}) {
      side->proposal_us = any();
      side->scan_candidates_per_us = any();
      side->launch_us = any();
    }
    machine.copies = {any(), any(), any()};
    double const run = any();
    std::uint64_t const chains = 1 + random() % 100;
    double const factor = 1 + static_cast<double>(random() % 9);
    MachineProfile dearer = machine;
    switch (random() % 4) {
    case 0:
      dearer.host.proposal_us *= factor;
      break;
    case 1:
      dearer.host.scan_candidates_per_us /= factor;
      break;
    case 2:
      dearer.copies.latency_us *= factor;
      break;
    default:
      dearer.copies.to_host_bytes_per_us /= factor;
    }
    auto const last = taper::plan_last_chains(&machine, gpu_and_host);
    auto const fewer = taper::plan_last_chains(&dearer, gpu_and_host);
    EXPECT_LE(fewer.chains, last.chains);
    EXPECT_EQ(last.chains > 0, machine.host.proposal_us < machine.device.proposal_us);
    if (fewer.chains > 0) {
      EXPECT_GE(fewer.looks, last.looks);
      EXPECT_GE(fewer.acceptances_a_fetch, last.acceptances_a_fetch);
      EXPECT_GE(last.looks, 1u);
      EXPECT_GE(last.acceptances_a_fetch, 1u);
    }
    if (taper::choose_side(&machine, gpu_and_host, chains, run) == Side::device) {
      EXPECT_EQ(taper::choose_side(&dearer, gpu_and_host, chains, run), Side::device);
      EXPECT_EQ(taper::choose_side(&machine, gpu_and_host, chains + 1, run), Side::device);
    }
  }
}

TEST(WorkerPolicy, AWorkerHasItsShare) {
  EXPECT_EQ(taper::plan_workers(8, 10'000, 4096), 2u);
  EXPECT_EQ(taper::plan_workers(8, 100'000, 4096), 8u) << "no more than there are";
  EXPECT_EQ(taper::plan_workers(8, 64, 4096), 1u);
  EXPECT_EQ(taper::plan_workers(0, 0, 0), 1u);
  EXPECT_EQ(taper::plan_workers(8, 5, 0), 5u) << "a share of nobody is one of one";
}

TEST(WorkerPolicy, ThePeopleOfAWorkerAreTheCallersElseTheMachines) {
  MachineProfile machine;
  machine.people_a_worker = 7;
  EXPECT_EQ(sm::people_a_worker({}), 4096u);
  EXPECT_EQ(sm::people_a_worker({.machine = &machine}), 7u);
  EXPECT_EQ(sm::people_a_worker({.people_a_worker = 9, .machine = &machine}), 9u);
}

TEST(PropagatorPolicy, ThresholdsChooseByWhatACallFinds) {
  MachineProfile machine;
  machine.device.propagator = {.free_people = 10, .modified_values = 100, .domain_size = 1000};
  auto const parallel = [&](mp::Situation situation) {
    situation.n = 32;  // rows of a word, full domains of 1024 values a side
    return mp::choose_parallel(machine.device.propagator, situation);
  };
  EXPECT_TRUE(parallel({10, 0, 0, 1024}));
  EXPECT_FALSE(parallel({9, 0, 0, 1024}));
  EXPECT_FALSE(parallel({10, 0, 0, 1020})) << "who has less left counts for less";
  EXPECT_TRUE(parallel({11, 0, 0, 1020}));
  EXPECT_FALSE(parallel({1000, 0, 0, 999})) << "small domains are soon done";
  EXPECT_TRUE(parallel({10, 5, 5, 1024}));
  EXPECT_FALSE(parallel({10, 6, 6, 1024})) << "as many who lost but their first values";
  EXPECT_FALSE(parallel({10, 20, 20, 1024})) << "few and long proposals";
  EXPECT_FALSE(parallel({10, 20, 719, 1024})) << "the same, with more values";
  EXPECT_TRUE(parallel({10, 20, 720, 1024})) << "which are most of the work";
  EXPECT_TRUE(parallel({10, 20, 20, 1024, true})) << "lists that are alike: all come down together";
  EXPECT_TRUE(parallel({0, 50, 50, 1000}));
  EXPECT_FALSE(parallel({0, 50, 49, 1000}));
  EXPECT_FALSE(parallel({0, 49, 50, 1000})) << "a row for each of the modified";
  EXPECT_FALSE(mp::choose_parallel(machine.host.propagator, {1024, 1, 1, 1u << 20, true, 1024}))
      << "never";
}

TEST(ForkJoinPolicy, ThresholdsAreTheCallersElseTheMachinesElseBuiltIn) {
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
      << "which was not measured";
  options.threshold = 5;
  EXPECT_EQ(mm::threshold_of(options), 5);
}

}  // namespace
