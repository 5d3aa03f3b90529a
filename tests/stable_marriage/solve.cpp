// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/case_stride.hpp>
#include <support/error_message.hpp>
#include <support/generated.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;
using oracle::message_of;

/// Every combination of algorithm, contention, schedule and proposing side. `bamboo` has one
/// combination per side.
std::vector<sm::Options> all_options() {
  std::vector<sm::Options> all{{.schedule = sm::Schedule::bamboo, .proposer = sm::Proposer::men},
                               {.schedule = sm::Schedule::bamboo, .proposer = sm::Proposer::women}};
  for (auto const algorithm : {sm::Algorithm::gale_shapley, sm::Algorithm::mcvitie_wilson,
                               sm::Algorithm::locality_aware}) {
    for (auto const contention : {sm::Contention::compare_exchange, sm::Contention::fetch_min}) {
      for (auto const schedule :
           {sm::Schedule::serial, sm::Schedule::parallel, sm::Schedule::hybrid}) {
        for (auto const proposer : {sm::Proposer::men, sm::Proposer::women}) {
          all.push_back({algorithm, contention, schedule, proposer});
          all.back().tiers = false;  // tested in tiers.cpp
        }
      }
    }
  }
  return all;
}

std::string name(sm::Options const& options) {
  return std::string(to_string(options.algorithm)) + ' ' +
         std::string(to_string(options.contention)) + ' ' +
         std::string(to_string(options.schedule)) + ", proposer " +
         std::string(to_string(options.proposer)) + ", tail " +
         std::string(to_string(options.tail)) + ", tail threshold " +
         std::to_string(options.tail_threshold);
}

template <class Space>
struct Solve : ::testing::Test {
  using Memory = typename Space::memory_space;
  using Duo = taper::Duo<Space, Kokkos::DefaultHostExecutionSpace>;
  Space space;
  Duo duo{space, {}};

  /// The matching on a plain execution space instance, or on a Duo if the schedule needs one.
  template <class Lists>
  oracle::Matching matching(sm::Instance<Lists> const& instance, sm::Options const& options) {
    return options.schedule == sm::Schedule::bamboo
               ? oracle::answer_of(duo, instance, options).partner_of
               : oracle::answer_of(space, instance, options).partner_of;
  }

  /// Expects the optimal matching of either side from every engine, on a plain execution space
  /// instance and on a Duo.
  void expect_solved(oracle::Market const& market, oracle::Matching const& man_optimal,
                     oracle::Matching const& woman_optimal) {
    auto const instance = oracle::to_instance<Space>(market);
    for (sm::Options const& options : all_options()) {
      auto const& expected = options.proposer == sm::Proposer::men ? man_optimal : woman_optimal;
      EXPECT_EQ(matching(instance, options), expected) << name(options);
      if (options.schedule == sm::Schedule::hybrid) {
        EXPECT_EQ(oracle::answer_of(duo, instance, options).partner_of, expected)
            << name(options) << ", on a Duo";
      }
    }
  }
};

TYPED_TEST_SUITE(Solve, oracle::Backends, oracle::BackendNames);

/// Several markets as one, so that one solve tests all of them. Each list has the people of its own
/// market first, in their order, then all others. Each market has a perfect matching, so no
/// proposal ever leaves it, and the optimal matchings are those of the markets.
class JoinedMarkets {
 public:
  std::size_t people() const { return men_.size(); }

  void add(oracle::Market const& market) {
    std::size_t const first = people();
    for (std::size_t i = 0; i < market.size(); ++i) {
      men_.push_back(shifted(market.men[i], first));
      women_.push_back(shifted(market.women[i], first));
    }
    append(man_optimal, shifted(oracle::man_optimal(market), first));
    append(woman_optimal, shifted(oracle::woman_optimal(market), first));
    proposals_by_men += oracle::gale_shapley(market).proposals;
  }

  oracle::Market market() const {
    oracle::Market all{men_, women_};
    for (oracle::Lists* side : {&all.men, &all.women}) {
      for (auto& list : *side) {
        std::vector<bool> listed(people(), false);
        for (auto const id : list) {
          listed[id] = true;
        }
        for (std::size_t id = 0; id < people(); ++id) {
          if (!listed[id]) {
            list.push_back(id);
          }
        }
      }
    }
    return all;
  }

