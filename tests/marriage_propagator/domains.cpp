// SPDX-License-Identifier: Apache-2.0
#include <taper/marriage_propagator/change_lists.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/options.hpp>
#include <taper/marriage_propagator/trail.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace {

namespace mp = taper::marriage_propagator;
namespace detail = taper::marriage_propagator::detail;
using mp::Word;

TEST(Domains, RowsHaveTheWordsAndBitsOfTheirValues) {
  EXPECT_EQ(mp::words_for(0), 0u);
  EXPECT_EQ(mp::words_for(1), 1u);
  EXPECT_EQ(mp::words_for(64), 1u);
  EXPECT_EQ(mp::words_for(65), 2u);
  EXPECT_EQ(mp::bits_below(0, 0), Word{0});
  EXPECT_EQ(mp::bits_below(3, 0), Word{7});
  EXPECT_EQ(mp::bits_below(64, 0), ~Word{0});
  EXPECT_EQ(mp::bits_below(64, 1), Word{0});
  EXPECT_EQ(mp::bits_below(65, 1), Word{1});
  std::vector<std::uint32_t> values;
  mp::for_each_value(Word{1} << 63 | 5, 2, [&](std::uint32_t value) { values.push_back(value); });
  EXPECT_EQ(values, (std::vector<std::uint32_t>{128, 130, 191}));
}

/// Offers only fall. So the offer that answers a proposal must be less than the one before it.
TEST(Domains, AnOfferIsLessThanTheOffersThatItReplaces) {
  std::uint32_t const n = 100;
  Word const nothing = detail::unengaged(n);
  EXPECT_EQ(detail::kept_ranks(nothing), n);
  EXPECT_FALSE(detail::is_engaged(nothing));
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    Word const offer = detail::engaged(rank, 7, 9);
    Word const broken = detail::unengaged(rank);
    EXPECT_TRUE(detail::is_engaged(offer));
    EXPECT_FALSE(detail::is_engaged(broken));
    EXPECT_EQ(detail::kept_ranks(offer), rank + 1) << "the proposer itself is the last value";
    EXPECT_EQ(detail::kept_ranks(broken), rank) << "it and all worse ones are gone";
    EXPECT_EQ(detail::proposer_of(offer), 7u);
    EXPECT_EQ(detail::value_of(offer), 9u);
    EXPECT_LT(offer, nothing);
    EXPECT_LT(broken, offer) << "accepted and broken at once";
    if (rank > 0) {
      EXPECT_LT(detail::engaged(rank - 1, 99, 99), broken) << "a better proposer is still accepted";
    }
  }
  std::uint32_t const most = static_cast<std::uint32_t>(taper::preferences::max_people);
  Word const last = detail::engaged(most - 1, most - 1, most - 1);
  EXPECT_EQ(detail::kept_ranks(last), most);
  EXPECT_EQ(detail::proposer_of(last), most - 1);
  EXPECT_EQ(detail::value_of(last), most - 1);
  EXPECT_LT(last, detail::unengaged(most));
}

/// An arena with room for the few persons of a test.
detail::HostArena small_arena() {
  detail::HostArena arena(Kokkos::DefaultHostExecutionSpace{}, "test::changes", 1 << 14);
  arena.zero_fill();
  return arena;
}

TEST(Changes, PersonsAreListedOnceInTheOrderOfAddition) {
  detail::HostArena arena = small_arena();
  detail::PersonList list(arena, 5);
  for (std::uint32_t const person : {3u, 1u, 3u, 4u, 1u}) {
    list.add(person);
  }
  EXPECT_EQ(std::vector<std::uint32_t>(list.persons().begin(), list.persons().end()),
            (std::vector<std::uint32_t>{3, 1, 4}));
  EXPECT_EQ(list.pop(), 4u);
  list.add(4);
  EXPECT_EQ(list.size(), 3u);
  list.clear();
  EXPECT_TRUE(list.empty());
  list.add_all();
  EXPECT_EQ(list.size(), 5u);
}

/// Flags are reset only at every 255th clear().
TEST(Changes, AClearedListIsEmptyAfterAnyNumberOfClears) {
  for (int between = 0; between < 600; ++between) {
    detail::HostArena arena = small_arena();
    detail::PersonList list(arena, 3);
    list.add(0);
    list.add(2);
    for (int clears = 0; clears <= between; ++clears) {
      list.clear();
    }
    EXPECT_TRUE(list.empty());
    for (std::uint32_t person = 0; person < 3; ++person) {
      EXPECT_TRUE(list.add(person)) << person << " after " << between + 1;
      EXPECT_FALSE(list.add(person));
    }
    EXPECT_EQ(list.pop(), 2u);
    EXPECT_TRUE(list.add(2));
  }
}

TEST(Changes, PendingValuesAreVisitedByWordUntilCleared) {
  detail::HostArena arena = small_arena();
  detail::Pending pending(arena, 70);
  ASSERT_LE(arena.used(), std::size_t{1} << 14);
  pending.add(mp::Side::women, 2, 1, 3);
  pending.add(mp::Side::women, 2, 0, 1);
  pending.add(mp::Side::women, 2, 1, 4);
  EXPECT_EQ(pending.values, 4u);
  std::vector<std::pair<std::uint32_t, Word>> words;
  pending.for_each_word(mp::Side::women,
                        [&](std::uint32_t person, std::uint32_t word, Word values) {
                          EXPECT_EQ(person, 2u);
                          words.emplace_back(word, values);
                        });
  EXPECT_EQ(words, (std::vector<std::pair<std::uint32_t, Word>>{{0, 1}, {1, 7}}));
  pending.clear();
  EXPECT_EQ(pending.values, 0u);
  pending.add(mp::Side::women, 2, 1, 8);
  pending.for_each_word(mp::Side::women, [](std::uint32_t, std::uint32_t word, Word values) {
    EXPECT_EQ(word, 1u);
    EXPECT_EQ(values, Word{8});
  });
}

