// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/generated.hpp>
#include <taper/stable_marriage/phases.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <type_traits>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;

/// Instances so large that a scan has whole vectors and some entries after them, on every backend.
template <class Space>
struct Tails : ::testing::Test {
  static constexpr std::size_t n = taper::is_gpu<Space> ? 9'001 : 1'501;

  template <taper::Place P>
  static oracle::Answer solve(P const& place, sm::Workload const& workload,
                              sm::Options const& options) {
    return oracle::answer_of(place, oracle::generated_instance(taper::device_of(place), workload),
                             options);
  }
};

TYPED_TEST_SUITE(Tails, oracle::Backends, oracle::BackendNames);

/// Any tail threshold gives the matching of the serial schedule on a host.
TYPED_TEST(Tails, AnyTailThresholdGivesTheSerialMatching) {
  for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::random,
                            sm::Family::uniform, sm::Family::correlated}) {
    sm::Workload const workload{.family = family, .n = TestFixture::n, .seed = 5};
    auto const [expected, serial] =
        TestFixture::solve(Kokkos::DefaultHostExecutionSpace{}, workload,
                           {.schedule = sm::Schedule::serial, .count = true});
    for (std::int64_t const threshold : {1, 3, 200}) {
      auto const [matching, report] =
          TestFixture::solve(TypeParam{}, workload, {.tail_threshold = threshold, .count = true});
      EXPECT_EQ(matching, expected) << to_string(family) << ", tail_threshold " << threshold;
      EXPECT_EQ(report.proposals, serial.proposals);
      EXPECT_LE(report.taper_step, report.proposals);
      if (family == sm::Family::solo) {  // others may end before a worker reads the stop flag
        EXPECT_EQ(report.tail_side, taper::Location::device);
      }
    }
  }
}

/// The host of a Duo gets the last chains if they do not retire soon. Chains that use up their
/// candidates there get more of them, or return to the GPU.
TYPED_TEST(Tails, LastChainsMayEndOnTheHost) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  int ended_on_host = 0;
  int returned = 0;
  for (auto const family : {sm::Family::solo, sm::Family::random, sm::Family::uniform}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      sm::Workload const workload{.family = family, .n = TestFixture::n, .seed = seed};
      auto const [expected, serial] =
          TestFixture::solve(Host{}, workload, {.schedule = sm::Schedule::serial, .count = true});
      auto const [matching, report] =
          TestFixture::solve(taper::Duo<TypeParam, Host>{TypeParam{}, Host{}}, workload,
                             {.count = true, .tiers = false});
      EXPECT_EQ(matching, expected) << to_string(family) << ", seed " << seed;
      EXPECT_EQ(report.proposals, serial.proposals);
      if (!report.migrations.empty()) {
        ++(report.tail_side == taper::Location::host ? ended_on_host : returned);
      }
    }
  }
  EXPECT_GT(ended_on_host, 0);
  if (taper::is_gpu<TypeParam>) {  // a host's tail has nowhere to return to
    EXPECT_GT(returned, 0);
  }
}

/// The kinds of team tail: run_team_tail() or run_team_tail_by_ranks().
enum class Search { list, ranks };

/// Expects that the first receiver that would accept gets the offer. There is one proposer, with
/// rank 1 everywhere, and a few receivers with rank limit 2. They stand anywhere in a list that is
/// longer than what a team holds or reads at once.
template <class Space, class Id>
void expect_offer_to_first_acceptor(Search search, std::size_t n) {
  using Memory = typename Space::memory_space;
  using Contention = sm::detail::WithRankLimits<sm::detail::FetchMin<Id, Memory>, Id, Memory>;
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
  for (unsigned const acceptors : {1u, 2u, 3u, 5u, 8u, 9u, 20u}) {
    for (int again = 0; again < 6; ++again) {
      std::shuffle(&list(0, 0), &list(0, 0) + n, random);
      Kokkos::deep_copy(lists, list);
      for (std::size_t position = 0; position < n; ++position) {
        position_of(0, list(0, position)) = static_cast<Id>(position);
      }
      Kokkos::deep_copy(positions, position_of);
      std::uint32_t const start = again == 0 ? 0 : static_cast<std::uint32_t>(random() % (n / 2));
      sm::detail::StandingOffers<Id, Memory> const standing(space, n);
      auto const rank_limits = Kokkos::create_mirror_view(standing.rank_limit);
      Kokkos::deep_copy(rank_limits, Id{0});
      std::size_t expected = n;
      for (unsigned i = 0; i < acceptors; ++i) {
        std::size_t const position = random() % n;
        rank_limits(list(0, position)) = Id{2};
        if (position >= start) {
          expected = std::min(expected, position);
        }
      }
      Kokkos::deep_copy(standing.rank_limit, rank_limits);
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
      if (search == Search::list) {
        sm::detail::run_team_tail(space, "test::teams", propose, frontier, 1);
      } else {
        sm::ConstTable<Id, Memory> const const_positions = positions;
        sm::detail::run_team_tail_by_ranks(space, "test::ranks", propose,
                                           taper::rows_of(const_positions), frontier);
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
      ASSERT_EQ(found, expected) << "n " << n << ", " << acceptors
                                 << " would accept, from position " << start;
    }
  }
}

TYPED_TEST(Tails, ATeamOffersToTheFirstReceiverThatWouldAccept) {
  bool const gpu = taper::is_gpu<TypeParam>;
  for (Search const search : {Search::list, Search::ranks}) {
    expect_offer_to_first_acceptor<TypeParam, std::uint16_t>(search, gpu ? 60'000 : 5'000);
    expect_offer_to_first_acceptor<TypeParam, std::uint16_t>(search, gpu ? 60'001 : 5'003);
    expect_offer_to_first_acceptor<TypeParam, std::uint32_t>(search, gpu ? 50'001 : 5'001);
  }
}

/// Tables of an earlier call do not change the result, whatever that call was.
TYPED_TEST(Tails, AUsedWorkspaceGivesTheSameMatching) {
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
    auto const instance =
        oracle::generated_instance(space, {.family = family, .n = people, .seed = 2});
    Kokkos::View<Id*, Memory> const kept("test::kept", people);
    sm::Options const options{.schedule = schedule, .tiers = false};
    auto const fresh = oracle::answer_of(space, instance, options).partner_of;
    sm::solve(space, instance, kept, options, workspace);
    EXPECT_EQ(oracle::to_matching(kept), fresh) << to_string(family);
  }
}

