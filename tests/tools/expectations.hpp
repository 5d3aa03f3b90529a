// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tools/instances.hpp>
#include <tools/probe.hpp>
#include <tools/sleepers.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

/// Expectations for all work of an algorithm's library, which use(where) runs.
namespace taper::testing {

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

/// Expects that work on an instance with one thread wakes no other thread. Kokkos Tools cannot tell
/// the instances of a host backend apart. Skips if sleeping threads cannot be observed.
template <class Space, class Use>
void expect_no_other_threads_woken([[maybe_unused]] Use const& use) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>) {
    Space const all;
    if (all.concurrency() == 1 || !Sleepers::is_supported()) {
      GTEST_SKIP() << "no other threads, or they do not sleep (set OMP_WAIT_POLICY=passive)";
    }
    Space const one(1);
    use(all);
    Sleepers const others;
    use(one);
    EXPECT_FALSE(others.were_woken()) << "a kernel ran on another instance than the given one";
    Kokkos::parallel_for("test::on_all", Kokkos::RangePolicy<Space>(all, 0, 64), Nothing{});
    all.fence("test: end of a kernel on all threads");
    EXPECT_TRUE(others.wait_until_woken())
        << "the check does not notice woken threads, so it proves nothing";
  }
#endif
}

/// Expects that every fence is one of an instance and has a label, and that some labels begin with
/// `ours`. A global fence would wait for the work of all instances; tools see it by its device id.
template <class Space, class Use>
void expect_labelled_instance_fences(Space const& where, std::string_view ours, Use const& use) {
  std::set<std::uint32_t> const global_ids = ids_of_global_fences();
  ASSERT_FALSE(global_ids.empty());
  ASSERT_FALSE(global_ids.contains(Kokkos::Tools::Experimental::device_id(where)));
  Probe const probe;
  use(where);
  std::uint64_t labelled = 0;
  for (auto const& fence : probe.fences) {
    labelled += fence.label.rfind(ours, 0) == 0;
    EXPECT_FALSE(global_ids.contains(fence.device_id) && !is_kokkos_own(fence.label))
        << fence.label << " is a global fence";
    EXPECT_NE(fence.label.rfind("Kokkos::fence: Unnamed Global Fence", 0), 0u) << fence.label;
    // Kokkos' Threads backend fences itself under a label of its own before its scratch grows.
    if (fence.label.rfind("Kokkos::ThreadsInternal::", 0) != 0) {
      EXPECT_EQ(fence.label.find("Unnamed Instance Fence"), std::string::npos) << fence.label;
    }
  }
  EXPECT_GT(labelled, 0u);
}

}  // namespace taper::testing
