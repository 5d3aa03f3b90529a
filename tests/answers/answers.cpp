// SPDX-License-Identifier: Apache-2.0
//
// Every build gives the same answers: answers.txt holds 1,000 hashes, one a line, of the answers
// that simple serial programs give. Only answers that are unique are hashed: both extreme stable
// matchings, the size of a minimum cover, the domains at the fixpoint, and products of integers.
//
// To write the file anew: TAPER_RECORD_ANSWERS=tests/answers/answers.txt answers.answers
#include "instances.hpp"

#include <support/backends.hpp>
#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <taper/marriage_propagator/verify.hpp>
#include <taper/matmul/matmul.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/vertex_cover/graph.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <ios>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

namespace mp = taper::marriage_propagator;
namespace sm = taper::stable_marriage;
namespace vc = taper::vertex_cover;
namespace oracle = taper::testing;
using oracle::AnswerHash;
using oracle::Problem;

/// The domains of a failed call are meaningless, so that it failed is the answer.
void add_domains(AnswerHash& hash, std::optional<mp::PairSet> const& pairs) {
  hash.add(std::uint64_t{pairs.has_value()});
  for (std::size_t man = 0; pairs && man < pairs->size(); ++man) {
    for (std::size_t woman = 0; woman < pairs->size(); ++woman) {
      hash.add(std::uint64_t{pairs->has(man, woman)});
    }
  }
}

/// The simple programs. They use nothing of the library but the types of its tables.
struct Oracles {
  static void solve(oracle::Market const& market, AnswerHash& hash) {
    hash.add(oracle::gale_shapley(market).partner_of);
    hash.add(oracle::inverse(oracle::gale_shapley(oracle::exchanged(market)).partner_of));
  }
  static void solve(oracle::SmallGraph const& graph, AnswerHash& hash) {
    hash.add(static_cast<std::uint64_t>(std::popcount(oracle::minimum_cover(graph))));
  }
  /// greatest_fixpoint() applies the definition of the constraint, over and over.
  static void solve(oracle::RestrictedMarket const& given, AnswerHash& hash) {
    using Host = Kokkos::DefaultHostExecutionSpace;
    mp::PairSet pairs(given.market.size(), true);
    for (auto const& [man, value] : given.gone) {
      pairs.set(man, given.market.men[man][value], false);
    }
    mp::HostMarket const lists(oracle::to_instance<Host>(given.market));
    add_domains(hash, mp::greatest_fixpoint(lists, pairs, {given.symmetric, given.bind_partner}));
  }
  static void solve(oracle::Factors const& factors, AnswerHash& hash) {
    for (std::size_t i = 0; i < factors.m; ++i) {
      for (std::size_t j = 0; j < factors.n; ++j) {
        std::int64_t sum = 0;
        for (std::size_t l = 0; l < factors.k; ++l) {
          sum += factors.a[i * factors.k + l] * factors.b[l * factors.n + j];
        }
        hash.add(static_cast<std::uint64_t>(sum));
      }
    }
  }
};

/// The library on a backend, with default options.
template <class Space>
struct Solvers {
  using Memory = typename Space::memory_space;
  using Entries = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;