  oracle::Matching man_optimal;
  oracle::Matching woman_optimal;
  std::uint64_t proposals_by_men = 0;

 private:
  static oracle::Matching shifted(std::vector<std::size_t> ids, std::size_t by) {
    for (auto& id : ids) {
      id += by;
    }
    return ids;
  }
  static void append(oracle::Matching& all, oracle::Matching const& more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  oracle::Lists men_;
  oracle::Lists women_;
};

TYPED_TEST(Solve, SolvesAllMarketsOfUpToTwo) {
  for (std::size_t n = 0; n <= 2; ++n) {
    oracle::for_each_market(n, [&](oracle::Market const& market) {
      this->expect_solved(market, oracle::man_optimal(market), oracle::woman_optimal(market));
    });
  }
}

/// All markets joined, and every 577th (a prime) alone too.
TYPED_TEST(Solve, SolvesAllMarketsOfThree) {
  JoinedMarkets joined;
  int number = 0;
  auto const solve_joined = [&] {
    this->expect_solved(joined.market(), joined.man_optimal, joined.woman_optimal);
    joined = {};
  };
  oracle::for_each_market(3, [&](oracle::Market const& market) {
    if (++number % 577 == 0) {
      this->expect_solved(market, oracle::man_optimal(market), oracle::woman_optimal(market));
    }
    joined.add(market);
    if (joined.people() == 3 * 96) {
      solve_joined();
    }
  });
  solve_joined();
}

/// Each market alone, with default options. Joined markets hide how a single market ends, and
/// all_options() excludes tiers. A backend of one thread solves all markets. Others start slowly,
/// and so few people get one worker anyway: they solve every 41st market of three.
TYPED_TEST(Solve, SolvesAllMarketsOfUpToThreeByDefault) {
  using Id = std::uint16_t;
  for (std::size_t n = 0; n <= 3; ++n) {
    Kokkos::View<Id*, typename TestFixture::Memory> const partner_of("test::partner_of", n);
    sm::Workspace<Id, typename TestFixture::Memory> workspace;
    std::size_t const step = n < 3 || taper::concurrency(this->space) == 1 ? 1 : 41;
    std::size_t number = 0;
    oracle::for_each_market(n, [&](oracle::Market const& market) {
      if (number++ % step != 0) {
        return;
      }
      auto const instance = oracle::to_instance<TypeParam>(market);
      for (auto const proposer : {sm::Proposer::men, sm::Proposer::women}) {
        sm::solve(this->space, instance, partner_of, {.proposer = proposer}, workspace);
        ASSERT_EQ(oracle::to_matching(partner_of), proposer == sm::Proposer::men
                                                       ? oracle::man_optimal(market)
                                                       : oracle::woman_optimal(market));
      }
    });
  }
}

/// All markets joined by the hundred, and every 50th alone too.
TYPED_TEST(Solve, SolvesRandomMarketsOfUpToNine) {
  std::mt19937_64 random(20251127);
  JoinedMarkets joined;
  std::size_t const markets = 3000 / oracle::case_stride;
  for (std::size_t i = 0; i < markets; ++i) {
    auto const market = oracle::random_market(3 + i % 7, random);
    joined.add(market);
    if (i % 50 == 0) {
      this->expect_solved(market, oracle::man_optimal(market), oracle::woman_optimal(market));
    }
    if (i % 100 == 99 || i + 1 == markets) {
      this->expect_solved(joined.market(), joined.man_optimal, joined.woman_optimal);
      auto const whole =
          oracle::answer_of(this->space, oracle::to_instance<TypeParam>(joined.market()));
      EXPECT_EQ(whole.report.proposals, joined.proposals_by_men);
      joined = {};
    }
  }
}

/// The classic 4 x 4 instance with ten stable matchings (Knuth 1976). If the men propose, each gets
/// his first choice.
TYPED_TEST(Solve, SolvesKnuthsInstanceOfTenStableMatchings) {
  oracle::Market const market{{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}},
                              {{3, 2, 1, 0}, {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}}};
  ASSERT_EQ(oracle::stable_matchings(market).size(), 10u);
  this->expect_solved(market, {0, 1, 2, 3}, {3, 2, 1, 0});
}

