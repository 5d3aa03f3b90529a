// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/vertex_cover/paper/open_branches.hpp>
#include <taper/vertex_cover/paper/run.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
namespace paper = taper::vertex_cover::paper;
namespace oracle = taper::testing;
using taper::nothing;

template <class Space>
struct PaperSearch : ::testing::Test {
  Space space;
};
TYPED_TEST_SUITE(PaperSearch, oracle::Backends, oracle::BackendNames);

/// The only root counts as open, but nobody can take it: as if the team that has it had vanished.
TYPED_TEST(PaperSearch, watchdog_ends_a_launch_in_which_nobody_moves) {
  using Space = TypeParam;
  using Memory = typename Space::memory_space;
  using Balance = taper::Stealing<Memory>;
  using Search = paper::Search<Space, std::uint8_t, Balance, false>;
  std::uint32_t const vertices = 32;
  Kokkos::View<paper::Control, Memory> const control("test::control");
  Kokkos::deep_copy(this->space, control, paper::Control{0, paper::go_on, 0, 1, 1, 0});
  Search const search{
      {Kokkos::View<std::uint32_t*, Memory>("test::offsets", vertices + 1),
       Kokkos::View<std::uint32_t*, Memory>("test::entries", 0), false,
       Kokkos::View<std::uint32_t**, Memory>("test::bits", 0, 0)},
      Kokkos::View<paper::Root*, Memory>("test::roots", 1),
      paper::Registry<Memory, false>(this->space, "test::registry", 1, 4, 1, 1),
      Balance(this->space, "test::balance", 1, 4),
      taper::IndexPool<Memory>(this->space, "test::slots", 4, 1),
      Kokkos::View<unsigned char**, Kokkos::LayoutRight, Memory>("test::slots", 4, 64),
      Kokkos::View<unsigned char**, Kokkos::LayoutRight, Memory>("test::parked", 1, 64),
      Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Memory>("test::path", 1, vertices),
      Kokkos::View<unsigned char**, Kokkos::LayoutRight, Memory>("test::arrays", 0, 0),
      Kokkos::View<paper::TeamState*, Memory>("test::teams", 1),
      control,
      Kokkos::View<taper::AtomicWord*, Memory>("test::histogram", 0),
      vertices,
      0,
      true,
      true,
      false,
      0,
      {1000, 100, 0}};
  auto const team = paper::SearchTeam<Space>::of(vertices, 4);
  typename Search::Policy policy(this->space, 1, team.threads, team.lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Search::fixed_bytes() + 4096)));
  Kokkos::parallel_for("test::search", policy, search);
  this->space.fence("test: the launch has ended");
  auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, control);
  EXPECT_EQ(after().stop, static_cast<std::uint32_t>(paper::nobody_moves));
}

TEST(PaperShare, follows_what_a_share_takes) {
  using Seconds = std::chrono::duration<double>;
  EXPECT_EQ(paper::next_share(1024, paper::pause_here, Seconds(0.01)), 2048u);
  EXPECT_EQ(paper::next_share(1024, paper::pause_here, Seconds(0.1)), 1024u);
  EXPECT_EQ(paper::next_share(1024, paper::pause_here, Seconds(0.3)), 512u);
  EXPECT_EQ(paper::next_share(paper::least_share, paper::pause_here, Seconds(0.3)),
            paper::least_share);
  // However often nobody finds anything to do, a share stays what it is.
  std::uint64_t share = 1024;
  for (int launch = 0; launch < 1000; ++launch) {
    share = paper::next_share(share, paper::nobody_moves, Seconds(0.004));
  }
  EXPECT_EQ(share, 1024u);
}

/// Each worker has another cover of one of four components.
template <class Memory>
struct CarryUp {
  static constexpr std::uint32_t workers = 480;
  static constexpr std::uint32_t excess = 9;

  paper::Registry<Memory, true> registry;
  Kokkos::View<std::uint32_t, Memory> lowered;

  KOKKOS_FUNCTION void operator()(std::uint32_t i) const {
    std::uint32_t const last = i % 4 + 8;
    std::uint32_t const component = last > 9 ? (last == 10 ? 2 : 5) : last;
    std::uint32_t const size = 10 + i / 4 * 7 % (workers / 4);
    Kokkos::atomic_add(&lowered(), registry.carry_up(component, size));
    if (i == workers / 2) {
      Kokkos::atomic_add(&lowered(), registry.settle(7, excess));
    }
  }
};

