// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/backend.hpp>
#include <taper/vertex_cover/component_search/index_pool.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

namespace component_search = taper::vertex_cover::component_search;
namespace oracle = taper::testing;
using taper::nothing;

/// Every worker acquires and releases indices. No index may have two holders at a time.
template <class Space>
struct AcquireAndRelease {
  using Memory = typename Space::memory_space;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  component_search::IndexPool<Memory> pool;
  Kokkos::View<std::uint32_t*, Memory> holder;
  Kokkos::View<std::uint32_t*, Memory> record;
  Kokkos::View<std::uint32_t, Memory> faults;
  std::uint32_t rounds;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const worker = static_cast<std::uint32_t>(team.league_rank());
    std::uint32_t held[4];
    std::uint32_t count = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      bool const acquires = count == 0 || (count < 4 && (round * 7 + worker) % 3 != 0);
      if (acquires) {
        std::uint32_t const index = pool.acquire(worker);
        if (index != nothing) {
          // The record is as its last holder left it: twice 0, or twice the holder's number.
          fault_if(Kokkos::atomic_exchange(&holder(index), worker + 1) != 0);
          fault_if(record(2 * index) != record(2 * index + 1));
          record(2 * index) = record(2 * index + 1) = worker + 1;
          held[count++] = index;
        }
      } else {
        std::uint32_t const index = held[--count];
        fault_if(record(2 * index) != worker + 1 || record(2 * index + 1) != worker + 1);
        fault_if(Kokkos::atomic_exchange(&holder(index), 0u) != worker + 1);
        pool.release(worker, index);
      }
    }
    while (count > 0) {
      std::uint32_t const index = held[--count];
      Kokkos::atomic_exchange(&holder(index), 0u);
      pool.release(worker, index);
    }
  }

 private:
  KOKKOS_FUNCTION void fault_if(bool wrong) const {
    if (wrong) {
      Kokkos::atomic_add(&faults(), 1u);
    }
  }
};

/// Acquires every index that is free, as each worker in turn.
template <class Memory>
struct AcquireAll {
  component_search::IndexPool<Memory> pool;
  Kokkos::View<std::uint32_t*, Memory> times;
  std::uint32_t workers;
  KOKKOS_FUNCTION void operator()(int) const {
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      for (std::uint32_t i = pool.acquire(worker); i != nothing; i = pool.acquire(worker)) {
        ++times(i);
      }
    }
  }
};

template <class Space>
struct IndexPool : ::testing::Test {
  Space space;
};
TYPED_TEST_SUITE(IndexPool, oracle::Backends, oracle::BackendNames);

TYPED_TEST(IndexPool, HandsAnIndexToOneWorkerAtATime) {
  using Space = typename TypeParam::memory_space;
  // Workers that all run at the same time.
  std::uint64_t const workers = taper::is_gpu<TypeParam> ? 64 : taper::concurrency(this->space);
  for (std::uint64_t const capacity : {std::uint64_t{1}, 2 * workers, 100 * workers}) {
    component_search::IndexPool<Space> const pool(this->space, "test::pool", capacity, workers);
    Kokkos::View<std::uint32_t*, Space> const holder("test::holder", capacity);
    Kokkos::View<std::uint32_t*, Space> const record("test::record", 2 * capacity);
    Kokkos::View<std::uint32_t, Space> const faults("test::faults");
    Kokkos::parallel_for(
        "test::acquire_and_release",
        Kokkos::TeamPolicy<TypeParam>(this->space, static_cast<int>(workers), 1, 1),
        AcquireAndRelease<TypeParam>{pool, holder, record, faults, 20'000});
    this->space.fence("test: release of all indices");
    auto const wrong = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, faults);
    EXPECT_EQ(wrong(), 0u);
    EXPECT_LE(pool.used(this->space), capacity);
    // Each worker can acquire the indices that it has cached; together they get all.
    Kokkos::View<std::uint32_t*, Space> const times("test::times", capacity);
    Kokkos::parallel_for("test::acquire_all", Kokkos::RangePolicy<TypeParam>(this->space, 0, 1),
                         AcquireAll<Space>{pool, times, static_cast<std::uint32_t>(workers)});
    this->space.fence("test: end of the acquisitions");
    auto const counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, times);
    EXPECT_EQ(std::count(counts.data(), counts.data() + capacity, 1u),
              static_cast<std::ptrdiff_t>(capacity));
  }
}

/// Of 8 indices 3 are available at first. One worker asks for 5 of them, so the pool counts beyond
/// the third.
TYPED_TEST(IndexPool, HandsOutNewIndicesOnce) {
  using Space = typename TypeParam::memory_space;
  component_search::IndexPool<Space> pool(this->space, "test::pool", 8, 1, 3);
  Kokkos::View<std::uint32_t*, Space> const times("test::times", 8);
  auto const acquire_all = [&] {
    Kokkos::parallel_for("test::acquire_all", Kokkos::RangePolicy<TypeParam>(this->space, 0, 1),
                         AcquireAll<Space>{pool, times, 1});
    this->space.fence("test: end of the acquisitions");
    auto const counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, times);
    return std::vector<std::uint32_t>(counts.data(), counts.data() + 8);
  };
  EXPECT_EQ(acquire_all(), (std::vector<std::uint32_t>{1, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(pool.used(this->space), 3u);
  pool.make_available(this->space, 5);
  EXPECT_EQ(acquire_all(), (std::vector<std::uint32_t>{1, 1, 1, 1, 1, 0, 0, 0}));
  pool.make_available(this->space, 100);
  EXPECT_EQ(acquire_all(), (std::vector<std::uint32_t>(8, 1)));
  EXPECT_EQ(pool.used(this->space), 8u);
}

}  // namespace
