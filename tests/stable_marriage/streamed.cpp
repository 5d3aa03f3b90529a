// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <support/generated.hpp>
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
using oracle::message_of;
using Id = std::uint16_t;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class Memory>
using InstanceIn = sm::Instance<sm::ConstTable<Id, Memory>>;

template <class Memory>
InstanceIn<Memory> copy(InstanceIn<Kokkos::HostSpace> const& from) {
  sm::Table<Id, Memory> const men("test::men", from.size(), from.size());
  sm::Table<Id, Memory> const women("test::women", from.size(), from.size());
  Kokkos::deep_copy(men, from.men);
  Kokkos::deep_copy(women, from.women);
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
  auto const here = oracle::generated_instance(Host{}, workload);
  return {here, copy<Kokkos::SharedHostPinnedSpace>(here),
          copy<typename Space::memory_space>(here)};
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
};

TYPED_TEST_SUITE(StreamedSolve, oracle::Backends, oracle::BackendNames);

/// Blocks of one row, of numbers of rows that do not divide n, and of all rows; one to three
/// streams. The workspace has the tables of earlier calls.
TYPED_TEST(StreamedSolve, GivesTheOrdinaryMatching) {
  sm::StreamedWorkspace<Id, typename TestFixture::Memory> workspace;
  for (auto const family : oracle::all_families) {
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
        auto const ordinary = oracle::answer_of(this->duo, copies.device, options);
        std::size_t cases = 0;
        for (std::uint64_t const block : {std::uint64_t{1}, 2 * n * 7, 2 * n * 100, 2 * n * n}) {
          auto const expect_same = [&](auto const& instance, std::string const& memory) {
            sm::Report report;
            EXPECT_EQ(this->streamed(instance, options, 1 + cases++ % 3, block, workspace, report),
                      ordinary.partner_of)
                << to_string(family) << ", n = " << n << ", " << memory << ", blocks of " << block;
            EXPECT_EQ(report.proposals, ordinary.report.proposals);
            EXPECT_EQ(report.perfect, ordinary.report.perfect);
            EXPECT_EQ(report.tiers, ordinary.report.tiers);
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