/// Three branches, each in a component of the one above: 1 with 2 and 3, 4 in 3 with 5 and 6, 7 in 6 with 8 and
/// 9. Whoever comes in between, no vertex is taken off twice, and none is forgotten.
TYPED_TEST(PaperSearch, covers_are_carried_up_by_many_at_once) {
  using Memory = typename TypeParam::memory_space;
  using Work = CarryUp<Memory>;
  std::uint32_t const most = 10 + Work::workers / 4;
  Work const work{paper::Registry<Memory, true>(this->space, "test::registry", 1, 9, 1, 1),
                  Kokkos::View<std::uint32_t, Memory>("test::lowered")};
  std::vector<std::uint32_t> const up{nothing, 0, 1, 1, 3, 4, 4, 6, 7, 7};
  std::vector<std::uint32_t> known{1000, 0, most, 5 * most, 0, most, 3 * most, 0, most, most};
  known[7] = 2 + known[8] + known[9] + Work::excess;
  known[4] = 3 + known[5] + known[6];
  known[1] = 5 + known[2] + known[3];
  auto const entries = Kokkos::create_mirror_view(work.registry.entries);
  auto const sizes = Kokkos::create_mirror_view(work.registry.known);
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (std::uint32_t i = 0; i < up.size(); ++i) {
      entries(i) = {};
      entries(i).up = up[i];
      sizes(i) = known[i];
    }
    Kokkos::deep_copy(this->space, work.registry.entries, entries);
    Kokkos::deep_copy(this->space, work.registry.known, sizes);
    Kokkos::deep_copy(this->space, work.lowered, 0u);
    Kokkos::parallel_for("test::carry_up",
                         Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::uint32_t>>(
                             this->space, 0, std::uint32_t{Work::workers}),
                         work);
    Kokkos::deep_copy(this->space, sizes, work.registry.known);
    std::uint32_t lowered = 0;
    Kokkos::deep_copy(this->space, lowered, work.lowered);
    this->space.fence("test: all have carried up what they have");
    std::uint32_t const inner = 2 + 10 + 10;
    std::uint32_t const middle = 3 + 10 + inner;
    std::uint32_t const outer = 5 + 10 + middle;
    std::vector<std::uint32_t> const after(sizes.data(), sizes.data() + sizes.extent(0));
    EXPECT_EQ(after, (std::vector<std::uint32_t>{outer, outer, 10, middle, middle, 10, inner, inner,
                                                 10, 10}));
    EXPECT_EQ(lowered, 1000 - outer);
  }
}

paper::Entry component(std::uint32_t best, std::uint32_t bound, std::uint32_t up,
                       std::uint32_t all_but_one, std::uint32_t row) {
  return {paper::SizedCover::pack(best, row), 1, up, 0, 1, all_but_one, bound};
}
paper::Entry branch(std::uint32_t sum, std::uint32_t up, std::uint32_t row) {
  return {paper::SizedCover::pack(sum, row), 1, up, 0, 1, nothing, sum};
}

TEST(PaperOpenBranches, carry_their_components_covers_up_to_the_root) {
  // A root that may be covered by 20; a branch with a sum of 5 and two components, of which one has a
  // cover of 4, and the other still its first one of 9, and a branch of its own with 3 + 2.
  std::vector<paper::Entry> const entries{
      component(20, 20, nothing, 29, 0),  // 0, the root
      branch(5, 0, 1),                    // 1
      component(4, 7, 1, 8, 2),           // 2
      component(7, 7, 1, 9, 3),           // 3
      branch(3, 3, 4),                    // 4
      component(2, 5, 4, 6, 5),           // 5
      paper::Entry{},                     // free
  };
  paper::OpenBranches const open(entries, 1);
  EXPECT_EQ(open.size(0), 5u + 4u + (3u + 2u));
  std::vector<std::uint32_t> rows;
  open.for_each_row(0,
                    [&](std::uint32_t row, std::uint32_t, std::uint32_t) { rows.push_back(row); });
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{1, 2, 4, 5}));
}

TEST(PaperOpenBranches, nested_deeper_than_a_stack_has_room_for) {
  std::uint32_t const levels = 300'000;
  std::uint32_t const most = 2 * levels;
  std::vector<paper::Entry> entries{component(most, most, nothing, most, 0)};
  for (std::uint32_t level = 0; level < levels; ++level) {
    std::uint32_t const above = 2 * level;
    entries.push_back(branch(1, above, above + 1));
    entries.push_back(component(most, most, above + 1, most, above + 2));
  }
  entries.back() = component(1, 2, most - 1, 2, most);
  paper::OpenBranches const open(entries, 1);
  EXPECT_EQ(open.size(0), levels + 1);
  std::uint32_t rows = 0;
  open.for_each_row(0, [&](std::uint32_t, std::uint32_t, std::uint32_t) { ++rows; });
  EXPECT_EQ(rows, levels + 1);
}

TEST(PaperOpenBranches, a_bound_is_no_cover) {
  std::vector<paper::Entry> const entries{
      component(20, 20, nothing, 29, 0),           // the root
      branch(5, 0, 1), component(7, 7, 1, 16, 2),  // below 7 it would help; what it has are 16
  };
  EXPECT_EQ(paper::OpenBranches(entries, 1).size(0), 20u);
}

}  // namespace