/// Invented machine profiles move the tail, for the last chains of a GPU and for long runs of
/// rejections. They change nothing else.
TYPED_TEST(Tails, AMachineProfileChangesNoAnswer) {
  taper::Duo<TypeParam, Kokkos::DefaultHostExecutionSpace> const duo{};
  struct Case {
    char const* name;
    taper::ExecutionCosts device;
    taper::ExecutionCosts host;
  };
  std::size_t const people = 1'000;
  for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::uniform}) {
    auto const instance =
        oracle::generated_instance(duo.device, {.family = family, .n = people, .seed = 4});
    auto const [expected, serial] =
        oracle::answer_of(duo.device, instance, {.schedule = sm::Schedule::serial});
    for (auto const& [name, device, host] :
         {Case{"the host gets nothing", {1, 1e6, 10, {}}, {2, 1, 10, {}}},
          Case{"the host gets long runs", {1, 1e-3, 10, {}}, {2, 1e6, 10, {}}},
          Case{"the host gets 300 last chains", {300, 1e6, 1, {}}, {1, 1, 10, {}}},
          Case{"the host gets 300 last chains and long runs",
               {300, 1e-3, 1e6, {}},
               {1, 1e6, 10, {}}}}) {
      taper::MachineProfile machine;
      machine.device = device;
      machine.host = host;
      machine.min_proposers_per_thread = 100;
      auto const [matching, report] =
          oracle::answer_of(duo, instance, {.count = true, .tiers = false, .machine = &machine});
      EXPECT_EQ(matching, expected) << name;
      EXPECT_EQ(report.proposals, serial.proposals) << name;
      EXPECT_EQ(report.acceptances + report.rejections, serial.proposals) << name;
    }
  }
}

/// Warps advance all chains from the start. They leave the last chains and those with long runs of
/// rejections. A leg of one worker then completes the same matching.
TYPED_TEST(Tails, WarpsLeaveAValidFrontier) {
  using Id = std::uint16_t;
  using Memory = typename TypeParam::memory_space;
  using StandingOffers = sm::detail::StandingOffers<Id, Memory>;
  using Contention = sm::detail::WithRankLimits<sm::detail::FetchMin<Id, Memory>, Id, Memory>;
  TypeParam const space;
  std::size_t const people = 300;
  for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::uniform}) {
    auto const instance =
        oracle::generated_instance(space, {.family = family, .n = people, .seed = 9});
    auto const expected =
        oracle::answer_of(space, instance, {.schedule = sm::Schedule::serial}).partner_of;
    auto const ranks = taper::preferences::allocate_ranks<Id, Memory>(space, "test::ranks", people);
    taper::preferences::build_rank_matrix(space, instance.women, ranks);
    sm::ConstTable<Id, Memory> const const_ranks = ranks;
    Kokkos::View<sm::detail::Tally*, Memory> const counters("test::counters", 0);
    using Lookup = sm::detail::RankMatrixLookup<Id>;
    Lookup const lookup{taper::rows_of(instance.men), taper::rows_of(const_ranks)};
    for (std::uint32_t const stop_at : {0u, 1u, 50u}) {
      StandingOffers const standing(space, people);
      auto frontier = sm::detail::AllProposersFree::frontier<TypeParam, Memory>(space, people);
      auto const next = sm::detail::gather_next_candidates(space, lookup, standing.best,
                                                           frontier.waiting, frontier.live);
      sm::detail::Propose<std::remove_const_t<decltype(next)>, Contention, decltype(counters)> const
          propose{next, {{standing}}, counters, static_cast<std::uint32_t>(people)};
      sm::detail::run_warp_tail(space, "test::warps", propose, frontier, stop_at);
      EXPECT_LE(frontier.live, people);
      if (stop_at == 0 && family == sm::Family::uniform) {
        EXPECT_EQ(frontier.live, 0u) << "short runs need no team";
      }
      sm::detail::Propose<Lookup, Contention, decltype(counters)> const step{
          lookup, {{standing}}, counters, static_cast<std::uint32_t>(people)};
      taper::run_leg(space, "test::rest", step, frontier, {.max_workers = 1});
      auto const best = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, standing.best);
      oracle::Matching man_of(people);
      for (std::size_t woman = 0; woman < people; ++woman) {
        man_of[woman] = sm::detail::Offer::get<sm::detail::offer_proposer>(best(woman));
      }
      EXPECT_EQ(man_of, oracle::inverse(expected)) << to_string(family) << ", stop at " << stop_at;
    }
  }
}

}  // namespace
