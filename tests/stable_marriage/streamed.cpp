// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/solve_streamed.hpp>
#include <tools/probe.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;
using Id = std::uint16_t;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class Memory>
using Lists = sm::Table<Id, Memory>;
template <class Memory>
using InstanceIn = sm::Instance<sm::ConstTable<Id, Memory>>;

template <class Memory>
InstanceIn<Memory> copy(Lists<Kokkos::HostSpace> const& from_men,
                        Lists<Kokkos::HostSpace> const& from_women) {
  Lists<Memory> const men("test::men", from_men.extent(0), from_men.extent(1));
  Lists<Memory> const women("test::women", from_women.extent(0), from_women.extent(1));
  Kokkos::deep_copy(men, from_men);
  Kokkos::deep_copy(women, from_women);
  return {men, women};
}

/// The same instance in pageable, in page-locked, and in device memory.
template <class Space>
struct Copies {
  InstanceIn<Kokkos::HostSpace> pageable;
  InstanceIn<Kokkos::SharedHostPinnedSpace> pinned;
  InstanceIn<typename Space::memory_space> device;
};

template <class Space>
Copies<Space> generate(sm::Workload const& workload) {
  Lists<Kokkos::HostSpace> const men("test::men", workload.n, workload.n);
  Lists<Kokkos::HostSpace> const women("test::women", workload.n, workload.n);
  sm::generate(Host{}, workload, men, women);
  return {{men, women},
          copy<Kokkos::SharedHostPinnedSpace>(men, women),
          copy<typename Space::memory_space>(men, women)};
}

template <class Space>
struct StreamedSolve : ::testing::Test {
  using Memory = typename Space::memory_space;
  using Duo = taper::Duo<Space, Host>;
  Space space;
  Duo duo{space, {}};

  /// `count` streams of the GPU. On a host: the same execution space instance `count` times.
  std::vector<Space> streams(std::size_t count) const {
    if constexpr (taper::is_gpu<Space>) {
      return Kokkos::Experimental::partition_space(space, std::vector<int>(count, 1));
    } else {
      return std::vector<Space>(count, space);
    }
  }

  template <class Instance>
  oracle::Matching streamed(Instance const& instance, sm::Options const& options,
                            std::size_t stream_count, std::uint64_t block_bytes,
                            sm::StreamedWorkspace<Id, Memory>& workspace, sm::Report& report) {
    Kokkos::View<Id*, Kokkos::HostSpace> const partner_of("test::partner_of", instance.size());
    report = sm::solve(sm::Streamed<Duo>{duo, streams(stream_count), block_bytes}, instance,
                       partner_of, options, workspace);
    return oracle::to_matching(partner_of);
  }

  oracle::Matching ordinary(InstanceIn<Memory> const& instance, sm::Options const& options,
                            sm::Report& report) {
    Kokkos::View<Id*, Memory> const partner_of("test::partner_of", instance.size());
    report = sm::solve(duo, instance, partner_of, options);
    return oracle::to_matching(partner_of);
  }
};

TYPED_TEST_SUITE(StreamedSolve, oracle::Backends, oracle::BackendNames);

