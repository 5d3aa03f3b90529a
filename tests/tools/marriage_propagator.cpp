// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/marriage_propagator/generate.hpp>
#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <tools/instances.hpp>
#include <tools/probe.hpp>
#include <tools/sleepers.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
using mp::People;
using mp::Schedule;
using oracle::is_kokkos_own;

bool is_ours(std::string const& label) {
  return label.rfind("taper::marriage_propagator::", 0) == 0;
}

constexpr Schedule schedules[] = {Schedule::serial, Schedule::parallel, Schedule::hybrid};

template <class Space>
struct PropagatorTools : ::testing::Test {
  using Propagator = mp::Propagator<Space>;
  oracle::Market market = [] {
    std::mt19937_64 random(1);
    return oracle::random_market(100, random);
  }();
  decltype(oracle::to_instance<Space>(market)) instance = oracle::to_instance<Space>(market);

  Propagator post(Space const& where, Schedule schedule) {
    return Propagator::post(
        where, instance,
        {.schedule = schedule, .symmetric = true, .thresholds = mp::Thresholds{2, 8, 0}});
  }
  /// A first call, deeper ones with few and with many changes, and the way back.
  void search(Propagator& propagator) {
    propagator.propagate();
    for (std::uint64_t level = 0; level < 3; ++level) {
      propagator.save();
      mp::remove_between(propagator, 20, level);
      propagator.propagate();
    }
    propagator.save();
    mp::remove_minima(propagator, 2, 7);
    propagator.propagate();
    while (propagator.depth() > 0) {
      propagator.restore();
    }
    propagator.save();
    propagator.assign(People::women, 3, propagator.least(People::women, 3));
    propagator.propagate();
  }
  /// All that the library does for the constraint, on one instance.
  void use_everything(Space const& where) {
    for (Schedule const schedule : schedules) {
      auto propagator = post(where, schedule);
      search(propagator);
      propagator.restore();
      auto twin = propagator.copy();
      mp::remove_minima(twin, 5, 1);
      twin.propagate();
    }
  }
};

TYPED_TEST_SUITE(PropagatorTools, oracle::Backends, oracle::BackendNames);

TYPED_TEST(PropagatorTools, NothingIsAllocatedAfterPost) {
  for (Schedule const schedule : schedules) {
    auto propagator = this->post(TypeParam{}, schedule);
    taper::testing::Probe const probe;
    this->search(propagator);
    std::vector<std::string> allocations = probe.allocations;
    // A GPU's backend sizes the scratch of its teams when it first launches as many.
    std::erase_if(allocations, [](std::string const& label) {
      return label.starts_with("Kokkos::") && label.ends_with("::TeamScratchMemory");
    });
    EXPECT_EQ(allocations, std::vector<std::string>{}) << to_string(schedule);
  }
}

TYPED_TEST(PropagatorTools, TheSerialPropagatorLaunchesNothing) {
  auto propagator = this->post(TypeParam{}, Schedule::serial);
  taper::testing::Probe const probe;
  this->search(propagator);
  EXPECT_TRUE(probe.kernels.empty());
  for (auto const& fence : probe.fences) {
    EXPECT_NE(fence.label.find("Kokkos Profile Tool Fence"), std::string::npos) << fence.label;
  }
}

TYPED_TEST(PropagatorTools, WhatToolsSeeIsNamedAndOnTheGivenInstance) {
  TypeParam const where;
  taper::testing::Probe const probe;
  auto propagator = TestFixture::Propagator::post(
      where, this->instance, {.schedule = Schedule::parallel, .symmetric = true});
  this->search(propagator);
  auto const kernels = std::count_if(probe.kernels.begin(), probe.kernels.end(),
                                     [](auto const& kernel) { return is_ours(kernel.label); });
  EXPECT_GT(kernels, 10);
  for (auto const& kernel : probe.kernels) {
    // post() uses the tables of stable_marriage.
    bool const borrowed = kernel.label.rfind("taper::stable_marriage::", 0) == 0;
    EXPECT_TRUE(is_ours(kernel.label) || borrowed || is_kokkos_own(kernel.label)) << kernel.label;
    if (is_ours(kernel.label)) {
      EXPECT_EQ(kernel.device_id, Kokkos::Tools::Experimental::device_id(where)) << kernel.label;
    }
  }
  for (auto const& label : probe.allocations) {
    EXPECT_TRUE(is_ours(label) || label.rfind("taper::stable_marriage::", 0) == 0 ||
                is_kokkos_own(label))
        << label;
  }
  for (auto const& fence : probe.fences) {
    EXPECT_NE(fence.label.rfind("Kokkos::fence: Unnamed Global Fence", 0), 0u) << fence.label;
    EXPECT_EQ(fence.label.find("Unnamed Instance Fence"), std::string::npos) << fence.label;
  }
}

TYPED_TEST(PropagatorTools, EveryKernelRanOnTheGivenInstance) {
  for (TypeParam const& where : oracle::two_instances<TypeParam>()) {
    std::uint32_t const given = Kokkos::Tools::Experimental::device_id(where);
    taper::testing::Probe const probe;
    this->use_everything(where);
    for (auto const& kernel : probe.kernels) {
      EXPECT_TRUE(kernel.device_id == given || is_kokkos_own(kernel.label))
          << kernel.label << " ran on " << kernel.device_id << ", given was " << given;
    }
  }
}

/// The same on cores, whose instances have one name for tools: here is one of a single thread, and
/// all others must sleep through.
TYPED_TEST(PropagatorTools, NoKernelWakesThreadsThatWereNotGiven) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<TypeParam, Kokkos::OpenMP>) {
    using taper::testing::Sleepers;
    TypeParam const all;
    if (all.concurrency() == 1 || !Sleepers::can_be_seen()) {
      GTEST_SKIP() << "no other threads that would sleep";
    }
    TypeParam const one(1);
    this->use_everything(all);
    Sleepers const others;
    this->use_everything(one);
    EXPECT_FALSE(others.disturbed()) << "a kernel ran on an instance that was not given";
  }
#endif
}

/// A global fence would wait for everybody's work. Whatever its label, tools see that it is none of
/// an instance.
TYPED_TEST(PropagatorTools, EveryFenceStatesItsReasonAndIsAnInstances) {
  TypeParam const where;
  auto const everywhere = taper::testing::ids_of_global_fences();
  ASSERT_FALSE(everywhere.empty());
  ASSERT_FALSE(everywhere.contains(Kokkos::Tools::Experimental::device_id(where)));
  taper::testing::Probe const probe;
  this->use_everything(where);
  EXPECT_TRUE(std::any_of(probe.fences.begin(), probe.fences.end(),
                          [](auto const& fence) { return is_ours(fence.label); }));
  for (auto const& fence : probe.fences) {
    EXPECT_FALSE(everywhere.contains(fence.device_id) && !is_kokkos_own(fence.label))
        << fence.label << " is a global fence";
    EXPECT_NE(fence.label.rfind("Kokkos::fence: Unnamed Global Fence", 0), 0u) << fence.label;
    // Kokkos' Threads backend waits for itself, under a name of its own, before its scratch grows.
    if (fence.label.rfind("Kokkos::ThreadsInternal::", 0) != 0) {
      EXPECT_EQ(fence.label.find("Unnamed Instance Fence"), std::string::npos) << fence.label;
    }
  }
}

}  // namespace
