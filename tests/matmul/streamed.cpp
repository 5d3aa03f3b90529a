// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/deferred.hpp>
#include <support/products.hpp>
#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/matmul/device.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace {

namespace mm = taper::matmul;
using taper::testing::Order;
using taper::testing::TestMatrix;

template <class Exec>
std::vector<Exec> instances(std::size_t count) {
  if constexpr (taper::is_gpu<Exec>) {
    return Kokkos::Experimental::partition_space(Exec{}, std::vector<int>(count, 1));
  } else {
    return std::vector<Exec>(count);  // partitions of a host would need at least one thread each
  }
}

/// A product of small integers, which no order of summation rounds.
template <class T>
struct Problem {
  TestMatrix<T> a;
  TestMatrix<T> b;
  TestMatrix<T> c;
  T alpha;
  T beta;
  std::vector<T> expected;

  Problem(std::size_t m, std::size_t n, std::size_t k, T alpha_, T beta_, std::mt19937_64& random,
          Order a_order = {}, Order b_order = {}, Order c_order = {})
      : a(m, k, a_order), b(k, n, b_order), c(m, n, c_order), alpha(alpha_), beta(beta_) {
    auto const some = [&](std::size_t, std::size_t) { return static_cast<T>(random() % 9) - T(4); };
    auto const nan = [](std::size_t, std::size_t) { return std::numeric_limits<T>::quiet_NaN(); };
    a.fill(some);
    b.fill(some);
    c.fill(some);
    expected = taper::testing::product_by_definition(alpha, a, b, beta, c);
    if (beta == 0) {
      c.fill(nan);
    }
    if (alpha == 0) {
      a.fill(nan);
      b.fill(nan);
    }
  }

  template <class Exec, class HostCopier>
  mm::Report run(std::vector<Exec> const& where, HostCopier const& host_copier,
                 mm::Options const& options = {}) const {
    return mm::device::stream_over(std::span<Exec const>(where), host_copier, alpha,
                                   mm::matrix_of(a.const_view()), mm::matrix_of(b.const_view()),
                                   beta, mm::matrix_of(c.view()), options);
  }

  std::size_t wrong() const {
    std::size_t count = c.gaps_are_untouched() ? 0 : 1;
    for (std::size_t i = 0; i < c.rows(); ++i) {
      for (std::size_t j = 0; j < c.columns(); ++j) {
        count += c(i, j) == expected[i * c.columns() + j] ? 0u : 1u;
      }
    }
    return count;
  }
};

template <class Exec>
struct Streamed : ::testing::Test {};
TYPED_TEST_SUITE(Streamed, taper::testing::Backends, taper::testing::BackendNames);

template <class T, class Exec, class HostCopier>
void random_products(std::vector<Exec> const& where, HostCopier const& host_copier,
                     std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::size_t const extents[] = {0, 1, 2, 5, 8, 13, 31, 32, 33, 64, 70};
  auto const orders = taper::testing::orders();
  auto const pick = [&](auto const& from) { return from[random() % std::size(from)]; };
  for (int repeat = 0; repeat < 150; ++repeat) {
    Problem<T> const problem(pick(extents), pick(extents), pick(extents),
                             static_cast<T>(random() % 3), static_cast<T>(random() % 3) - T(1),
                             random, pick(orders), pick(orders), pick(orders));
    mm::Options options;
    options.streamed_engine =
        random() % 2 == 0 ? mm::TileEngine::register_blocked : mm::TileEngine::team_tiled;
    if (random() % 2 == 0) {
      options.stream_memory_bytes = 8192 << random() % 4;
    } else {
      options.stream_tile = 1 + static_cast<std::int64_t>(random() % 80);
    }
    std::size_t const count = 1 + random() % where.size();
    std::vector<Exec> const some(where.begin(), where.begin() + static_cast<std::ptrdiff_t>(count));
    mm::Report const report = problem.run(some, host_copier, options);
    EXPECT_EQ(report.engine, mm::Engine::streamed);
    EXPECT_EQ(problem.wrong(), 0u)
        << problem.c.rows() << " x " << problem.c.columns() << " x " << problem.a.columns()
        << ", alpha " << problem.alpha << ", beta " << problem.beta << ", " << count
        << " instances, tile " << options.stream_tile.value_or(0) << ", memory "
        << options.stream_memory_bytes << ", repeat " << repeat;
    if (options.stream_memory_bytes > 0) {
      EXPECT_LE(report.streaming.device_bytes,
                static_cast<std::uint64_t>(options.stream_memory_bytes));
    }
  }
}

