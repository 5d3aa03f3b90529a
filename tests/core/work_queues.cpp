// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/balance.hpp>
#include <taper/index_pool.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace oracle = taper::testing;
using taper::nothing;

/// Items 0 .. items-1 form a binary tree: who takes item i makes items 2i+1 and 2i+2.
template <class Space, class Balance>
struct GrowTree {
  using Memory = typename Space::memory_space;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  Balance balance;
  Kokkos::View<std::uint32_t*, Memory> taken;
  Kokkos::View<std::uint32_t, Memory> left;
  std::uint32_t items;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const worker = static_cast<std::uint32_t>(team.league_rank());
    std::uint64_t polls = 0;
    while (taper::relaxed_load(left()) > 0 && polls < most_polls) {
      std::uint32_t const item = balance.take(worker, polls);
      if (item == nothing) {
        ++polls;
        taper::pause(200);
        continue;
      }
      polls = 0;
      visit(item);
      for (std::uint32_t child = 2 * item + 1; child <= 2 * item + 2 && child < items; ++child) {
        if (!balance.put(worker, child)) {
          visit_below(child);
        }
      }
    }
  }

 private:
  static constexpr std::uint64_t most_polls = 20'000'000;

  KOKKOS_FUNCTION void visit(std::uint32_t item) const {
    Kokkos::atomic_add(&taken(item), 1u);
    Kokkos::atomic_sub(&left(), 1u);
  }
  KOKKOS_FUNCTION void visit_below(std::uint32_t top) const {
    std::uint32_t first = top;
    for (std::uint32_t last = top; first < items; first = 2 * first + 1, last = 2 * last + 2) {
      for (std::uint32_t i = first; i <= last && i < items; ++i) {
        visit(i);
      }
    }
  }
};

template <class Balance>
struct PutRoot {
  Balance balance;
  KOKKOS_FUNCTION void operator()(int) const { balance.put(0, 0); }
};

/// One worker at a time: what a put and a take answer, in order.
template <class Memory, class Do>
struct Sequence {
  Do steps;
  Kokkos::View<std::uint32_t*, Memory> answers;
  KOKKOS_FUNCTION void operator()(int) const { steps(answers); }
};

template <class Memory>
struct WorklistSteps {
  taper::Worklist<Memory> list;
  template <class Answers>
  KOKKOS_FUNCTION void operator()(Answers const& answer) const {
    std::uint32_t i = 0;
    answer(i++) = list.take();
    for (std::uint32_t round = 0; round < 3; ++round) {
      for (std::uint32_t item = 1; item <= 5; ++item) {
        answer(i++) = list.put(10 * round + item) ? 1 : 0;
      }
      for (std::uint32_t item = 1; item <= 5; ++item) {
        answer(i++) = list.take();
      }
    }
  }
};

template <class Memory>
struct DequeSteps {
  taper::WorkStealing<Memory> deques;
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

/// Every worker takes and gives back numbers; no number may be two workers' at a time.
template <class Space>
struct TakeAndGive {
  using Memory = typename Space::memory_space;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  taper::IndexPool<Memory> pool;
  Kokkos::View<std::uint32_t*, Memory> holder;
  Kokkos::View<std::uint32_t*, Memory> record;
  Kokkos::View<std::uint32_t, Memory> faults;
  std::uint32_t rounds;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const worker = static_cast<std::uint32_t>(team.league_rank());
    std::uint32_t held[4];
    std::uint32_t count = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      bool const takes = count == 0 || (count < 4 && (round * 7 + worker) % 3 != 0);
      if (takes) {
        std::uint32_t const index = pool.take(worker);
        if (index != nothing) {
          // The record is as its last holder left it: 0, or his own number, twice.
          fault_if(Kokkos::atomic_exchange(&holder(index), worker + 1) != 0);
          fault_if(record(2 * index) != record(2 * index + 1));
          record(2 * index) = record(2 * index + 1) = worker + 1;
          held[count++] = index;
        }
      } else {
        std::uint32_t const index = held[--count];
        fault_if(record(2 * index) != worker + 1 || record(2 * index + 1) != worker + 1);
        fault_if(Kokkos::atomic_exchange(&holder(index), 0u) != worker + 1);
        pool.give(worker, index);
      }
    }
    while (count > 0) {
      std::uint32_t const index = held[--count];
      Kokkos::atomic_exchange(&holder(index), 0u);
      pool.give(worker, index);
    }
  }

 private:
  KOKKOS_FUNCTION void fault_if(bool wrong) const {
    if (wrong) {
      Kokkos::atomic_add(&faults(), 1u);
    }
  }
};

template <class Memory>
struct TakeAll {
  taper::IndexPool<Memory> pool;
  Kokkos::View<std::uint32_t*, Memory> times;
  std::uint32_t workers;
  KOKKOS_FUNCTION void operator()(int) const {
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      for (std::uint32_t i = pool.take(worker); i != nothing; i = pool.take(worker)) {
        ++times(i);
      }
    }
  }
};

template <class Space>
struct Balancing : ::testing::Test {
  using Memory = typename Space::memory_space;
  Space space;

