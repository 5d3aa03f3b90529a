// SPDX-License-Identifier: Apache-2.0
#include "host_market.hpp"

#include <support/backends.hpp>
#include <support/case_stride.hpp>
#include <support/error_message.hpp>
#include <taper/hospitals_residents/assign.hpp>
#include <taper/hospitals_residents/hospitals_residents.hpp>
#include <taper/hospitals_residents/propose.hpp>
#include <taper/hospitals_residents/seats.hpp>
#include <taper/hospitals_residents/verify.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace hr = taper::hospitals_residents;
using hr::Mechanism;
using hr::Options;
using hr::Proposer;
using hr::Schedule;
using hr::Wide;
using taper::testing::DeviceMarket;
using taper::testing::HostAssignment;
using taper::testing::HostMarket;
using taper::testing::message_of;
using taper::testing::random_market;
using taper::testing::unassigned;

/// Every way to run deferred acceptance.
constexpr Options engines[]{
    {.schedule = Schedule::serial},
    {.schedule = Schedule::parallel, .wide = Wide::rounds},
    {.schedule = Schedule::parallel, .wide = Wide::chains},
    {.schedule = Schedule::hybrid},
    {.schedule = Schedule::hybrid, .wide = Wide::rounds, .tail_threshold = 3}};

std::string describe(Options const& options) {
  return std::string(to_string(options.schedule)) + " " + std::string(to_string(options.wide));
}

template <class Space>
class HospitalsResidents : public ::testing::Test {};
TYPED_TEST_SUITE(HospitalsResidents, taper::testing::Backends, taper::testing::BackendNames);

template <class Place>
HostAssignment solved(Place const& place, DeviceMarket<taper::DeviceOf<Place>> const& market,
                      Options const& options, hr::Report* report = nullptr) {
  auto const found = hr::solve(place, market.market(), market.hospital_of, options);
  if (report != nullptr) {
    *report = found;
  }
  return market.assignment();
}

std::uint64_t sum_of_positions(HostMarket const& market, HostAssignment const& hospital_of) {
  std::uint64_t sum = 0;
  for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
    std::uint32_t const held = taper::testing::position_held(market, hospital_of, resident);
    sum += held + (hospital_of[resident] != unassigned);
  }
  return sum;
}

/// Markets of all small shapes, of many seats, without entries, and without agents.
std::vector<HostMarket> markets() {
  std::vector<HostMarket> all;
  for (std::uint64_t seed = 0; seed < 756; seed += taper::testing::case_stride) {
    auto const size = static_cast<std::uint32_t>(seed);
    all.push_back(random_market(seed, size % 9, size % 6, size % 4, 1 + size % 7 * 5));
  }
  all.push_back({});
  all.push_back({{{}, {}}, {1, 2}});
  return all;
}

TYPED_TEST(HospitalsResidents, FindsTheTextbooksMatching) {
  for (auto const& market : markets()) {
    auto const expected = taper::testing::textbook(market);
    DeviceMarket<TypeParam> const there(market);
    for (Options const& engine : engines) {
      hr::Report report;
      ASSERT_EQ(solved(TypeParam(), there, engine, &report), expected) << describe(engine);
      EXPECT_EQ(report.proposals, sum_of_positions(market, expected));
      EXPECT_EQ(report.assigned, market.residents() - static_cast<std::size_t>(std::ranges::count(
                                                          expected, unassigned)));
    }
  }
}

// All want the same hospital, which likes each more than the last, or each less. Few rounds must do,
// else their number grows with that of the residents.
TYPED_TEST(HospitalsResidents, FewRoundsFindTheBestOfAllThatWantOneHospital) {
  constexpr std::uint32_t residents = 4'000;
  for (bool const rising : {true, false}) {
    HostMarket market;
    market.seats = {1};
    for (std::uint32_t resident = 0; resident < residents; ++resident) {
      market.lists.push_back({{0, rising ? residents - resident : resident}});
    }
    auto const expected = taper::testing::textbook(market);
    DeviceMarket<TypeParam> const there(market);
    for (Options const& engine : engines) {
      hr::Report report;
      EXPECT_EQ(solved(TypeParam(), there, engine, &report), expected) << describe(engine);
      EXPECT_LT(report.rounds, 50u) << describe(engine) << (rising ? " rising" : " falling");
    }
  }
}

