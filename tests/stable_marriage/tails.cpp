// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <type_traits>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;

/// Instances large enough that sweeps are made of whole runs and a rest, on every backend.
template <class Space>
struct Follow : ::testing::Test {
  static constexpr std::size_t n = taper::is_gpu<Space> ? 9'001 : 1'501;

  template <taper::Place P>
  static oracle::Matching solve(P const& place, sm::Workload const& workload,
                                sm::Options const& options, sm::Report* report = nullptr) {
    auto const& where = taper::device_of(place);
    using Memory = typename taper::DeviceOf<P>::memory_space;
    sm::Table<std::uint16_t, Memory> const men("test::men", n, n);
    sm::Table<std::uint16_t, Memory> const women("test::women", n, n);
    Kokkos::View<std::uint16_t*, Memory> const partner_of("test::partner_of", n);
    sm::generate(where, workload, men, women);
    auto const got =
        sm::solve(place, sm::Instance<sm::ConstTable<std::uint16_t, Memory>>{men, women},
                  partner_of, options);
    if (report != nullptr) {
      *report = got;
    }
    return oracle::to_matching(partner_of);
  }
};

TYPED_TEST_SUITE(Follow, oracle::Backends, oracle::BackendNames);

/// A run that tapers with so many chains left ends as one that never does, on a host's single
/// worker.
TYPED_TEST(Follow, EndsAsStepByStep) {
  for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::random,
                            sm::Family::uniform, sm::Family::correlated}) {
    sm::Workload const workload{.family = family, .n = TestFixture::n, .seed = 5};
    sm::Report step_by_step;
    auto const expected =
        TestFixture::solve(Kokkos::DefaultHostExecutionSpace{}, workload,
                           {.schedule = sm::Schedule::sequential, .count = true}, &step_by_step);
    for (std::int64_t const live : {1, 3, 200}) {
      sm::Report report;
      EXPECT_EQ(
          TestFixture::solve(TypeParam{}, workload, {.taper_live = live, .count = true}, &report),
          expected)
          << to_string(family) << ", taper_live " << live;
      EXPECT_EQ(report.proposals, step_by_step.proposals);
      EXPECT_LE(report.taper_step, report.proposals);
      if (family == sm::Family::solo) {  // others may be over before a worker sees the flag
        EXPECT_EQ(report.tail_side, taper::Side::device);
      }
    }
  }
}

/// The last chains go to the host, if one is offered and they are not soon over; those whose
/// proposers run out of candidates there get more of them, or come back.
TYPED_TEST(Follow, TheLastChainsMayEndOnTheHost) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  int ended_there = 0;
  int came_back = 0;
  for (auto const family : {sm::Family::solo, sm::Family::random, sm::Family::uniform}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      sm::Workload const workload{.family = family, .n = TestFixture::n, .seed = seed};
      sm::Report step_by_step;
      auto const expected = TestFixture::solve(
          Host{}, workload, {.schedule = sm::Schedule::sequential, .count = true}, &step_by_step);
      sm::Report report;
      EXPECT_EQ(TestFixture::solve(taper::Duo<TypeParam, Host>{TypeParam{}, Host{}}, workload,
                                   {.count = true, .tiers = false}, &report),
                expected)
          << to_string(family) << ", seed " << seed;
      EXPECT_EQ(report.proposals, step_by_step.proposals);
      if (!report.migrations.empty()) {
        ++(report.tail_side == taper::Side::host ? ended_there : came_back);
      }
    }
  }
  EXPECT_GT(ended_there, 0);
  if (taper::is_gpu<TypeParam>) {  // a host's own chains stay once they have tapered
    EXPECT_GT(came_back, 0);
  }
}

enum class Sweep { list, ranks };

