// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/precheck.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;

template <class Space>
struct RankTables : ::testing::Test {
  using Memory = typename Space::memory_space;
  Space space;

  template <class Id>
  void expect_padding(sm::Table<Id, Memory> const& ranks) {
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, ranks);
    for (std::size_t row = 0; row < ranks.extent(0); ++row) {
      for (std::size_t column = ranks.extent(0); column < ranks.extent(1); ++column) {
        ASSERT_EQ(here(row, column), taper::preferences::no_rank<Id>);
      }
    }
  }

  /// Expects that all tables for a random market of n equal their definitions.
  template <class Id>
  void expect_tables(std::size_t n, std::mt19937_64& random) {
    auto const market = oracle::random_market(n, random);
    auto const instance = oracle::to_instance<Space, Id>(market);
    auto const ranks = taper::preferences::allocate_ranks<Id, Memory>(space, "test::ranks", n);
    taper::preferences::build_rank_matrix(space, instance.women, ranks);
    space.fence("test: the rank matrix");
    auto const rank_lists = oracle::to_lists(ranks);
    expect_padding(ranks);
    for (std::size_t woman = 0; woman < n; ++woman) {
      for (std::size_t rank = 0; rank < n; ++rank) {
        ASSERT_EQ(rank_lists[woman][market.women[woman][rank]], rank) << "n " << n;
      }
    }

    taper::preferences::transpose<Space, Id, Memory>(space, ranks);
    space.fence("test: transposed");
    expect_padding(ranks);
    auto const transposed = oracle::to_lists(ranks);
    for (std::size_t woman = 0; woman < n; ++woman) {
      for (std::size_t man = 0; man < n; ++man) {
        ASSERT_EQ(transposed[man][woman], rank_lists[woman][man]) << "n " << n;
      }
    }

    Kokkos::View<taper::preferences::CandidateWord<Id>**, Kokkos::LayoutRight, Memory> const
        candidates("test::candidates", n, n);
    taper::preferences::pair_candidates<Space, sm::ConstTable<Id, Memory>, Id>(space, instance.men,
                                                                               ranks, candidates);
    space.fence("test: the PRMatrix");
    auto const ordered = taper::preferences::allocate_ranks<Id, Memory>(space, "test::ordered", n);
    taper::preferences::order_ranks<Space, sm::ConstTable<Id, Memory>, Id>(space, instance.men,
                                                                           ranks, ordered);
    space.fence("test: the ranks in order");
    auto const ordered_here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, ordered);
    auto const words = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, candidates);
    using Candidate = taper::preferences::Candidate<Id>;
    for (std::size_t man = 0; man < n; ++man) {
      for (std::size_t position = 0; position < n; ++position) {
        auto const woman = market.men[man][position];
        ASSERT_EQ(Candidate::template get<0>(words(man, position)), woman);
        ASSERT_EQ(Candidate::template get<1>(words(man, position)), rank_lists[woman][man]);
        ASSERT_EQ(ordered_here(man, position), rank_lists[woman][man]);
      }
    }
  }

  /// Expects that rows of n entries are scattered, and brought back in order. The lists are
  /// rotated; an odd n gives rows that are not aligned for vectors.
  template <class Id>
  void expect_long_rows(std::size_t n) {
    using Table = sm::Table<Id, Memory>;
    std::size_t const columns = (n + 63) / 64 * 64;
    std::size_t const rows = 3;
    Table const lists("test::lists", rows, n);
    auto const lists_here = Kokkos::create_mirror_view(lists);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t rank = 0; rank < n; ++rank) {
        lists_here(row, rank) = static_cast<Id>((rank * 7919 + row * 11'003) % n);
      }
    }
    Kokkos::deep_copy(lists, lists_here);
    sm::ConstTable<Id, Memory> const const_lists = lists;
    Table const ranks("test::ranks", rows, columns);
    taper::preferences::build_rank_matrix(space, const_lists, ranks);
    Table const ordered("test::ordered", rows, columns);
    taper::preferences::order_ranks<Space, sm::ConstTable<Id, Memory>, Id>(space, const_lists,
                                                                           ranks, ordered);
    space.fence("test: the rows are scattered, and back in order");
    auto const ranks_here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, ranks);
    auto const ordered_here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, ordered);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t rank = 0; rank < n; ++rank) {
        ASSERT_EQ(ranks_here(row, lists_here(row, rank)), rank) << "n " << n;
        ASSERT_EQ(ordered_here(row, rank), rank) << "n " << n << ": each rank is its position";
      }
    }
  }
};

TYPED_TEST_SUITE(RankTables, oracle::Backends, oracle::BackendNames);

/// Sizes around multiples of a tile's width.
TYPED_TEST(RankTables, EqualTheirDefinitions) {
  std::mt19937_64 random(7);
  for (std::size_t const n : {1u, 2u, 3u, 63u, 64u, 65u, 127u, 128u, 129u, 200u, 385u}) {
    this->template expect_tables<std::uint16_t>(n, random);
    this->template expect_tables<std::uint32_t>(n, random);
  }
}

/// Rows longer than a GPU's scratch; than the registers of its smaller teams; and than those of its
/// largest teams.
TYPED_TEST(RankTables, AcceptRowsLongerThanScratch) {
  this->template expect_long_rows<std::uint16_t>(23'001);
  this->template expect_long_rows<std::uint16_t>(61'000);
  this->template expect_long_rows<std::uint32_t>(23'001);
  this->template expect_long_rows<std::uint32_t>(40'001);
}

TYPED_TEST(RankTables, PrecheckCountsFirstChoices) {
  for (std::size_t n = 1; n <= 3; ++n) {
    oracle::for_each_market(n, [&](oracle::Market const& market) {
      if (market.women != oracle::Lists(n, oracle::identity(n))) {
        return;  // the women's lists are not read
      }
      std::set<std::size_t> first;
      for (auto const& list : market.men) {
        first.insert(list.front());
      }
      auto const men = oracle::to_table<TypeParam>(market.men);
      EXPECT_EQ(sm::detail::count_first_choices(this->space, taper::rows_of(men), n), first.size());
    });
  }
}

TEST(Footprint, CountsWhatIsAllocated) {
  constexpr sm::Options gale_shapley{.algorithm = sm::Algorithm::gale_shapley,
                                     .schedule = sm::Schedule::parallel};
  constexpr sm::Options locality_aware{.schedule = sm::Schedule::parallel};
  constexpr sm::Options hybrid{};
  static_assert(sm::footprint_bytes(0, locality_aware) == 0);
  static_assert(sm::footprint_bytes(6'400, gale_shapley) == 81'920'000 + 6'400 * 26);
  static_assert(sm::footprint_bytes(6'400, locality_aware) == 3 * 81'920'000 + 6'400 * 26);
  static_assert(sm::footprint_bytes(6'400, hybrid) == 2 * 81'920'000 + 6'400 * (26 + 516));
  // Rows are padded.
  static_assert(sm::footprint_bytes(6'401, gale_shapley) == 6'401 * 12'928 + 6'401 * 26);
  // 64-bit, and 32-bit ids, past 65,535.
  static_assert(sm::footprint_bytes(100'000, gale_shapley) == 40'000'000'000 + 100'000 * 28);
  static_assert(sm::footprint_bytes(100'000, locality_aware) == 120'000'000'000 + 100'000 * 28);
  static_assert(sm::footprint_bytes(100'000, hybrid) == 80'000'000'000 + 100'000 * (28 + 1'028));
  SUCCEED() << "checked at compile time";
}

}  // namespace
