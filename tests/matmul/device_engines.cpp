// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/matmul/device.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace {

namespace mm = taper::matmul;

/// How a matrix of a test is stored.
enum class Layout {
  by_rows,
  by_columns,
  padded,           ///< rows with padding, not aligned to vectors
  aligned,          ///< rows with padding, aligned to 16 bytes
  every_third_row,  ///< of a larger matrix, and every second column
};
constexpr Layout layouts[] = {Layout::by_rows, Layout::by_columns, Layout::padded, Layout::aligned,
                              Layout::every_third_row};

/// A matrix on the device, with a margin around it that engines must not write.
template <class Exec, class T>
struct DeviceMatrix {
  static constexpr T margin = T(-77777);

  DeviceMatrix(std::int64_t rows, std::int64_t columns, Layout layout)
      : rows_(rows), columns_(columns) {
    switch (layout) {
    case Layout::by_rows:
      row_stride_ = columns;
      break;
    case Layout::by_columns:
      row_stride_ = 1;
      column_stride_ = rows;
      break;
    case Layout::padded:
      row_stride_ = columns + 3;
      break;
    case Layout::aligned:
      row_stride_ = (columns + 11) / 8 * 8;
      break;
    case Layout::every_third_row:
      row_stride_ = 3 * (2 * columns + 1);
      column_stride_ = 2;
      break;
    }
    entries_ = Kokkos::View<T*, Exec>(
        "test::entries",
        static_cast<std::size_t>(rows * row_stride_ + columns * column_stride_) + 32);
    copy_ = Kokkos::create_mirror_view(Kokkos::HostSpace{}, entries_);
    Kokkos::deep_copy(copy_, margin);
  }

  T& operator()(std::int64_t i, std::int64_t j) {
    return copy_(static_cast<std::size_t>(16 + i * row_stride_ + j * column_stride_));
  }
  mm::Matrix<T> on_device() const {
    return {entries_.data() + 16, rows_, columns_, row_stride_, column_stride_};
  }
  void send() { Kokkos::deep_copy(entries_, copy_); }
  void fetch() { Kokkos::deep_copy(copy_, entries_); }

  /// The number of entries of the margin that changed.
  std::int64_t written_outside() {
    std::vector<bool> inside(copy_.extent(0));
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        inside[static_cast<std::size_t>(16 + i * row_stride_ + j * column_stride_)] = true;
      }
    }
    std::int64_t written = 0;
    for (std::size_t at = 0; at < inside.size(); ++at) {
      written += !inside[at] && copy_(at) != margin;
    }
    return written;
  }

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t row_stride_ = 0;
  std::int64_t column_stride_ = 1;
  Kokkos::View<T*, Exec> entries_;
  typename Kokkos::View<T*, Exec>::host_mirror_type copy_;
};

struct Case {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  Layout a = Layout::by_rows;
  Layout b = Layout::by_rows;
  Layout c = Layout::by_rows;
  double alpha = 1;
  double beta = 0;
};

std::string to_string(Case const& x) {
  return std::to_string(x.m) + " x " + std::to_string(x.n) + " x " + std::to_string(x.k) +
         ", layouts " + std::to_string(static_cast<int>(x.a)) +
         std::to_string(static_cast<int>(x.b)) + std::to_string(static_cast<int>(x.c)) +
         ", alpha " + std::to_string(x.alpha) + ", beta " + std::to_string(x.beta);
}

/// A product of small integers, which no order of summation rounds, and the expected result by the
/// definition on the host.
template <class Exec, class T>
struct Problem {
  DeviceMatrix<Exec, T> a;
  DeviceMatrix<Exec, T> b;
  DeviceMatrix<Exec, T> c;
  std::vector<T> expected;
  Case shape;

  explicit Problem(Case const& x)
      : a(x.m, x.k, x.a), b(x.k, x.n, x.b), c(x.m, x.n, x.c),
        expected(static_cast<std::size_t>(x.m * x.n)), shape(x) {
    std::mt19937_64 random(static_cast<std::uint64_t>(x.m * 1000003 + x.n * 1009 + x.k));
    auto const random_entry = [&] { return static_cast<T>(static_cast<int>(random() % 9) - 4); };
    for (std::int64_t i = 0; i < x.m; ++i) {
      for (std::int64_t l = 0; l < x.k; ++l) {
        a(i, l) = random_entry();
      }
    }
    for (std::int64_t l = 0; l < x.k; ++l) {
      for (std::int64_t j = 0; j < x.n; ++j) {
        b(l, j) = random_entry();
      }
    }
    for (std::int64_t i = 0; i < x.m; ++i) {
      for (std::int64_t j = 0; j < x.n; ++j) {
        T sum = 0;
        for (std::int64_t l = 0; l < x.k; ++l) {
          sum += a(i, l) * b(l, j);
        }
        // If beta is 0, C must not be read.
        c(i, j) = x.beta == 0 ? std::numeric_limits<T>::quiet_NaN() : random_entry();
        at(i, j) =
            static_cast<T>(x.alpha) * sum + (x.beta == 0 ? T(0) : static_cast<T>(x.beta) * c(i, j));
      }
    }
    a.send();
    b.send();
    c.send();
  }

