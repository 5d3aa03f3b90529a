// SPDX-License-Identifier: Apache-2.0
#include <support/case_stride.hpp>
#include <support/error_message.hpp>
#include <taper/backend.hpp>
#include <taper/fork_join.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using taper::Fork;
using taper::fork_join;
using taper::Scheduler;
using taper::testing::message_of;
using Root = std::function<void(Fork&)>;

/// A way to call fork_join().
struct Variant {
  std::string name;
  std::uint32_t workers;
  std::function<void(Root const&)> run;
};

template <class Space>
void add_variants(std::vector<Variant>& variants, Space const& where) {
  for (Scheduler const scheduler : taper::schedulers) {
    if (scheduler == Scheduler::tasks && std::string(Space::name()) != "OpenMP") {
      continue;
    }
    auto const threads = static_cast<std::uint32_t>(taper::concurrency(where));
    variants.push_back(
        {std::string(to_string(scheduler)) + " on " + Space::name() + " of " +
             std::to_string(threads),
         scheduler == Scheduler::serial ? 1 : threads,
         [where, scheduler](Root const& root) { fork_join(where, scheduler, root); }});
  }
}

struct ForkJoin : ::testing::Test {
  std::vector<Variant> variants;
  std::vector<std::unique_ptr<taper::ForkJoinPool>> pools;

  ForkJoin() {
#ifdef KOKKOS_ENABLE_SERIAL
    add_variants(variants, Kokkos::Serial());
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    Kokkos::OpenMP const all;
    add_variants(variants, all);
    if (all.concurrency() > 1) {
      add_variants(variants, Kokkos::Experimental::partition_space(all, 1, 1)[0]);
    }
#endif
#ifdef KOKKOS_ENABLE_THREADS
    add_variants(variants, Kokkos::Threads());
#endif
    for (std::uint32_t const workers : {1u, 2u, 4u}) {
      pools.push_back(std::make_unique<taper::ForkJoinPool>(workers));
      auto& pool = *pools.back();
      variants.push_back({"own pool of " + std::to_string(workers), workers,
                          [&pool](Root const& root) { fork_join(pool, root); }});
    }
  }
};

long fibonacci(int n, Fork& fork) {
  if (n < 2) {
    return n;
  }
  long before = 0;
  long last = 0;
  fork([&](Fork& own) { before = fibonacci(n - 2, own); },
       [&](Fork& own) { last = fibonacci(n - 1, own); });
  return before + last;
}

TEST_F(ForkJoin, ThousandsOfTinyForksNest) {
  for (Variant const& variant : variants) {
    long result = 0;
    variant.run([&](Fork& fork) { result = fibonacci(20, fork); });  // 10,945 forks
    EXPECT_EQ(result, 6765) << variant.name;
  }
}

TEST_F(ForkJoin, ACallWithoutForksRuns) {
  for (Variant const& variant : variants) {
    for (int round = 0; round < 100; ++round) {
      int calls = 0;
      variant.run([&](Fork&) { ++calls; });
      ASSERT_EQ(calls, 1) << variant.name;
    }
  }
}

TEST_F(ForkJoin, EveryCallableIsCalledOnce) {
  for (Variant const& variant : variants) {
    std::array<int, 9> calls{};
    variant.run([&](Fork& fork) {
      fork([&](Fork&) { ++calls[0]; });
      fork([&](Fork&) { ++calls[1]; }, [&](Fork&) { ++calls[2]; }, [&](Fork&) { ++calls[3]; },
           [&](Fork&) { ++calls[4]; }, [&](Fork&) { ++calls[5]; }, [&](Fork&) { ++calls[6]; },
           [&](Fork&) { ++calls[7]; }, [&](Fork&) { ++calls[8]; });
    });
    EXPECT_EQ(calls, (std::array<int, 9>{1, 1, 1, 1, 1, 1, 1, 1, 1})) << variant.name;
  }
}

TEST_F(ForkJoin, EachCallsEveryIndexOnce) {
  for (Variant const& variant : variants) {
    for (std::size_t const count : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<int> calls(count + 2, 0);
      variant.run([&](Fork& fork) {
        fork.each(std::size_t{1}, count + 1, [&](std::size_t i, Fork&) { ++calls[i]; });
      });
      EXPECT_EQ(calls.front() + calls.back(), 0) << variant.name;
      EXPECT_EQ(std::accumulate(calls.begin(), calls.end(), std::size_t{0}), count) << variant.name;
    }
  }
}

TEST_F(ForkJoin, ACallableStaysOnItsWorkerWhenItForks) {
  for (Variant const& variant : variants) {
    std::atomic<int> wrong{0};
    variant.run([&](Fork& fork) {
      wrong += fork.workers() != variant.workers;
      fork.each(0, 300, [&](int i, Fork& own) {
        std::uint32_t const worker = own.worker();
        auto const thread = std::this_thread::get_id();
        fibonacci(i % 8, own);
        wrong += own.worker() != worker || worker >= variant.workers;
        wrong += std::this_thread::get_id() != thread;
      });
    });
    EXPECT_EQ(wrong, 0) << variant.name;
  }
}

