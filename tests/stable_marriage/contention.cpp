// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/generated.hpp>
#include <taper/stable_marriage/phases.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;

template <class Space>
sm::Report solve(Space const& space, sm::Workload const& workload, sm::Algorithm algorithm,
                 sm::Contention contention) {
  auto const instance = taper::testing::generated_instance(space, workload);
  return taper::testing::answer_of(space, instance,
                                   {.algorithm = algorithm,
                                    .contention = contention,
                                    .schedule = sm::Schedule::parallel,
                                    .count = true})
      .report;
}

template <class Space>
struct Contention : ::testing::Test {
  Space space;
};

TYPED_TEST_SUITE(Contention, taper::testing::Backends, taper::testing::BackendNames);

/// Theorem IX.3 for the engines: each proposal makes exactly one atomic minimum, however many
/// workers contend, so there are at most n * n.
TYPED_TEST(Contention, FetchMinMakesOneOperationPerProposal) {
  for (auto const algorithm : {sm::Algorithm::gale_shapley, sm::Algorithm::mcvitie_wilson,
                               sm::Algorithm::locality_aware}) {
    for (std::size_t const n : {std::size_t{2}, std::size_t{50}, std::size_t{400}}) {
      auto const report = solve(this->space, {.family = sm::Family::congested, .n = n}, algorithm,
                                sm::Contention::fetch_min);
      EXPECT_EQ(report.proposals, n * (n + 1) / 2);
      EXPECT_EQ(report.atomic_operations, report.proposals);
      EXPECT_LE(report.atomic_operations, n * n);
      EXPECT_EQ(report.failed_compare_exchanges, 0u);
      EXPECT_EQ(report.compare_exchange_reads, 0u);
    }
  }
}

/// In the engines each compare-exchange stores an offer, or fails because of a better one.
TYPED_TEST(Contention, CompareExchangesSucceedOrAreOvertaken) {
  for (auto const algorithm : {sm::Algorithm::gale_shapley, sm::Algorithm::mcvitie_wilson,
                               sm::Algorithm::locality_aware}) {
    auto const report = solve(this->space, {.family = sm::Family::congested, .n = 400}, algorithm,
                              sm::Contention::compare_exchange);
    EXPECT_EQ(report.atomic_operations - report.failed_compare_exchanges, report.acceptances);
    EXPECT_EQ(report.compare_exchange_reads, report.proposals) << "one read before each series";
    if (taper::concurrency(this->space) == 1) {
      EXPECT_EQ(report.failed_compare_exchanges, 0u) << "one worker is never overtaken";
    }
  }
}

/// On a GPU thousands of workers contend at once: the more similar the lists, the more exchanges
/// fail. The cores of a host are too few to show this; the tests below show it without a GPU.
TYPED_TEST(Contention, CompareExchangesFailMoreOftenOnSimilarLists) {
  if constexpr (taper::is_gpu<TypeParam>) {
    std::size_t const n = 2000;
    auto const failures_per_proposal = [&](std::size_t group_size) {
      auto const report =
          solve(this->space, {.family = sm::Family::random, .n = n, .group_size = group_size},
                sm::Algorithm::mcvitie_wilson, sm::Contention::compare_exchange);
      return static_cast<double>(report.failed_compare_exchanges) /
             static_cast<double>(report.proposals);
    };
    EXPECT_GT(failures_per_proposal(5), failures_per_proposal(n));
    EXPECT_GT(failures_per_proposal(1), failures_per_proposal(5));
  } else {
    GTEST_SKIP() << "needs a GPU";
  }
}

/// The machine model of the paper's proofs (Section IX), with the library's contention policies. In
/// each instant all contenders for one receiver read its standing offer. Then their operations take
/// effect one after another, the worst proposer's first. A contender that fails has read the
/// standing offer, and tries again in the next instant unless that offer is better.
class Lockstep {
 public:
  using Id = std::uint16_t;
  using Memory = Kokkos::HostSpace;

  /// `contenders` proposers of ranks 0, 1, ... ask one free receiver.
  explicit Lockstep(std::size_t contenders)
      : contenders_(contenders), standing_(Kokkos::DefaultHostExecutionSpace{}, 1) {
    Kokkos::DefaultHostExecutionSpace{}.fence("test: the receiver is free");
  }

  sm::detail::Tally fetch_min() const {
    sm::detail::FetchMin<Id, Memory> const resolve{standing_};
    sm::detail::Tally tally;
    for (std::size_t rank = contenders_; rank-- > 0;) {
      resolve({0, static_cast<Id>(rank)}, offer(rank), tally);
    }
    expect_the_best_won();
    return tally;
  }

  sm::detail::Tally compare_exchange() const {
    sm::detail::CompareExchange<Id, Memory> const resolve{standing_};
    struct Contender {
      taper::AtomicWord offer;
      taper::AtomicWord seen;
    };
    std::vector<Contender> contenders;
    for (std::size_t rank = contenders_; rank-- > 0;) {
      contenders.push_back({offer(rank), resolve.load(0)});
    }
    sm::detail::Tally tally;
    while (!contenders.empty()) {
      std::vector<Contender> again;
      for (Contender contender : contenders) {
        if (!resolve.exchange(0, contender.seen, contender.offer, tally) &&
            contender.offer < contender.seen) {
          again.push_back(contender);
        }
      }
      contenders = std::move(again);
    }
    expect_the_best_won();
    return tally;
  }

 private:
  static taper::AtomicWord offer(std::size_t rank) {
    return sm::detail::Offer::pack(static_cast<std::uint32_t>(rank),
                                   static_cast<std::uint32_t>(rank), 1u);
  }
  void expect_the_best_won() const { EXPECT_EQ(standing_.best(0), offer(0)); }

  std::size_t contenders_;
  sm::detail::StandingOffers<Id, Memory> standing_;
};

/// Lemma IX.1 is tight: in each instant one contender succeeds. So c contenders make
/// c + (c-1) + ... operations, and all but c of these fail.
TEST(ContentionInLockstep, CompareExchangesAreQuadraticInTheContenders) {
  for (std::uint64_t const contenders : {1u, 2u, 10u, 100u}) {
    auto const tally = Lockstep(contenders).compare_exchange();
    EXPECT_EQ(tally.atomic_operations, contenders * (contenders + 1) / 2);
    EXPECT_EQ(tally.failed_compare_exchanges, tally.atomic_operations - contenders);
    EXPECT_EQ(Lockstep(contenders).fetch_min().atomic_operations, contenders);
  }
}

/// Theorems IX.2 and IX.3: on a congested instance the rounds have n, n-1, ..., 1 free men, and all
/// ask the same woman.
TEST(ContentionInLockstep, CompareExchangeIsCubicAndFetchMinQuadratic) {
  for (std::uint64_t const n : {10u, 20u, 40u, 80u}) {
    std::uint64_t exchanges = 0;
    std::uint64_t minima = 0;
    for (std::uint64_t free = n; free > 0; --free) {
      exchanges += Lockstep(free).compare_exchange().atomic_operations;
      minima += Lockstep(free).fetch_min().atomic_operations;
    }
    EXPECT_EQ(exchanges, n * (n + 1) * (n + 2) / 6);
    EXPECT_EQ(minima, n * (n + 1) / 2);
    EXPECT_LE(minima, n * n);
  }
}

}  // namespace