TYPED_TEST(Streamed, ComputesTheProduct) {
  auto const where = instances<TypeParam>(6);
  random_products<float>(where, mm::device::CallingThread{}, 1);
  random_products<double>(where, Kokkos::DefaultHostExecutionSpace{}, 2);
}

/// Tests Problem::wrong() with a wrong entry and with a changed gap.
TYPED_TEST(Streamed, TheOracleFindsWrongProducts) {
  std::mt19937_64 random(3);
  Problem<float> const problem(20, 30, 40, 1, 0, random, {}, {}, {false, 1, 2});
  problem.run(instances<TypeParam>(3), mm::device::CallingThread{});
  ASSERT_EQ(problem.wrong(), 0u);
  problem.c(19, 29) += 1;
  EXPECT_EQ(problem.wrong(), 1u);
  (&problem.c(3, 4))[1] = 0;
  EXPECT_EQ(problem.wrong(), 2u);
}

/// The number of copied blocks, with memory for 36, 6 and 4 blocks of A and B.
/// 36: all blocks fit, and each is copied once.
/// 6: a row of A's blocks fits, and as many blocks of B. So A's blocks are copied once, and each
/// tile needs a column of B's blocks, except for the first tile of a row.
/// 4: more copies.
TYPED_TEST(Streamed, BytesAreCounted) {
  auto const where = instances<TypeParam>(4);
  std::uint64_t const size = 96;
  std::uint64_t const matrix_bytes = size * size * sizeof(float);
  std::uint64_t const block_bytes = 16 * 32 * sizeof(float);
  std::uint64_t const tile_slots_bytes = 4 * 16 * 16 * sizeof(float);
  struct Memory {
    std::uint64_t blocks;
    std::uint64_t least;
    std::uint64_t most;
  };
  Memory const memories[] = {{36, 36, 36}, {6, 111, 111}, {4, 112, 215}};
  for (auto const& [blocks, least, most] : memories) {
    for (float const beta : {0.0f, 2.0f}) {
      std::mt19937_64 random(4);
      Problem<float> const problem(size, size, size, 1, beta, random);
      mm::Options options{.stream_tile = 16};
      options.stream_memory_bytes =
          static_cast<std::int64_t>(tile_slots_bytes + blocks * block_bytes);
      auto const s = problem.run(where, mm::device::CallingThread{}, options).streaming;
      EXPECT_EQ(s.streams, 4u);
      EXPECT_EQ(s.tiles, 36u);
      EXPECT_EQ(s.tile_rows, 16u);
      EXPECT_EQ(s.tile_columns, 16u);
      EXPECT_EQ(s.device_bytes, static_cast<std::uint64_t>(options.stream_memory_bytes));
      std::uint64_t const c_bytes = beta == 0 ? 0 : matrix_bytes;
      EXPECT_GE(s.bytes_to_device, least * block_bytes + c_bytes);
      EXPECT_LE(s.bytes_to_device, most * block_bytes + c_bytes);
      EXPECT_EQ(s.bytes_to_host, matrix_bytes);
      EXPECT_EQ(problem.wrong(), 0u);
    }
  }
}

/// All times come from one clock, so no part is longer than the whole.
TYPED_TEST(Streamed, NoPartTakesLongerThanTheWhole) {
  std::mt19937_64 random(5);
  Problem<float> const problem(200, 200, 200, 1, 0, random);
  auto const s =
      problem.run(instances<TypeParam>(4), mm::device::CallingThread{}, {.stream_tile = 64})
          .streaming;
  double const slack = 1e-4;  // the resolution of events
  double const parts[] = {s.to_device_s, s.compute_s, s.to_host_s};
  for (double const part : parts) {
    EXPECT_GT(part, 0);
    EXPECT_LE(part, s.elapsed_s + slack);
  }
  EXPECT_LT(s.overlap(), 2.0 / 3 + slack);
}

