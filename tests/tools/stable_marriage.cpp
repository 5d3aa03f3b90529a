// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/solve_streamed.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>
#include <tools/instances.hpp>
#include <tools/probe.hpp>
#include <tools/sleepers.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
using taper::testing::is_kokkos_own;
using taper::testing::two_instances;

/// The workers of a probe's kernels, without Kokkos' own.
std::vector<taper::testing::Probe::Kernel>
ours(std::vector<taper::testing::Probe::Kernel> kernels) {
  std::erase_if(kernels, [](auto const& kernel) { return is_kokkos_own(kernel.label); });
  return kernels;
}

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

template <class Space>
struct Tools : ::testing::Test {
  using Memory = typename Space::memory_space;
  using Tables = sm::Table<std::uint16_t, Memory>;
  static constexpr std::size_t n = 80;
  Tables men{"test::men", n, n};
  Tables women{"test::women", n, n};
  Kokkos::View<std::uint16_t*, Memory> partner_of{"test::partner_of", n};
  sm::Instance<sm::ConstTable<std::uint16_t, Memory>> instance{men, women};

  using HostTables = sm::Table<std::uint16_t, Kokkos::HostSpace>;
  HostTables host_men{"test::men", n, n};
  HostTables host_women{"test::women", n, n};
  Kokkos::View<std::uint16_t*, Kokkos::HostSpace> host_partner_of{"test::partner_of", n};
  sm::Instance<sm::ConstTable<std::uint16_t, Kokkos::HostSpace>> host_instance{host_men,
                                                                               host_women};

  /// All that the library does for stable marriage, on one instance, and on a host's beside it.
  void use_everything(Space const& where, Kokkos::DefaultHostExecutionSpace const& host = {}) {
    for (auto const family :
         {sm::Family::perfect, sm::Family::solo, sm::Family::correlated, sm::Family::congested}) {
      sm::generate(where, sm::Workload{.family = family, .n = n}, men, women);
      for (sm::Engine const& engine : sm::paper_engines()) {
        sm::Options options = engine.options;
        options.count = true;
        sm::solve(where, instance, partner_of, options);
        taper::Duo<Space, Kokkos::DefaultHostExecutionSpace> const duo{where, host};
        sm::solve(duo, instance, partner_of, options);
        Kokkos::deep_copy(where, host_men, men);
        Kokkos::deep_copy(where, host_women, women);
        where.fence("taper::stable_marriage: the test's tables are on the host");
        sm::solve(sm::Streamed{duo, std::vector<Space>{where}, 1000}, host_instance,
                  host_partner_of, options);
      }
      EXPECT_TRUE(sm::is_perfect_matching(where, partner_of));
      EXPECT_EQ(sm::count_blocking_pairs(where, instance, partner_of), 0u);
      EXPECT_TRUE(sm::find_blocking_pairs(where, instance, partner_of, 3).empty());
      EXPECT_GE(sm::mean_partner_rank(where, instance, partner_of).men_mean, 1);
      EXPECT_FALSE(sm::find_bad_row(where, instance.men).has_value());
    }
  }
};

