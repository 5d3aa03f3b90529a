// SPDX-License-Identifier: Apache-2.0
#include <taper/roommates/roommates.hpp>

#include <support/case_stride.hpp>
#include <support/list_oracles.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace taper::roommates;
using taper::testing::case_stride;
using taper::testing::ListTable;
using taper::testing::Matching;
using taper::testing::OwnedLists;
using taper::testing::prefers;
using taper::testing::random_roommates;
using taper::testing::random_table;
using taper::testing::rank_in;
using taper::testing::thin;

bool mutual(ListTable const& lists, std::size_t a, std::size_t b) {
  return rank_in(lists[a], static_cast<std::int32_t>(b)) >= 0 &&
         rank_in(lists[b], static_cast<std::int32_t>(a)) >= 0;
}

/// By the definition. `partner` is symmetric.
bool is_stable(ListTable const& lists, Matching const& partner) {
  for (std::size_t a = 0; a < lists.size(); ++a) {
    if (partner[a] != no_partner && !mutual(lists, a, static_cast<std::size_t>(partner[a]))) {
      return false;
    }
    for (std::size_t b = 0; b < a; ++b) {
      if (prefers(lists[a], static_cast<std::int32_t>(b), partner[a]) &&
          prefers(lists[b], static_cast<std::int32_t>(a), partner[b])) {
        return false;
      }
    }
  }
  return true;
}

/// Calls visit(partner) with each division of the agents into pairs and single agents.
void for_each_matching(std::size_t agents, std::function<void(Matching const&)> const& visit) {
  Matching partner(agents, no_partner);
  std::function<void(std::size_t)> const assign = [&](std::size_t agent) {
    if (agent == agents) {
      visit(partner);
      return;
    }
    assign(agent + 1);
    for (std::size_t other = 0; partner[agent] == no_partner && other < agent; ++other) {
      if (partner[other] == no_partner) {
        partner[agent] = static_cast<std::int32_t>(other);
        partner[other] = static_cast<std::int32_t>(agent);
        assign(agent + 1);
        partner[agent] = partner[other] = no_partner;
      }
    }
  };
  assign(0);
}

std::vector<Matching> stable_matchings(ListTable const& lists) {
  std::vector<Matching> found;
  for_each_matching(lists.size(), [&](Matching const& partner) {
    if (is_stable(lists, partner)) {
      found.push_back(partner);
    }
  });
  return found;
}

/// By the definition of a stable partition. An agent alone prefers all of its list.
bool is_stable_partition(ListTable const& lists, Matching const& successor) {
  Matching predecessor(successor.size(), no_partner);
  for (std::size_t a = 0; a < successor.size(); ++a) {
    predecessor[static_cast<std::size_t>(successor[a])] = static_cast<std::int32_t>(a);
  }
  for (std::size_t a = 0; a < lists.size(); ++a) {
    bool const alone = successor[a] == static_cast<std::int32_t>(a);
    if (!alone && (!mutual(lists, a, static_cast<std::size_t>(successor[a])) ||
                   prefers(lists[a], predecessor[a], successor[a]))) {
      return false;
    }
    for (std::size_t b = 0; b < a; ++b) {
      if (prefers(lists[a], static_cast<std::int32_t>(b), predecessor[a]) &&
          prefers(lists[b], static_cast<std::int32_t>(a), predecessor[b])) {
        return false;
      }
    }
  }
  return true;
}

bool has_odd_party(Matching const& successor) {
  for (std::size_t start = 0; start < successor.size(); ++start) {
    std::size_t length = 1;
    for (auto at = successor[start]; at != static_cast<std::int32_t>(start);
         at = successor[static_cast<std::size_t>(at)]) {
      ++length;
    }
    if (length >= 3 && length % 2 == 1) {
      return true;
    }
  }
  return false;
}

void expect_solved(ListTable const& lists) {
  OwnedLists const owned(lists);
  ASSERT_FALSE(find_fault(owned.view()));
  auto const stable = stable_matchings(lists);
  Result const result = solve(owned.view());
  EXPECT_EQ(result.solvable, !stable.empty());
  EXPECT_TRUE(is_stable_partition(lists, result.successor));
  EXPECT_EQ(has_odd_party(result.successor), stable.empty());
  EXPECT_EQ(result.report.odd_parties == 0, result.solvable);
  if (result.solvable) {
    EXPECT_NE(std::ranges::find(stable, result.partner), stable.end());
    EXPECT_EQ(result.report.unmatched, std::ranges::count(result.partner, no_partner));
    EXPECT_EQ(2 * result.report.pairs + result.report.unmatched, result.report.agents);
  } else {
    EXPECT_TRUE(result.partner.empty());
  }
}

