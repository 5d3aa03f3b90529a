// SPDX-License-Identifier: Apache-2.0
#include <taper/stable_marriage/distributed/distributed.hpp>
#include <taper/stable_marriage/distributed/verify.hpp>

#include "shards.hpp"

#include <support/error_message.hpp>
#include <support/oracles.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
using Space = Kokkos::DefaultHostExecutionSpace;
using taper::RandomStream;
using taper::testing::Division;
using taper::testing::Lists;
using taper::testing::Matching;
using taper::testing::message_of;
using taper::testing::own_process;
using taper::testing::process_count;
using Marriage = taper::testing::Market;
using SidesCut = std::pair<Division, Division>;

constexpr SidesCut cuts_of_sides[]{{Division::even, Division::even},
                                   {Division::first_has_all, Division::last_has_all},
                                   {Division::random, Division::last_has_all},
                                   {Division::last_has_all, Division::random},
                                   {Division::random, Division::random}};

std::uint64_t marriage_count() {
  char const* const text = std::getenv("TAPER_MPI_MARKETS");
  return text == nullptr ? 80 : std::strtoull(text, nullptr, 10);
}

/// Lists of which some are alike, so that offers meet.
Marriage random_marriage(std::uint64_t seed, std::uint32_t n) {
  Marriage market;
  for (auto* const side : {&market.men, &market.women}) {
    RandomStream stream(seed, side == &market.men ? 1 : 2);
    Matching list = taper::testing::identity(n);
    for (std::uint32_t person = 0; person < n; ++person) {
      for (std::uint32_t place = n;
           place > 1 && (person == 0 || seed % 3 != 0 || stream.below(2) == 0); --place) {
        std::swap(list[place - 1], list[stream.below(place)]);
      }
      side->push_back(list);
    }
  }
  return market;
}

/// The part of this process, with ids of a type.
template <class Id>
struct OwnPart {
  using Rows = sm::ConstTable<Id, Space>;

  std::uint64_t begin, end;  ///< its men
  std::uint64_t first_woman;
  sm::Shard<Rows> shard;
  Kokkos::View<Id*, Space> partner_of;

  OwnPart(Marriage const& market, SidesCut division, std::uint64_t seed) {
    RandomStream stream(seed, 3);
    auto const men = cut(division.first, market.size(), stream);
    auto const women = cut(division.second, market.size(), stream);
    begin = men[own_process()];
    end = men[own_process() + 1];
    first_woman = women[own_process()];
    shard = {rows(market.men, begin, end),
             rows(market.women, first_woman, women[own_process() + 1])};
    partner_of = Kokkos::View<Id*, Space>("partner_of", end - begin);
    Kokkos::deep_copy(partner_of, Id{123});
  }

  static Rows rows(Lists const& lists, std::uint64_t begin, std::uint64_t end) {
    sm::Table<Id, Space> const table("rows", end - begin, begin < end ? lists.size() : 0);
    for (std::uint64_t row = begin; row < end; ++row) {
      std::ranges::copy(lists[row], &table(row - begin, 0));
    }
    return table;
  }

  void set(Matching const& whole) const {
    for (std::uint64_t man = begin; man < end; ++man) {
      partner_of(man - begin) = static_cast<Id>(whole[man]);
    }
  }
  bool has_part_of(Matching const& whole) const {
    for (std::uint64_t man = begin; man < end; ++man) {
      if (partner_of(man - begin) != whole[man]) {
        return false;
      }
    }
    return true;
  }
};

/// What the textbook finds.
taper::testing::Outcome expected_of(Marriage const& market, sm::Proposer proposer) {
  if (proposer == sm::Proposer::men) {
    return taper::testing::gale_shapley(market);
  }
  auto outcome = taper::testing::gale_shapley(taper::testing::exchanged(market));
  outcome.partner_of = taper::testing::inverse(outcome.partner_of);
  return outcome;
}