TYPED_TEST(Solve, ThirtyTwoBitIdsGiveTheSameMatching) {
  std::mt19937_64 random(32);
  for (std::size_t const n : {std::size_t{1}, std::size_t{7}, std::size_t{70}}) {
    auto const market = oracle::random_market(n, random);
    auto const narrow = oracle::to_instance<TypeParam, std::uint16_t>(market);
    auto const wide = oracle::to_instance<TypeParam, std::uint32_t>(market);
    for (sm::Options const& options : all_options()) {
      EXPECT_EQ(this->matching(wide, options), this->matching(narrow, options)) << name(options);
    }
  }
}

/// Larger instances of each family: every engine equals the serial one, which the verifier
/// accepts.
TYPED_TEST(Solve, EnginesAgreeOnEveryFamily) {
  std::size_t tail_cases = 0;
  for (auto const family : oracle::all_families) {
    for (std::size_t const n : {std::size_t{64}, std::size_t{331}}) {
      auto const instance =
          oracle::generated_instance(this->space, {.family = family, .n = n, .seed = n});
      for (auto const proposer : {sm::Proposer::men, sm::Proposer::women}) {
        sm::Options const serial{sm::Algorithm::gale_shapley, sm::Contention::fetch_min,
                                 sm::Schedule::serial, proposer};
        auto const expected = oracle::answer_of(this->space, instance, serial).partner_of;
        auto const partners = oracle::to_partners<TypeParam>(expected);
        ASSERT_TRUE(sm::is_perfect_matching(this->space, partners));
        ASSERT_EQ(sm::count_blocking_pairs(this->space, instance, partners), 0u);
        for (sm::Options options : all_options()) {
          if (options.proposer != proposer) {
            continue;
          }
          EXPECT_EQ(this->matching(instance, options), expected)
              << to_string(family) << ": " << name(options);
          if (options.schedule != sm::Schedule::hybrid) {
            continue;
          }
          for (std::int64_t const threshold : {0, 1, 5, 50, static_cast<int>(n)}) {
            options.tail_threshold = threshold;
            for (auto const tail : {sm::Tail::device, sm::Tail::host}) {
              if (tail_cases++ % oracle::case_stride != 0) {
                continue;
              }
              options.tail = tail;
              EXPECT_EQ(oracle::answer_of(this->duo, instance, options).partner_of, expected)
                  << to_string(family) << ": " << name(options);
            }
          }
        }
      }
    }
  }
}

/// By default a hybrid run on a host gets a second worker from 8,192 proposers on. Here it gets
/// several for small instances of all families, so that races between workers show.
TYPED_TEST(Solve, SeveralWorkersOfAHostAgree) {
  if constexpr (taper::HostExecutionSpace<TypeParam>) {
    if (taper::concurrency(this->space) == 1) {
      GTEST_SKIP() << "one thread is one worker";
    }
    for (auto const family : {sm::Family::solo, sm::Family::congested, sm::Family::random,
                              sm::Family::uniform, sm::Family::correlated}) {
      for (std::size_t const n : {std::size_t{16}, std::size_t{97}, std::size_t{600}}) {
        auto const instance =
            oracle::generated_instance(this->space, {.family = family, .n = n, .seed = n});
        for (sm::Options options : all_options()) {
          if (options.schedule != sm::Schedule::hybrid) {
            continue;
          }
          auto const expected =
              oracle::answer_of(this->space, instance,
                                {.schedule = sm::Schedule::serial, .proposer = options.proposer})
                  .partner_of;
          options.count = true;
          options.min_proposers_per_thread = 4;
          for (std::int64_t const threshold : {-1, 0, 1, 7, static_cast<int>(n)}) {
            options.tail_threshold = threshold;
            auto const [matching, report] = oracle::answer_of(this->space, instance, options);
            EXPECT_EQ(matching, expected)
                << to_string(family) << ", n = " << n << ": " << name(options);
            EXPECT_EQ(report.acceptances + report.rejections, report.proposals);
            // A tail of one worker makes no atomic operation. With threshold 0 there is no tail.
            if (threshold == 0) {
              EXPECT_GT(report.atomic_operations, 0u) << "expected several workers";
            }
          }
        }
      }
    }
  }
}

