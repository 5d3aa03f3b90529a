// SPDX-License-Identifier: Apache-2.0
#include <taper/rotations/rotations.hpp>

#include <support/case_stride.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

// Orders and weights that no small market has: arbitrary ones, against the trial of all sets.

namespace {

using namespace taper::rotations;
using taper::testing::case_stride;

/// A poset of rotations that each move one man from rank 0 to rank `changes[i]`. One more man has a
/// partner that gives him the rank `start`. So closed sets have the difference of sums
/// -start + the changes of their members.
struct TestPoset {
  RotationPoset poset;
  std::vector<std::uint32_t> before;  ///< per rotation: the bits of its predecessors
  std::vector<std::int64_t> changes;
  std::int64_t start = 0;

  std::uint32_t sets() const { return std::uint32_t{1} << changes.size(); }
  bool is_closed(std::uint32_t set) const {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if ((set >> i & 1) != 0 && (before[i] & ~set) != 0) {
        return false;
      }
    }
    return true;
  }
  std::int64_t difference(std::uint32_t set) const {
    std::int64_t sum = -start;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      sum += (set >> i & 1) != 0 ? changes[i] : 0;
    }
    return sum;
  }
};

TestPoset random_poset(std::mt19937_64& random, std::size_t rotations, double density) {
  TestPoset result;
  std::bernoulli_distribution edge(density);
  RotationPoset& poset = result.poset;
  poset.men = poset.women = static_cast<std::int32_t>(rotations) + 1;
  poset.first_pair = {0};
  for (std::size_t i = 0; i < rotations; ++i) {
    auto const id = static_cast<std::int32_t>(i);
    result.changes.push_back(static_cast<std::int64_t>(1 + random() % 40));
    poset.pairs.push_back({id, id, 0, 0});
    poset.pairs.push_back({id, id, static_cast<std::int32_t>(result.changes[i]), 0});
    poset.first_pair.push_back(static_cast<std::int64_t>(poset.pairs.size()));
    poset.moved.entries.push_back(static_cast<std::int64_t>(2 * i));
    poset.moved.end_row();
    std::uint32_t before = 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (edge(random)) {
        before |= std::uint32_t{1} << j;
        poset.predecessors.entries.push_back(static_cast<std::int32_t>(j));
      }
    }
    poset.predecessors.end_row();
    result.before.push_back(before);
  }
  poset.successors = detail::transposed(poset.predecessors);
  result.start = static_cast<std::int64_t>(random() % (20 * rotations + 1));
  auto const last = static_cast<std::int32_t>(rotations);
  poset.pairs.push_back({last, last, 0, static_cast<std::int32_t>(result.start)});
  poset.first_pair.push_back(static_cast<std::int64_t>(poset.pairs.size()));
  return result;
}

std::uint32_t bits_of(std::vector<std::int32_t> const& members) {
  std::uint32_t bits = 0;
  for (std::int32_t const member : members) {
    bits |= std::uint32_t{1} << member;
  }
  return bits;
}

template <class Test>
void for_random_posets(std::uint64_t seed, Test const& test) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < 1500; i += case_stride) {
    test(random_poset(random, i % 13, 0.05 * static_cast<double>(i % 7)));
  }
}

TEST(Posets, CountsAreThoseOfAllClosedSets) {
  for_random_posets(1, [](TestPoset const& test) {
    std::uint64_t closed = 0;
    for (std::uint32_t set = 0; set < test.sets(); ++set) {
      closed += test.is_closed(set) ? 1u : 0u;
    }
    std::uint64_t listed = 0;
    for_each_stable_matching(test.poset, [&](auto) { return ++listed > 0; });
    EXPECT_EQ(listed, closed);
    EXPECT_EQ(count_stable_matchings(test.poset).matchings, closed);
  });
}

TEST(Posets, SexEqualIsTheLeastDifferenceOfAllClosedSets) {
  std::uint64_t not_proved = 0;
  for_random_posets(2, [&](TestPoset const& test) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t set = 0; set < test.sets(); ++set) {
      if (test.is_closed(set)) {
        least = std::min(least, std::abs(test.difference(set)));
      }
    }
    Optimum const found = optimum(test.poset, {.objective = Objective::sex_equal});
    EXPECT_EQ(found.value, least);
    EXPECT_TRUE(found.proved);
    std::uint32_t const set = bits_of(found.eliminated);
    EXPECT_TRUE(test.is_closed(set));
    EXPECT_EQ(std::abs(test.difference(set)), found.value);
    Optimum const early =
        optimum(test.poset, {.objective = Objective::sex_equal, .visit_limit = 3});
    EXPECT_LE(early.visited, 3u);
    EXPECT_TRUE(early.value == least || !early.proved);
    not_proved += early.proved ? 0u : 1u;
  });
  EXPECT_GT(not_proved, 100 / case_stride);
}

TEST(Posets, MinimumWeightIsTheLeastSumOfAllClosedSets) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<std::int64_t> range(-30, 30);
  for_random_posets(4, [&](TestPoset const& test) {
    std::vector<std::int64_t> weights(test.changes.size() + 1);
    std::ranges::generate(weights, [&] { return range(random); });
    auto const sum_of = [&](std::uint32_t set) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < test.changes.size(); ++i) {
        sum += (set >> i & 1) != 0 ? weights[i] : 0;
      }
      return sum;
    };
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::uint32_t common = ~std::uint32_t{0};  // of all best sets
    for (std::uint32_t set = 0; set < test.sets(); ++set) {
      if (test.is_closed(set) && sum_of(set) <= least) {
        common = sum_of(set) < least ? set : common & set;
        least = sum_of(set);
      }
    }
    Optimum const found = minimum_weight(test.poset, [&](StablePair const& pair) {
      return pair.man_rank > 0 ? weights[static_cast<std::size_t>(pair.man)] : 0;
    });
    EXPECT_EQ(found.value, least);
    EXPECT_EQ(bits_of(found.eliminated), common);
  });
}

}  // namespace