/// Pinned matrices are copied without the staging ring. A matrix without contiguous rows or columns
/// needs the ring.
TYPED_TEST(Streamed, PinnedMatricesNeedNoStagingRing) {
  using Memory = Kokkos::SharedHostPinnedSpace;
  auto const where = instances<TypeParam>(4);
  std::size_t const m = 50, n = 70, k = 90;
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> const a("test::a", m, k);
  Kokkos::View<double**, Kokkos::LayoutLeft, Memory> const b("test::b", k, n);
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> const c("test::c", m, n);
  std::mt19937_64 random(6);
  Problem<double> const problem(m, n, k, 1, 0, random);
  for (std::size_t l = 0; l < k; ++l) {
    for (std::size_t i = 0; i < m; ++i) {
      a(i, l) = problem.a(i, l);
    }
    for (std::size_t j = 0; j < n; ++j) {
      b(l, j) = problem.b(l, j);
    }
  }
  auto const run = [&](auto const& left, auto const& right, auto const& out) {
    return mm::device::stream_over(std::span<TypeParam const>(where), mm::device::CallingThread{},
                                   1.0, mm::Matrix<double const>(mm::matrix_of(left)),
                                   mm::Matrix<double const>(mm::matrix_of(right)), 0.0,
                                   mm::matrix_of(out), {.stream_tile = 32});
  };
  mm::Report const pinned = run(a, b, c);
  EXPECT_EQ(pinned.scratch_bytes, pinned.streaming.device_bytes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      wrong += c(i, j) == problem.expected[i * n + j] ? 0u : 1u;
    }
  }
  EXPECT_EQ(wrong, 0u);

  Problem<double> const scattered(m, n, k, 1, 0, random, {false, 1, 2});
  mm::Report const report = scattered.run(where, mm::device::CallingThread{});
  EXPECT_GT(report.scratch_bytes, report.streaming.device_bytes);
  EXPECT_EQ(scattered.wrong(), 0u);
}

/// stream() partitions the device instance of a Duo, and the Duo's host copies.
TYPED_TEST(Streamed, StreamPartitionsTheInstanceOfThePlace) {
  std::mt19937_64 random(7);
  Problem<double> const problem(65, 43, 77, 2, -1, random);
  mm::Options options{.engine = mm::Engine::streamed, .stream_tile = 16};
  options.streams = taper::is_gpu<TypeParam> ? 4 : 1;
  auto const a = mm::matrix_of(problem.a.const_view());
  auto const b = mm::matrix_of(problem.b.const_view());
  auto const c = mm::matrix_of(problem.c.view());
  taper::Duo const duo{TypeParam{}, Kokkos::DefaultHostExecutionSpace{}};
  mm::Report const report = mm::device::stream(duo, 2.0, a, b, -1.0, c, options);
  EXPECT_EQ(report.streaming.streams, static_cast<std::uint64_t>(options.streams));
  EXPECT_EQ(problem.wrong(), 0u);

  options.engine = mm::Engine::team_tiled;
  EXPECT_THROW(mm::device::stream(duo, 2.0, a, b, -1.0, c, options), taper::Error);
  options.engine = mm::Engine::packed;
  EXPECT_THROW(mm::device::stream(duo, 2.0, a, b, -1.0, c, options), taper::Error);
  options.engine = mm::Engine::streamed;
  options.streamed_engine = mm::TileEngine::automatic;
  options.stream_memory_bytes = 100;
  EXPECT_THROW(mm::device::stream(duo, 2.0, a, b, -1.0, c, options), taper::Error);
}