/// A made-up profile limits the threads of each kind of lists. The answer stays, an option overrules
/// the limit, and the report tells the number.
TYPED_TEST(Solve, UsesAtMostTheThreadsThatTheProfileAllows) {
  if constexpr (taper::is_gpu<TypeParam>) {
    GTEST_SKIP() << "a GPU has no threads to limit";
  } else {
    auto const all = taper::concurrency(this->space);
    std::uint64_t const two = std::min<std::uint64_t>(2, all);
    std::size_t const n = 600;
    taper::MachineProfile machine;
    machine.min_proposers_per_thread = 1;
    taper::MachineProfile limited = machine;
    limited.thread_limits = {{taper::ListKind::similar_lists, n, 1},
                             {taper::ListKind::distinct_first_choices, n, 2}};
    struct Case {
      sm::Family family;
      std::uint64_t threads;
    };
    for (auto const& [family, threads] :
         {Case{sm::Family::congested, 1}, Case{sm::Family::uniform, two},
          Case{sm::Family::correlated, all}}) {
      auto const instance = oracle::generated_instance(this->space, {.family = family, .n = n});
      auto const answer = [&](sm::Options options) {
        options.tiers = false;
        return oracle::answer_of(this->space, instance, options);
      };
      auto const expected = answer({.schedule = sm::Schedule::serial});
      EXPECT_EQ(expected.report.threads, 1u);
      auto const found = answer({.machine = &limited});
      EXPECT_EQ(found.partner_of, expected.partner_of) << to_string(family);
      EXPECT_EQ(found.report.threads, threads) << to_string(family);
      EXPECT_EQ(answer({.machine = &machine}).report.threads, all) << to_string(family);
      EXPECT_EQ(answer({.max_threads = 2, .machine = &limited}).report.threads, two);
      EXPECT_EQ(answer({.max_threads = 1}).report.threads, 1u);
      EXPECT_EQ(answer({.schedule = sm::Schedule::parallel, .max_threads = 1}).report.threads, all)
          << "a limit of hybrid runs";
    }
    auto const perfect =
        oracle::generated_instance(this->space, {.family = sm::Family::perfect, .n = n});
    EXPECT_EQ(oracle::answer_of(this->space, perfect, {}).report.threads, 0u);
  }
}

TYPED_TEST(Solve, ReportsWhatItDid) {
  std::size_t const n = 200;
  auto const report_of = [&](auto const& place, sm::Family family, sm::Options const& options) {
    auto const instance = oracle::generated_instance(this->space, {.family = family, .n = n});
    return oracle::answer_of(place, instance, options).report;
  };
  sm::Options options{.tail = sm::Tail::host, .tail_threshold = 1, .count = true};
  sm::Report report = report_of(this->duo, sm::Family::solo, options);
  EXPECT_FALSE(report.perfect);
  EXPECT_EQ(report.proposals, n * n - n + 1);
  EXPECT_EQ(report.acceptances + report.rejections, report.proposals);
  EXPECT_EQ(report.tail_side, taper::Location::host);
  EXPECT_EQ(report.taper_live, 1u);
  EXPECT_GE(report.taper_step, n - 1);
  EXPECT_LT(report.taper_step, report.proposals);
  ASSERT_GE(report.migrations.size(), 1u);
  EXPECT_EQ(report.migrations[0].live, 1u);
  constexpr bool one_memory = taper::HostExecutionSpace<TypeParam>;
  EXPECT_EQ(report.bytes_moved == 0, one_memory);
  if (!one_memory) {
    EXPECT_LT(report.bytes_moved, n * n * 2 * 2 + n * 100)
        << "two rows per hand-over, never the tables";
  }

  report = report_of(this->duo, sm::Family::perfect, options);
  EXPECT_TRUE(report.perfect);
  EXPECT_EQ(report.proposals, n);
  EXPECT_EQ(report.tail_side, taper::Location::none);
  EXPECT_TRUE(report.migrations.empty());

  options.count = false;
  options.schedule = sm::Schedule::parallel;
  options.tail = sm::Tail::automatic;
  report = report_of(this->space, sm::Family::congested, options);
  EXPECT_EQ(report.proposals, n * (n + 1) / 2);
  EXPECT_EQ(report.acceptances + report.rejections + report.atomic_operations, 0u);
}