/// One man before receivers of whom a few would accept him, anywhere on a list longer than what a
/// team holds or looks at in one go: he must come to the first of these few, after all before her.
template <class Space, class Id>
void expect_first_who_would_accept(Sweep sweep, std::size_t n) {
  using Memory = typename Space::memory_space;
  using Contention = sm::detail::Filtered<sm::detail::FetchMin<Id, Memory>, Id, Memory>;
  Space const space;
  std::mt19937 random(17);
  sm::Table<Id, Memory> const lists("test::lists", 1, n);
  auto const ranks =
      taper::allocate_large<sm::Table<Id, Memory>>(space, "test::ranks", 1u, (n + 63) / 64 * 64);
  Kokkos::deep_copy(ranks, Id{1});
  sm::Table<Id, Memory> const positions("test::positions", 1, n);
  auto const list = Kokkos::create_mirror_view(lists);
  auto const position_of = Kokkos::create_mirror_view(positions);
  for (std::size_t position = 0; position < n; ++position) {
    list(0, position) = static_cast<Id>(position);
  }
  for (unsigned const few : {1u, 2u, 3u, 5u, 8u, 9u, 20u}) {
    for (int again = 0; again < 6; ++again) {
      std::shuffle(&list(0, 0), &list(0, 0) + n, random);
      Kokkos::deep_copy(lists, list);
      for (std::size_t position = 0; position < n; ++position) {
        position_of(0, list(0, position)) = static_cast<Id>(position);
      }
      Kokkos::deep_copy(positions, position_of);
      std::uint32_t const start = again == 0 ? 0 : random() % (n / 2);
      sm::detail::Standing<Id, Memory> const standing(space, n);
      auto const bars = Kokkos::create_mirror_view(standing.bar);
      Kokkos::deep_copy(bars, Id{0});
      std::size_t expected = n;
      for (unsigned i = 0; i < few; ++i) {
        std::size_t const position = random() % n;
        bars(list(0, position)) = Id{2};
        if (position >= start) {
          expected = std::min(expected, position);
        }
      }
      Kokkos::deep_copy(standing.bar, bars);
      taper::Frontier<sm::detail::Chain, Memory> frontier(space, "test::frontier", 1);
      Kokkos::deep_copy(frontier.waiting, sm::detail::Chain{0, start});
      Kokkos::View<sm::detail::Tally*, Memory> const counters("test::counters", 0);
      sm::ConstTable<Id, Memory> const const_lists = lists;
      sm::ConstTable<Id, Memory> const const_ranks = ranks;
      sm::detail::Propose<sm::detail::ProposerRowsLookup<Id>, Contention, decltype(counters)> const
          propose{{taper::rows_of(const_lists), taper::rows_of(const_ranks)},
                  {{standing}},
                  counters,
                  static_cast<std::uint32_t>(n)};
      if (sweep == Sweep::list) {
        sm::detail::follow_by_teams(space, "test::teams", propose, frontier, 1);
      } else {
        sm::ConstTable<Id, Memory> const const_positions = positions;
        sm::detail::follow_by_ranks(space, "test::ranks", propose, taper::rows_of(const_positions),
                                    frontier);
      }
      EXPECT_EQ(frontier.live, 0u);
      auto const best = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, standing.best);
      std::size_t found = n;
      for (std::size_t receiver = 0; receiver < n; ++receiver) {
        if (best(receiver) != sm::detail::no_offer) {
          ASSERT_EQ(found, n) << "one offer";
          found = sm::detail::Offer::get<sm::detail::offer_proposals>(best(receiver)) - 1;
          ASSERT_EQ(list(0, found), receiver);
        }
      }
      ASSERT_EQ(found, expected) << "n " << n << ", " << few << " would accept, from " << start;
    }
  }
}

TYPED_TEST(Follow, ATeamComesToTheFirstWhoWouldAccept) {
  bool const gpu = taper::is_gpu<TypeParam>;
  for (Sweep const sweep : {Sweep::list, Sweep::ranks}) {
    expect_first_who_would_accept<TypeParam, std::uint16_t>(sweep, gpu ? 60'000 : 5'000);
    expect_first_who_would_accept<TypeParam, std::uint16_t>(sweep, gpu ? 60'001 : 5'003);
    expect_first_who_would_accept<TypeParam, std::uint32_t>(sweep, gpu ? 50'001 : 5'001);
  }
}

/// Tables that are kept are as good as new ones, whatever came before.
TYPED_TEST(Follow, AWorkspaceIsNoMemory) {
  using Id = std::uint16_t;
  using Memory = typename TypeParam::memory_space;
  TypeParam const space;
  sm::Workspace<Id, Memory> workspace;
  struct Case {
    sm::Family family;
    std::size_t people;
    sm::Schedule schedule;
  };
  for (auto const& [family, people, schedule] :
       {Case{sm::Family::congested, 700, sm::Schedule::hybrid},
        Case{sm::Family::uniform, 700, sm::Schedule::hybrid},
        Case{sm::Family::correlated, 650, sm::Schedule::hybrid},
        Case{sm::Family::congested, 650, sm::Schedule::parallel},
        Case{sm::Family::congested, 650, sm::Schedule::hybrid}}) {
    sm::Table<Id, Memory> const men("test::men", people, people);
    sm::Table<Id, Memory> const women("test::women", people, people);
    sm::generate(space, sm::Workload{.family = family, .n = people, .seed = 2}, men, women);
    sm::Instance<sm::ConstTable<Id, Memory>> const instance{men, women};
    Kokkos::View<Id*, Memory> const fresh("test::fresh", people);
    Kokkos::View<Id*, Memory> const kept("test::kept", people);
    sm::Options const options{.schedule = schedule, .tiers = false};
    sm::solve(space, instance, fresh, options);
    sm::solve(space, instance, kept, options, workspace);
    EXPECT_EQ(oracle::to_matching(kept), oracle::to_matching(fresh)) << to_string(family);
  }
}

