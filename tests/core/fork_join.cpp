// SPDX-License-Identifier: Apache-2.0
#include <support/like_cases.hpp>
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
using Root = std::function<void(Fork&)>;

/// A way to call fork_join().
struct Way {
  std::string name;
  std::uint32_t workers;
  std::function<void(Root const&)> run;
};

template <class Space>
void add_ways(std::vector<Way>& ways, Space const& where) {
  for (Scheduler const scheduler : taper::schedulers) {
    if (scheduler == Scheduler::tasks && std::string(Space::name()) != "OpenMP") {
      continue;
    }
    auto const threads = static_cast<std::uint32_t>(where.concurrency());
    ways.push_back({std::string(to_string(scheduler)) + " on " + Space::name() + " of " +
                        std::to_string(threads),
                    scheduler == Scheduler::sequential ? 1 : threads,
                    [where, scheduler](Root const& root) { fork_join(where, scheduler, root); }});
  }
}

struct ForkJoin : ::testing::Test {
  std::vector<Way> ways;
  std::vector<std::unique_ptr<taper::ForkJoinPool>> pools;

  ForkJoin() {
#ifdef KOKKOS_ENABLE_SERIAL
    add_ways(ways, Kokkos::Serial());
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    Kokkos::OpenMP const all;
    add_ways(ways, all);
    if (all.concurrency() > 1) {
      add_ways(ways, Kokkos::Experimental::partition_space(all, 1, 1)[0]);
    }
#endif
#ifdef KOKKOS_ENABLE_THREADS
    add_ways(ways, Kokkos::Threads());
#endif
    for (std::uint32_t const workers : {1, 2, 4}) {
      pools.push_back(std::make_unique<taper::ForkJoinPool>(workers));
      auto& pool = *pools.back();
      ways.push_back({"own pool of " + std::to_string(workers), workers,
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

TEST_F(ForkJoin, thousands_of_tiny_forks_nest) {
  for (Way const& way : ways) {
    long result = 0;
    way.run([&](Fork& fork) { result = fibonacci(20, fork); });  // 10,945 forks
    EXPECT_EQ(result, 6765) << way.name;
  }
}

TEST_F(ForkJoin, a_call_that_forks_nothing_runs) {
  for (Way const& way : ways) {
    for (int round = 0; round < 100; ++round) {
      int calls = 0;
      way.run([&](Fork&) { ++calls; });
      ASSERT_EQ(calls, 1) << way.name;
    }
  }
}

TEST_F(ForkJoin, any_number_of_callables_are_called_once) {
  for (Way const& way : ways) {
    std::array<int, 9> calls{};
    way.run([&](Fork& fork) {
      fork([&](Fork&) { ++calls[0]; });
      fork([&](Fork&) { ++calls[1]; }, [&](Fork&) { ++calls[2]; }, [&](Fork&) { ++calls[3]; },
           [&](Fork&) { ++calls[4]; }, [&](Fork&) { ++calls[5]; }, [&](Fork&) { ++calls[6]; },
           [&](Fork&) { ++calls[7]; }, [&](Fork&) { ++calls[8]; });
    });
    EXPECT_EQ(calls, (std::array<int, 9>{1, 1, 1, 1, 1, 1, 1, 1, 1})) << way.name;
  }
}

TEST_F(ForkJoin, each_calls_every_index_once) {
  for (Way const& way : ways) {
    for (std::size_t const count : {0, 1, 2, 7, 1000}) {
      std::vector<int> calls(count + 2, 0);
      way.run([&](Fork& fork) {
        fork.each(std::size_t{1}, count + 1, [&](std::size_t i, Fork&) { ++calls[i]; });
      });
      EXPECT_EQ(calls.front() + calls.back(), 0) << way.name;
      EXPECT_EQ(std::accumulate(calls.begin(), calls.end(), std::size_t{0}), count) << way.name;
    }
  }
}

TEST_F(ForkJoin, a_callable_keeps_its_worker_whatever_it_forks) {
  for (Way const& way : ways) {
    std::atomic<int> wrong{0};
    way.run([&](Fork& fork) {
      wrong += fork.workers() != way.workers;
      fork.each(0, 300, [&](int i, Fork& own) {
        std::uint32_t const worker = own.worker();
        auto const thread = std::this_thread::get_id();
        fibonacci(i % 8, own);
        wrong += own.worker() != worker || worker >= way.workers;
        wrong += std::this_thread::get_id() != thread;
      });
    });
    EXPECT_EQ(wrong, 0) << way.name;
  }
}

TEST_F(ForkJoin, all_are_called_and_the_first_of_those_that_throw_is_heard) {
  for (Way const& way : ways) {
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
      std::string heard = "nothing";
      way.run([&](Fork& fork) {
        try {
          fork(callable(0), callable(1), callable(2), callable(3));
        } catch (std::runtime_error const& error) {
          heard = error.what();
        }
      });
      EXPECT_EQ(calls, (std::array<int, 4>{1, 1, 1, 1})) << way.name;
      std::string first = "nothing";
      for (unsigned i = 4; i-- > 0;) {
        first = (throwing >> i & 1) != 0 ? std::to_string(i) : first;
      }
      EXPECT_EQ(heard, first) << way.name;
    }
  }
}

/// A random tree of forks of one to four, some of whose leaves throw. Returns what a call in order
/// would: the leaves, and the least number of one that throws; -1 if none does.
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

TEST_F(ForkJoin, random_forks_do_as_in_order) {
  for (std::uint64_t seed = 0; seed < 40; seed += taper::testing::like_cases_step) {
    auto const outcome = [&](Way const& way) {
      RandomForks forks{seed};
      std::uint64_t thrown = 0;
      try {
        way.run([&](Fork& fork) { forks.visit(1, 6, fork); });
      } catch (std::uint64_t number) {
        thrown = number;
      }
      return std::pair(forks.leaves.load(), thrown);
    };
    auto const in_order = outcome(ways.front());
    for (Way const& way : ways) {
      EXPECT_EQ(outcome(way), in_order) << way.name << ", seed " << seed;
    }
  }
}

/// More forks open at a time than a deque has room for.
void nest(int depth, std::atomic<int>& calls, Fork& fork) {
  ++calls;
  if (depth > 0) {
    fork([&](Fork& own) { nest(depth - 1, calls, own); }, [&](Fork&) { ++calls; });
  }
}

TEST_F(ForkJoin, nests_deeper_than_a_deque_has_room) {
  for (Way const& way : ways) {
    std::atomic<int> calls{0};
    way.run([&](Fork& fork) { nest(1500, calls, fork); });
    EXPECT_EQ(calls, 3001) << way.name;
  }
}

TEST_F(ForkJoin, wakes_who_fell_asleep) {
  for (Way const& way : ways) {
    long result = 0;
    way.run([&](Fork& fork) {
      for (int round = 0; round < 3; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        result += fibonacci(10, fork);
      }
      // Who forked sleeps until a thief is done.
      fork([](Fork&) {}, [](Fork&) { std::this_thread::sleep_for(std::chrono::milliseconds(3)); });
    });
    EXPECT_EQ(result, 3 * 55) << way.name;
  }
}

TEST(ForkJoinPool, callers_take_turns) {
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

TEST(ForkJoinPool, comes_and_goes) {
  for (int round = 0; round < 50; ++round) {
    taper::ForkJoinPool pool(4);
    if (round % 2 == 0) {
      long result = 0;
      fork_join(pool, [&](Fork& fork) { result = fibonacci(6, fork); });
      EXPECT_EQ(result, 8);
    }
  }
}

template <class Call>
std::string error_of(Call const& call) {
  try {
    call();
  } catch (taper::Error const& error) {
    return error.what();
  }
  return "";
}

TEST(ForkJoinErrors, say_what_was_expected) {
  EXPECT_EQ(error_of([] { taper::ForkJoinPool(0); }),
            "taper::ForkJoinPool: 0 workers, where the caller is one");
#ifdef KOKKOS_ENABLE_SERIAL
  EXPECT_EQ(error_of([] { fork_join(Kokkos::Serial(), Scheduler::tasks, [](Fork&) {}); }),
            "taper::fork_join: the scheduler tasks is OpenMP's, and where is Serial");
#endif
}

TEST(SchedulerNames, are_the_enumerators) {
  for (Scheduler const scheduler : taper::schedulers) {
    EXPECT_EQ(taper::parse<Scheduler>(to_string(scheduler)), scheduler);
  }
  EXPECT_EQ(to_string(Scheduler::pool), "pool");
  EXPECT_FALSE(taper::parse<Scheduler>("Pool").has_value());
}

}  // namespace