TYPED_TEST(HospitalsResidents, IsBestForTheProposersAmongAllStableMatchings) {
  for (std::uint64_t seed = 0; seed < 400; seed += taper::testing::case_stride) {
    auto const market = random_market(seed, 5, 4, 3, 1 + static_cast<std::uint32_t>(seed) % 5);
    DeviceMarket<TypeParam> const there(market);
    auto const best = solved(TypeParam(), there, {});
    auto const worst = solved(TypeParam(), there, {.proposer = Proposer::hospitals});
    int stable = 0;
    taper::testing::for_all_matchings(market, [&](HostAssignment const& matching) {
      if (!taper::testing::is_stable(market, matching)) {
        return;
      }
      ++stable;
      for (std::uint32_t resident = 0; resident < 5; ++resident) {
        auto const position = taper::testing::position_held(market, matching, resident);
        EXPECT_LE(taper::testing::position_held(market, best, resident), position);
        EXPECT_GE(taper::testing::position_held(market, worst, resident), position);
      }
    });
    ASSERT_TRUE(taper::testing::is_stable(market, best));
    ASSERT_TRUE(taper::testing::is_stable(market, worst));
    ASSERT_GE(stable, 1);
  }
}

TYPED_TEST(HospitalsResidents, HospitalsProposeAlikeInEverySchedule) {
  for (std::uint64_t seed = 0; seed < 100; seed += taper::testing::case_stride) {
    auto const market = random_market(seed, 60, 9, 9, 20);
    DeviceMarket<TypeParam> const there(market);
    hr::Report first;
    auto const expected =
        solved(TypeParam(), there, {.schedule = Schedule::serial, .proposer = Proposer::hospitals},
               &first);
    for (auto const schedule : {Schedule::serial, Schedule::parallel, Schedule::hybrid}) {
      hr::Report report;
      EXPECT_EQ(solved(TypeParam(), there,
                       {.schedule = schedule, .proposer = Proposer::hospitals, .tail_threshold = 3},
                       &report),
                expected);
      EXPECT_EQ(report.proposals, first.proposals);
      EXPECT_EQ(report.assigned, first.assigned);
    }
  }
}