/// All lists of up to `agents` - 1 other agents, in every order; `complete`: of all others.
ListTable lists_of(std::int32_t agent, std::int32_t agents, bool complete) {
  std::set<std::vector<std::int32_t>> found;
  std::vector<std::int32_t> order;
  for (std::int32_t other = 0; other < agents; ++other) {
    if (other != agent) {
      order.push_back(other);
    }
  }
  do {
    for (std::size_t length = complete ? order.size() : 0; length <= order.size(); ++length) {
      found.emplace(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(length));
    }
  } while (std::ranges::next_permutation(order).found);
  return {found.begin(), found.end()};
}

void expect_all_solved(std::int32_t agents, bool complete, std::size_t stride) {
  std::vector<ListTable> choices;
  std::size_t instances = 1;
  for (std::int32_t agent = 0; agent < agents; ++agent) {
    choices.push_back(lists_of(agent, agents, complete));
    instances *= choices.back().size();
  }
  for (std::size_t i = 0; i < instances; i += stride) {
    ListTable lists;
    std::size_t rest = i;
    for (auto const& choice : choices) {
      lists.push_back(choice[rest % choice.size()]);
      rest /= choice.size();
    }
    expect_solved(lists);
  }
}

TEST(Roommates, EveryInstanceOfUpToFour) {
  expect_all_solved(0, false, 1);
  expect_all_solved(1, false, 1);
  expect_all_solved(2, false, 1);
  expect_all_solved(3, false, 1);
  expect_all_solved(4, true, case_stride);
  expect_all_solved(4, false, case_stride);
}

TEST(Roommates, ManyCompleteInstancesOfFive) {
  expect_all_solved(5, true, 427 * case_stride);
}

TEST(Roommates, RandomCompleteInstances) {
  std::mt19937_64 random(1);
  std::size_t unsolvable = 0;
  for (std::size_t i = 0; i < 3000; i += case_stride) {
    auto const lists = random_roommates(random, 5 + i % 4);
    expect_solved(lists);
    unsolvable += solve(OwnedLists(lists).view()).solvable ? 0u : 1u;
  }
  EXPECT_GT(unsolvable, 3000 / case_stride / 10);
}

TEST(Roommates, RandomIncompleteInstances) {
  std::mt19937_64 random(2);
  for (std::size_t i = 0; i < 4000; i += case_stride) {
    auto lists = random_roommates(random, 4 + i % 5);
    thin(lists, random, 0.5 + 0.05 * static_cast<double>(i % 10));
    expect_solved(lists);
  }
}

TEST(Roommates, AMarriageMarketIsOneOfThem) {
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < 50; i += case_stride) {
    std::size_t const n = 3 + i;
    ListTable lists = random_table(random, 2 * n, n);
    for (std::size_t man = 0; man < n; ++man) {
      for (auto& woman : lists[man]) {
        woman += static_cast<std::int32_t>(n);
      }
    }
    Result const result = solve(OwnedLists(lists).view());
    ASSERT_TRUE(result.solvable);
    EXPECT_EQ(result.report.pairs, static_cast<std::int32_t>(n));
    EXPECT_TRUE(is_stable(lists, result.partner));
  }
}

TEST(Roommates, OneSidedEntriesAreDroppedAndCounted) {
  Result const result = solve(OwnedLists({{2, 1}, {0}, {}}).view());
  EXPECT_EQ(result.partner, (Matching{1, 0, -1}));
  EXPECT_EQ(result.report.one_sided, 1);
}

TEST(Roommates, StopEndsARun) {
  std::mt19937_64 random(6);
  OwnedLists const owned(random_roommates(random, 40));
  std::atomic<bool> stop = false;
  EXPECT_EQ(solve(owned.view(), &stop).successor, solve(owned.view()).successor);
  stop = true;
  Result const result = solve(owned.view(), &stop);
  EXPECT_EQ(result.status, taper::Status::stopped);
  EXPECT_TRUE(result.successor.empty() && result.partner.empty() && !result.solvable);
  EXPECT_EQ(result.report.proposals, 0);
}

