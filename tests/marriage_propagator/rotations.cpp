// SPDX-License-Identifier: Apache-2.0
#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <taper/rotations/rotations.hpp>

#include <support/oracles.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

// A search with the constraint and the rotations find the same stable matchings.

namespace {

namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
namespace rot = taper::rotations;
using Exec = Kokkos::DefaultHostExecutionSpace;
using mp::Side;
using Matchings = std::vector<std::vector<std::int32_t>>;

/// Adds all solutions below the domains: tries the best value of a man with a choice, and then
/// forbids it.
void search(mp::Propagator<Exec>& propagator, Matchings& found) {
  if (propagator.propagate().status == mp::Status::failed) {
    return;
  }
  auto const n = static_cast<std::uint32_t>(propagator.size());
  std::uint32_t man = 0;
  while (man < n && propagator.count(Side::men, man) == 1) {
    ++man;
  }
  if (man == n) {
    auto& partner_of_man = found.emplace_back();
    for (std::uint32_t i = 0; i < n; ++i) {
      partner_of_man.push_back(static_cast<std::int32_t>(
          propagator.partner(Side::men, i, propagator.least(Side::men, i))));
    }
    return;
  }
  std::uint32_t const value = propagator.least(Side::men, man);
  propagator.save();
  propagator.assign(Side::men, man, value);
  search(propagator, found);
  propagator.restore();
  propagator.save();
  propagator.remove(Side::men, man, value);
  search(propagator, found);
  propagator.restore();
}

Matchings found_by_search(oracle::Market const& market) {
  auto propagator = mp::Propagator<Exec>::post(
      Exec{}, oracle::to_instance<Exec>(market),
      {.schedule = mp::Schedule::serial, .symmetric = true, .bind_partner = true});
  Matchings found;
  search(propagator, found);
  std::ranges::sort(found);
  return found;
}

Matchings found_by_rotations(oracle::Market const& market) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> ids[2];
  for (std::size_t i = 0; i < market.size(); ++i) {
    for (std::size_t const woman : market.men[i]) {
      ids[0].push_back(static_cast<std::int32_t>(woman));
    }
    for (std::size_t const man : market.women[i]) {
      ids[1].push_back(static_cast<std::int32_t>(man));
    }
    offsets.push_back(static_cast<std::int64_t>(ids[0].size()));
  }
  Matchings found;
  rot::for_each_stable_matching(rot::find_rotations({{offsets, ids[0]}, {offsets, ids[1]}}),
                                [&](std::span<std::int32_t const> partner_of_man) {
                                  found.emplace_back(partner_of_man.begin(), partner_of_man.end());
                                  return true;
                                });
  std::ranges::sort(found);
  return found;
}

TEST(Rotations, FindWhatASearchWithTheConstraintFinds) {
  std::mt19937_64 random(71);
  for (std::size_t i = 0; i < 20; ++i) {
    auto const market = oracle::random_market(i < 10 ? 50 : 100, random);
    EXPECT_EQ(found_by_rotations(market), found_by_search(market));
  }
}

/// Women rank men by the ranks that men give them, the worst first: hundreds of matchings.
TEST(Rotations, FindWhatASearchFindsInOpposedMarkets) {
  std::mt19937_64 random(72);
  std::size_t found = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    auto market = oracle::random_market(30, random);
    for (std::size_t woman = 0; woman < 30; ++woman) {
      std::ranges::stable_sort(market.women[woman], std::greater{}, [&](std::size_t man) {
        return oracle::rank_in(market.men[man], woman);
      });
    }
    auto const matchings = found_by_rotations(market);
    EXPECT_EQ(matchings, found_by_search(market));
    found += matchings.size();
  }
  EXPECT_GT(found, 500u);
}

}  // namespace