TEST(Trail, RestoresThePairsOfEachLevelInReverseOrder) {
  detail::Trail<std::uint16_t> trail(10, 3);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> back;
  auto const put_back = [&](std::uint32_t man, std::uint32_t value) {
    back.emplace_back(man, value);
  };
  EXPECT_FALSE(trail.is_recording());
  trail.save();
  trail.push(1, 2);
  trail.save();
  trail.save();
  trail.push(3, 4);
  trail.push(5, 6);
  EXPECT_EQ(trail.depth(), 3u);
  trail.restore(put_back);
  EXPECT_EQ(back, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{5, 6}, {3, 4}}));
  trail.restore(put_back);
  EXPECT_EQ(back.size(), 2u);
  trail.restore(put_back);
  EXPECT_EQ(back.back(), (std::pair<std::uint32_t, std::uint32_t>{1, 2}));
  EXPECT_EQ(trail.depth(), 0u);
}

/// A parallel call stays parallel with larger domains, with similar lists, and with more values if
/// no proposer is free. What thresholds choose is tested in tests/core/machine_profile.cpp.
TEST(Options, ChoosingParallelIsMonotonic) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 10'000; ++i) {
    mp::Thresholds const thresholds{random() % 50, random() % 50, random() % 50};
    mp::Situation const found{random() % 3 * 20, random() % 9,      random() % 3000,
                              random() % 60,     random() % 2 == 0, 7};
    if (mp::choose_parallel(thresholds, found)) {
      auto more = found;
      more.domain_size += random() % 9;
      EXPECT_TRUE(mp::choose_parallel(thresholds, more));
      more.similar_lists = true;
      EXPECT_TRUE(mp::choose_parallel(thresholds, more));
      more.modified_values += found.free_people == 0 ? random() % 9 : 0;
      more.modified_people += random() % 9;
      EXPECT_TRUE(mp::choose_parallel(thresholds, more));
      mp::Thresholds lower = thresholds;
      lower.free_people -= std::min<std::uint64_t>(lower.free_people, random() % 9);
      lower.modified_values -= std::min<std::uint64_t>(lower.modified_values, random() % 9);
      EXPECT_TRUE(mp::choose_parallel(lower, more));
    }
  }
}

/// If no call of a size can be parallel, post() keeps no memory for one. The largest situations are
/// those with everybody free, or with all values of everybody removed.
TEST(Options, CanChooseParallelKnowsTheLargestSituations) {
  std::mt19937_64 random(2);
  std::size_t possible = 0;
  for (int repeat = 0; repeat < 2'000; ++repeat) {
    std::uint64_t const n = 1 + random() % 70;
    mp::Thresholds const thresholds{random() % 300, random() % (4 * n * n), random() % (2 * n * n)};
    bool chosen = false;
    for (bool const similar : {false, true}) {
      chosen |= mp::choose_parallel(thresholds, {2 * n, 0, 0, n * n, similar, n});
      chosen |= mp::choose_parallel(thresholds, {0, 2 * n, 2 * n * n, n * n, similar, n});
    }
    EXPECT_EQ(mp::can_choose_parallel(thresholds, n), chosen)
        << n << ' ' << thresholds.free_people << ' ' << thresholds.modified_values << ' '
        << thresholds.domain_size;
    possible += chosen ? 1 : 0;
  }
  EXPECT_GT(possible, 200u);
  EXPECT_LT(possible, 1'800u);
  EXPECT_FALSE(mp::can_choose_parallel(mp::default_thresholds(true, 1), 100));
  EXPECT_FALSE(mp::can_choose_parallel(mp::default_thresholds(false, 16), 1000));
  EXPECT_TRUE(mp::can_choose_parallel(mp::default_thresholds(false, 16), 3000));
}

TEST(Options, DefaultThresholdsChooseAsMeasured) {
  auto const gpu = mp::default_thresholds(true, 1);
  // The paper's classes at its n. Expected: the propagator that was faster on an H100.
  std::uint64_t const n = 2400;
  EXPECT_TRUE(mp::choose_parallel(gpu, {n, 0, 0, n * n, false, n})) << "all free";
  EXPECT_TRUE(mp::choose_parallel(gpu, {n, 2 * n, 10'000'000, n * n, false, n}))
      << "of the second constraint";
  EXPECT_FALSE(mp::choose_parallel(gpu, {n, 4352, 11'265, n * n, false, n})) << "values missing";
  EXPECT_TRUE(mp::choose_parallel(gpu, {n, 4352, 11'265, n * n, true, n})) << "similar lists";
  EXPECT_FALSE(mp::choose_parallel(gpu, {2, 2, 98, 63'769, false, n})) << "two free";
  EXPECT_FALSE(mp::choose_parallel(gpu, {0, 2, 1004, 624'444, false, n})) << "none free";
  EXPECT_FALSE(mp::choose_parallel(gpu, {0, 198, 54'256, 685'935, false, n}));
  EXPECT_TRUE(mp::choose_parallel(gpu, {0, 474, 75'034, 406'481, false, n}));
  auto const two_cores = mp::default_thresholds(false, 2);
  EXPECT_FALSE(mp::choose_parallel(two_cores, {n, 0, 0, n * n, true, n}));
  EXPECT_FALSE(mp::can_choose_parallel(two_cores, n));
  EXPECT_TRUE(mp::can_choose_parallel(gpu, n));
  EXPECT_EQ(mp::parse<mp::Schedule>("hybrid"), mp::Schedule::hybrid);
  EXPECT_EQ(mp::parse<mp::Schedule>("gpu"), std::nullopt);
}

}  // namespace
