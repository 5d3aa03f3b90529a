// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/work_queues.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace oracle = taper::testing;
using taper::nothing;

/// Items 0 .. items-1 form a binary tree: the worker that takes item i creates items 2i+1 and 2i+2.
template <class Space, class Queue>
struct GrowTree {
  using Memory = typename Space::memory_space;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  Queue queue;
  Kokkos::View<std::uint32_t*, Memory> taken;  ///< per item: how often it was visited
  Kokkos::View<std::uint32_t, Memory> left;    ///< items that were not visited yet
  std::uint32_t items;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const worker = static_cast<std::uint32_t>(team.league_rank());
    std::uint64_t polls = 0;
    while (taper::relaxed_load(left()) > 0 && polls < max_polls) {
      std::uint32_t const item = queue.take(worker, polls);
      if (item == nothing) {
        ++polls;
        taper::pause(200);
        continue;
      }
      polls = 0;
      visit(item);
      for (std::uint32_t child = 2 * item + 1; child <= 2 * item + 2 && child < items; ++child) {
        if (!queue.put(worker, child)) {
          visit_below(child);
        }
      }
    }
  }

 private:
  static constexpr std::uint64_t max_polls = 20'000'000;

  KOKKOS_FUNCTION void visit(std::uint32_t item) const {
    Kokkos::atomic_add(&taken(item), 1u);
    Kokkos::atomic_sub(&left(), 1u);
  }
  /// Visits an item that the queue has refused, and all items below it.
  KOKKOS_FUNCTION void visit_below(std::uint32_t top) const {
    std::uint32_t first = top;
    for (std::uint32_t last = top; first < items; first = 2 * first + 1, last = 2 * last + 2) {
      for (std::uint32_t i = first; i <= last && i < items; ++i) {
        visit(i);
      }
    }
  }
};

/// Each worker puts an item and takes one, many times. The queue has few items, so that the workers
/// meet at its ends. What is left in the end, one worker takes.
template <class Space>
struct PutAndTake {
  using Memory = typename Space::memory_space;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  static constexpr std::uint32_t rounds = 1'000'000;

  taper::MpmcQueues<Memory> queues;
  Kokkos::View<std::uint32_t*, Memory>
      in_queue;  ///< per item: how often it was put, less how often taken

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint32_t const first = static_cast<std::uint32_t>(team.league_rank()) * rounds;
    for (std::uint32_t item = first; item < first + rounds; ++item) {
      Kokkos::atomic_add(&in_queue(item), 1u);
      if (!queues.put(0, item)) {
        Kokkos::atomic_sub(&in_queue(item), 1u);
      }
      take_one();
    }
  }
  KOKKOS_FUNCTION bool take_one() const {
    std::uint32_t const item = queues.take(0);
    if (item != nothing) {
      Kokkos::atomic_sub(&in_queue(item), 1u);
    }
    return item != nothing;
  }
};

template <class Space>
struct TakeTheRest {
  PutAndTake<Space> steps;
  KOKKOS_FUNCTION void operator()(int) const {
    while (steps.take_one()) {
    }
  }
};

template <class Queue>
struct PutRoot {
  Queue queue;
  KOKKOS_FUNCTION void operator()(int) const { queue.put(0, 0); }
};

/// Runs a sequence of calls on one worker and records their results.
template <class Memory, class Steps>
struct Sequence {
  Steps steps;
  Kokkos::View<std::uint32_t*, Memory> answers;
  KOKKOS_FUNCTION void operator()(int) const { steps(answers); }
};

/// In three rounds, puts five items into a queue for four, and takes five times.
template <class Memory>
struct QueueSteps {
  taper::MpmcQueues<Memory> queues;
  std::uint32_t queue;
  template <class Answers>
  KOKKOS_FUNCTION void operator()(Answers const& answer) const {
    std::uint32_t i = 0;
    answer(i++) = queues.take(queue);
    for (std::uint32_t round = 0; round < 3; ++round) {
      for (std::uint32_t item = 1; item <= 5; ++item) {
        answer(i++) = queues.put(queue, 10 * round + item) ? 1 : 0;
      }
      for (std::uint32_t item = 1; item <= 5; ++item) {
        answer(i++) = queues.take(queue);
      }
    }
  }
};

/// Fills and empties deque 1 from both ends; deque 0 stays empty.
template <class Memory>
struct DequeSteps {
  taper::DeviceDeques<Memory> deques;
  template <class Answers>
  KOKKOS_FUNCTION void operator()(Answers const& answer) const {
    std::uint32_t i = 0;
    answer(i++) = deques.take(1);
    for (std::uint32_t item = 1; item <= 5; ++item) {
      answer(i++) = deques.put(1, item) ? 1 : 0;
    }
    answer(i++) = deques.steal(1);
    answer(i++) = deques.steal(0);
    answer(i++) = deques.put(1, 6) ? 1 : 0;
    for (int taken = 0; taken < 5; ++taken) {
      answer(i++) = deques.take(1);
    }
    answer(i++) = deques.put(1, 7) ? 1 : 0;
    answer(i++) = deques.steal(1);
    answer(i++) = deques.steal(1);
    answer(i++) = deques.take(1);
  }
};

