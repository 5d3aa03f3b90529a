// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/case_stride.hpp>
#include <support/generated.hpp>
#include <taper/stable_marriage/stages/execution.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace {

namespace sm = taper::stable_marriage;
namespace detail = taper::stable_marriage::detail;
namespace oracle = taper::testing;
using taper::unlimited;

/// The proposal step (propose.hpp) in legs that stop after any number of steps. `ahead` is the
/// number of positions that a step reads.
template <class Space>
struct ProposalStep : ::testing::Test {
  using Memory = typename Space::memory_space;
  using Id = std::uint16_t;
  using StandingOffers = detail::StandingOffers<Id, Memory>;
  Space space;

  struct Tables {
    sm::Instance<sm::ConstTable<Id, Memory>> instance;
    sm::Table<Id, Memory> ranks;
  };

  Tables tables(oracle::Market const& market) {
    auto const instance = oracle::to_instance<Space>(market);
    auto const ranks =
        taper::preferences::allocate_ranks<Id, Memory>(space, "test::ranks", market.size());
    taper::preferences::build_rank_matrix(space, instance.women, ranks);
    return {instance, ranks};
  }

  /// Runs legs like `leg` until no proposer is free. Returns the partner of each woman.
  template <std::uint32_t ahead, class Contention>
  oracle::Matching partners_of_women(Tables const& tables, Contention const& contention,
                                     StandingOffers const& standing, taper::Leg const& leg,
                                     std::uint64_t* proposals) {
    auto const n = static_cast<std::uint32_t>(tables.instance.size());
    Kokkos::View<detail::Tally*, Memory> const counters("test::counters", 0);
    taper::Rows<Id const> const ranks{tables.ranks.data(),
                                      static_cast<std::size_t>(tables.ranks.stride(0))};
    detail::RankMatrixLookup<Id> const lookup{taper::rows_of(tables.instance.men), ranks};
    detail::Propose<detail::RankMatrixLookup<Id>, Contention, decltype(counters), ahead> const step{
        lookup, contention, counters, n};
    auto frontier = detail::AllProposersFree::frontier<Space, Memory>(space, n);
    std::uint64_t const max_legs = n * n + n;
    for (std::uint64_t legs = 0; frontier.live > 0; ++legs) {
      if (legs > max_legs) {
        ADD_FAILURE() << "no progress";
        break;
      }
      taper::run_leg(space, "test::leg", step, frontier, leg);
      if (leg.stop_at_live > 0 && frontier.live <= leg.stop_at_live) {
        taper::run_leg(space, "test::tail", step, frontier,
                       {.max_steps = leg.max_steps, .max_workers = leg.max_workers});
      }
    }
    auto const best = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, standing.best);
    oracle::Matching man_of(n);
    *proposals = 0;
    for (std::uint32_t woman = 0; woman < n; ++woman) {
      man_of[woman] = detail::Offer::get<detail::offer_proposer>(best(woman));
      *proposals += detail::Offer::get<detail::offer_proposals>(best(woman));
    }
    return man_of;
  }

  oracle::Market generated(sm::Workload const& workload) {
    auto const instance = oracle::generated_instance(space, workload);
    return oracle::to_market(instance.men, instance.women);
  }

  /// Expects the man-optimal matching from parallel legs as on a host: each worker has a block of
  /// proposers, and all of them ask the same few women.
  template <class MakeContention>
  void expect_same_under_contention(MakeContention const& make_contention) {
    for (auto const family : {sm::Family::congested, sm::Family::random}) {
      auto const market = generated({.family = family, .n = 300});
      auto const expected = oracle::gale_shapley(market);
      Tables const given = tables(market);
      for (std::uint64_t const workers : {2u, 4u, 32u}) {
        for (std::uint64_t const live : {0u, 7u}) {
          StandingOffers const standing(space, market.size());
          std::uint64_t proposals = 0;
          EXPECT_EQ(partners_of_women<1>(given, make_contention(standing), standing,
                                         {.stop_at_live = live,
                                          .turn = 16,
                                          .order = taper::Order::handed_over_first,
                                          .max_workers = workers,
                                          .rebalance = true},
                                         &proposals),
                    oracle::inverse(expected.partner_of))
              << to_string(family) << ", workers " << workers << ", live " << live;
          EXPECT_EQ(proposals, expected.proposals);
        }
      }
    }
  }

  /// Expects the man-optimal matching, whenever legs stop.
  template <std::uint32_t ahead = 1, class MakeContention>
  void expect_same_wherever_stopped(MakeContention const& make_contention,
                                    std::uint64_t max_workers) {
    std::mt19937_64 random(11);
    std::size_t number = 0;
    for (std::size_t n = 1; n <= 6; ++n) {
      auto const market = oracle::random_market(n, random);
      auto const expected = oracle::gale_shapley(market);
      auto const man_of = oracle::inverse(expected.partner_of);
      Tables const given = tables(market);
      for (std::uint64_t steps = 1; steps <= expected.proposals + 1; ++steps) {
        for (std::uint64_t live = 0; live < n; ++live) {
          for (std::uint64_t const turn : {std::uint64_t{1}, std::uint64_t{3}, unlimited}) {
            for (std::uint64_t const workers : {std::uint64_t{1}, max_workers}) {
              if (number++ % oracle::case_stride != 0) {
                continue;
              }
              StandingOffers const standing(space, n);
              taper::Leg const leg{.stop_at_live = live,
                                   .max_steps = steps,
                                   .turn = turn,
                                   .order = number % 2 == 0 ? taper::Order::same
                                                            : taper::Order::handed_over_first,
                                   .max_workers = workers};
              std::uint64_t proposals = 0;
              EXPECT_EQ(partners_of_women<ahead>(given, make_contention(standing), standing, leg,
                                                 &proposals),
                        man_of)
                  << "n " << n << ", steps " << steps << ", live " << live << ", turn " << turn;
              EXPECT_EQ(proposals, expected.proposals) << "a proposal was lost or made twice";
            }
          }
        }
      }
    }
  }
};