TEST_F(ForkJoin, AllAreCalledAndTheFirstExceptionInOrderIsThrown) {
  for (Variant const& variant : variants) {
    for (unsigned throwing = 0; throwing < 16; ++throwing) {
      std::array<int, 4> calls{};
      auto const callable = [&](unsigned i) {
        return [&calls, throwing, i](Fork&) {
          ++calls[i];
          if ((throwing >> i & 1) != 0) {
            throw std::runtime_error(std::to_string(i));
          }
        };
      };
      std::string thrown = "nothing";
      variant.run([&](Fork& fork) {
        try {
          fork(callable(0), callable(1), callable(2), callable(3));
        } catch (std::runtime_error const& error) {
          thrown = error.what();
        }
      });
      EXPECT_EQ(calls, (std::array<int, 4>{1, 1, 1, 1})) << variant.name;
      std::string first = "nothing";
      for (unsigned i = 4; i-- > 0;) {
        first = (throwing >> i & 1) != 0 ? std::to_string(i) : first;
      }
      EXPECT_EQ(thrown, first) << variant.name;
    }
  }
}

/// A random tree whose nodes fork one to four children; some leaves throw their number. It counts
/// the leaves. Of several exceptions, the first in order is thrown.
struct RandomForks {
  std::uint64_t seed;
  std::atomic<std::uint64_t> leaves{0};

  void visit(std::uint64_t number, int depth, Fork& fork) {
    std::mt19937_64 random(seed * 1'000'003 + number);
    std::uint64_t const kind = random() % 8;
    if (depth == 0 || kind == 0) {
      ++leaves;
      if (random() % 200 == 0) {
        throw number;
      }
      return;
    }
    auto const child = [=, this](std::uint64_t i) {
      return [=, this](Fork& own) { visit(4 * number + i, depth - 1, own); };
    };
    switch (kind % 4) {
    case 0:
      return fork(child(1));
    case 1:
      return fork(child(1), child(2));
    case 2:
      return fork(child(1), child(2), child(3));
    default:
      return fork(child(1), child(2), child(3), child(4));
    }
  }
};

TEST_F(ForkJoin, RandomForksEqualTheSerialOrder) {
  for (std::uint64_t seed = 0; seed < 40; seed += taper::testing::case_stride) {
    auto const outcome = [&](Variant const& variant) {
      RandomForks forks{seed};
      std::uint64_t thrown = 0;
      try {
        variant.run([&](Fork& fork) { forks.visit(1, 6, fork); });
      } catch (std::uint64_t number) {
        thrown = number;
      }
      return std::pair(forks.leaves.load(), thrown);
    };
    auto const in_order = outcome(variants.front());
    for (Variant const& variant : variants) {
      EXPECT_EQ(outcome(variant), in_order) << variant.name << ", seed " << seed;
    }
  }
}

/// Opens `depth` nested forks, more than a deque has room for.
void nest(int depth, std::atomic<int>& calls, Fork& fork) {
  ++calls;
  if (depth > 0) {
    fork([&](Fork& own) { nest(depth - 1, calls, own); }, [&](Fork&) { ++calls; });
  }
}

TEST_F(ForkJoin, ForksNestDeeperThanADequeHasRoom) {
  for (Variant const& variant : variants) {
    std::atomic<int> calls{0};
    variant.run([&](Fork& fork) { nest(1500, calls, fork); });
    EXPECT_EQ(calls, 3001) << variant.name;
  }
}

TEST_F(ForkJoin, SleepingWorkersWakeUp) {
  for (Variant const& variant : variants) {
    long result = 0;
    variant.run([&](Fork& fork) {
      for (int round = 0; round < 3; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        result += fibonacci(10, fork);
      }
      // The worker that forks sleeps until the thief is done.
      fork([](Fork&) {}, [](Fork&) { std::this_thread::sleep_for(std::chrono::milliseconds(3)); });
    });
    EXPECT_EQ(result, 3 * 55) << variant.name;
  }
}

TEST(ForkJoinPool, CallsOfSeveralThreadsRunOneAfterAnother) {
  taper::ForkJoinPool pool(3);
  EXPECT_EQ(pool.workers(), 3u);
  std::atomic<long> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        fork_join(pool, [&](Fork& fork) { sum += fibonacci(8, fork); });
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(sum, 3 * 50 * 21);
}

TEST(ForkJoinPool, CanBeCreatedAndDestroyedRepeatedly) {
  for (int round = 0; round < 50; ++round) {
    taper::ForkJoinPool pool(4);
    if (round % 2 == 0) {
      long result = 0;
      fork_join(pool, [&](Fork& fork) { result = fibonacci(6, fork); });
      EXPECT_EQ(result, 8);
    }
  }
}

TEST(ForkJoinErrors, SayWhatWasExpected) {
  EXPECT_EQ(message_of([] { taper::ForkJoinPool(0); }),
            "taper::ForkJoinPool: expected at least 1 worker, got 0");
#ifdef KOKKOS_ENABLE_SERIAL
  EXPECT_EQ(
      message_of([] { fork_join(Kokkos::Serial(), Scheduler::tasks, [](Fork&) {}); }),
      "taper::fork_join: scheduler 'tasks' needs the OpenMP backend; this call runs on Serial. "
      "Use 'pool', or a build with OpenMP.");
#endif
}

TEST(SchedulerNames, AreTheEnumerators) {
  for (Scheduler const scheduler : taper::schedulers) {
    EXPECT_EQ(taper::parse<Scheduler>(to_string(scheduler)), scheduler);
  }
  EXPECT_EQ(to_string(Scheduler::pool), "pool");
  EXPECT_FALSE(taper::parse<Scheduler>("Pool").has_value());
}

}  // namespace
