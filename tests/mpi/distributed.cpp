// SPDX-License-Identifier: Apache-2.0
#include <taper/hospitals_residents/distributed/distributed.hpp>
#include <taper/hospitals_residents/distributed/scores.hpp>
#include <taper/hospitals_residents/distributed/verify.hpp>

#include "shards.hpp"

#include <hospitals_residents/host_market.hpp>
#include <support/error_message.hpp>
#include <taper/hospitals_residents/generate.hpp>
#include <taper/hospitals_residents/hospitals_residents.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace hr = taper::hospitals_residents;
using Space = Kokkos::DefaultHostExecutionSpace;
using hr::Lottery;
using hr::Mechanism;
using hr::Options;
using taper::RandomStream;
using taper::testing::DeviceMarket;
using taper::testing::Division;
using taper::testing::HostAssignment;
using taper::testing::HostMarket;
using taper::testing::message_of;
using taper::testing::own_process;
using taper::testing::OwnShard;
using taper::testing::process_count;
using taper::testing::random_market;
using taper::testing::unassigned;

constexpr std::pair<Division, Division> divisions[]{
    {Division::even, Division::even},
    {Division::first_has_all, Division::last_has_all},
    {Division::random, Division::last_has_all},
    {Division::last_has_all, Division::random},
    {Division::random, Division::random}};

OwnShard<Space> shard_of(hr::Market<Space::memory_space> const& market,
                         std::pair<Division, Division> division, std::uint64_t seed) {
  RandomStream stream(seed, 3);
  auto const residents = cut(division.first, market.resident_count(), stream);
  auto const hospitals = cut(division.second, market.hospital_count(), stream);
  return {market, residents, hospitals};
}

/// What one process finds alone.
struct Alone {
  HostAssignment hospital_of;
  hr::Report report;
};
Alone solve_alone(DeviceMarket<Space> const& market, Options const& options) {
  auto const report = hr::solve(Space(), market.market(), market.hospital_of, options);
  return {market.assignment(), report};
}

/// Solves the market in one division of it, and expects the answer of one process.
void expect_equal(hr::Market<Space::memory_space> const& market, Alone const& expected,
                  Options const& options, std::pair<Division, Division> division,
                  std::uint64_t seed, hr::DistributedOptions const& distributed = {}) {
  auto const own = shard_of(market, division, seed);
  Kokkos::deep_copy(own.hospital_of, 12'345u);
  auto const report =
      hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of, options, distributed);
  EXPECT_TRUE(own.has_part_of(expected.hospital_of)) << "seed " << seed;
  EXPECT_EQ(report.market.assigned, expected.report.assigned) << "seed " << seed;
  EXPECT_EQ(report.market.proposals, expected.report.proposals) << "seed " << seed;
}

/// The number of random markets, from TAPER_MPI_MARKETS. Thousands take minutes if there are more
/// processes than cores.
std::uint64_t market_count() {
  char const* const text = std::getenv("TAPER_MPI_MARKETS");
  return text == nullptr ? 80 : std::strtoull(text, nullptr, 10);
}

TEST(Distributed, FindsTheTextbooksMatchingInEveryDivision) {
  for (std::uint64_t seed = 0; seed < market_count(); ++seed) {
    auto const size = static_cast<std::uint32_t>(seed);
    auto const market = random_market(seed, size % 23, size % 7, size % 5, 1 + size % 7 * 5);
    DeviceMarket<Space> const here(market);
    auto const expected = solve_alone(here, {});
    EXPECT_EQ(expected.hospital_of, taper::testing::textbook(market));
    expect_equal(here.market(), expected, {}, divisions[seed % std::size(divisions)], seed);
  }
}

TEST(Distributed, FindsTheBestMatchingOfTheHospitals) {
  std::uint64_t others = 0;
  for (std::uint64_t seed = 0; seed < market_count(); ++seed) {
    auto const size = static_cast<std::uint32_t>(seed);
    auto const market = random_market(seed, size % 23, size % 7, size % 5, 1 + size % 7 * 5);
    DeviceMarket<Space> const here(market);
    Options const options{.proposer = hr::Proposer::hospitals,
                          .lottery = seed % 3 == 0   ? Lottery::single
                                     : seed % 3 == 1 ? Lottery::multiple
                                                     : Lottery::by_id};
    auto const expected = solve_alone(here, options);
    expect_equal(here.market(), expected, options, divisions[seed % std::size(divisions)], seed);
    others += expected.hospital_of != taper::testing::textbook(market) ? 1u : 0u;
  }
  EXPECT_GT(others, market_count() / 20) << "the residents' best matching would do";
}

