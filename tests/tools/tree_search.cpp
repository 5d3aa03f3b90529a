// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/tree_search/tree_search.hpp>
#include <tools/probe.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <string>

namespace {

namespace ts = taper::tree_search;

/// Kokkos' own labels for what it launches inside a copy, an initialisation or a fence of ours.
bool is_kokkos_own(std::string const& label) {
  return label.rfind("Kokkos::", 0) == 0 || label.rfind("HostSpace::", 0) == 0 ||
         label.rfind("Cuda", 0) == 0;
}

bool is_ours(std::string const& label) {
  return label.rfind("taper::tree_search::", 0) == 0 || label.rfind("taper::fork_join", 0) == 0;
}

template <class Space>
struct TreeSearchTools : ::testing::Test {
  /// All that the library does here, stores that grow included.
  void use_everything(Space const& where) {
    ts::Tree const tree{.kind = ts::Kind::hybrid, .root_children = 6, .children = 4};
    for (auto const schedule : {ts::Schedule::none, ts::Schedule::worklist, ts::Schedule::steal}) {
      ts::count(where, tree, {.schedule = schedule, .store_nodes = 1});
    }
    if constexpr (taper::HostExecutionSpace<Space>) {
      ts::count(where, tree, {.schedule = ts::Schedule::pool});
    }
  }
};
TYPED_TEST_SUITE(TreeSearchTools, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(TreeSearchTools, every_kernel_view_and_region_carries_our_name) {
  TypeParam const where;
  taper::testing::Probe probe;
  this->use_everything(where);
  ASSERT_FALSE(probe.kernels.empty());
  ASSERT_FALSE(probe.allocations.empty());
  ASSERT_FALSE(probe.regions.empty());
  for (auto const& kernel : probe.kernels) {
    EXPECT_TRUE(is_ours(kernel.label) || is_kokkos_own(kernel.label)) << kernel.label;
  }
  for (auto const& label : probe.allocations) {
    EXPECT_TRUE(is_ours(label) || is_kokkos_own(label)) << label;
  }
  for (auto const& label : probe.regions) {
    EXPECT_TRUE(is_ours(label)) << label;
  }
}

TYPED_TEST(TreeSearchTools, every_kernel_ran_on_the_given_instance_and_every_fence_has_a_reason) {
  TypeParam const where;
  std::uint32_t const given = Kokkos::Tools::Experimental::device_id(where);
  taper::testing::Probe probe;
  this->use_everything(where);
  for (auto const& kernel : probe.kernels) {
    EXPECT_TRUE(is_kokkos_own(kernel.label) || kernel.device_id == given) << kernel.label;
  }
  std::size_t reasons = 0;
  for (auto const& fence : probe.fences) {
    reasons += fence.label.rfind("taper::tree_search", 0) == 0 ? 1 : 0;
    EXPECT_NE(fence.label.rfind("Kokkos::fence: Unnamed Global Fence", 0), 0u) << fence.label;
    // Kokkos' Threads backend waits for itself, under a name of its own, before its scratch grows.
    if (fence.label.rfind("Kokkos::ThreadsInternal::", 0) != 0) {
      EXPECT_EQ(fence.label.find("Unnamed Instance Fence"), std::string::npos) << fence.label;
    }
  }
  EXPECT_GT(reasons, 0u);
}

}  // namespace
