// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/marriage_propagator/generate.hpp>
#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <tools/expectations.hpp>
#include <tools/instances.hpp>
#include <tools/probe.hpp>

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
using mp::Engine;
using mp::Schedule;
using mp::Side;
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
  std::vector<Propagator> post_published(Space const& where) {
    std::vector<Propagator> published;
    published.push_back(Propagator::post(where, instance, {.engine = Engine::published_serial}));
    published.push_back(Propagator::post(
        where, instance, {.engine = Engine::published_parallel, .bind_partner = false}));
    return published;
  }
  /// A first call, deeper calls with few and with many changes, and the restoration of all levels.
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
    propagator.assign(Side::women, 3, propagator.least(Side::women, 3));
    propagator.propagate();
  }
  /// Uses all of the library's functions for the constraint on one instance.
  void use_everything(Space const& where) {
    for (Schedule const schedule : schedules) {
      auto propagator = post(where, schedule);
      search(propagator);
      propagator.restore();
      auto copy = propagator.copy();
      mp::remove_minima(copy, 5, 1);
      copy.propagate();
    }
    for (auto& propagator : post_published(where)) {
      search(propagator);
    }
  }
};

TYPED_TEST_SUITE(PropagatorTools, oracle::Backends, oracle::BackendNames);

TYPED_TEST(PropagatorTools, NothingIsAllocatedAfterPost) {
  for (Schedule const schedule : schedules) {
    auto propagator = this->post(TypeParam{}, schedule);
    taper::testing::Probe const probe;
    this->search(propagator);
    EXPECT_EQ(probe.allocations, std::vector<std::string>{}) << to_string(schedule);
  }
  for (auto& propagator : this->post_published(TypeParam{})) {
    taper::testing::Probe const probe;
    this->search(propagator);
    EXPECT_EQ(probe.allocations, std::vector<std::string>{})
        << to_string(propagator.options().engine);
  }
}

TYPED_TEST(PropagatorTools, CopiesReuseTheMemoryOfDestroyedCopies) {
  auto propagator = this->post(TypeParam{}, Schedule::serial);
  propagator.propagate();
  {
    taper::testing::Probe const probe;
    auto const first = propagator.copy();
    EXPECT_FALSE(probe.allocations.empty());
  }
  taper::testing::Probe const probe;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto again = propagator.copy();
    mp::remove_minima(again, 5, seed);
    again.propagate();
  }
  EXPECT_EQ(probe.allocations, std::vector<std::string>{});
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

TYPED_TEST(PropagatorTools, KernelsAndViewsAreLabelledAndOnTheGivenInstance) {
  TypeParam const where;
  taper::testing::Probe const probe;
  auto propagator = TestFixture::Propagator::post(
      where, this->instance, {.schedule = Schedule::parallel, .symmetric = true});
  this->search(propagator);
  for (auto& published : this->post_published(where)) {
    this->search(published);
  }
  auto const kernels = std::count_if(probe.kernels.begin(), probe.kernels.end(),
                                     [](auto const& kernel) { return is_ours(kernel.label); });
  EXPECT_GT(kernels, 10);
  for (auto const& kernel : probe.kernels) {
    // post() builds its tables by preferences/.
    bool const shared = kernel.label.rfind("taper::preferences::", 0) == 0;
    EXPECT_TRUE(is_ours(kernel.label) || shared || is_kokkos_own(kernel.label)) << kernel.label;
    if (is_ours(kernel.label)) {
      EXPECT_EQ(kernel.device_id, Kokkos::Tools::Experimental::device_id(where)) << kernel.label;
    }
  }
  for (auto const& label : probe.allocations) {
    EXPECT_TRUE(is_ours(label) || label.rfind("taper::preferences::", 0) == 0 ||
                is_kokkos_own(label))
        << label;
  }
  for (auto const& fence : probe.fences) {
    EXPECT_NE(fence.label.rfind("Kokkos::fence: Unnamed Global Fence", 0), 0u) << fence.label;
    // Kokkos' Threads backend has unlabelled fences after every dispatch.
    EXPECT_TRUE(fence.label.rfind("Kokkos::ThreadsInternal::", 0) == 0 ||
                fence.label.find("Unnamed Instance Fence") == std::string::npos)
        << fence.label;
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

/// The same for host threads.
TYPED_TEST(PropagatorTools, NoKernelWakesThreadsThatWereNotGiven) {
  taper::testing::expect_no_other_threads_woken<TypeParam>(
      [&](auto const& where) { this->use_everything(where); });
}

TYPED_TEST(PropagatorTools, EveryFenceIsLabelledAndOfAnInstance) {
  taper::testing::expect_labelled_instance_fences(
      TypeParam{},
      "taper::marriage_propagator::", [&](auto const& where) { this->use_everything(where); });
}

}  // namespace
