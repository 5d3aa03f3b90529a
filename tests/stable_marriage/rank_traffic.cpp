// SPDX-License-Identifier: Apache-2.0
#include <support/oracles.hpp>
#include <support/rank_traffic.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace {

namespace oracle = taper::testing;
using taper::support::offer_bytes;
using taper::support::Ranking;
using taper::support::RankSimulation;
using taper::support::RankTraffic;

Ranking to_ranking(oracle::Market const& market) {
  Ranking ranking;
  for (std::size_t person = 0; person < market.size(); ++person) {
    ranking.list.emplace_back(market.men[person].begin(), market.men[person].end());
    auto& ranks = ranking.rank.emplace_back(market.size());
    for (std::uint32_t rank = 0; rank < market.size(); ++rank) {
      ranks[market.women[person][rank]] = rank;
    }
  }
  return ranking;
}

/// Everybody of a side has the same list.
oracle::Market alike(std::size_t n) {
  return {oracle::Lists(n, oracle::identity(n)), oracle::Lists(n, oracle::identity(n))};
}

/// docs/scaling.md: what is sent follows from what is new, and no round sends more than the bound.
void expect_formula(RankTraffic const& traffic, std::uint64_t n, std::uint64_t ranks) {
  EXPECT_EQ(traffic.bytes,
            offer_bytes * (traffic.offers_elsewhere + (ranks - 1) * traffic.news));
  EXPECT_LE(traffic.messages, traffic.rounds * 2 * ranks * (ranks - 1));
  std::uint64_t const share = (n + ranks - 1) / ranks;
  EXPECT_LE(traffic.most_bytes_a_round,
            offer_bytes * (ranks - 1) * 2 * share);
}

TEST(RankTraffic, RanksFindTheMatchingAndSendWhatTheFormulaSays) {
  std::mt19937_64 random(5);
  for (std::size_t const n : {1, 7, 40}) {
    for (int again = 0; again < 3; ++again) {
      auto const market = again == 2 ? alike(n) : oracle::random_market(n, random);
      auto const ranking = to_ranking(market);
      auto const expected = oracle::man_optimal(market);
      for (std::uint32_t const ranks : {1u, 2u, 3u, 7u}) {
        for (bool const rounds_alone : {true, false}) {
          RankSimulation simulation(ranking, ranks);
          auto const traffic = simulation.run(rounds_alone);
          auto const partner = simulation.partner_of_man();
          EXPECT_EQ(oracle::Matching(partner.begin(), partner.end()), expected);
          expect_formula(traffic, n, ranks);
          if (rounds_alone) {
            EXPECT_EQ(traffic.left, 0u);
            EXPECT_EQ(traffic.gets, 0u);
          }
          if (ranks == 1) {
            EXPECT_EQ(traffic.rounds, 1u);
            EXPECT_EQ(traffic.bytes, 0u);
          }
        }
      }
    }
  }
}

/// Two ranks, one list: a round settles two people, one of each rank.
TEST(RankTraffic, ListsAlikeTakeOneRoundForTwo) {
  std::uint32_t const n = 60;
  auto const ranking = to_ranking(alike(n));
  auto const traffic = RankSimulation(ranking, 2).run(true);
  EXPECT_GE(traffic.rounds, 1u);
  EXPECT_LE(traffic.rounds, n);
  auto const led = RankSimulation(ranking, 2).run(false);
  EXPECT_LE(led.rounds, 3u);
  EXPECT_GT(led.left, 0u);
  EXPECT_GT(led.gets, 0u);
}

}  // namespace
