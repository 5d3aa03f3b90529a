// SPDX-License-Identifier: Apache-2.0
#include <taper/marriage_propagator/mailboxes.hpp>
#include <taper/marriage_propagator/tighten.hpp>

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
using detail::Mailboxes;
using detail::OneLane;

constexpr std::uint32_t most_workers = 4;

/// What the workers of a launch share.
struct Launch {
  std::array<taper::AtomicWord, most_workers> words = {};
  std::uint32_t idle = 0;
  std::uint32_t failed = 0;

  Mailboxes mailboxes(std::uint32_t count, std::uint32_t workers) {
    return {words.data(), &idle, count, workers};
  }
};

TEST(Mailboxes, WithoutAnyNobodyIsGivenOrReceived) {
  std::uint32_t const failed = 0;
  Chain chain{7, 8};
  EXPECT_FALSE(Mailboxes{}.give(OneLane{}, chain));
  EXPECT_FALSE(Mailboxes{}.receive(OneLane{}, 0, failed, chain));
  EXPECT_EQ(chain.proposer, 7u);
}

TEST(Mailboxes, NobodyWaitsWhenAllAreDoneOrHaveNoWordOrOneHasFailed) {
  Launch launch;
  Chain chain{7, 8};
  Mailboxes const boxes = launch.mailboxes(1, 2);
  EXPECT_FALSE(boxes.give(OneLane{}, chain));
  EXPECT_FALSE(boxes.receive(OneLane{}, 1, launch.failed, chain));  // without a word
  EXPECT_EQ(launch.idle, 1u);
  EXPECT_FALSE(boxes.receive(OneLane{}, 0, launch.failed, chain));  // the last
  EXPECT_EQ(launch.idle, 2u);
  EXPECT_EQ(launch.words[0], 0u);

  Launch other;
  other.failed = 1;
  EXPECT_FALSE(other.mailboxes(2, 2).receive(OneLane{}, 0, other.failed, chain));
  EXPECT_EQ(chain.position, 8u);
}

/// The bound of the wait: the other worker never comes to an end.
TEST(Mailboxes, WhoHasWaitedTooLongIsGivenNobody) {
  Launch launch;
  Chain chain{};
  Mailboxes const boxes = launch.mailboxes(2, 2);
  EXPECT_FALSE(boxes.receive(OneLane{}, 0, launch.failed, chain));
  EXPECT_EQ(launch.idle, 1u);
  EXPECT_FALSE(boxes.give(OneLane{}, {1, 2}));
  EXPECT_EQ(launch.idle, 1u);
}

/// Looks into the first word and finds what has changed since.
struct LateLane : OneLane {
  template <class Question>
  std::uint32_t first(std::uint32_t begin, std::uint32_t, Question&) const {
    return begin;
  }
};

TEST(Mailboxes, WhoHasGivenUpSinceTheLookIsGivenNobody) {
  Launch launch;
  EXPECT_FALSE(launch.mailboxes(2, 2).give(LateLane{}, {5, 6}));
  EXPECT_EQ(launch.words[0], 0u);
  EXPECT_EQ(launch.idle, 0u);
}

/// Where its one backend is Serial, Kokkos' atomics are plain reads and writes.
struct MailboxesOfThreads : ::testing::Test {
  void SetUp() override {
    if (std::string_view(Kokkos::DefaultExecutionSpace::name()) == "Serial") {
      GTEST_SKIP() << "the only backend is Serial, whose atomics are none";
    }
  }
};

TEST_F(MailboxesOfThreads, WhoWaitsIsGivenTheChain) {
  Launch launch;
  Mailboxes const boxes = launch.mailboxes(2, 1000);  // of whom most have somebody to follow
  Chain chain{};
  std::thread waiting([&] {
    while (!boxes.receive(OneLane{}, 1, launch.failed, chain)) {
    }
  });
  while (!boxes.give(OneLane{}, {5, 6})) {
    std::this_thread::yield();
  }
  waiting.join();
  EXPECT_EQ(chain.proposer, 5u);
  EXPECT_EQ(chain.position, 6u);
  EXPECT_EQ(launch.words[1], 0u);
}

/// Each chain frees as many as its position says. Whoever gives up early or late and comes again, none
/// is lost and none comes twice. (On one core it may be that nobody is given.)
TEST_F(MailboxesOfThreads, NoChainIsLostAndNoneComesTwice) {
  constexpr std::uint32_t depth = 12;
  constexpr std::uint32_t chains = 1u << depth;
  for (int repeat = 0; repeat < 30; ++repeat) {
    Launch launch;
    std::vector<std::atomic<std::uint32_t>> seen(chains);
    std::atomic<std::uint32_t> done = 0;
    auto const work = [&](std::uint32_t worker) {
      Mailboxes const boxes = launch.mailboxes(most_workers - 1, most_workers);
      std::vector<Chain> waiting;
      Chain chain{0, depth};
      bool has_chain = worker == 0;
      for (;;) {
        while (has_chain) {
          ++seen[chain.proposer];
          for (std::uint32_t level = 0; level < chain.position; ++level) {
            Chain const freed{chain.proposer | 1u << level, level};
            if (!boxes.give(OneLane{}, freed)) {
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
        has_chain = boxes.receive(OneLane{}, worker, launch.failed, chain);
        if (!has_chain && done == chains) {
          return;
        }
        if (!has_chain) {
          Kokkos::atomic_sub(&launch.idle, 1u);  // it comes again
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
    EXPECT_EQ(launch.words, (std::array<taper::AtomicWord, most_workers>{}));
  }
}

}  // namespace