/// The order of the proposals decides how many of them are accepted for a while.
TYPED_TEST(Solve, LocalityAwareWithAQueueProposesInTheOrderOfGaleAndShapley) {
  std::size_t const n = 200;
  for (auto const family : {sm::Family::random, sm::Family::uniform, sm::Family::correlated}) {
    auto const instance = oracle::generated_instance<std::uint16_t>(
        this->space, {.family = family, .n = n, .seed = 7});
    auto const acceptances = [&](sm::Algorithm algorithm, bool queue) {
      return oracle::answer_of(this->space, instance,
                               {.algorithm = algorithm,
                                .schedule = sm::Schedule::serial,
                                .count = true,
                                .queue = queue})
          .report.acceptances;
    };
    auto const with_queue = acceptances(sm::Algorithm::gale_shapley, false);
    EXPECT_EQ(acceptances(sm::Algorithm::locality_aware, true), with_queue) << to_string(family);
    EXPECT_NE(acceptances(sm::Algorithm::locality_aware, false), with_queue)
        << to_string(family) << ": this instance cannot tell the orders apart";
  }
}

/// Algorithm 2: one atomic minimum per proposal on the device; then the last free proposer goes to
/// the host, which needs none.
TYPED_TEST(Solve, BambooMovesTheLastProposerToTheHost) {
  std::size_t const n = 200;
  auto const report_of = [&](sm::Family family) {
    auto const instance = oracle::generated_instance(this->space, {.family = family, .n = n});
    return oracle::answer_of(this->duo, instance, {.schedule = sm::Schedule::bamboo, .count = true})
        .report;
  };

  // Of n * n proposals all but about n follow one another, so the device cannot be first.
  sm::Report report = report_of(sm::Family::solo);
  EXPECT_EQ(report.proposals, n * n - n + 1);
  EXPECT_EQ(report.acceptances + report.rejections, report.proposals);
  EXPECT_EQ(report.tail_side, taper::Location::host);
  EXPECT_EQ(report.taper_live, 1u);
  EXPECT_EQ(report.atomic_operations, report.taper_step);
  EXPECT_EQ(report.failed_compare_exchanges, 0u);
  EXPECT_EQ(report.tiers, 0u);
  ASSERT_EQ(report.migrations.size(), 1u);
  EXPECT_EQ(report.migrations[0].from, taper::Location::device);
  EXPECT_EQ(report.migrations[0].to, taper::Location::host);
  EXPECT_EQ(report.migrations[0].live, 1u);
  constexpr bool one_memory = taper::HostExecutionSpace<TypeParam>;
  std::uint64_t const pr_matrix = n * n * 4;
  std::uint64_t const offers = n * 8;
  EXPECT_EQ(report.bytes_moved, one_memory ? 0 : pr_matrix + 2 * offers + 8);

  // Lists that fall apart into tiers get no special treatment.
  report = report_of(sm::Family::congested);
  EXPECT_EQ(report.proposals, n * (n + 1) / 2);
  EXPECT_EQ(report.tiers, 0u);
  EXPECT_LE(report.migrations.size(), 1u);

  report = report_of(sm::Family::perfect);
  EXPECT_TRUE(report.perfect);
  EXPECT_EQ(report.proposals, n);
  EXPECT_TRUE(report.migrations.empty());
}

