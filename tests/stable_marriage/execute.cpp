// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/like_cases.hpp>
#include <support/oracles.hpp>
#include <taper/stable_marriage/execute.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
namespace detail = taper::stable_marriage::detail;
namespace oracle = taper::testing;
using taper::unlimited;

/// The proposal step under a scheduler that stops it wherever it can be stopped.
template <class Space>
struct Execute : ::testing::Test {
  using Memory = typename Space::memory_space;
  using Id = std::uint16_t;
  using Standing = detail::Standing<Id, Memory>;
  Space space;

  struct Tables {
    sm::Instance<sm::ConstTable<Id, Memory>> instance;
    sm::Table<Id, Memory> ranks;
  };

  Tables tables(oracle::Market const& market) {
    auto const instance = oracle::to_instance<Space>(market);
    auto const ranks = detail::allocate_ranks<Id, Memory>(space, "test::ranks", market.size());
    detail::build_rank_matrix(space, instance.women, ranks);
    return {instance, ranks};
  }

  /// Runs legs of the given kind until nobody is free, and returns whom each woman holds.
  template <std::uint32_t ahead, class Contention>
  oracle::Matching husbands(Tables const& tables, Contention const& contention,
                            Standing const& standing, taper::Leg const& leg,
                            std::uint64_t* proposals) {
    auto const n = static_cast<std::uint32_t>(tables.instance.size());
    Kokkos::View<detail::Tally*, Memory> const counters("test::counters", 0);
    taper::Rows<Id const> const ranks{tables.ranks.data(),
                                      static_cast<std::size_t>(tables.ranks.stride(0))};
    detail::RankMatrixLookup<Id> const lookup{taper::rows_of(tables.instance.men), ranks};
    detail::Propose<detail::RankMatrixLookup<Id>, Contention, decltype(counters), ahead> const step{
        lookup, contention, counters, n};
    auto frontier = detail::EveryoneFree::frontier<Space, Memory>(space, n);
    std::uint64_t const most = n * n + n;
    for (std::uint64_t legs = 0; frontier.live > 0; ++legs) {
      if (legs > most) {
        ADD_FAILURE() << "no progress";
        break;
      }
      taper::run_leg(space, "test::leg", step, frontier, leg);
      if (leg.live > 0 && frontier.live <= leg.live) {
        taper::run_leg(space, "test::tail", step, frontier,
                       {.steps = leg.steps, .workers = leg.workers});
      }
    }
    auto const best = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, standing.best);
    oracle::Matching husband_of(n);
    *proposals = 0;
    for (std::uint32_t woman = 0; woman < n; ++woman) {
      husband_of[woman] = detail::Offer::get<detail::offer_proposer>(best(woman));
      *proposals += detail::Offer::get<detail::offer_proposals>(best(woman));
    }
    return husband_of;
  }

  oracle::Market generated(sm::Workload const& workload) {
    sm::Table<Id, Memory> const men("test::men", workload.n, workload.n);
    sm::Table<Id, Memory> const women("test::women", workload.n, workload.n);
    sm::generate(space, workload, men, women);
    return oracle::to_market(men, women);
  }

  /// Workers with a block of proposers each, as a host's wide legs have them, all after the same
  /// few women.
  template <class MakeContention>
  void expect_same_under_contention(MakeContention const& make) {
    for (auto const family : {sm::Family::congested, sm::Family::random}) {
      auto const market = generated({.family = family, .n = 300});
      auto const expected = oracle::gale_shapley(market);
      Tables const given = tables(market);
      for (std::uint64_t const workers : {2, 4, 32}) {
        for (std::uint64_t const live : {0, 7}) {
          Standing const standing(space, market.size());
          std::uint64_t proposals = 0;
          EXPECT_EQ(husbands<1>(given, make(standing), standing,
                                {.live = live,
                                 .turn = 16,
                                 .order = taper::Order::displaced_first,
                                 .workers = workers,
                                 .rebalance = true},
                                &proposals),
                    oracle::inverse(expected.partner_of))
              << to_string(family) << ", workers " << workers << ", live " << live;
          EXPECT_EQ(proposals, expected.proposals);
        }
      }
    }
  }

  template <std::uint32_t ahead = 1, class MakeContention>
  void expect_same_wherever_stopped(MakeContention const& make, std::uint64_t most_workers) {
    std::mt19937_64 random(11);
    std::size_t number = 0;
    for (std::size_t n = 1; n <= 6; ++n) {
      auto const market = oracle::random_market(n, random);
      auto const expected = oracle::gale_shapley(market);
      auto const husband_of = oracle::inverse(expected.partner_of);
      Tables const given = tables(market);
      for (std::uint64_t steps = 1; steps <= expected.proposals + 1; ++steps) {
        for (std::uint64_t live = 0; live < n; ++live) {
          for (std::uint64_t const turn : {std::uint64_t{1}, std::uint64_t{3}, unlimited}) {
            for (std::uint64_t const workers : {std::uint64_t{1}, most_workers}) {
              if (number++ % oracle::like_cases_step != 0) {
                continue;
              }
              Standing const standing(space, n);
              taper::Leg const leg{.live = live,
                                   .steps = steps,
                                   .turn = turn,
                                   .order = number % 2 == 0 ? taper::Order::same
                                                            : taper::Order::displaced_first,
                                   .workers = workers};
              std::uint64_t proposals = 0;
              EXPECT_EQ(husbands<ahead>(given, make(standing), standing, leg, &proposals),
                        husband_of)
                  << "n " << n << ", steps " << steps << ", live " << live << ", turn " << turn;
              EXPECT_EQ(proposals, expected.proposals) << "a proposal was lost or made twice";
            }
          }
        }
      }
    }
  }
};