TEST(Distributed, FollowsEveryMechanismAndLottery) {
  std::uint64_t seed = 500;
  for (auto const mechanism : {Mechanism::deferred_acceptance, Mechanism::immediate_acceptance,
                               Mechanism::parallel_mechanism}) {
    for (auto const lottery : {Lottery::by_id, Lottery::single, Lottery::multiple}) {
      DeviceMarket<Space> const here(random_market(++seed, 60, 12, 6, 3));
      Options const options{.mechanism = mechanism, .choices_per_round = 2, .lottery = lottery};
      expect_equal(here.market(), solve_alone(here, options), options, divisions[seed % 5], seed);
    }
  }
}

// Seats in blocks, one hospital that all want, hospitals that are closed, and no entries at all.
TEST(Distributed, FindsItInMarketsOfUnusualShapes) {
  std::vector<HostMarket> markets{{}, {{{}, {}, {}}, {1, 2}}, {{{{0, 5}}}, {0}}, {{}, {3, 3}}};
  auto many_seats = random_market(1, 3'000, 6, 0, 50);
  many_seats.seats = {1, 25, 64, 200, 1'000, 0};
  markets.push_back(many_seats);
  HostMarket one_hospital{{}, {3}};
  for (std::uint32_t resident = 0; resident < 500; ++resident) {
    one_hospital.lists.push_back({{0, 500 - resident}});
  }
  markets.push_back(one_hospital);
  // Keys of which every bit is set: the limit does not fit, and every offer has to be sent.
  for (std::uint32_t const seats : {1u, 2u, 3u}) {
    markets.push_back({{{{0, ~0u}}, {{0, ~0u}}, {{0, ~0u - 1}}, {{0, ~0u - 1}}}, {seats}});
  }
  for (auto const& market : markets) {
    DeviceMarket<Space> const here(market);
    Alone const expected = solve_alone(here, {});
    EXPECT_EQ(expected.hospital_of, taper::testing::textbook(market));
    for (auto const& division : divisions) {
      expect_equal(here.market(), expected, {}, division, 1);
      Options const hospitals{.proposer = hr::Proposer::hospitals};
      expect_equal(here.market(), solve_alone(here, hospitals), hospitals, division, 1);
    }
  }
}

TEST(Distributed, FindsItInGeneratedMarketsOfEveryFamily) {
  for (auto const family :
       {hr::Family::uniform, hr::Family::popularity, hr::Family::geographic, hr::Family::scores}) {
    for (std::uint64_t const hospitals : {900u, 90u}) {
      hr::Workload const workload{.family = family,
                                  .residents = 1'000,
                                  .hospitals = hospitals,
                                  .seats = 900,
                                  .capacities = hr::Capacities::power_law};
      auto const made = hr::generate(Space(), workload);
      Alone expected{HostAssignment(1'000), {}};
      Kokkos::View<std::uint32_t*, Space> const found(expected.hospital_of.data(), 1'000);
      expected.report = hr::solve(Space(), made.market(), found);
      expect_equal(made.market(), expected, {}, divisions[0], 1);
      expect_equal(made.market(), expected, {}, divisions[4], hospitals);
      Options const other_side{.proposer = hr::Proposer::hospitals};
      expected.report = hr::solve(Space(), made.market(), found, other_side);
      expect_equal(made.market(), expected, other_side, divisions[family == hr::Family::scores],
                   hospitals);
    }
  }
}

TEST(Distributed, GeneratesItsShardAlone) {
  hr::Workload const workload{.family = hr::Family::scores,
                              .residents = 100,
                              .hospitals = 37,
                              .seats = 95,
                              .capacities = hr::Capacities::power_law};
  auto const made = hr::generate(Space(), workload);
  auto const own = shard_of(made.market(), {Division::random, Division::random}, 9);
  RandomStream stream(9, 3);
  auto const residents = cut(Division::random, 100, stream);
  auto const hospitals = cut(Division::random, 37, stream);
  auto const p = own_process();
  auto const part = hr::generate_block(Space(), workload, {residents[p], residents[p + 1]},
                                       {hospitals[p], hospitals[p + 1]});
  auto const equal = [](auto const& a, auto const& b) {
    return std::equal(a.data(), a.data() + a.extent(0), b.data(), b.data() + b.extent(0));
  };
  EXPECT_TRUE(equal(part.offsets, own.shard.offsets));
  EXPECT_TRUE(equal(part.hospitals, own.shard.hospitals));
  EXPECT_TRUE(equal(part.keys, own.shard.keys));
  EXPECT_TRUE(equal(part.seats, own.shard.seats));
  EXPECT_NE(message_of([&] {
              hr::generate_block(Space(), workload, {5, 101}, {0, 1});
            }).find("a block exceeds its side"),
            std::string::npos);
}

/// Scores of which many are equal, also across processes, and the ranks that a process alone gives.
TEST(Distributed, MakesKeysFromScores) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream stream(seed, 13);
    std::vector<double> scores(seed % 4 == 0 ? seed : 500);
    for (auto& score : scores) {
      score = static_cast<double>(stream.below(seed % 2 == 0 ? 20u : 1u << 30)) / 4 - 2;
    }
    if (seed == 5) {
      scores[7] = -0.0;
      scores[8] = 0.0;
      scores[9] = -std::numeric_limits<double>::infinity();
    }
    bool const lowest_first = seed % 3 == 0;
    auto const cuts = cut(divisions[seed % 5].first, scores.size(), stream);
    auto const begin = cuts[own_process()], count = cuts[own_process() + 1] - begin;
    hr::Constants<double, Space> const own(scores.data() + begin, count);
    Kokkos::View<std::uint32_t*, Space> const keys("keys", count);
    auto const different = hr::keys_of_scores(Space(), MPI_COMM_WORLD, own, keys, lowest_first);
    auto sorted = scores;
    std::ranges::sort(sorted);
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    if (!lowest_first) {
      std::ranges::reverse(sorted);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      EXPECT_EQ(sorted.at(keys(i)), own(i)) << "seed " << seed;
    }
    for (std::size_t i = 0; i < different.keys.size(); ++i) {
      EXPECT_EQ(sorted.at(different.keys[i]), different.scores[i]) << "seed " << seed;
    }
  }
  bool const last = own_process() + 1 == process_count();
  std::vector<double> const scores(3);
  Kokkos::View<std::uint32_t*, Space> const keys("keys", last ? 2 : 3);
  EXPECT_NE(message_of([&] {
              hr::keys_of_scores(Space(), MPI_COMM_WORLD,
                                 hr::Constants<double, Space>(scores.data(), 3), keys, true);
            }).find("there are 3 scores, but 2 keys"),
            std::string::npos);
}

TEST(Distributed, IsNotHurriedByDelays) {
  RandomStream stream(own_process(), 11);
  hr::DistributedOptions const distributed{.after_round = [&](hr::RoundTraffic const&) {
    std::this_thread::sleep_for(std::chrono::microseconds(stream.below(2'000)));
  }};
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    DeviceMarket<Space> const here(random_market(seed, 40, 10, 3, 20));
    Options const options{.proposer =
                              seed % 2 == 0 ? hr::Proposer::residents : hr::Proposer::hospitals};
    expect_equal(here.market(), solve_alone(here, options), options, divisions[seed % 5], seed,
                 distributed);
  }
}

TEST(Distributed, SendsLongMessagesInPieces) {
  DeviceMarket<Space> const here(random_market(3, 200, 20, 9, 50));
  auto const expected = solve_alone(here, {});
  Options const hospitals{.proposer = hr::Proposer::hospitals};
  for (std::uint64_t const bytes : {1u, 5u, 12u, 100u}) {
    expect_equal(here.market(), expected, {}, divisions[0], 1, {.max_message_bytes = bytes});
    expect_equal(here.market(), solve_alone(here, hospitals), hospitals, divisions[0], 1,
                 {.max_message_bytes = bytes});
  }
}

TEST(Communicator, CutsLongOperationsIntoPieces) {
  std::uint64_t const all = process_count();
  for (std::uint64_t const most : {1u, 3u, 10u, 11u}) {
    taper::distributed::Communicator const communicator("test", MPI_COMM_WORLD, most);
    std::vector<std::uint32_t> sums, largest;
    std::string text = own_process() + 1 == all ? "0123456789" : "..........";
    for (std::uint32_t i = 0; i < 10; ++i) {
      sums.push_back(10 * i + own_process());
      largest.push_back((i << 29) + (i + own_process()) % process_count());
    }
    communicator.add_up(sums.data(), sums.size());
    communicator.take_largest(largest.data(), largest.size());
    communicator.broadcast(text, process_count() - 1);
    EXPECT_EQ(text, "0123456789");
    for (std::uint32_t i = 0; i < 10; ++i) {
      EXPECT_EQ(sums[i], 10 * i * all + all * (all - 1) / 2);
      EXPECT_EQ(largest[i], (i << 29) + process_count() - 1);
    }
  }
}

TEST(Distributed, ReportsItsTraffic) {
  DeviceMarket<Space> const here(random_market(3, 200, 20, 9, 50));
  auto const own = shard_of(here.market(), divisions[0], 1);
  std::uint64_t calls = 0;
  auto const report = hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of, {},
                                {.after_round = [&](hr::RoundTraffic const&) { ++calls; }});
  EXPECT_EQ(report.traffic.size(), calls);
  std::uint64_t const others = process_count() - 1;
  if (others > 0) {
    EXPECT_EQ(report.market.rounds, calls);
  }
  hr::RoundTraffic sum;
  for (auto const& round : report.traffic) {
    EXPECT_EQ(round.bytes,
              12 * round.offers + 4 * round.rejections + others * (8 * round.limits + 32));
    sum.asking += round.asking;
    sum.offers += round.offers;
    sum.rejections += round.rejections;
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum.asking, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (others > 0) {  // each resident asks, and none asks more often than it proposes
    EXPECT_GE(sum.asking, report.market.assigned);
    EXPECT_LE(sum.asking, report.market.proposals);
    EXPECT_GT(sum.offers, 0u);
    EXPECT_GT(sum.rejections, 0u);
  }
}

TEST(Distributed, ReportsTheTrafficOfHospitalsThatPropose) {
  DeviceMarket<Space> const here(random_market(3, 200, 20, 9, 50));
  auto const own = shard_of(here.market(), divisions[0], 1);
  auto const report = hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of,
                                {.proposer = hr::Proposer::hospitals});
  std::uint64_t const others = process_count() - 1;
  std::uint64_t asking = 0;
  bool first = true;
  for (auto const& round : report.traffic) {
    EXPECT_EQ(round.bytes, 16 * round.entries + 12 * round.offers + 4 * round.rejections +
                               others * (first ? 48 : 32));
    EXPECT_EQ(round.limits, 0u);
    EXPECT_EQ(round.entries > 0, first);
    asking += round.asking;
    first = false;
  }
  MPI_Allreduce(MPI_IN_PLACE, &asking, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (others > 0) {
    EXPECT_EQ(asking, report.market.proposals);
  }
}

TEST(Distributed, EndsAllProcessesIfAnArgumentOfOneIsWrong) {
  DeviceMarket<Space> const here(random_market(3, 40, 5, 3, 50));
  auto const own = shard_of(here.market(), divisions[0], 1);
  bool const last = own_process() + 1 == process_count();
  auto const begins = "solve: process " + std::to_string(process_count() - 1) + ": ";
  auto const expect_message = [](std::string const& message, std::string const& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  Kokkos::View<std::uint32_t*, Space> const few("few", last ? 3 : own.hospital_of.extent(0));
  expect_message(message_of([&] { hr::solve(Space(), MPI_COMM_WORLD, own.shard, few); }),
                 begins + "hospital_of has 3 entries");
  auto fewer_keys = own.shard;
  if (last) {
    fewer_keys.keys = {};
  }
  expect_message(
      message_of([&] { hr::solve(Space(), MPI_COMM_WORLD, fewer_keys, own.hospital_of); }),
      "but 0 keys");
  expect_message(message_of([&] {
                   hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of, {},
                             {.max_message_bytes = last ? 0u : 7u});
                 }),
                 begins + "max_message_bytes is 1 to 2^31 - 1");
  if (process_count() > 1) {
    EXPECT_THROW(hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of,
                           {.mechanism = Mechanism::parallel_mechanism, .choices_per_round = 0}),
                 taper::CollectiveError);
    expect_message(message_of([&] {
                     hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of,
                               {.seed = last ? 2u : 1u});
                   }),
                   "the processes have different options");
    expect_message(message_of([&] {
                     hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of,
                               {.proposer = hr::Proposer::hospitals,
                                .mechanism = Mechanism::immediate_acceptance});
                   }),
                   "residents propose");
    expect_message(message_of([&] {
                     hr::solve(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of,
                               {.mechanism = Mechanism::top_trading_cycles});
                   }),
                   "mechanism 'top_trading_cycles' works in one process alone, not in ");
  }
}

/// A random assignment: of a listed hospital, of none, or of any.
HostAssignment random_assignment(HostMarket const& market, std::uint64_t seed, bool wrong) {
  RandomStream stream(seed, 5);
  HostAssignment hospital_of;
  for (auto const& list : market.lists) {
    auto const choice = stream.below(static_cast<std::uint32_t>(list.size()) + 1);
    hospital_of.push_back(choice == list.size() ? unassigned : list[choice].hospital);
    if (wrong && stream.below(8) == 0) {
      hospital_of.back() = stream.below(10);
    }
  }
  return hospital_of;
}

/// Random tie classes of the entries: of residents, per entry.
taper::testing::Tiers random_tiers(HostMarket const& market, std::uint64_t seed) {
  RandomStream stream(seed, 7);
  taper::testing::Tiers tiers;
  for (auto const& list : market.lists) {
    std::uint32_t tier = 0;
    auto& own = tiers.emplace_back();
    for (std::size_t position = 0; position < list.size(); ++position) {
      tier += position > 0 ? stream.below(2) : 0;
      own.push_back(tier);
    }
  }
  return tiers;
}

void assign(OwnShard<Space> const& own, HostAssignment const& whole) {
  for (std::uint64_t resident = own.begin; resident < own.end; ++resident) {
    own.hospital_of(resident - own.begin) = whole[resident];
  }
}

/// Compares the pairs of every kind of stability with those of the oracle. Returns the number of the
/// weakest kind.
std::size_t expect_pairs(HostMarket const& market, HostAssignment const& matching,
                         OwnShard<Space> const& own, std::uint64_t seed) {
  auto const tiers = random_tiers(market, seed);
  std::vector<std::uint32_t> flat;
  for (std::uint64_t resident = own.begin; resident < own.end; ++resident) {
    flat.insert(flat.end(), tiers[resident].begin(), tiers[resident].end());
  }
  hr::Constants<std::uint32_t, Space> const own_tiers(flat.data(), flat.size());
  std::size_t weak = 0;
  for (auto const stability : {hr::Stability::super, hr::Stability::strong, hr::Stability::weak}) {
    auto const expected = taper::testing::blocking_pairs(market, matching, stability, tiers);
    auto const all = hr::find_blocking_pairs(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of,
                                             1'000, stability, own_tiers);
    auto const two = hr::find_blocking_pairs(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of, 2,
                                             stability, own_tiers);
    EXPECT_EQ(all.first, expected);
    EXPECT_EQ(all.count, expected.size());
    EXPECT_EQ(two.count, expected.size());
    EXPECT_EQ(two.first.size(), std::min<std::size_t>(2, expected.size()));
    weak = expected.size();
  }
  return weak;
}

TEST(DistributedVerify, FindsTheFaultsAndBlockingPairsOfWrongAnswers) {
  int faults = 0;
  int unstable = 0;
  int stable = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto market = random_market(seed, 12, 5, 6, 9);
    for (auto& list : market.lists) {  // every second key has its upper bit
      for (auto& entry : list) {
        entry.key = entry.key % 2 << 31 | entry.key;
      }
    }
    DeviceMarket<Space> const here(market);
    auto const own = shard_of(here.market(), divisions[seed % 5], seed);
    auto const matching = seed % 6 == 0 ? taper::testing::textbook(market)
                                        : random_assignment(market, seed, seed % 2 == 0);
    here.assign(matching);
    assign(own, matching);
    auto const fault = hr::find_bad_assignment(Space(), here.market(), here.hospital_of);
    EXPECT_EQ(hr::find_bad_assignment(Space(), MPI_COMM_WORLD, own.shard, own.hospital_of), fault);
    if (fault) {
      ++faults;
      continue;
    }
    ++(expect_pairs(market, matching, own, seed) == 0 ? stable : unstable);
  }
  EXPECT_GT(faults, 5);
  EXPECT_GT(unstable, 5);
  EXPECT_GT(stable, 5);
}

TEST(DistributedVerify, NamesTheFirstBadListOfAllShards) {
  auto market = random_market(4, 30, 5, 3, 9);
  auto const found = [&] {
    DeviceMarket<Space> const here(market);
    return hr::find_bad_list(Space(), MPI_COMM_WORLD,
                             shard_of(here.market(), divisions[0], 1).shard);
  };
  EXPECT_EQ(found(), std::nullopt);
  market.lists[29] = {{1, 0}, {1, 1}};
  EXPECT_EQ(found(), std::optional<std::uint64_t>(29));
  market.lists[17] = {{5, 0}};
  EXPECT_EQ(found(), std::optional<std::uint64_t>(17));
}

}  // namespace
