// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;

template <class Space>
sm::Report solve_congested(Space const& space, std::size_t n, sm::Algorithm algorithm,
                           sm::Contention contention) {
  using Memory = typename Space::memory_space;
  sm::Table<std::uint16_t, Memory> const men("test::men", n, n);
  sm::Table<std::uint16_t, Memory> const women("test::women", n, n);
  Kokkos::View<std::uint16_t*, Memory> const partner_of("test::partner_of", n);
  sm::generate(space, sm::Workload{.family = sm::Family::congested, .n = n}, men, women);
  return sm::solve(space, sm::Instance<sm::ConstTable<std::uint16_t, Memory>>{men, women},
                   partner_of,
                   {.algorithm = algorithm,
                    .contention = contention,
                    .schedule = sm::Schedule::parallel,
                    .count = true});
}

template <class Space>
struct Contention : ::testing::Test {
  Space space;
};

TYPED_TEST_SUITE(Contention, taper::testing::Backends, taper::testing::BackendNames);

/// Theorem IX.3, on the real engines: however many workers contend, one atomic minimum a proposal,
/// never more, and at most n * n in all.
TYPED_TEST(Contention, FetchMinMakesOneOperationAProposal) {
  for (auto const algorithm : {sm::Algorithm::gale_shapley, sm::Algorithm::mcvitie_wilson,
                               sm::Algorithm::locality_aware}) {
    for (std::size_t const n : {std::size_t{2}, std::size_t{50}, std::size_t{400}}) {
      auto const report = solve_congested(this->space, n, algorithm, sm::Contention::fetch_min);
      EXPECT_EQ(report.proposals, n * (n + 1) / 2);
      EXPECT_EQ(report.atomic_operations, report.proposals);
      EXPECT_LE(report.atomic_operations, n * n);
      EXPECT_EQ(report.failed_compare_exchanges, 0u);
    }
  }
}

/// The real engines again: each compare-exchange either puts an offer in or was overtaken by a
/// better one.
TYPED_TEST(Contention, CompareExchangesSucceedOrWereOvertaken) {
  for (auto const algorithm : {sm::Algorithm::gale_shapley, sm::Algorithm::mcvitie_wilson,
                               sm::Algorithm::locality_aware}) {
    auto const report =
        solve_congested(this->space, 400, algorithm, sm::Contention::compare_exchange);
    EXPECT_EQ(report.atomic_operations - report.failed_compare_exchanges, report.acceptances);
    if (taper::concurrency(this->space) == 1) {
      EXPECT_EQ(report.failed_compare_exchanges, 0u) << "one worker is never overtaken";
    }
  }
}

/// The machine of the proofs: all contenders for one receiver read her standing rank in the same
/// instant, then their operations take effect one after the other, the worst proposer's first;
/// whoever failed knows what he saw and tries again in the next instant if he still can. Returns
/// the number of operations.
std::uint64_t operations_in_lockstep(std::vector<std::uint64_t> ranks, sm::Contention contention) {
  std::uint64_t const nobody = ~std::uint64_t{0};
  std::uint64_t standing = nobody;
  std::uint64_t operations = 0;
  std::sort(ranks.rbegin(), ranks.rend());
  if (contention == sm::Contention::fetch_min) {
    for (std::uint64_t const rank : ranks) {
      ++operations;
      standing = std::min(standing, rank);
    }
    return operations;
  }
  struct Contender {
    std::uint64_t rank;
    std::uint64_t seen;
  };
  std::vector<Contender> contenders;
  for (std::uint64_t const rank : ranks) {
    contenders.push_back({rank, standing});
  }
  while (!contenders.empty()) {
    std::vector<Contender> again;
    for (Contender contender : contenders) {
      ++operations;
      if (contender.seen == standing) {
        standing = contender.rank;
      } else if (contender.rank < standing) {
        again.push_back({contender.rank, standing});
      }
    }
    for (Contender& contender : again) {
      contender.seen = standing;
    }
    contenders = std::move(again);
  }
  return operations;
}

/// Lemma IX.1 and Theorem IX.2: on a congested instance the free men of a round are n, n-1, ..., 1.
std::uint64_t congested_operations(std::uint64_t n, sm::Contention contention) {
  std::uint64_t operations = 0;
  for (std::uint64_t free = n; free > 0; --free) {
    std::vector<std::uint64_t> ranks(free);
    for (std::uint64_t i = 0; i < free; ++i) {
      ranks[i] = i;
    }
    operations += operations_in_lockstep(ranks, contention);
  }
  return operations;
}

TEST(ContentionInLockstep, CompareExchangesGrowWithTheContenders) {
  // One instant lets one contender in, so `c` of them make c + (c-1) + ... operations: Lemma IX.1's
  // bound, met.
  for (std::uint64_t const contenders : {1u, 2u, 10u, 100u}) {
    std::vector<std::uint64_t> ranks(contenders);
    for (std::uint64_t i = 0; i < contenders; ++i) {
      ranks[i] = i;
    }
    EXPECT_EQ(operations_in_lockstep(ranks, sm::Contention::compare_exchange),
              contenders * (contenders + 1) / 2);
    EXPECT_EQ(operations_in_lockstep(ranks, sm::Contention::fetch_min), contenders);
  }
}

TEST(ContentionInLockstep, CubicAgainstQuadratic) {
  for (std::uint64_t const n : {10u, 20u, 40u, 80u}) {
    EXPECT_EQ(congested_operations(n, sm::Contention::compare_exchange), n * (n + 1) * (n + 2) / 6);
    EXPECT_EQ(congested_operations(n, sm::Contention::fetch_min), n * (n + 1) / 2);
    EXPECT_LE(congested_operations(n, sm::Contention::fetch_min), n * n);
  }
}

}  // namespace