/// Solves one division of the market, and expects the textbook's answer.
template <class Id>
sm::DistributedReport expect_textbook(Marriage const& market, SidesCut division, std::uint64_t seed,
                                      sm::Proposer proposer,
                                      sm::DistributedOptions const& distributed = {}) {
  auto const expected = expected_of(market, proposer);
  OwnPart<Id> const own(market, division, seed);
  auto report = sm::solve(Space(), MPI_COMM_WORLD, own.shard, own.partner_of,
                          {.proposer = proposer}, distributed);
  EXPECT_TRUE(own.has_part_of(expected.partner_of)) << "seed " << seed;
  EXPECT_EQ(report.instance.proposals, expected.proposals) << "seed " << seed;
  EXPECT_EQ(sm::count_blocking_pairs(Space(), MPI_COMM_WORLD, own.shard, own.partner_of), 0u);
  return report;
}

constexpr sm::Proposer proposers[]{sm::Proposer::men, sm::Proposer::women};

TEST(DistributedMarriage, FindsTheTextbooksMatchingInEveryDivision) {
  for (std::uint64_t seed = 0; seed < marriage_count(); ++seed) {
    auto const n = static_cast<std::uint32_t>(seed % 27);
    auto const market = random_marriage(seed, n);
    sm::DistributedOptions const distributed{.candidates = static_cast<std::uint32_t>(seed % 4)};
    auto const division = cuts_of_sides[seed % 5];
    auto const proposer = proposers[seed / 5 % 2];
    if (seed % 3 == 0) {
      expect_textbook<std::uint32_t>(market, division, seed, proposer, distributed);
    } else {
      expect_textbook<std::uint16_t>(market, division, seed, proposer, distributed);
    }
  }
}

TEST(DistributedMarriage, FindsItInGeneratedInstancesOfEveryFamily) {
  for (auto const family : {sm::Family::perfect, sm::Family::solo, sm::Family::congested,
                            sm::Family::random, sm::Family::uniform, sm::Family::correlated}) {
    std::uint32_t const n = 50;
    sm::Workload const workload{.family = family, .n = n};
    sm::Table<std::uint16_t, Space> const men("men", n, n), women("women", n, n);
    sm::generate(Space(), workload, men, women);
    Marriage market;
    for (std::uint32_t person = 0; person < n; ++person) {
      market.men.emplace_back(&men(person, 0), &men(person, 0) + n);
      market.women.emplace_back(&women(person, 0), &women(person, 0) + n);
    }
    std::uint64_t most_rounds = 0;
    for (std::uint32_t const candidates : {0u, 1u, 16u}) {
      for (auto const proposer : proposers) {
        auto const report = expect_textbook<std::uint16_t>(market, cuts_of_sides[candidates % 5], 7,
                                                           proposer, {.candidates = candidates});
        EXPECT_TRUE(candidates != 0 || process_count() == 1 || report.instance.taper_live == 0);
        most_rounds = std::max(most_rounds, report.instance.rounds);
      }
    }
    if (process_count() > 1 && family != sm::Family::perfect) {
      EXPECT_GT(most_rounds, 1u);
    }
    OwnPart<std::uint16_t> const own(market, cuts_of_sides[0], 7);
    sm::Table<std::uint16_t, Space> const own_men("men", own.shard.men.extent(0), n);
    sm::Table<std::uint16_t, Space> const own_women("women", own.shard.women.extent(0), n);
    sm::generate_block(Space(), workload, own_men, own.begin, own_women, own.first_woman);
    EXPECT_TRUE(std::equal(own_men.data(), own_men.data() + own_men.size(), own.shard.men.data()));
    EXPECT_TRUE(
        std::equal(own_women.data(), own_women.data() + own_women.size(), own.shard.women.data()));
  }
}