  /// As many as run at the same time; on a host one more, so that one of them comes late.
  std::uint64_t workers() const { return taper::is_gpu<Space> ? 64 : taper::concurrency(space); }

  template <class Balance>
  void expect_each_once(Balance const& balance) {
    std::uint32_t const items = 20'000;
    Kokkos::View<std::uint32_t*, Memory> const taken("test::taken", items);
    Kokkos::View<std::uint32_t, Memory> const left("test::left");
    Kokkos::deep_copy(space, left, items);
    Kokkos::parallel_for("test::root", Kokkos::RangePolicy<Space>(space, 0, 1),
                         PutRoot<Balance>{balance});
    Kokkos::parallel_for("test::grow",
                         Kokkos::TeamPolicy<Space>(space, static_cast<int>(workers()), 1, 1),
                         GrowTree<Space, Balance>{balance, taken, left, items});
    space.fence("test: all items are taken");
    auto const counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, taken);
    EXPECT_EQ(std::count(counts.data(), counts.data() + items, 1u), items);
  }

  template <class Steps>
  std::vector<std::uint32_t> answers_of(Steps const& steps, std::size_t count) {
    Kokkos::View<std::uint32_t*, Memory> const answers("test::answers", count);
    Kokkos::parallel_for("test::sequence", Kokkos::RangePolicy<Space>(space, 0, 1),
                         Sequence<Memory, Steps>{steps, answers});
    space.fence("test: the answers are there");
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, answers);
    return {host.data(), host.data() + count};
  }
};
TYPED_TEST_SUITE(Balancing, oracle::Backends, oracle::BackendNames);

TYPED_TEST(Balancing, worklist_is_first_in_first_out_and_refuses_when_full) {
  using Space = typename TypeParam::memory_space;
  std::vector<std::uint32_t> expected{nothing};
  for (std::uint32_t round = 0; round < 3; ++round) {
    expected.insert(expected.end(), {1, 1, 1, 1, 0});
    for (std::uint32_t item = 1; item <= 4; ++item) {
      expected.push_back(10 * round + item);
    }
    expected.push_back(nothing);
  }
  taper::Worklist<Space> const list(this->space, "test::list", 4);
  EXPECT_EQ(list.capacity(), 4u);
  EXPECT_EQ(this->answers_of(WorklistSteps<Space>{list}, expected.size()), expected);
}

TYPED_TEST(Balancing, deque_gives_its_owner_the_newest_and_thieves_the_oldest) {
  using Space = typename TypeParam::memory_space;
  std::vector<std::uint32_t> const expected{nothing, 1, 1, 1, 1,       0, 1, nothing, 1,
                                            6,       4, 3, 2, nothing, 1, 7, nothing, nothing};
  taper::WorkStealing<Space> const deques(this->space, "test::deques", 2, 4);
  EXPECT_EQ(this->answers_of(DequeSteps<Space>{deques}, expected.size()), expected);
}

TYPED_TEST(Balancing, each_item_is_taken_once) {
  using Space = typename TypeParam::memory_space;
  std::uint64_t const workers = this->workers();
  for (std::uint64_t const room : {1, 2, 16, 1024}) {
    this->expect_each_once(taper::Stealing<Space>(this->space, "test::steal", workers, room));
    for (std::uint64_t const list : {1, 64, 4096}) {
      this->expect_each_once(
          taper::SharedList<Space>(this->space, "test::list", workers, room, list));
    }
    this->expect_each_once(
        taper::SharedList<Space>(this->space, "test::deal", workers, room, 64, workers));
  }
}

TYPED_TEST(Balancing, pool_gives_each_number_to_one_worker_at_a_time) {
  using Space = typename TypeParam::memory_space;
  std::uint64_t const workers = this->workers();
  for (std::uint64_t const capacity : {std::uint64_t{1}, 2 * workers, 100 * workers}) {
    taper::IndexPool<Space> const pool(this->space, "test::pool", capacity, workers);
    Kokkos::View<std::uint32_t*, Space> const holder("test::holder", capacity);
    Kokkos::View<std::uint32_t*, Space> const record("test::record", 2 * capacity);
    Kokkos::View<std::uint32_t, Space> const faults("test::faults");
    Kokkos::parallel_for(
        "test::take_and_give",
        Kokkos::TeamPolicy<TypeParam>(this->space, static_cast<int>(workers), 1, 1),
        TakeAndGive<TypeParam>{pool, holder, record, faults, 20'000});
    this->space.fence("test: all have given back");
    auto const wrong = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, faults);
    EXPECT_EQ(wrong(), 0u);
    EXPECT_LE(pool.used(this->space), capacity);
    // Numbers that a worker keeps by him are his to take.
    Kokkos::View<std::uint32_t*, Space> const times("test::times", capacity);
    Kokkos::parallel_for("test::take_all", Kokkos::RangePolicy<TypeParam>(this->space, 0, 1),
                         TakeAll<Space>{pool, times, static_cast<std::uint32_t>(workers)});
    this->space.fence("test: all are taken");
    auto const counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, times);
    EXPECT_EQ(std::count(counts.data(), counts.data() + capacity, 1u),
              static_cast<std::ptrdiff_t>(capacity));
  }
}

}  // namespace