template <class Space>
struct WorkQueues : ::testing::Test {
  using Memory = typename Space::memory_space;
  Space space;

  /// Workers that all run at the same time.
  std::uint64_t workers() const { return taper::is_gpu<Space> ? 64 : taper::concurrency(space); }

  template <class Queue>
  void expect_each_taken_once(Queue const& queue) {
    std::uint32_t const items = 20'000;
    Kokkos::View<std::uint32_t*, Memory> const taken("test::taken", items);
    Kokkos::View<std::uint32_t, Memory> const left("test::left");
    Kokkos::deep_copy(space, left, items);
    Kokkos::parallel_for("test::root", Kokkos::RangePolicy<Space>(space, 0, 1),
                         PutRoot<Queue>{queue});
    Kokkos::parallel_for("test::grow",
                         Kokkos::TeamPolicy<Space>(space, static_cast<int>(workers()), 1, 1),
                         GrowTree<Space, Queue>{queue, taken, left, items});
    space.fence("test: end of the tree");
    auto const counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, taken);
    EXPECT_EQ(std::count(counts.data(), counts.data() + items, 1u), items);
  }

  template <class Steps>
  std::vector<std::uint32_t> answers_of(Steps const& steps, std::size_t count) {
    Kokkos::View<std::uint32_t*, Memory> const answers("test::answers", count);
    Kokkos::parallel_for("test::sequence", Kokkos::RangePolicy<Space>(space, 0, 1),
                         Sequence<Memory, Steps>{steps, answers});
    space.fence("test: end of the sequence");
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, answers);
    return {host.data(), host.data() + count};
  }
};
TYPED_TEST_SUITE(WorkQueues, oracle::Backends, oracle::BackendNames);

TYPED_TEST(WorkQueues, MpmcQueuesAreFirstInFirstOutAndBounded) {
  using Space = typename TypeParam::memory_space;
  std::vector<std::uint32_t> expected{nothing};
  for (std::uint32_t round = 0; round < 3; ++round) {
    expected.insert(expected.end(), {1, 1, 1, 1, 0});
    for (std::uint32_t item = 1; item <= 4; ++item) {
      expected.push_back(10 * round + item);
    }
    expected.push_back(nothing);
  }
  taper::MpmcQueues<Space> const queues(this->space, "test::queues", 3, 4);
  EXPECT_EQ(queues.count(), 3u);
  EXPECT_EQ(queues.capacity(), 4u);
  for (std::uint32_t queue = 0; queue < 3; ++queue) {  // none sees the items of another
    EXPECT_EQ(this->answers_of(QueueSteps<Space>{queues, queue}, expected.size()), expected);
  }
}

TYPED_TEST(WorkQueues, MpmcQueueGivesEachItemToOneOfTheWorkersThatMeet) {
  using Steps = PutAndTake<TypeParam>;
  auto const workers = static_cast<std::uint32_t>(std::min<std::uint64_t>(this->workers(), 16));
  std::uint32_t const items = workers * Steps::rounds;
  Kokkos::View<std::uint32_t*, typename Steps::Memory> const in_queue("test::in_queue", items);
  Steps const steps{{this->space, "test::queue", 1, 2 * workers}, in_queue};
  Kokkos::parallel_for("test::put_and_take",
                       Kokkos::TeamPolicy<TypeParam>(this->space, static_cast<int>(workers), 1, 1),
                       steps);
  Kokkos::parallel_for("test::take_the_rest", Kokkos::RangePolicy<TypeParam>(this->space, 0, 1),
                       TakeTheRest<TypeParam>{steps});
  auto const counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, steps.in_queue);
  EXPECT_EQ(std::count(counts.data(), counts.data() + items, 0u), items);
}

TYPED_TEST(WorkQueues, DequeOwnerTakesTheNewestAndThievesStealTheOldest) {
  using Space = typename TypeParam::memory_space;
  std::vector<std::uint32_t> const expected{nothing, 1, 1, 1, 1,       0, 1, nothing, 1,
                                            6,       4, 3, 2, nothing, 1, 7, nothing, nothing};
  taper::DeviceDeques<Space> const deques(this->space, "test::deques", 2, 4);
  EXPECT_EQ(this->answers_of(DequeSteps<Space>{deques}, expected.size()), expected);
}

TYPED_TEST(WorkQueues, EveryItemIsTakenOnce) {
  using Space = typename TypeParam::memory_space;
  std::uint64_t const workers = this->workers();
  for (std::uint64_t const room : {1u, 2u, 16u, 1024u}) {
    this->expect_each_taken_once(
        taper::StealingDeques<Space>(this->space, "test::steal", workers, room));
    for (std::uint64_t const items : {1u, 64u, 4096u}) {
      this->expect_each_taken_once(
          taper::SharedQueue<Space>(this->space, "test::queue", workers, room, items));
    }
    this->expect_each_taken_once(
        taper::SharedQueue<Space>(this->space, "test::quota", workers, room, 64, workers));
    // A worklist for this many workers has several queues. The few that run put into different ones.
    this->expect_each_taken_once(
        taper::SharedQueue<Space>(this->space, "test::queues", workers + 256, room, 512));
  }
}

}  // namespace
