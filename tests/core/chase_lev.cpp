// SPDX-License-Identifier: Apache-2.0
#include <support/case_stride.hpp>
#include <taper/chase_lev.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

using Deque = taper::ChaseLev<int>;

TEST(ChaseLev, OwnerTakesTheNewestAndThievesStealTheOldest) {
  int items[8] = {};
  Deque deque(4);
  EXPECT_EQ(deque.capacity(), 4u);
  EXPECT_TRUE(deque.seems_empty());
  EXPECT_EQ(deque.take(), nullptr);
  EXPECT_EQ(deque.steal(), nullptr);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(deque.push(&items[i]));
  }
  EXPECT_FALSE(deque.seems_empty());
  EXPECT_FALSE(deque.push(&items[4]));
  EXPECT_EQ(deque.steal(), &items[0]);
  EXPECT_TRUE(deque.push(&items[5]));  // into the stolen item's cell
  for (int const i : {5, 3, 2}) {
    EXPECT_EQ(deque.take(), &items[i]);
  }
  EXPECT_EQ(deque.steal(), &items[1]);
  EXPECT_EQ(deque.steal(), nullptr);
  EXPECT_EQ(deque.take(), nullptr);
  EXPECT_TRUE(deque.push(&items[6]));
  EXPECT_EQ(deque.take(), &items[6]);
  EXPECT_TRUE(deque.seems_empty());
}

TEST(ChaseLev, CapacityIsRoundedUpToAPowerOfTwo) {
  EXPECT_EQ(Deque(1).capacity(), 1u);
  EXPECT_EQ(Deque(5).capacity(), 8u);
  int item = 0;
  Deque deque(1);
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(deque.push(&item));
    EXPECT_FALSE(deque.push(&item));
    EXPECT_EQ(round % 2 == 0 ? deque.take() : deque.steal(), &item);
  }
}

/// One owner pushes and takes while `thieves` steal. Each item goes to exactly one thread, which
/// sees what the owner has written to it.
void expect_each_taken_once(std::size_t thieves, std::size_t capacity, int pushes_per_take) {
  auto const count = static_cast<int>(200'000 / taper::testing::case_stride);
  std::vector<int> items(static_cast<std::size_t>(count), -1);
  std::vector<std::vector<int>> got(thieves + 1);
  Deque deque(capacity);
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (std::size_t thief = 1; thief <= thieves; ++thief) {
    threads.emplace_back([&, thief] {
      while (!done.load()) {
        if (int const* const item = deque.steal()) {
          got[thief].push_back(*item);
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  auto const take = [&] {
    int const* const item = deque.take();
    if (item != nullptr) {
      got[0].push_back(*item);
    }
    return item != nullptr;
  };
  for (int i = 0; i < count; ++i) {
    int& item = items[static_cast<std::size_t>(i)];
    item = i;
    while (!deque.push(&item)) {
      take();
    }
    if (i % pushes_per_take == 0) {
      take();
    }
  }
  while (take()) {
  }
  EXPECT_TRUE(deque.seems_empty());
  done = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::vector<int> all;
  for (auto const& part : got) {
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, items);
}

TEST(ChaseLev, EveryItemIsTakenOnce) {
  for (std::size_t const thieves : {1u, 3u}) {
    for (std::size_t const capacity : {1u, 2u, 64u, 1024u}) {
      expect_each_taken_once(thieves, capacity, 2);
      expect_each_taken_once(thieves, capacity, 1);  // all threads contend for the last item
    }
  }
}

}  // namespace