TYPED_TEST(Solve, RefusesArgumentsThatDisagree) {
  using Ids = sm::Table<std::uint16_t, typename TestFixture::Memory>;
  using Instance = sm::Instance<sm::ConstTable<std::uint16_t, typename TestFixture::Memory>>;
  Kokkos::View<std::uint16_t*, typename TestFixture::Memory> const three("test::three", 3);
  Ids const square("test::square", 4, 4);

  EXPECT_EQ(message_of([&] {
              sm::solve(this->space, Instance{square, square}, three);
            }),
            "taper::stable_marriage::solve: partner_of has 3 entries, the instance has 4 men");
  EXPECT_EQ(message_of([&] {
              sm::solve(this->space, Instance{square, Ids("test::oblong", 4, 3)}, three);
            }),
            "taper::stable_marriage::solve: the tables must be n x n for one n, but men is 4 x 4 "
            "and women is 4 x 3");
  EXPECT_EQ(message_of([&] {
              sm::solve(this->space, Instance{Ids("test::men", 3, 3), Ids("test::women", 3, 3)},
                        three, {.tail = sm::Tail::host});
            }),
            "taper::stable_marriage::solve: tail: host needs a Duo{device, host} to run on");
  auto const refuse = [&](auto const& place, sm::Options options) {
    options.schedule = sm::Schedule::bamboo;
    return message_of([&] {
      sm::solve(place, Instance{Ids("test::men", 3, 3), Ids("test::women", 3, 3)}, three, options);
    });
  };
  EXPECT_EQ(refuse(this->space, {}),
            "taper::stable_marriage::solve: schedule: bamboo needs a Duo{device, host} to run on");
  std::string const parts = "taper::stable_marriage::solve: schedule: bamboo needs algorithm: "
                            "locality_aware and contention: fetch_min";
  EXPECT_EQ(refuse(this->duo, {.algorithm = sm::Algorithm::mcvitie_wilson}), parts);
  EXPECT_EQ(refuse(this->duo, {.contention = sm::Contention::compare_exchange}), parts);
  std::string const tail = "taper::stable_marriage::solve: schedule: bamboo hands the last free "
                           "proposer to the host; it takes no tail and no tail_threshold";
  EXPECT_EQ(refuse(this->duo, {.tail = sm::Tail::device}), tail);
  EXPECT_EQ(refuse(this->duo, {.tail_threshold = 1}), tail);
  EXPECT_EQ(message_of([&] {
              sm::solve(this->space, Instance{Ids("test::men", 3, 3), Ids("test::women", 3, 3)},
                        three, {.min_proposers_per_thread = 0});
            }),
            "taper::stable_marriage::solve: min_proposers_per_thread is 0, expected at least 1");
  EXPECT_EQ(message_of([&] {
              sm::solve(this->space, Instance{Ids("test::men", 3, 3), Ids("test::women", 3, 3)},
                        three, {.max_threads = 0});
            }),
            "taper::stable_marriage::solve: max_threads is 0, expected at least 1");
  for (sm::Options const& options : {sm::Options{.schedule = sm::Schedule::parallel, .queue = true},
                                     sm::Options{.algorithm = sm::Algorithm::mcvitie_wilson,
                                     .schedule = sm::Schedule::serial,
                                     .queue = true}}) {
    EXPECT_EQ(message_of([&] {
                sm::solve(this->space, Instance{Ids("test::men", 3, 3), Ids("test::women", 3, 3)},
                          three, options);
              }),
              "taper::stable_marriage::solve: queue: true needs algorithm: locality_aware and "
              "schedule: serial");
  }
}

/// A row that is no permutation is an error of the caller. The run must end and report it.
TYPED_TEST(Solve, ReportsReceiversWithoutAnOffer) {
  oracle::Market const market{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}};
  auto const instance = oracle::to_instance<TypeParam>(market);
  for (sm::Options const& options : all_options()) {
    if (options.proposer == sm::Proposer::men) {
      EXPECT_EQ(message_of([&] { this->matching(instance, options); }),
                "taper::stable_marriage::solve: 2 receivers got no offer, so some row is not a "
                "permutation; find_bad_row() finds it")
          << name(options);
    }
  }
}

}  // namespace