// More seats than a block has, and so many residents that seats change hands often.
TYPED_TEST(HospitalsResidents, FillsHospitalsOfManySeats) {
  for (std::uint32_t const seats : {23u, 24u, 25u, 63u, 64u, 65u, 200u, 1'000u}) {
    auto market = random_market(seats, 3'000, 6, 0, 50);
    std::ranges::fill(market.seats, seats);
    market.seats[0] = 1;
    auto const expected = taper::testing::textbook(market);
    DeviceMarket<TypeParam> const there(market);
    for (Options const& engine : engines) {
      EXPECT_EQ(solved(TypeParam(), there, engine), expected)
          << seats << " seats, " << describe(engine);
    }
  }
}

// What a run does if many residents have equal lists, and hospitals equal seats.
TYPED_TEST(HospitalsResidents, ChainsNeedNoOffsetsOfEqualLists) {
  using Memory = typename TypeParam::memory_space;
  namespace detail = hr::detail;
  TypeParam const where;
  constexpr std::uint32_t seats = 3;
  HostMarket host;
  host.seats.assign(50, seats);
  for (std::uint32_t resident = 0; resident < 200; ++resident) {
    auto& list = host.lists.emplace_back();
    for (std::uint32_t i = 0; i < 5; ++i) {
      list.push_back({(resident * 7 + i * i * 3 + i) % 50, (resident * 77 + i * 31) % 101});
    }
  }
  DeviceMarket<TypeParam> const there(host);
  hr::Market<Memory> market = there.market();
  EXPECT_EQ(detail::equal_list_length(where, market), 5u);
  auto const format = detail::offer_format(where, market, {});
  auto own = detail::make_seats(where, market, detail::Room::bounds,
                                detail::count_seats(where, market), true);
  EXPECT_EQ(own.words.extent(0), 50 * seats);
  own.equal_seats = seats;
  market.offsets = {};  // not read
  Kokkos::parallel_for(taper::ItemRange<TypeParam>(where, 0, 200),
                       detail::FollowChain<Memory>{{market, format, {own}, 5}});
  Kokkos::deep_copy(there.hospital_of, unassigned);
  using Assignment = std::decay_t<decltype(there.hospital_of)>;
  std::uint64_t assigned = 0;
  std::uint64_t proposals = 0;
  detail::WriteAssignment<Memory, Assignment> const writer{there.market(), format, own,
                                                           there.hospital_of};
  Kokkos::parallel_reduce(taper::ItemRange<TypeParam>(where, 0, own.words.extent(0)),
                          detail::WriteSeat<Memory, Assignment>{writer}, assigned, proposals);
  auto const expected = taper::testing::textbook(host);
  EXPECT_EQ(there.assignment(), expected);
  EXPECT_EQ(assigned, 200 - static_cast<std::uint64_t>(std::ranges::count(expected, unassigned)));
}

TEST(BriefCutoffs, KeepTheOrder) {
  using hr::detail::brief;
  std::uint32_t last = 0;
  for (std::uint64_t cutoff = 0; cutoff <= hr::detail::no_cutoff; cutoff += 1 + cutoff / 5000) {
    auto const code = brief(static_cast<std::uint32_t>(cutoff));
    EXPECT_GE(code, last);
    EXPECT_LE(code, last + 1u);
    EXPECT_EQ(code == cutoff, cutoff <= 4096) << cutoff;
    last = code;
  }
  EXPECT_EQ(brief(hr::detail::no_cutoff), last);
}

// Everybody wants the same hospitals: the last residents are free for long.
TYPED_TEST(HospitalsResidents, MigratesTheLastChains) {
  constexpr std::uint32_t n = 400;
  HostMarket market;
  for (std::uint32_t resident = 0; resident < n; ++resident) {
    auto& list = market.lists.emplace_back();
    for (std::uint32_t hospital = 0; hospital < n; ++hospital) {
      list.push_back({hospital, n - resident});
    }
  }
  market.seats.assign(n, 1);
  auto const expected = taper::testing::textbook(market);
  DeviceMarket<TypeParam> const there(market);
  Options options{.schedule = Schedule::hybrid, .wide = Wide::rounds, .tail_threshold = 50};

  hr::Report alone;
  EXPECT_EQ(solved(TypeParam(), there, options, &alone), expected);
  EXPECT_GT(alone.rounds, 0u);
  EXPECT_TRUE(alone.migrations.empty());

  hr::Report both;
  options.tail = hr::Tail::host;
  taper::Duo<TypeParam, Kokkos::DefaultHostExecutionSpace> const duo{{}, {}};
  EXPECT_EQ(solved(duo, there, options, &both), expected);
  ASSERT_EQ(both.migrations.size(), 1u);
  EXPECT_EQ(both.migrations[0].to, taper::Location::host);
  EXPECT_GE(both.migrations[0].live, 1u);
  EXPECT_LE(both.migrations[0].live, 50u);
  EXPECT_EQ(both.migrations[0].bytes_moved > 0, taper::is_gpu<TypeParam>);
}

/// Immediate acceptance from its definition: in round k, hospitals fill what is left of their seats
/// with the best of those that have them in place k. Seats that are given stay given.
HostAssignment immediate_acceptance(HostMarket const& market) {
  HostAssignment hospital_of(market.residents(), unassigned);
  auto free = market.seats;
  for (std::uint32_t round = 0; round < market.seats.size(); ++round) {
    std::vector<std::vector<taper::testing::Candidate>> asking(market.seats.size());
    for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
      auto const& list = market.lists[resident];
      if (hospital_of[resident] == unassigned && round < list.size()) {
        asking[list[round].hospital].push_back({resident, round, list[round].key});
      }
    }
    for (std::uint32_t hospital = 0; hospital < asking.size(); ++hospital) {
      std::ranges::sort(asking[hospital], [&](auto const& a, auto const& b) {
        return taper::testing::better_by_key_and_id(hospital, a, b);
      });
      for (auto const& candidate : asking[hospital]) {
        if (free[hospital] > 0) {
          --free[hospital];
          hospital_of[candidate.resident] = hospital;
        }
      }
    }
  }
  return hospital_of;
}

/// The parallel mechanism from its definition: a period of `choices` choices is deferred acceptance
/// among those without a seat; what it gives is final.
HostAssignment parallel_mechanism(HostMarket const& market, std::uint32_t choices) {
  HostAssignment hospital_of(market.residents(), unassigned);
  auto free = market.seats;
  for (std::uint32_t first = 0; first < market.seats.size(); first += choices) {
    HostMarket period{{}, free};
    for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
      auto& list = period.lists.emplace_back();
      for (std::uint32_t i = first; i < first + choices && i < market.lists[resident].size() &&
                                    hospital_of[resident] == unassigned;
           ++i) {
        list.push_back(market.lists[resident][i]);
      }
    }
    auto const given = taper::testing::textbook(period);
    for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
      if (given[resident] != unassigned) {
        hospital_of[resident] = given[resident];
        --free[given[resident]];
      }
    }
  }
  return hospital_of;
}

