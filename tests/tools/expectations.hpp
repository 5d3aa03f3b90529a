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

/// What is expected of all that an algorithm's library does, by use(where).
namespace taper::testing {

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

/// On cores, whose instances have one name for tools: given one of a single thread, all others must
/// sleep through. Skips where they cannot be seen to.
template <class Space, class Use>
void expect_no_other_threads_woken([[maybe_unused]] Use const& use) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>) {
    Space const all;
    if (all.concurrency() == 1 || !Sleepers::can_be_seen()) {
      GTEST_SKIP() << "no other threads that would sleep";
    }
    Space const one(1);
    use(all);
    Sleepers const others;
    use(one);
    EXPECT_FALSE(others.disturbed()) << "a kernel ran on an instance that was not given";
    Kokkos::parallel_for("test::on_all", Kokkos::RangePolicy<Space>(all, 0, 64), Nothing{});
    all.fence("test: all threads have worked");
    EXPECT_TRUE(others.are_found_disturbed()) << "this test cannot fail";
  }
#endif
}

/// A global fence would wait for everybody's work. Whatever its label, tools see that it is none of
/// an instance. Some reasons begin with `ours`.
template <class Space, class Use>
void expect_reasoned_fences_of_instances(Space const& where, std::string_view ours,
                                         Use const& use) {
  std::set<std::uint32_t> const everywhere = ids_of_global_fences();
  ASSERT_FALSE(everywhere.empty());
  ASSERT_FALSE(everywhere.contains(Kokkos::Tools::Experimental::device_id(where)));
  Probe const probe;
  use(where);
  std::uint64_t reasons = 0;
  for (auto const& fence : probe.fences) {
    reasons += fence.label.rfind(ours, 0) == 0;
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

}  // namespace taper::testing