  T& at(std::int64_t i, std::int64_t j) {
    return expected[static_cast<std::size_t>(i * shape.n + j)];
  }

  /// The number of wrong entries of C, plus the number of changed entries of its margin.
  std::int64_t wrong() {
    c.fetch();
    std::int64_t count = c.written_outside();
    for (std::int64_t i = 0; i < shape.m; ++i) {
      for (std::int64_t j = 0; j < shape.n; ++j) {
        count += !(c(i, j) == at(i, j) || (std::isnan(c(i, j)) && std::isnan(at(i, j))));
      }
    }
    return count;
  }

  template <class Engine>
  void run(Exec const& where, Engine const& engine) {
    auto const x = a.on_device();
    auto const y = b.on_device();
    auto const z = c.on_device();
    auto const alpha = static_cast<T>(shape.alpha);
    auto const beta = static_cast<T>(shape.beta);
    if (z.has_contiguous_rows() || !z.has_contiguous_columns()) {
      engine(where, alpha, mm::Matrix<T const>(x), mm::Matrix<T const>(y), beta, z);
    } else {  // the front door does the same
      engine(where, alpha, mm::Matrix<T const>(y.transposed()), mm::Matrix<T const>(x.transposed()),
             beta, z.transposed());
    }
    where.fence("test: the product");
  }
};

/// Extents at, below and above the edges of blocks and slices, of hosts and of GPUs.
std::vector<Case> cases() {
  std::vector<Case> all;
  std::int64_t const extents[] = {1, 2, 3, 4, 7, 8, 9, 16, 31, 33, 64, 127, 128, 130, 256, 261};
  std::mt19937_64 random(8);
  auto const random_entry = [&] { return extents[random() % std::size(extents)]; };
  for (Layout const a : layouts) {
    for (Layout const b : layouts) {
      for (Layout const c : layouts) {
        all.push_back({random_entry(), random_entry(), random_entry(), a, b, c, 2,
                       random() % 2 == 0 ? 0.0 : -3.0});
      }
    }
  }
  for (std::int64_t const m : {0, 1, 128, 300}) {
    for (std::int64_t const n : {0, 4, 132, 256}) {
      for (std::int64_t const k : {0, 4, 8, 20, 64}) {  // multiples of a vector
        all.push_back(
            {m, n, k, Layout::by_rows, Layout::aligned, Layout::by_rows, 1, k % 8 == 0 ? 0.5 : 0});
      }
    }
  }
  return all;
}

template <class Space>
struct DeviceEngines : ::testing::Test {
  Space space;

  template <class T, class Engine>
  void expect_right(Engine const& engine) {
    for (Case const& x : cases()) {
      Problem<Space, T> problem(x);
      problem.run(space, engine);
      EXPECT_EQ(problem.wrong(), 0) << to_string(x);
    }
  }
};

TYPED_TEST_SUITE(DeviceEngines, taper::testing::Backends, taper::testing::BackendNames);

constexpr auto register_blocked = [](auto const& where, auto alpha, auto const& a, auto const& b,
                                     auto beta, auto const& c) {
  mm::device::register_blocked(where, alpha, a, b, beta, c);
};
/// The large blocks, which register_blocked() takes only for products that fill a GPU.
constexpr auto large_blocks = [](auto const& where, auto alpha, auto const& a, auto const& b,
                                 auto beta, auto const& c) {
  using Large = mm::device::LargeBlocking<std::decay_t<decltype(where)>, decltype(alpha)>;
  mm::device::multiply_by_blocking<Large>(where, alpha, a, b, beta, c);
};
constexpr auto team_tiled = [](auto const& where, auto alpha, auto const& a, auto const& b,
                               auto beta, auto const& c) {
  mm::device::team_tiled(where, alpha, a, b, beta, c);
};

TYPED_TEST(DeviceEngines, RegisterBlockedComputesTheProduct) {
  this->template expect_right<float>(register_blocked);
  this->template expect_right<double>(register_blocked);
}

TYPED_TEST(DeviceEngines, LargeBlocksComputeTheProduct) {
  if constexpr (taper::is_gpu<TypeParam>) {
    this->template expect_right<float>(large_blocks);
  } else {
    GTEST_SKIP() << "a host has one size of blocks, which another test covers";
  }
}

TYPED_TEST(DeviceEngines, TeamTiledComputesTheProduct) {
  this->template expect_right<float>(team_tiled);
  this->template expect_right<double>(team_tiled);
}

