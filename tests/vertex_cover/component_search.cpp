// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/bounded_search.hpp>
#include <taper/vertex_cover/component_search/registry.hpp>
#include <taper/vertex_cover/component_search/search_run.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
namespace component_search = taper::vertex_cover::component_search;
namespace oracle = taper::testing;
using taper::nothing;

template <class Space>
struct ComponentLaunches : ::testing::Test {
  Space space;
};
TYPED_TEST_SUITE(ComponentLaunches, oracle::Backends, oracle::BackendNames);

/// The only root counts as unsolved, but no team can load it: next_root is past it already.
TYPED_TEST(ComponentLaunches, TheWatchdogEndsALaunchWithoutProgress) {
  using Space = TypeParam;
  using Memory = typename Space::memory_space;
  using Balance = taper::StealingDeques<Memory>;
  using Search = component_search::Search<Space, std::uint8_t, Balance, false>;
  std::uint32_t const vertices = 32;
  Kokkos::View<component_search::SearchControl, Memory> const control("test::control");
  Kokkos::deep_copy(this->space, control,
                    component_search::SearchControl{0, component_search::keep_running, 0, 1, 1, 0});
  Search const search{
      {Kokkos::View<std::uint32_t*, Memory>("test::offsets", vertices + 1),
       Kokkos::View<std::uint32_t*, Memory>("test::entries", 0), false,
       Kokkos::View<std::uint32_t**, Memory>("test::bits", 0, 0)},
      Kokkos::View<component_search::RootComponent*, Memory>("test::roots", 1),
      component_search::Registry<Memory, false>(this->space, "test::registry", 1, 4, 1, 1),
      Balance(this->space, "test::balance", 1, 4),
      component_search::IndexPool<Memory>(this->space, "test::slots", 4, 1),
      Kokkos::View<unsigned char**, Kokkos::LayoutRight, Memory>("test::slots", 4, 64),
      Kokkos::View<unsigned char**, Kokkos::LayoutRight, Memory>("test::replay_start", 1, 64),
      Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Memory>("test::path", 1, vertices),
      Kokkos::View<unsigned char**, Kokkos::LayoutRight, Memory>("test::arrays", 0, 0),
      Kokkos::View<component_search::TeamState*, Memory>("test::teams", 1),
      control,
      Kokkos::View<taper::AtomicWord*, Memory>("test::histogram", 0),
      vertices,
      0,
      true,   // components
      true,   // bounds
      true,   // degree_bound
      false,  // vertex_first
      false,  // count
      0,
      {1000, 100, 0}};
  auto const team = component_search::TeamShape<Space>::of(vertices, 4);
  typename Search::Policy policy(this->space, 1, team.threads, team.lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Search::fixed_bytes() + 4096)));
  Kokkos::parallel_for("test::search", policy, search);
  this->space.fence("test: wait for the launch");
  auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, control);
  EXPECT_EQ(after().stop, static_cast<std::uint32_t>(component_search::stalled));
}

TEST(LaunchQuota, FollowsTheDurationOfALaunch) {
  using Seconds = std::chrono::duration<double>;
  std::uint64_t const smallest = component_search::min_quota;
  EXPECT_EQ(taper::next_quota(1024, smallest, Seconds(0.01), true), 2048u);
  EXPECT_EQ(taper::next_quota(1024, smallest, Seconds(0.1), true), 1024u);
  EXPECT_EQ(taper::next_quota(1024, smallest, Seconds(0.3), true), 512u);
  EXPECT_EQ(taper::next_quota(smallest, smallest, Seconds(0.3), true), smallest);
  // Launches that end for lack of work do not change the quota.
  std::uint64_t quota = 1024;
  for (int launch = 0; launch < 1000; ++launch) {
    quota = taper::next_quota(quota, smallest, Seconds(0.004), false);
  }
  EXPECT_EQ(quota, 1024u);
}

/// Each worker propagates the size of a cover of one of four components.
template <class Memory>
struct PropagateSizes {
  static constexpr std::uint32_t workers = 480;
  static constexpr std::uint32_t excess = 9;

  component_search::Registry<Memory, true> registry;
  Kokkos::View<std::uint32_t, Memory> lowered;

  KOKKOS_FUNCTION void operator()(std::uint32_t i) const {
    std::uint32_t const entry = i % 4 + 8;
    std::uint32_t const component = entry > 9 ? (entry == 10 ? 2 : 5) : entry;
    std::uint32_t const size = 10 + i / 4 * 7 % (workers / 4);
    Kokkos::atomic_add(&lowered(), registry.propagate(component, size));
    if (i == workers / 2) {
      Kokkos::atomic_add(&lowered(), registry.settle(7, excess));
    }
  }
};

