// SPDX-License-Identifier: Apache-2.0
#include <taper/marriage_propagator/handoff.hpp>
#include <taper/marriage_propagator/worker_lanes.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace detail = taper::marriage_propagator::detail;
using detail::Chain;
using detail::HandoffSlots;
using detail::OneThread;

constexpr std::uint32_t most_workers = 4;

/// The memory that the workers of a launch share.
struct Launch {
  std::array<taper::AtomicWord, most_workers> slots = {};
  std::uint32_t idle = 0;
  std::uint32_t failed = 0;

  HandoffSlots handoff(std::uint32_t count, std::uint32_t workers) {
    return {slots.data(), &idle, count, workers};
  }
};

TEST(HandoffSlots, WithoutSlotsNoChainIsHandedOff) {
  std::uint32_t const failed = 0;
  Chain chain{7, 8};
  EXPECT_FALSE(HandoffSlots{}.hand_off(OneThread{}, chain));
  EXPECT_FALSE(HandoffSlots{}.wait_for_chain(OneThread{}, 0, failed, chain));
  EXPECT_EQ(chain.proposer, 7u);
}

TEST(HandoffSlots, NoWorkerWaitsIfAllAreIdleOrItHasNoSlotOrOneHasFailed) {
  Launch launch;
  Chain chain{7, 8};
  HandoffSlots const slots = launch.handoff(1, 2);
  EXPECT_FALSE(slots.hand_off(OneThread{}, chain));
  EXPECT_FALSE(slots.wait_for_chain(OneThread{}, 1, launch.failed, chain));  // has no slot
  EXPECT_EQ(launch.idle, 1u);
  EXPECT_FALSE(slots.wait_for_chain(OneThread{}, 0, launch.failed, chain));  // the last idle worker
  EXPECT_EQ(launch.idle, 2u);
  EXPECT_EQ(launch.slots[0], 0u);

  Launch other;
  other.failed = 1;
  EXPECT_FALSE(other.handoff(2, 2).wait_for_chain(OneThread{}, 0, other.failed, chain));
  EXPECT_EQ(chain.position, 8u);
}

/// The other worker never ends, so only the bound of the wait ends it.
TEST(HandoffSlots, AWaitEndsWithoutAChainAfterABoundedTime) {
  Launch launch;
  Chain chain{};
  HandoffSlots const slots = launch.handoff(2, 2);
  EXPECT_FALSE(slots.wait_for_chain(OneThread{}, 0, launch.failed, chain));
  EXPECT_EQ(launch.idle, 1u);
  EXPECT_FALSE(slots.hand_off(OneThread{}, {1, 2}));
  EXPECT_EQ(launch.idle, 1u);
}

/// A search whose result is outdated: it reports the first slot although no worker waits there.
struct OutdatedSearch : OneThread {
  template <class Predicate>
  std::uint32_t find_first(std::uint32_t begin, std::uint32_t, Predicate&) const {
    return begin;
  }
};

TEST(HandoffSlots, AWorkerThatHasStoppedWaitingGetsNoChain) {
  Launch launch;
  EXPECT_FALSE(launch.handoff(2, 2).hand_off(OutdatedSearch{}, {5, 6}));
  EXPECT_EQ(launch.slots[0], 0u);
  EXPECT_EQ(launch.idle, 0u);
}

/// Kokkos' atomics are plain reads and writes if Serial is its only backend.
struct HandoffThreads : ::testing::Test {
  void SetUp() override {
    if (std::string_view(Kokkos::DefaultExecutionSpace::name()) == "Serial") {
      GTEST_SKIP() << "the only backend is Serial, whose atomics are not atomic";
    }
  }
};

TEST_F(HandoffThreads, AWaitingWorkerGetsTheChain) {
  Launch launch;
  HandoffSlots const slots = launch.handoff(2, 1000);  // most of them have a chain
  Chain chain{};
  std::thread waiting([&] {
    while (!slots.wait_for_chain(OneThread{}, 1, launch.failed, chain)) {
    }
  });
  while (!slots.hand_off(OneThread{}, {5, 6})) {
    std::this_thread::yield();
  }
  waiting.join();
  EXPECT_EQ(chain.proposer, 5u);
  EXPECT_EQ(chain.position, 6u);
  EXPECT_EQ(launch.slots[1], 0u);
}

/// Each chain frees as many further chains as its position says. Workers stop waiting early or
/// late, and wait again. (On one core it may be that no chain is handed off.)
TEST_F(HandoffThreads, EveryChainIsFollowedExactlyOnce) {
  constexpr std::uint32_t depth = 12;
  constexpr std::uint32_t chains = 1u << depth;
  for (int repeat = 0; repeat < 30; ++repeat) {
    Launch launch;
    std::vector<std::atomic<std::uint32_t>> seen(chains);
    std::atomic<std::uint32_t> done = 0;
    auto const work = [&](std::uint32_t worker) {
      HandoffSlots const slots = launch.handoff(most_workers - 1, most_workers);
      std::vector<Chain> waiting;
      Chain chain{0, depth};
      bool has_chain = worker == 0;
      for (;;) {
        while (has_chain) {
          ++seen[chain.proposer];
          for (std::uint32_t level = 0; level < chain.position; ++level) {
            Chain const freed{chain.proposer | 1u << level, level};
            if (!slots.hand_off(OneThread{}, freed)) {
              waiting.push_back(freed);
            }
          }
          ++done;
          has_chain = !waiting.empty();
          if (has_chain) {
            chain = waiting.back();
            waiting.pop_back();
          }
        }
        has_chain = slots.wait_for_chain(OneThread{}, worker, launch.failed, chain);
        if (!has_chain && done == chains) {
          return;
        }
        if (!has_chain) {
          Kokkos::atomic_sub(&launch.idle, 1u);  // it waits again
        }
      }
    };
    std::vector<std::thread> workers;
    for (std::uint32_t worker = 0; worker < most_workers; ++worker) {
      workers.emplace_back(work, worker);
    }
    for (auto& worker : workers) {
      worker.join();
    }
    for (auto const& times : seen) {
      EXPECT_EQ(times, 1u);
    }
    EXPECT_EQ(launch.idle, most_workers);
    EXPECT_EQ(launch.slots, (std::array<taper::AtomicWord, most_workers>{}));
  }
}

}  // namespace