TYPED_TEST_SUITE(Execute, oracle::Backends, oracle::BackendNames);

TYPED_TEST(Execute, AloneIsTheSameWhereverStopped) {
  this->expect_same_wherever_stopped(
      [](auto const& standing) {
        return detail::Alone<std::uint16_t, typename TestFixture::Memory>{standing};
      },
      1);
}

TYPED_TEST(Execute, CompareExchangeIsTheSameWhereverStopped) {
  this->expect_same_wherever_stopped(
      [](auto const& standing) {
        return detail::CompareExchange<std::uint16_t, typename TestFixture::Memory>{standing};
      },
      unlimited);
}

TYPED_TEST(Execute, FetchMinIsTheSameWhereverStopped) {
  this->expect_same_wherever_stopped(
      [](auto const& standing) {
        return detail::FetchMin<std::uint16_t, typename TestFixture::Memory>{standing};
      },
      unlimited);
}

TYPED_TEST(Execute, FilteredFetchMinIsTheSameWhereverStopped) {
  using FetchMin = detail::FetchMin<std::uint16_t, typename TestFixture::Memory>;
  this->expect_same_wherever_stopped(
      [](auto const& standing) {
        return detail::Filtered<FetchMin, std::uint16_t, typename TestFixture::Memory>{{standing}};
      },
      unlimited);
}

TYPED_TEST(Execute, LookingAheadIsTheSameWhereverStopped) {
  using FetchMin = detail::FetchMin<std::uint16_t, typename TestFixture::Memory>;
  auto const filtered = [](auto const& standing) {
    return detail::Filtered<FetchMin, std::uint16_t, typename TestFixture::Memory>{{standing}};
  };
  this->template expect_same_wherever_stopped<4>(filtered, unlimited);
  this->template expect_same_wherever_stopped<8>(filtered, unlimited);
}

TYPED_TEST(Execute, FilteredFetchMinIsTheSameUnderContention) {
  using FetchMin = detail::FetchMin<std::uint16_t, typename TestFixture::Memory>;
  this->expect_same_under_contention([](auto const& standing) {
    return detail::Filtered<FetchMin, std::uint16_t, typename TestFixture::Memory>{{standing}};
  });
}

TYPED_TEST(Execute, FilteredCompareExchangeIsTheSameUnderContention) {
  using CompareExchange = detail::CompareExchange<std::uint16_t, typename TestFixture::Memory>;
  this->expect_same_under_contention([](auto const& standing) {
    return detail::Filtered<CompareExchange, std::uint16_t, typename TestFixture::Memory>{
        {standing}};
  });
}

/// A lone worker may find a bar that is older than the standing offer: the offer decides.
TYPED_TEST(Execute, AnOldBarMisleadsNobody) {
  if constexpr (taper::HostExecutionSpace<TypeParam>) {
    typename TestFixture::Standing const standing(this->space, 2);
    this->space.fence("test: nobody stands");
    standing.best(1) = detail::Offer::pack(3u, 9u, 1u);
    standing.bar(1) = 5;
    detail::Alone<std::uint16_t, typename TestFixture::Memory> const alone{standing};
    detail::Tally tally;
    auto const worse = detail::Offer::pack(4u, 8u, 1u);
    EXPECT_EQ(alone({1, 4}, worse, tally), worse) << "rejected";
    EXPECT_EQ(standing.best(1), detail::Offer::pack(3u, 9u, 1u));
    EXPECT_EQ(standing.bar(1), 3u) << "and the bar is mended";
    EXPECT_EQ(alone({1, 2}, detail::Offer::pack(2u, 7u, 1u), tally),
              detail::Offer::pack(3u, 9u, 1u));
  } else {
    SUCCEED() << "a lone worker runs on hosts only";
  }
}

}  // namespace