/// Three nested branches: 1 with components 2 and 3; 4, in component 3, with 5 and 6; 7, in
/// component 6, with 8 and 9. In any order of the updates, each decrease reaches the root exactly
/// once.
TYPED_TEST(ComponentLaunches, ConcurrentPropagationReachesTheExactSizes) {
  using Memory = typename TypeParam::memory_space;
  using Work = PropagateSizes<Memory>;
  std::uint32_t const max_size = 10 + Work::workers / 4;
  Work const work{
      component_search::Registry<Memory, true>(this->space, "test::registry", 1, 9, 1, 1),
      Kokkos::View<std::uint32_t, Memory>("test::lowered")};
  std::vector<std::uint32_t> const parent{nothing, 0, 1, 1, 3, 4, 4, 6, 7, 7};
  std::vector<std::uint32_t> attainable{1000,         0, max_size, 5 * max_size, 0, max_size,
                                        3 * max_size, 0, max_size, max_size};
  attainable[7] = 2 + attainable[8] + attainable[9] + Work::excess;
  attainable[4] = 3 + attainable[5] + attainable[6];
  attainable[1] = 5 + attainable[2] + attainable[3];
  auto const entries = Kokkos::create_mirror_view(work.registry.entries);
  auto const sizes = Kokkos::create_mirror_view(work.registry.attainable);
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (std::uint32_t i = 0; i < parent.size(); ++i) {
      entries(i) = {};
      entries(i).parent = parent[i];
      sizes(i) = attainable[i];
    }
    Kokkos::deep_copy(this->space, work.registry.entries, entries);
    Kokkos::deep_copy(this->space, work.registry.attainable, sizes);
    Kokkos::deep_copy(this->space, work.lowered, 0u);
    Kokkos::parallel_for("test::propagate",
                         Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::uint32_t>>(
                             this->space, 0, std::uint32_t{Work::workers}),
                         work);
    Kokkos::deep_copy(this->space, sizes, work.registry.attainable);
    std::uint32_t lowered = 0;
    Kokkos::deep_copy(this->space, lowered, work.lowered);
    this->space.fence("test: wait for the sizes");
    std::uint32_t const inner = 2 + 10 + 10;
    std::uint32_t const middle = 3 + 10 + inner;
    std::uint32_t const outer = 5 + 10 + middle;
    std::vector<std::uint32_t> const after(sizes.data(), sizes.data() + sizes.extent(0));
    EXPECT_EQ(after, (std::vector<std::uint32_t>{outer, outer, 10, middle, middle, 10, inner, inner,
                                                 10, 10}));
    EXPECT_EQ(lowered, 1000 - outer);
  }
}

component_search::Entry component(std::uint32_t best, std::uint32_t bound, std::uint32_t parent,
                                  std::uint32_t all_but_one, std::uint32_t row) {
  return {component_search::SizedCover::pack(best, row), 1, parent, 0, 1, all_but_one, bound};
}
component_search::Entry branch(std::uint32_t sum, std::uint32_t parent, std::uint32_t row) {
  return {component_search::SizedCover::pack(sum, row), 1, parent, 0, 1, nothing, sum};
}

TEST(RegistrySnapshot, AddsUpTheBestCoversOfComponents) {
  // A root with a cover of 20. Its branch has Sum 5 and two components. One has a cover of 4. The
  // other has its first cover of 9, and a branch with 3 + 2.
  std::vector<component_search::Entry> const entries{
      component(20, 20, nothing, 29, 0),  // 0, the root
      branch(5, 0, 1),                    // 1
      component(4, 7, 1, 8, 2),           // 2
      component(7, 7, 1, 9, 3),           // 3
      branch(3, 3, 4),                    // 4
      component(2, 5, 4, 6, 5),           // 5
      component_search::Entry{},          // free
  };
  component_search::RegistrySnapshot const snapshot(entries, 1);
  EXPECT_EQ(snapshot.size(0), 5u + 4u + (3u + 2u));
  std::vector<std::uint32_t> rows;
  snapshot.for_each_row(
      0, [&](std::uint32_t row, std::uint32_t, std::uint32_t) { rows.push_back(row); });
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{1, 2, 4, 5}));
}

TEST(RegistrySnapshot, DeepNestingNeedsNoRecursion) {
  std::uint32_t const levels = 300'000;
  std::uint32_t const max_size = 2 * levels;
  std::vector<component_search::Entry> entries{component(max_size, max_size, nothing, max_size, 0)};
  for (std::uint32_t level = 0; level < levels; ++level) {
    std::uint32_t const above = 2 * level;
    entries.push_back(branch(1, above, above + 1));
    entries.push_back(component(max_size, max_size, above + 1, max_size, above + 2));
  }
  entries.back() = component(1, 2, max_size - 1, 2, max_size);
  component_search::RegistrySnapshot const snapshot(entries, 1);
  EXPECT_EQ(snapshot.size(0), levels + 1);
  std::uint32_t rows = 0;
  snapshot.for_each_row(0, [&](std::uint32_t, std::uint32_t, std::uint32_t) { ++rows; });
  EXPECT_EQ(rows, levels + 1);
}

TEST(RegistrySnapshot, ABoundIsNotACover) {
  std::vector<component_search::Entry> const entries{
      component(20, 20, nothing, 29, 0),  // the root
      branch(5, 0, 1),
      component(7, 7, 1, 16, 2),  // a cover below 7 would help; the one that it has is 16
  };
  EXPECT_EQ(component_search::RegistrySnapshot(entries, 1).size(0), 20u);
}

}  // namespace