TEST(Roommates, LargeInstancesHaveAMatchingOrAProof) {
  std::mt19937_64 random(4);
  std::size_t solvable = 0;
  for (std::size_t i = 0; i < 120; i += case_stride) {
    std::size_t const n = 20 + 3 * i;
    auto lists = random_roommates(random, n);
    if (i % 2 != 0) {
      thin(lists, random, 0.4);
    }
    OwnedLists const owned(lists);
    Result const result = solve(owned.view());
    EXPECT_EQ(find_flaw_of_partition(owned.view(), result.successor), std::nullopt);
    EXPECT_EQ(!find_flaw_of_proof(owned.view(), result.successor), !result.solvable);
    if (result.solvable) {
      ++solvable;
      EXPECT_EQ(find_flaw_of_matching(owned.view(), result.partner), std::nullopt);
    }
  }
  EXPECT_GT(solvable, 0u);
}

using enum Flaw::Kind;

TEST(FindFlaw, AgreesWithTheDefinitionOnEveryPartition) {
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < 400; i += case_stride) {
    auto lists = random_roommates(random, i % 6);
    if (i % 3 != 0) {
      thin(lists, random, 0.8);
    }
    OwnedLists const owned(lists);
    Matching successor(lists.size());
    std::iota(successor.begin(), successor.end(), 0);
    do {
      bool const stable = is_stable_partition(lists, successor);
      EXPECT_EQ(!find_flaw_of_partition(owned.view(), successor), stable);
      EXPECT_EQ(!find_flaw_of_proof(owned.view(), successor), stable && has_odd_party(successor));
    } while (std::ranges::next_permutation(successor).found);
    for_each_matching(lists.size(), [&](Matching const& partner) {
      EXPECT_EQ(!find_flaw_of_matching(owned.view(), partner), is_stable(lists, partner));
    });
  }
}

TEST(FindFlaw, NamesTheFlaw) {
  // Agents 0, 1, 2 like each other in a circle, and nobody likes 3.
  OwnedLists const owned({{1, 2, 3}, {2, 0, 3}, {0, 1, 3}, {0, 1, 2}});
  auto const lists = owned.view();
  EXPECT_EQ(find_flaw_of_proof(lists, Matching{1, 2, 0, 3}), std::nullopt);
  EXPECT_EQ(find_flaw_of_proof(lists, Matching{2, 0, 1, 3}), (Flaw{direction, 0, 2}));
  EXPECT_EQ(find_flaw_of_partition(lists, Matching{1, 0, 3, 2})->kind, blocking);
  EXPECT_EQ(find_flaw_of_partition(lists, Matching{1, 2, 0}), (Flaw{size, -1, -1}));
  EXPECT_EQ(find_flaw_of_partition(lists, Matching{1, 4, 0, 3}), (Flaw{range, 1, 4}));
  EXPECT_EQ(find_flaw_of_partition(lists, Matching{1, 1, 0, 3}), (Flaw{shared, 1, 1}));
  EXPECT_EQ(find_flaw_of_matching(lists, Matching{1, 2, 0, -1}), (Flaw{shared, 0, 1}));
  EXPECT_EQ(find_flaw_of_matching(lists, Matching{0, 2, 1, -1}), (Flaw{range, 0, 0}));
  EXPECT_EQ(find_flaw_of_matching(lists, Matching{1, 0, -2, -1}), (Flaw{range, 2, -2}));

  OwnedLists const pairs({{1}, {0}, {3}, {}});
  EXPECT_EQ(find_flaw_of_matching(pairs.view(), Matching{1, 0, -1, -1}), std::nullopt);
  EXPECT_EQ(find_flaw_of_matching(pairs.view(), Matching{1, 0, 3, 2}), (Flaw{unlisted, 3, 2}));
  EXPECT_EQ(find_flaw_of_proof(pairs.view(), Matching{1, 0, 2, 3}), (Flaw{even, -1, -1}));
}

TEST(FindFault, NamesTheEntry) {
  using Kind = ListFault::Kind;
  EXPECT_EQ(find_fault(OwnedLists({{1}, {0}}).view()), std::nullopt);
  EXPECT_EQ(find_fault(OwnedLists({{1}, {0, 1}}).view()), (ListFault{Kind::itself, 1, 1}));
  EXPECT_EQ(find_fault(OwnedLists({{1}, {0, 2}}).view()), (ListFault{Kind::out_of_range, 1, 1}));
  EXPECT_EQ(find_fault(OwnedLists({{1, 1}, {0}}).view()), (ListFault{Kind::duplicate, 0, 1}));
}

}  // namespace