/// Blocks of one row, of numbers of rows that do not divide n, and of all rows; one to three
/// streams. The workspace has the tables of earlier calls.
TYPED_TEST(StreamedSolve, GivesTheOrdinaryMatching) {
  sm::StreamedWorkspace<Id, typename TestFixture::Memory> workspace;
  for (auto const family : {sm::Family::perfect, sm::Family::solo, sm::Family::congested,
                            sm::Family::random, sm::Family::uniform, sm::Family::correlated}) {
    for (std::size_t const n : {std::size_t{5}, std::size_t{64}, std::size_t{331}}) {
      auto const copies = generate<TypeParam>({.family = family, .n = n, .seed = n});
      for (sm::Options options :
           {sm::Options{}, sm::Options{.tiers = false},
            sm::Options{.proposer = sm::Proposer::women},
            sm::Options{.schedule = sm::Schedule::bamboo},
            sm::Options{.schedule = sm::Schedule::parallel},
            sm::Options{sm::Algorithm::mcvitie_wilson, sm::Contention::compare_exchange,
                        sm::Schedule::parallel, sm::Proposer::women}}) {
        options.count = true;
        sm::Report before;
        auto const expected = this->ordinary(copies.device, options, before);
        std::size_t cases = 0;
        for (std::uint64_t const block : {std::uint64_t{1}, 2 * n * 7, 2 * n * 100, 2 * n * n}) {
          auto const expect_same = [&](auto const& instance, std::string const& memory) {
            sm::Report report;
            EXPECT_EQ(this->streamed(instance, options, 1 + cases++ % 3, block, workspace, report),
                      expected)
                << to_string(family) << ", n = " << n << ", " << memory << ", blocks of " << block;
            EXPECT_EQ(report.proposals, before.proposals);
            EXPECT_EQ(report.perfect, before.perfect);
            EXPECT_EQ(report.tiers, before.tiers);
            EXPECT_EQ(report.acceptances + report.rejections, report.proposals);
            EXPECT_EQ(report.copied_bytes, report.perfect ? 0 : (2 * n * n + n) * sizeof(Id));
          };
          expect_same(copies.pageable, "pageable");
          expect_same(copies.pinned, "pinned");
        }
      }
    }
  }
}

TEST(Streamed, BlocksHaveAMultipleOfEightRowsOrFewerThanEight) {
  EXPECT_EQ(sm::detail::rows_per_block(1, 10), 1u);
  EXPECT_EQ(sm::detail::rows_per_block(79, 10), 7u);
  EXPECT_EQ(sm::detail::rows_per_block(159, 10), 8u);
  EXPECT_EQ(sm::detail::rows_per_block(169, 10), 16u);
}

/// The copy is a part of the initialisation, and the whole call is a region.
TYPED_TEST(StreamedSolve, PhasesAreRegionsInOrder) {
  auto const copies = generate<TypeParam>({.family = sm::Family::congested, .n = 50});
  sm::StreamedWorkspace<Id, typename TestFixture::Memory> workspace;
  oracle::Probe probe;
  sm::Report report;
  this->streamed(copies.pageable, {}, 2, 1000, workspace, report);
  ASSERT_GE(probe.regions.size(), 5u);
  EXPECT_EQ((std::vector<std::string>{probe.regions.begin(), probe.regions.begin() + 5}),
            (std::vector<std::string>{
                "taper::stable_marriage::streamed", "taper::stable_marriage::precheck",
                "taper::stable_marriage::initialisation", "taper::stable_marriage::copy",
                "taper::stable_marriage::execution"}));
}

TYPED_TEST(StreamedSolve, RejectsInvalidArguments) {
  auto const message_of = [](auto const& function) -> std::string {
    try {
      function();
    } catch (taper::Error const& error) {
      return error.what();
    }
    return "no taper::Error was thrown";
  };
  auto const copies = generate<TypeParam>({.family = sm::Family::congested, .n = 4});
  Kokkos::View<Id*, Kokkos::HostSpace> const three("test::three", 3);
  Kokkos::View<Id*, Kokkos::HostSpace> const four("test::four", 4);
  using Streamed = sm::Streamed<typename TestFixture::Duo>;
  EXPECT_EQ(message_of([&] {
              sm::solve(Streamed{this->duo, this->streams(2)}, copies.pageable, three);
            }),
            "taper::stable_marriage::solve: partner_of has 3 entries, the instance has 4 men");
  EXPECT_EQ(message_of([&] {
              sm::solve(Streamed{this->duo, {}}, copies.pageable, four);
            }),
            "taper::stable_marriage::solve: a streamed run needs at least one stream, got 0");
}

}  // namespace