/// A made-up machine moves a tail, and nothing else: the last chains of a GPU, and the rest of long
/// runs.
TYPED_TEST(Follow, AProfileChangesNoAnswer) {
  using Id = std::uint16_t;
  using Memory = typename TypeParam::memory_space;
  taper::Duo<TypeParam, Kokkos::DefaultHostExecutionSpace> const duo{};
  struct Case {
    char const* name;
    taper::SideCosts device;
    taper::SideCosts host;
  };
  std::size_t const people = 1'000;
  for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::uniform}) {
    sm::Table<Id, Memory> const men("test::men", people, people);
    sm::Table<Id, Memory> const women("test::women", people, people);
    sm::generate(duo.device, sm::Workload{.family = family, .n = people, .seed = 4}, men, women);
    sm::Instance<sm::ConstTable<Id, Memory>> const instance{men, women};
    Kokkos::View<Id*, Memory> const expected("test::expected", people);
    auto const proposals =
        sm::solve(duo.device, instance, expected, {.schedule = sm::Schedule::sequential}).proposals;
    for (auto const& [name, device, host] :
         {Case{"no last chain, no rest", {1, 1e6, 10, {}}, {2, 1, 10, {}}},
          Case{"no last chain, the rest", {1, 1e-3, 10, {}}, {2, 1e6, 10, {}}},
          Case{"300 last chains, no rest", {300, 1e6, 1, {}}, {1, 1, 10, {}}},
          Case{"300 last chains, the rest", {300, 1e-3, 1e6, {}}, {1, 1e6, 10, {}}}}) {
      taper::MachineProfile machine;
      machine.device = device;
      machine.host = host;
      machine.people_a_worker = 100;
      Kokkos::View<Id*, Memory> const partner_of("test::partner_of", people);
      auto const report = sm::solve(duo, instance, partner_of,
                                    {.count = true, .tiers = false, .machine = &machine});
      EXPECT_EQ(oracle::to_matching(partner_of), oracle::to_matching(expected)) << name;
      EXPECT_EQ(report.proposals, proposals) << name;
      EXPECT_EQ(report.acceptances + report.rejections, proposals) << name;
    }
  }
}

/// Lanes follow what a wide run has left, and leave what wants a team, or is the last: then a queue
/// of one makes the same matching of it as of all.
TYPED_TEST(Follow, LanesLeaveWhatTheyDoNotFinish) {
  using Id = std::uint16_t;
  using Memory = typename TypeParam::memory_space;
  using Standing = sm::detail::Standing<Id, Memory>;
  using Contention = sm::detail::Filtered<sm::detail::FetchMin<Id, Memory>, Id, Memory>;
  TypeParam const space;
  std::size_t const people = 300;
  for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::uniform}) {
    sm::Table<Id, Memory> const men("test::men", people, people);
    sm::Table<Id, Memory> const women("test::women", people, people);
    sm::generate(space, sm::Workload{.family = family, .n = people, .seed = 9}, men, women);
    sm::ConstTable<Id, Memory> const lists = men;
    auto const ranks = sm::detail::allocate_ranks<Id, Memory>(space, "test::ranks", people);
    sm::detail::build_rank_matrix(space, sm::ConstTable<Id, Memory>(women), ranks);
    sm::ConstTable<Id, Memory> const const_ranks = ranks;
    Kokkos::View<sm::detail::Tally*, Memory> const counters("test::counters", 0);
    using Lookup = sm::detail::RankMatrixLookup<Id>;
    Lookup const lookup{taper::rows_of(lists), taper::rows_of(const_ranks)};
    for (std::uint32_t const stop_at : {0u, 1u, 50u}) {
      Standing const standing(space, people);
      auto frontier = sm::detail::EveryoneFree::frontier<TypeParam, Memory>(space, people);
      auto const next = sm::detail::gather_next_candidates(space, lookup, standing.best,
                                                           frontier.waiting, frontier.live);
      sm::detail::Propose<std::remove_const_t<decltype(next)>, Contention, decltype(counters)> const
          by_lanes{next, {{standing}}, counters, static_cast<std::uint32_t>(people)};
      sm::detail::follow_by_lanes(space, "test::lanes", by_lanes, frontier, stop_at);
      EXPECT_LE(frontier.live, people);
      if (stop_at == 0 && family == sm::Family::uniform) {
        EXPECT_EQ(frontier.live, 0u) << "short runs need no team";
      }
      sm::detail::Propose<Lookup, Contention, decltype(counters)> const step{
          lookup, {{standing}}, counters, static_cast<std::uint32_t>(people)};
      taper::run_leg(space, "test::rest", step, frontier, {.workers = 1});
      Kokkos::View<Id*, Memory> const partner_of("test::partner_of", people);
      auto const best = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, standing.best);
      auto const here = Kokkos::create_mirror_view(partner_of);
      for (std::size_t woman = 0; woman < people; ++woman) {
        here(sm::detail::Offer::get<sm::detail::offer_proposer>(best(woman))) =
            static_cast<Id>(woman);
      }
      Kokkos::deep_copy(partner_of, here);
      Kokkos::View<Id*, Memory> const expected("test::expected", people);
      sm::solve(space, sm::Instance<sm::ConstTable<Id, Memory>>{men, women}, expected,
                {.schedule = sm::Schedule::sequential});
      EXPECT_EQ(oracle::to_matching(partner_of), oracle::to_matching(expected))
          << to_string(family) << ", stop at " << stop_at;
    }
  }
}

}  // namespace
