// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;

/// Instances large enough that sweeps are made of whole runs and a rest, on every backend.
template <class Space>
struct Follow : ::testing::Test {
  static constexpr std::size_t n = taper::is_gpu<Space> ? 9'001 : 1'501;

  template <class Where>
  static oracle::Matching solve(Where const& where, sm::Workload const& workload,
                                sm::Options const& options, sm::Report* report = nullptr) {
    using Memory = typename Where::memory_space;
    sm::Table<std::uint16_t, Memory> const men("test::men", n, n);
    sm::Table<std::uint16_t, Memory> const women("test::women", n, n);
    Kokkos::View<std::uint16_t*, Memory> const partner_of("test::partner_of", n);
    sm::generate(where, workload, men, women);
    auto const got =
        sm::solve(where, sm::Instance<sm::ConstTable<std::uint16_t, Memory>>{men, women}, partner_of,
                  options);
    if (report != nullptr) {
      *report = got;
    }
    return oracle::to_matching(partner_of);
  }
};

TYPED_TEST_SUITE(Follow, oracle::Backends, oracle::BackendNames);

/// A run that tapers with so many chains left ends as one that never does, on a host's single worker.
TYPED_TEST(Follow, EndsAsStepByStep) {
  for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::random,
                            sm::Family::uniform, sm::Family::correlated}) {
    sm::Workload const workload{.family = family, .n = TestFixture::n, .seed = 5};
    sm::Report step_by_step;
    auto const expected =
        TestFixture::solve(Kokkos::DefaultHostExecutionSpace{}, workload,
                           {.schedule = sm::Schedule::sequential, .count = true}, &step_by_step);
    for (std::int64_t const live : {1, 3, 200}) {
      sm::Report report;
      EXPECT_EQ(TestFixture::solve(TypeParam{}, workload, {.taper_live = live, .count = true},
                                   &report),
                expected)
          << to_string(family) << ", taper_live " << live;
      EXPECT_EQ(report.proposals, step_by_step.proposals);
      EXPECT_LE(report.taper_step, report.proposals);
      if (family == sm::Family::solo) {  // others may be over before a worker sees the flag
        EXPECT_EQ(report.tail_side, taper::Side::device);
      }
    }
  }
}

}  // namespace
