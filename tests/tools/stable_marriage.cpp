// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/solve_streamed.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>
#include <tools/expectations.hpp>
#include <tools/instances.hpp>
#include <tools/probe.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
using taper::testing::is_kokkos_own;
using taper::testing::two_instances;

/// A probe's kernels without those that Kokkos itself launches.
std::vector<taper::testing::Probe::Kernel>
ours(std::vector<taper::testing::Probe::Kernel> kernels) {
  std::erase_if(kernels, [](auto const& kernel) { return is_kokkos_own(kernel.label); });
  return kernels;
}

template <class Space>
struct Tools : ::testing::Test {
  using Memory = typename Space::memory_space;
  using Tables = sm::Table<std::uint16_t, Memory>;
  static constexpr std::size_t n = 256;  // large enough for several tiers
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

  /// Uses all of the library's functions for stable marriage on one instance, and on a Duo with
  /// `host`.
  void use_everything(Space const& where, Kokkos::DefaultHostExecutionSpace const& host = {}) {
    for (auto const family :
         {sm::Family::perfect, sm::Family::solo, sm::Family::correlated, sm::Family::congested}) {
      sm::generate(where, sm::Workload{.family = family, .n = n}, men, women);
      std::vector<sm::Options> all{{.tiers = false}};
      for (sm::Engine const& engine : sm::engines()) {
        all.push_back(engine.options);
      }
      for (sm::Options options : all) {
        options.count = true;
        if (options.schedule != sm::Schedule::bamboo) {  // which needs a host
          sm::solve(where, instance, partner_of, options);
        }
        taper::Duo<Space, Kokkos::DefaultHostExecutionSpace> const duo{where, host};
        sm::solve(duo, instance, partner_of, options);
        Kokkos::deep_copy(where, host_men, men);
        Kokkos::deep_copy(where, host_women, women);
        where.fence("taper::stable_marriage: copy of the test's tables to the host");
        sm::solve(sm::Streamed{duo, std::vector<Space>{where}, 1000}, host_instance,
                  host_partner_of, options);
      }
      EXPECT_TRUE(sm::is_perfect_matching(where, partner_of));
      EXPECT_EQ(sm::count_blocking_pairs(where, instance, partner_of), 0u);
      EXPECT_TRUE(sm::find_blocking_pairs(where, instance, partner_of, 3).empty());
      EXPECT_FALSE(sm::find_bad_row(where, instance.men).has_value());
    }
  }
};

bool has_our_prefix(std::string const& label) {
  return label.rfind("taper::stable_marriage::", 0) == 0 ||
         label.rfind("taper::preferences::", 0) == 0;
}

TYPED_TEST_SUITE(Tools, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(Tools, EveryKernelViewAndRegionCarriesOurName) {
  TypeParam const where;
  taper::testing::Probe probe;
  this->use_everything(where);
  ASSERT_FALSE(probe.kernels.empty());
  ASSERT_FALSE(probe.allocations.empty());
  ASSERT_FALSE(probe.regions.empty());
  for (auto const& kernel : ours(probe.kernels)) {
    EXPECT_TRUE(has_our_prefix(kernel.label)) << kernel.label;
  }
  for (auto const& label : probe.allocations) {
    EXPECT_TRUE(has_our_prefix(label) || is_kokkos_own(label)) << label;
  }
  for (auto const& label : probe.regions) {
    EXPECT_TRUE(has_our_prefix(label)) << label;
  }
}

TYPED_TEST(Tools, EveryKernelRanOnTheGivenInstance) {
  for (TypeParam const& where : two_instances<TypeParam>()) {
    std::uint32_t const given = Kokkos::Tools::Experimental::device_id(where);
    std::uint32_t const host =
        Kokkos::Tools::Experimental::device_id(Kokkos::DefaultHostExecutionSpace{});
    taper::testing::Probe probe;
    this->use_everything(where);
    // The host of a Duo runs tails, and reads the first choices of lists in its memory.
    auto const may_run_on_host = [](std::string const& label) {
      return label == "taper::stable_marriage::tail" ||
             label == "taper::stable_marriage::mark_first_choices" ||
             label == "taper::stable_marriage::write_first_choices";
    };
    for (auto const& kernel : ours(probe.kernels)) {
      EXPECT_TRUE(kernel.device_id == given ||
                  (may_run_on_host(kernel.label) && kernel.device_id == host))
          << kernel.label << " ran on " << kernel.device_id << ", given was " << given;
    }
  }
}

/// The same for host threads.
TYPED_TEST(Tools, NoKernelWakesThreadsThatWereNotGiven) {
  taper::testing::expect_no_other_threads_woken<TypeParam>(
      [&](auto const& where) { this->use_everything(where, where); });
}

TYPED_TEST(Tools, EveryFenceIsLabelledAndOfAnInstance) {
  taper::testing::expect_labelled_instance_fences(
      TypeParam{}, "taper::stable_marriage",
      [&](auto const& where) { this->use_everything(where); });
}

TYPED_TEST(Tools, PhasesAreRegionsInTheirOrder) {
  TypeParam const where;
  sm::generate(where, sm::Workload{.family = sm::Family::solo, .n = this->n}, this->men,
               this->women);
  taper::testing::Probe probe;
  sm::solve(where, this->instance, this->partner_of, {});
  std::vector<std::string> const first{probe.regions.begin(),
                                       probe.regions.begin() +
                                           std::min<std::ptrdiff_t>(4, std::ssize(probe.regions))};
  // First choices, then tiers.
  EXPECT_EQ(first, (std::vector<std::string>{"taper::stable_marriage::precheck",
                                             "taper::stable_marriage::precheck",
                                             "taper::stable_marriage::initialisation",
                                             "taper::stable_marriage::execution"}));
  EXPECT_EQ(probe.regions.back(), "taper::stable_marriage::postprocessing");
}

}  // namespace