/// Slots and buffers are reused only when their contents are no longer needed, whatever order of
/// the work a device chooses.
TEST(StreamedInAnyOrder, ComputesTheProduct) {
  using taper::testing::Deferred;
  std::mt19937_64 random(8);
  auto const orders = taper::testing::orders();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::size_t const count = 1 + random() % 5;
    taper::testing::DeferredWork::instance().start(seed, count);
    std::vector<Deferred> where;
    for (std::size_t queue = 0; queue < count; ++queue) {
      where.push_back({queue});
    }
    auto const order = [&] { return orders[random() % orders.size()]; };
    Problem<float> const problem(20 + random() % 30, 20 + random() % 30, 20 + random() % 30, 1,
                                 seed % 3 == 0 ? 2.0f : 0.0f, random, order(), order(), order());
    mm::Options options{.stream_tile = 6};
    options.stream_memory_bytes = 12 * 1024;
    mm::Report const report = problem.run(where, mm::device::CallingThread{}, options);
    EXPECT_EQ(problem.wrong(), 0u) << "seed " << seed << ", " << count << " instances";
    EXPECT_LE(report.streaming.to_device_s, report.streaming.elapsed_s);
  }
}

TEST(StreamPlan, KeepsAllBlocksOnTheDeviceIfTheyFit) {
  std::uint64_t const gib = std::uint64_t{1} << 30;
  auto const paper = mm::device::plan_stream<float>(16384, 16384, 16384, 70 * gib, 2, {});
  EXPECT_EQ(paper.tile_rows, 2048);
  EXPECT_EQ(paper.block_slots, paper.blocks());
  auto const out_of_core = mm::device::plan_stream<float>(131072, 131072, 131072, 70 * gib, 2, {});
  EXPECT_EQ(out_of_core.tile_rows, 8192);
  EXPECT_LT(out_of_core.block_slots, out_of_core.blocks());
  EXPECT_GT(out_of_core.block_slots, out_of_core.blocks() / 4);
  EXPECT_EQ(mm::device::plan_stream<float>(100, 7, 3, gib, 2, {}).tiles(), 1);
  EXPECT_EQ(mm::device::plan_stream<double>(100, 100, 100, gib, 2, 30).tiles(), 16);
}

TEST(StreamPlan, StaysWithinTheMemoryLimit) {
  for (std::uint64_t bytes = 1 << 22; bytes >= 8192; bytes /= 2) {
    for (std::int64_t const m : {1, 100, 5000}) {
      for (std::int64_t const k : {0, 1, 77, 4000}) {
        auto const plan = mm::device::plan_stream<double>(m, 333, k, bytes, 2, {});
        EXPECT_LE(static_cast<std::uint64_t>(plan.entries()) * sizeof(double), bytes);
        EXPECT_TRUE(plan.fits());
        EXPECT_GE(plan.tiles_down * plan.tile_rows, m);
        EXPECT_GE(plan.tiles_across * plan.tile_columns, 333);
        EXPECT_GE(plan.slabs * plan.depth, k);
      }
    }
  }
  try {
    mm::device::plan_stream<double>(1000, 1000, 1000, 100'000, 2, 512);
    FAIL() << "tiles of 512 x 512 fit into 100,000 bytes";
  } catch (taper::Error const& error) {
    EXPECT_NE(std::string(error.what()).find("100000 bytes"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("512 x 512"), std::string::npos) << error.what();
  }
}

TEST(Timeline, OverlappingIntervalsCountOnce) {
  using mm::device::length_of_union;
  EXPECT_EQ(length_of_union({}), 0);
  EXPECT_EQ(length_of_union({{1, 3}}), 2);
  EXPECT_EQ(length_of_union({{5, 6}, {1, 3}}), 3);            // disjoint, in any order
  EXPECT_EQ(length_of_union({{1, 3}, {3, 4}}), 3);            // one after the other
  EXPECT_EQ(length_of_union({{1, 4}, {2, 6}}), 5);            // overlapping
  EXPECT_EQ(length_of_union({{0, 10}, {2, 3}, {4, 5}}), 10);  // one within the other
  EXPECT_EQ(length_of_union({{2, 2}}), 0);
}

}  // namespace
