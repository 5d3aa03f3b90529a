// SPDX-License-Identifier: Apache-2.0
#include <rank_traffic.hpp>
#include <support/oracles.hpp>

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

/// All people of a side have the same list.
oracle::Market similar(std::size_t n) {
  return {oracle::Lists(n, oracle::identity(n)), oracle::Lists(n, oracle::identity(n))};
}

/// The formula of docs/scaling.md: only what is new is sent, and no round exceeds the bound.
void expect_formula(RankTraffic const& traffic, std::uint64_t n, std::uint64_t ranks) {
  EXPECT_EQ(traffic.bytes, offer_bytes * (traffic.offers_elsewhere + (ranks - 1) * traffic.news));
  EXPECT_LE(traffic.messages, traffic.rounds * 2 * ranks * (ranks - 1));
  std::uint64_t const share = (n + ranks - 1) / ranks;
  EXPECT_LE(traffic.max_bytes_per_round, offer_bytes * share * ranks);
  EXPECT_LE(traffic.offers_elsewhere, traffic.rounds * n);
  EXPECT_LE(traffic.news, traffic.rounds * n);
}

TEST(RankTraffic, RanksFindTheMatchingAndSendWhatTheFormulaPredicts) {
  std::mt19937_64 random(5);
  for (std::size_t const n : {1u, 7u, 40u}) {
    for (int again = 0; again < 3; ++again) {
      auto const market = again == 2 ? similar(n) : oracle::random_market(n, random);
      auto const ranking = to_ranking(market);
      auto const expected = oracle::gale_shapley(market).partner_of;
      for (std::uint32_t const ranks : {1u, 2u, 3u, 7u}) {
        for (bool const rounds_only : {true, false}) {
          RankSimulation simulation(ranking, ranks);
          auto const traffic = simulation.run(rounds_only);
          auto const partner = simulation.partner_of_man();
          EXPECT_EQ(oracle::Matching(partner.begin(), partner.end()), expected);
          expect_formula(traffic, n, ranks);
          if (rounds_only) {
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

/// All women have one list, and all men have one. If the best men are on rank 0, the next on rank 1
/// and so on, each round settles the men of one rank. If the best men are spread over the ranks in
/// turn, each round settles one man. This man displaces a man of another rank, which learns of it
/// at the exchange.
TEST(RankTraffic, RoundsDependOnWhereTheBestMenAre) {
  std::uint32_t const n = 60;
  for (std::uint32_t const ranks : {2u, 4u}) {
    std::uint32_t const share = n / ranks;
    auto market = similar(n);
    EXPECT_EQ(RankSimulation(to_ranking(market), ranks).run(true).rounds, ranks);

    std::vector<std::size_t> in_turn;
    for (std::uint32_t i = 0; i < n; ++i) {
      in_turn.push_back(i % ranks * share + i / ranks);
    }
    market.women.assign(n, in_turn);
    auto const ranking = to_ranking(market);
    EXPECT_EQ(RankSimulation(ranking, ranks).run(true).rounds, n);
    auto const led = RankSimulation(ranking, ranks).run(false);
    EXPECT_LE(led.rounds, 2u);
    EXPECT_GT(led.left, 0u);
    EXPECT_GT(led.gets, 0u);
  }
}

}  // namespace