TEST(DistributedMarriage, IsNotHurriedByDelaysNorBySmallMessages) {
  RandomStream stream(own_process(), 11);
  sm::DistributedOptions distributed{
      .max_message_bytes = 5, .after_round = [&](sm::RoundTraffic const&) {
        std::this_thread::sleep_for(std::chrono::microseconds(stream.below(2'000)));
      }};
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    distributed.candidates = seed % 2 == 0 ? 2 : 0;
    expect_textbook<std::uint16_t>(random_marriage(seed, 30), cuts_of_sides[seed % 5], seed,
                                   proposers[seed / 2 % 2], distributed);
  }
}

// docs/scaling.md has the formulas.
TEST(DistributedMarriage, SendsTheBytesOfTheFormula) {
  std::uint64_t const others = process_count() - 1;
  for (std::uint64_t seed = 0; seed < 10 && others > 0; ++seed) {
    std::uint32_t const n = 60;
    sm::DistributedOptions const distributed{.candidates = seed % 2 == 0 ? 0u : 2u};
    auto const division = cuts_of_sides[seed % 5];
    auto const market = random_marriage(seed, n);
    auto const report =
        expect_textbook<std::uint16_t>(market, division, seed, sm::Proposer::men, distributed);
    EXPECT_EQ(report.traffic.size(), report.instance.rounds);
    std::uint64_t sums[6] = {};  // ranks, free at first, free, offers, news, candidates
    for (auto const& round : report.traffic) {
      EXPECT_EQ(round.bytes, 2 * round.ranks +
                                 12 * (round.offers + round.candidates + others * round.news) +
                                 16 * others);
      bool const first = &round == report.traffic.data();
      sums[0] += round.ranks;
      sums[1] += first ? round.free : 0;
      sums[2] += round.free;
      sums[3] += round.offers;
      sums[4] += round.news;
      sums[5] += round.candidates;
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 6, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    RandomStream stream(seed, 3);
    auto const men = cut(division.first, n, stream);
    auto const women = cut(division.second, n, stream);
    std::uint64_t ranks = n * n;
    for (std::uint32_t process = 0; process <= others; ++process) {
      ranks -= (men[process + 1] - men[process]) * (women[process + 1] - women[process]);
    }
    EXPECT_EQ(sums[0], ranks);
    EXPECT_EQ(sums[1], n);
    EXPECT_GE(sums[2], sums[1]);
    EXPECT_LE(sums[3], report.instance.proposals);
    EXPECT_GE(sums[4], n);  // each receiver has a first offer
    EXPECT_TRUE(distributed.candidates > 0 || sums[5] == 0);
  }
}

TEST(DistributedMarriage, EndsAllProcessesIfAnArgumentOfOneIsWrong) {
  auto const market = random_marriage(1, 9);
  OwnPart<std::uint16_t> const own(market, cuts_of_sides[0], 1);
  bool const last = own_process() + 1 == process_count();
  auto const begins = "solve: process " + std::to_string(process_count() - 1) + ": ";
  auto const expect_message = [](std::string const& message, std::string const& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  Kokkos::View<std::uint16_t*, Space> const few("few", last ? 12 : own.partner_of.extent(0));
  expect_message(message_of([&] { sm::solve(Space(), MPI_COMM_WORLD, own.shard, few); }),
                 begins + "partner_of has 12 entries, the shard has");
  auto narrow = own.shard;
  if (last) {
    narrow.women = Kokkos::subview(own.shard.women, Kokkos::ALL, std::pair(0, 8));
  }
  expect_message(message_of([&] { sm::solve(Space(), MPI_COMM_WORLD, narrow, own.partner_of); }),
                 begins + "all processes have 9 people per side, but a list here has 8 entries");
  auto fewer = own.shard;
  fewer.women = Kokkos::subview(own.shard.women, std::pair(0, 0), Kokkos::ALL);
  expect_message(message_of([&] { sm::solve(Space(), MPI_COMM_WORLD, fewer, own.partner_of); }),
                 "the processes have 9 men, but 0 women");
  expect_message(message_of([&] {
                   sm::solve(Space(), MPI_COMM_WORLD, own.shard, own.partner_of, {},
                             {.max_message_bytes = last ? 0u : 7u});
                 }),
                 begins + "max_message_bytes is 1 to 2^31 - 1");
  if (process_count() > 1) {
    expect_message(message_of([&] {
                     sm::solve(Space(), MPI_COMM_WORLD, own.shard, own.partner_of,
                               {.proposer = proposers[last ? 1 : 0]});
                   }),
                   "the processes have different options");
    expect_message(message_of([&] {
                     sm::solve(Space(), MPI_COMM_WORLD, own.shard, own.partner_of, {.count = true});
                   }),
                   "'count' works in one process alone, not in ");
    EXPECT_THROW(sm::solve(Space(), MPI_COMM_WORLD, own.shard, own.partner_of, {.max_threads = 0}),
                 taper::CollectiveError);
  }
}

TEST(DistributedMarriage, SaysThatARowIsNoPermutation) {
  auto market = random_marriage(1, 9);
  for (auto& list : market.men) {
    std::ranges::replace(list, 4u, 5u);  // nobody asks woman 4
  }
  for (std::uint32_t const candidates : {0u, 1u}) {
    OwnPart<std::uint16_t> const own(market, cuts_of_sides[0], 1);
    auto const message = message_of([&] {
      sm::solve(Space(), MPI_COMM_WORLD, own.shard, own.partner_of, {}, {.candidates = candidates});
    });
    EXPECT_NE(message.find("1 receivers got no offer, so some row is not a permutation"),
              std::string::npos)
        << message;
    auto const bad = sm::find_bad_row(Space(), MPI_COMM_WORLD, own.shard.men);
    auto const whole = OwnPart<std::uint16_t>::rows(market.men, 0, 9);
    EXPECT_EQ(bad, sm::find_bad_row(Space(), whole));
    EXPECT_EQ(sm::find_bad_row(Space(), MPI_COMM_WORLD, own.shard.women), std::nullopt);
  }
  market = random_marriage(2, 40);
  market.women[33][17] = 40;
  market.women[38][0] = market.women[38][1];
  for (auto const& division : cuts_of_sides) {
    OwnPart<std::uint32_t> const own(market, division, 4);
    EXPECT_EQ(sm::find_bad_row(Space(), MPI_COMM_WORLD, own.shard.women),
              std::optional(sm::BadEntry{33, 17}));
  }
}

TEST(DistributedMarriage, FindsTheBlockingPairsOfWrongMatchings) {
  std::uint64_t unstable = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto const n = static_cast<std::uint32_t>(2 + seed * 2);
    auto const market = random_marriage(seed, n);
    auto matching = taper::testing::gale_shapley(market).partner_of;
    RandomStream stream(seed, 5);
    for (std::uint64_t swaps = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 1 : n; swaps > 0; --swaps) {
      std::swap(matching[stream.below(n)], matching[stream.below(n)]);
    }
    OwnPart<std::uint16_t> const own(market, cuts_of_sides[seed % 5], seed);
    own.set(matching);
    auto const expected = taper::testing::blocking_pairs(market, matching);
    EXPECT_EQ(sm::count_blocking_pairs(Space(), MPI_COMM_WORLD, own.shard, own.partner_of),
              expected.size());
    for (std::size_t const limit : {std::size_t{3}, std::size_t{100'000}}) {
      auto const found =
          sm::find_blocking_pairs(Space(), MPI_COMM_WORLD, own.shard, own.partner_of, limit);
      ASSERT_EQ(found.size(), std::min(limit, expected.size()));
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(std::pair(std::size_t{found[i].man}, std::size_t{found[i].woman}), expected[i]);
      }
    }
    unstable += expected.empty() ? 0u : 1u;
    if (seed % 5 == 0) {
      matching[n - 1] = matching[0];
      own.set(matching);
      auto const message = message_of(
          [&] { sm::count_blocking_pairs(Space(), MPI_COMM_WORLD, own.shard, own.partner_of); });
      EXPECT_NE(message.find("the partner of man " + std::to_string(n - 1) + " is out of range or"),
                std::string::npos)
          << message;
    }
  }
  EXPECT_GT(unstable, 20u);
}

}  // namespace