/// Tests Problem::wrong(): one engine omits the last step of a sum, one writes one row too many,
/// and one reads C although beta is 0.
TYPED_TEST(DeviceEngines, TheOracleFindsWrongProducts) {
  Case const x{.m = 9, .n = 8, .k = 5, .b = Layout::aligned};
  Problem<TypeParam, float> shorter(x);
  shorter.run(this->space, [](auto const& where, auto alpha, auto a, auto b, auto beta, auto c) {
    a.columns = b.rows = 4;
    mm::device::team_tiled(where, alpha, a, b, beta, c);
  });
  EXPECT_GT(shorter.wrong(), 0);

  Problem<TypeParam, float> higher(x);
  higher.run(this->space, [](auto const& where, auto alpha, auto a, auto b, auto beta, auto c) {
    a.rows = c.rows = 10;
    mm::device::team_tiled(where, alpha, a, b, beta, c);
  });
  EXPECT_GT(higher.wrong(), 0);

  Problem<TypeParam, float> reader(x);
  reader.run(this->space, [](auto const& where, auto alpha, auto a, auto b, auto, auto c) {
    mm::device::team_tiled(where, alpha, a, b, 1.0f, c);
  });
  EXPECT_EQ(reader.wrong(), 72);
}

/// NaN and infinity reach the entries that depend on them and no others, neither through the zeros
/// that fill a slice nor through rows that are read twice.
TYPED_TEST(DeviceEngines, NaNReachesOnlyEntriesThatDependOnIt) {
  for (auto const &engine : {+[](TypeParam const&where, float alpha, mm::Matrix<float const> a,
                                 mm::Matrix<float const> b, float beta, mm::Matrix<float> c) {
                               mm::device::register_blocked(where, alpha, a, b, beta, c);
                             },
                             +[](TypeParam const&where, float alpha, mm::Matrix<float const> a,
                                 mm::Matrix<float const> b, float beta, mm::Matrix<float> c) {
                               mm::device::team_tiled(where, alpha, a, b, beta, c);
                             }}) {
    for (Layout const layout : {Layout::by_rows, Layout::padded}) {
      Problem<TypeParam, float> problem(
          {.m = 133, .n = 136, .k = 12, .a = layout, .b = layout, .c = layout});
      problem.a(132, 11) = std::numeric_limits<float>::quiet_NaN();
      problem.a(5, 0) = std::numeric_limits<float>::infinity();
      problem.b(0, 135) = std::numeric_limits<float>::quiet_NaN();
      problem.a.send();
      problem.b.send();
      for (std::int64_t i = 0; i < 133; ++i) {
        for (std::int64_t j = 0; j < 136; ++j) {
          float sum = 0;
          for (std::int64_t l = 0; l < 12; ++l) {
            sum += problem.a(i, l) * problem.b(l, j);
          }
          problem.at(i, j) = sum;
        }
      }
      problem.run(this->space, engine);
      EXPECT_EQ(problem.wrong(), 0);
    }
  }
}

/// Tests device::multiply(), which the front door calls for matrices that a device reaches.
TYPED_TEST(DeviceEngines, OptionsChooseTheEngine) {
  using mm::Engine;
  Case const shape{.m = 20, .n = 30, .k = 40, .alpha = 2, .beta = 3};
  auto const by = [](Engine engine, mm::Report& report) {
    return [engine, &report](auto const& where, auto alpha, auto const& a, auto const& b, auto beta,
                             auto const& c) {
      report = mm::device::multiply(where, alpha, a, b, beta, c, {.engine = engine});
    };
  };
  for (Engine const engine : {Engine::automatic, Engine::register_blocked, Engine::team_tiled}) {
    Problem<TypeParam, float> problem(shape);
    mm::Report report;
    problem.run(this->space, by(engine, report));
    EXPECT_EQ(problem.wrong(), 0);
    EXPECT_EQ(report.engine, engine == Engine::automatic ? Engine::register_blocked : engine);
  }
  for (Engine const engine : {Engine::packed, Engine::streamed}) {
    Problem<TypeParam, float> problem(shape);
    mm::Report report;
    EXPECT_THROW(problem.run(this->space, by(engine, report)), taper::Error);
  }

  // If alpha is 0, A and B must not be read.
  Case scaled = shape;
  scaled.alpha = 0;
  Problem<TypeParam, float> problem(scaled);
  problem.a(3, 4) = problem.b(5, 6) = std::numeric_limits<float>::quiet_NaN();
  problem.a.send();
  problem.b.send();
  mm::Report report;
  problem.run(this->space, by(Engine::automatic, report));
  EXPECT_EQ(problem.wrong(), 0);
}

TEST(Blocking, LargeBlocksPayIfTheyFillTheProcessors) {
  using mm::device::large_blocks_pay;
  EXPECT_TRUE(large_blocks_pay(512, 1024, 132));  // 4096 x 4096
  EXPECT_TRUE(large_blocks_pay(128, 256, 132));   // 2048 x 2048
  EXPECT_FALSE(large_blocks_pay(50, 100, 132));   // one round of small ones
  EXPECT_FALSE(large_blocks_pay(133, 264, 132));  // two rounds of either
  EXPECT_FALSE(large_blocks_pay(1, 1, 132));
}

}  // namespace