TYPED_TEST_SUITE(ProposalStep, oracle::Backends, oracle::BackendNames);

TYPED_TEST(ProposalStep, PlainAccessGivesTheSameWhereverALegStops) {
  this->expect_same_wherever_stopped(
      [](auto const& standing) {
        return detail::PlainAccess<std::uint16_t, typename TestFixture::Memory>{standing};
      },
      1);
}

TYPED_TEST(ProposalStep, CompareExchangeGivesTheSameWhereverALegStops) {
  this->expect_same_wherever_stopped(
      [](auto const& standing) {
        return detail::CompareExchange<std::uint16_t, typename TestFixture::Memory>{standing};
      },
      unlimited);
}

TYPED_TEST(ProposalStep, FetchMinGivesTheSameWhereverALegStops) {
  this->expect_same_wherever_stopped(
      [](auto const& standing) {
        return detail::FetchMin<std::uint16_t, typename TestFixture::Memory>{standing};
      },
      unlimited);
}

TYPED_TEST(ProposalStep, FetchMinWithRankLimitsGivesTheSameWhereverALegStops) {
  using FetchMin = detail::FetchMin<std::uint16_t, typename TestFixture::Memory>;
  this->expect_same_wherever_stopped(
      [](auto const& standing) {
        return detail::WithRankLimits<FetchMin, std::uint16_t, typename TestFixture::Memory>{
            {standing}};
      },
      unlimited);
}

TYPED_TEST(ProposalStep, ReadingAheadGivesTheSameWhereverALegStops) {
  using FetchMin = detail::FetchMin<std::uint16_t, typename TestFixture::Memory>;
  auto const with_rank_limits = [](auto const& standing) {
    return detail::WithRankLimits<FetchMin, std::uint16_t, typename TestFixture::Memory>{
        {standing}};
  };
  this->template expect_same_wherever_stopped<4>(with_rank_limits, unlimited);
  this->template expect_same_wherever_stopped<8>(with_rank_limits, unlimited);
}

TYPED_TEST(ProposalStep, FetchMinWithRankLimitsGivesTheSameUnderContention) {
  using FetchMin = detail::FetchMin<std::uint16_t, typename TestFixture::Memory>;
  this->expect_same_under_contention([](auto const& standing) {
    return detail::WithRankLimits<FetchMin, std::uint16_t, typename TestFixture::Memory>{
        {standing}};
  });
}

TYPED_TEST(ProposalStep, CompareExchangeWithRankLimitsGivesTheSameUnderContention) {
  using CompareExchange = detail::CompareExchange<std::uint16_t, typename TestFixture::Memory>;
  this->expect_same_under_contention([](auto const& standing) {
    return detail::WithRankLimits<CompareExchange, std::uint16_t, typename TestFixture::Memory>{
        {standing}};
  });
}

/// A rank limit may be older than the standing offer. A single worker then decides by the offer.
TYPED_TEST(ProposalStep, AnOldRankLimitDoesNotChangeTheDecision) {
  if constexpr (taper::HostExecutionSpace<TypeParam>) {
    typename TestFixture::StandingOffers const standing(this->space, 2);
    this->space.fence("test: empty offers");
    standing.best(1) = detail::Offer::pack(3u, 9u, 1u);
    standing.rank_limit(1) = 5;
    detail::PlainAccess<std::uint16_t, typename TestFixture::Memory> const propose{standing};
    detail::Tally tally;
    auto const worse = detail::Offer::pack(4u, 8u, 1u);
    EXPECT_EQ(propose({1, 4}, worse, tally), worse) << "rejected";
    EXPECT_EQ(standing.best(1), detail::Offer::pack(3u, 9u, 1u));
    EXPECT_EQ(standing.rank_limit(1), 3u) << "the rank limit is up to date again";
    EXPECT_EQ(propose({1, 2}, detail::Offer::pack(2u, 7u, 1u), tally),
              detail::Offer::pack(3u, 9u, 1u));
  } else {
    SUCCEED() << "single workers run on hosts only";
  }
}

}  // namespace