TYPED_TEST_SUITE(Tools, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(Tools, EveryKernelViewAndRegionCarriesOurName) {
  TypeParam const where;
  taper::testing::Probe probe;
  this->use_everything(where);
  ASSERT_FALSE(probe.kernels.empty());
  ASSERT_FALSE(probe.allocations.empty());
  ASSERT_FALSE(probe.regions.empty());
  for (auto const& kernel : ours(probe.kernels)) {
    EXPECT_EQ(kernel.label.rfind("taper::stable_marriage::", 0), 0u) << kernel.label;
  }
  for (auto const& label : probe.allocations) {
    EXPECT_TRUE(label.rfind("taper::stable_marriage::", 0) == 0 || is_kokkos_own(label)) << label;
  }
  for (auto const& label : probe.regions) {
    EXPECT_EQ(label.rfind("taper::stable_marriage::", 0), 0u) << label;
  }
}

TYPED_TEST(Tools, EveryKernelRanOnTheGivenInstance) {
  for (TypeParam const& where : two_instances<TypeParam>()) {
    std::uint32_t const given = Kokkos::Tools::Experimental::device_id(where);
    std::uint32_t const host =
        Kokkos::Tools::Experimental::device_id(Kokkos::DefaultHostExecutionSpace{});
    taper::testing::Probe probe;
    this->use_everything(where);
    // A Duo's host makes tails, and looks at the first choices of lists in its memory.
    auto const may_be_hosts = [](std::string const& label) {
      return label == "taper::stable_marriage::tail" ||
             label == "taper::stable_marriage::mark_first_choices" ||
             label == "taper::stable_marriage::announce_first_choices";
    };
    for (auto const& kernel : ours(probe.kernels)) {
      EXPECT_TRUE(kernel.device_id == given ||
                  (may_be_hosts(kernel.label) && kernel.device_id == host))
          << kernel.label << " ran on " << kernel.device_id << ", given was " << given;
    }
  }
}

/// The same on cores, whose instances have one name for tools: here is one of a single thread, and
/// all others must sleep through.
TYPED_TEST(Tools, NoKernelWakesThreadsThatWereNotGiven) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<TypeParam, Kokkos::OpenMP>) {
    using taper::testing::Sleepers;
    TypeParam const all;
    if (all.concurrency() == 1 || !Sleepers::can_be_seen()) {
      GTEST_SKIP() << "no other threads that would sleep";
    }
    TypeParam const one(1);
    this->use_everything(all, all);
    Sleepers const others;
    this->use_everything(one, one);
    EXPECT_FALSE(others.disturbed()) << "a kernel ran on an instance that was not given";
    Kokkos::parallel_for("test::on_all", Kokkos::RangePolicy<TypeParam>(all, 0, 64), Nothing{});
    all.fence("test: all threads have worked");
    EXPECT_TRUE(others.are_found_disturbed()) << "this test cannot fail";
  }
#endif
}

/// A global fence would wait for everybody's work. Whatever its label, tools see that it is none of
/// an instance.
TYPED_TEST(Tools, EveryFenceStatesItsReasonAndIsAnInstances) {
  TypeParam const where;
  auto const everywhere = taper::testing::ids_of_global_fences();
  ASSERT_FALSE(everywhere.empty());
  ASSERT_FALSE(everywhere.contains(Kokkos::Tools::Experimental::device_id(where)));
  taper::testing::Probe probe;
  this->use_everything(where);
  std::uint64_t reasons = 0;
  for (auto const& fence : probe.fences) {
    bool const reasoned = fence.label.rfind("taper::stable_marriage", 0) == 0;
    reasons += reasoned;
    EXPECT_FALSE(everywhere.contains(fence.device_id) && !is_kokkos_own(fence.label))
        << fence.label << " is a global fence";
    EXPECT_NE(fence.label.rfind("Kokkos::fence: Unnamed Global Fence", 0), 0u) << fence.label;
    // Kokkos' Threads backend waits for itself, under a name of its own, before its scratch grows.
    if (fence.label.rfind("Kokkos::ThreadsInternal::", 0) != 0) {
      EXPECT_EQ(fence.label.find("Unnamed Instance Fence"), std::string::npos) << fence.label;
    }
  }
  EXPECT_GT(reasons, 0u);
}

TYPED_TEST(Tools, PhasesAreRegionsInTheirOrder) {
  TypeParam const where;
  sm::generate(where, sm::Workload{.family = sm::Family::solo, .n = this->n}, this->men,
               this->women);
  taper::testing::Probe probe;
  sm::solve(where, this->instance, this->partner_of, {});
  std::vector<std::string> const first{probe.regions.begin(),
                                       probe.regions.begin() +
                                           std::min<std::size_t>(3, probe.regions.size())};
  EXPECT_EQ(first, (std::vector<std::string>{"taper::stable_marriage::precheck",
                                             "taper::stable_marriage::initialisation",
                                             "taper::stable_marriage::execution"}));
  EXPECT_EQ(probe.regions.back(), "taper::stable_marriage::postprocessing");
}

}  // namespace