  static void solve(oracle::Market const& market, AnswerHash& hash) {
    auto const instance = oracle::to_instance<Space>(market);
    Kokkos::View<std::uint16_t*, Memory> const partner_of("test::partner_of", market.size());
    for (sm::Proposer const proposer : {sm::Proposer::men, sm::Proposer::women}) {
      sm::Options options;
      options.proposer = proposer;
      sm::solve(Space{}, instance, partner_of, options);
      hash.add(oracle::to_matching(partner_of));
    }
  }
  static void solve(oracle::SmallGraph const& graph, AnswerHash& hash) {
    Kokkos::View<std::uint8_t*, Memory> const in_cover("test::in_cover", graph.size());
    auto const views = vc::to_views(Space{}, oracle::to_host_graph(graph));
    hash.add(vc::solve(Space{}, views, in_cover).cover_size);
  }
  static void solve(oracle::RestrictedMarket const& given, AnswerHash& hash) {
    auto const instance = oracle::to_instance<Space>(given.market);
    mp::Options options;
    options.symmetric = given.symmetric;
    options.bind_partner = given.bind_partner;
    auto propagator = mp::Propagator<Space>::post(Space{}, instance, options);
    for (auto const& [man, value] : given.gone) {
      propagator.remove(mp::Side::men, static_cast<std::uint32_t>(man),
                        static_cast<std::uint32_t>(value));
    }
    bool const failed = propagator.propagate().status == mp::Status::failed;
    add_domains(hash, failed ? std::nullopt : mp::pairs_of(mp::HostMarket(instance), propagator));
  }
  static void solve(oracle::Factors const& factors, AnswerHash& hash) {
    auto const a = to_matrix(factors.m, factors.k, factors.a);
    auto const b = to_matrix(factors.k, factors.n, factors.b);
    Entries const c("test::c", factors.m, factors.n);
    taper::matmul::multiply(Space{}, 1, a, b, 0, c);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
    for (std::size_t i = 0; i < factors.m; ++i) {
      for (std::size_t j = 0; j < factors.n; ++j) {
        hash.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(host(i, j))));
      }
    }
  }

 private:
  static Entries to_matrix(std::size_t rows, std::size_t columns,
                           std::vector<std::int64_t> const& entries) {
    Entries const matrix("test::matrix", rows, columns);
    auto const host = Kokkos::create_mirror_view(matrix);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        host(i, j) = static_cast<double>(entries[i * columns + j]);
      }
    }
    Kokkos::deep_copy(matrix, host);
    return matrix;
  }
};

/// The hash of the answer that `Answering` gives for an instance.
template <class Answering>
std::uint64_t answer(std::uint64_t number) {
  std::mt19937_64 random(number);
  AnswerHash hash;
  switch (oracle::problem_of(number)) {
  case Problem::stable_marriage:
    Answering::solve(oracle::market_of(number, 120, random), hash);
    break;
  case Problem::vertex_cover:
    Answering::solve(oracle::graph_of(random), hash);
    break;
  case Problem::domains:
    Answering::solve(oracle::restricted_market_of(number, random), hash);
    break;
  case Problem::product:
    Answering::solve(oracle::factors_of(random), hash);
    break;
  }
  return hash.value();
}

std::vector<std::uint64_t> recorded_answers() {
  std::ifstream file(TAPER_ANSWERS);
  std::vector<std::uint64_t> answers;
  for (std::uint64_t hash = 0; file >> std::hex >> hash;) {
    answers.push_back(hash);
  }
  return answers;
}

TEST(Recorded, AnswersAreThoseOfSimplePrograms) {
  if (char const* const path = std::getenv("TAPER_RECORD_ANSWERS")) {
    std::ofstream file(path);
    for (std::uint64_t number = 0; number < oracle::instance_count; ++number) {
      file << std::hex << std::setw(16) << std::setfill('0') << answer<Oracles>(number) << '\n';
    }
    return;
  }
  auto const answers = recorded_answers();
  ASSERT_EQ(answers.size(), oracle::instance_count) << "in " << TAPER_ANSWERS;
  for (std::size_t number = 0; number < answers.size(); number += oracle::case_stride) {
    EXPECT_EQ(answer<Oracles>(number), answers[number]) << "instance " << number;
  }
}

template <class Space>
struct Answers : ::testing::Test {};
TYPED_TEST_SUITE(Answers, oracle::Backends, oracle::BackendNames);

TYPED_TEST(Answers, AreThoseOfEveryOtherBuild) {
  auto const answers = recorded_answers();
  ASSERT_EQ(answers.size(), oracle::instance_count) << "in " << TAPER_ANSWERS;
  for (std::size_t number = 0; number < answers.size(); number += oracle::case_stride) {
    EXPECT_EQ(answer<Solvers<TypeParam>>(number), answers[number]) << "instance " << number;
  }
}

}  // namespace