TYPED_TEST(HospitalsResidents, MechanismsEqualTheirDefinitions) {
  int differ = 0;
  for (auto const& market : markets()) {
    DeviceMarket<TypeParam> const there(market);
    auto const immediate = immediate_acceptance(market);
    ASSERT_EQ(solved(TypeParam(), there, {.mechanism = Mechanism::immediate_acceptance}),
              immediate);
    differ += immediate != taper::testing::textbook(market);
    for (std::uint32_t const choices : {1u, 2u, 3u}) {
      ASSERT_EQ(solved(TypeParam(), there,
                       {.mechanism = Mechanism::parallel_mechanism, .choices_per_round = choices}),
                parallel_mechanism(market, choices))
          << choices;
    }
    ASSERT_EQ(solved(TypeParam(), there,
                     {.mechanism = Mechanism::parallel_mechanism, .choices_per_round = 100}),
              taper::testing::textbook(market));
  }
  EXPECT_GT(differ, 0);
}

TYPED_TEST(HospitalsResidents, KeysOfAllSizesFit) {
  auto market = random_market(3, 200, 10, 5, 1'000);
  for (auto& list : market.lists) {
    for (auto& entry : list) {
      entry.key = 0xFFFFFFFFu - entry.key / 2;
    }
  }
  DeviceMarket<TypeParam> const there(market);
  EXPECT_EQ(solved(TypeParam(), there, {}), taper::testing::textbook(market));
}

TYPED_TEST(HospitalsResidents, RefusesWhatDoesNotFit) {
  DeviceMarket<TypeParam> const there(random_market(1, 4, 3, 2, 4));
  auto market = there.market();
  EXPECT_EQ(message_of([&] {
              hr::solve(TypeParam(), market, Kokkos::View<std::uint32_t*, TypeParam>("few", 3));
            }),
            "taper::hospitals_residents::solve: hospital_of has 3 entries, the market has 4 "
            "residents");
  EXPECT_EQ(message_of([&] {
              hr::solve(
                  TypeParam(), market, there.hospital_of,
                  {.proposer = Proposer::hospitals, .mechanism = Mechanism::immediate_acceptance});
            }),
            "taper::hospitals_residents::solve: with mechanism 'immediate_acceptance' residents "
            "propose");
  EXPECT_EQ(message_of([&] {
              hr::solve(TypeParam(), market, there.hospital_of,
                        {.mechanism = Mechanism::parallel_mechanism, .choices_per_round = 0});
            }),
            "taper::hospitals_residents::solve: choices_per_round is at least 1");
  EXPECT_EQ(message_of([&] {
              hr::solve(TypeParam(), market, there.hospital_of, {.tail = hr::Tail::host});
            }),
            "taper::hospitals_residents::solve: tail 'host' needs a Duo of a device and a host");
  market.keys = {};
  EXPECT_NE(message_of([&] { hr::solve(TypeParam(), market, there.hospital_of); }).find("keys"),
            std::string::npos);
}

// The rural hospitals theorem (Roth 1986): every stable matching fills the same number of seats of
// each hospital, and the same residents are assigned.
TYPED_TEST(HospitalsResidents, BothSidesFillTheSameSeats) {
  auto const market = random_market(11, 400, 400, 2, 100'000);
  DeviceMarket<TypeParam> const there(market);
  auto const by_residents = solved(TypeParam(), there, {});
  auto const by_hospitals = solved(TypeParam(), there, {.proposer = Proposer::hospitals});
  std::vector<int> filled(400);
  int differ = 0;
  for (std::size_t resident = 0; resident < by_residents.size(); ++resident) {
    EXPECT_EQ(by_residents[resident] == unassigned, by_hospitals[resident] == unassigned);
    if (by_residents[resident] != unassigned) {
      ++filled[by_residents[resident]];
      --filled[by_hospitals[resident]];
    }
    differ += by_residents[resident] != by_hospitals[resident];
  }
  EXPECT_TRUE(std::ranges::all_of(filled, [](int count) { return count == 0; }));
  EXPECT_GT(differ, 0);
}

// No resident gets a better hospital by any false list.
TYPED_TEST(HospitalsResidents, FalseListsDoNotHelp) {
  for (std::uint64_t seed = 0; seed < 40; seed += taper::testing::case_stride) {
    auto const market = random_market(seed, 4, 3, 2, 9);
    DeviceMarket<TypeParam> const there(market);
    auto const honest = solved(TypeParam(), there, {});
    for (std::uint32_t liar = 0; liar < 4; ++liar) {
      auto const held = taper::testing::position_held(market, honest, liar);
      taper::testing::for_all_false_lists(market, liar, [&](HostMarket const& lie) {
        ASSERT_GE(taper::testing::position_held(
                      market, solved(TypeParam(), DeviceMarket<TypeParam>(lie), {}), liar),
                  held);
      });
    }
  }
}

}  // namespace
