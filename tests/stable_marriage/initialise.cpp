// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/stable_marriage/initialise.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/precheck.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <type_traits>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;

template <class Space>
struct Initialise : ::testing::Test {
  using Memory = typename Space::memory_space;
  Space space;

  /// Against the definitions, for sizes around the tile and the scratch window.
  template <class Id>
  void expect_tables(std::size_t n, std::mt19937_64& random) {
    auto const market = oracle::random_market(n, random);
    auto const instance = oracle::to_instance<Space, Id>(market);
    sm::Table<Id, Memory> const ranks("test::ranks", n, n);
    sm::detail::build_rank_matrix(space, instance.women, ranks);
    space.fence("test: the rank matrix");
    auto const rank_lists = oracle::to_lists(ranks);
    for (std::size_t woman = 0; woman < n; ++woman) {
      for (std::size_t rank = 0; rank < n; ++rank) {
        ASSERT_EQ(rank_lists[woman][market.women[woman][rank]], rank) << "n " << n;
      }
    }

    sm::detail::transpose<Space, Id, Memory>(space, ranks);
    space.fence("test: transposed");
    auto const transposed = oracle::to_lists(ranks);
    for (std::size_t woman = 0; woman < n; ++woman) {
      for (std::size_t man = 0; man < n; ++man) {
        ASSERT_EQ(transposed[man][woman], rank_lists[woman][man]) << "n " << n;
      }
    }

    Kokkos::View<sm::detail::CandidateWord<Id>**, Kokkos::LayoutRight, Memory> const candidates(
        "test::candidates", n, n);
    sm::detail::pair_candidates<Space, sm::ConstTable<Id, Memory>, Id>(space, instance.men, ranks,
                                                                       candidates);
    space.fence("test: the PRMatrix");
    auto const words = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, candidates);
    using Candidate = sm::detail::Candidate<Id>;
    for (std::size_t man = 0; man < n; ++man) {
      for (std::size_t position = 0; position < n; ++position) {
        auto const woman = market.men[man][position];
        ASSERT_EQ(Candidate::template get<0>(words(man, position)), woman);
        ASSERT_EQ(Candidate::template get<1>(words(man, position)), rank_lists[woman][man]);
      }
    }
  }
};

TYPED_TEST_SUITE(Initialise, oracle::Backends, oracle::BackendNames);

TYPED_TEST(Initialise, TablesAreAsDefined) {
  std::mt19937_64 random(7);
  for (std::size_t const n : {1, 2, 3, 63, 64, 65, 127, 128, 200}) {
    this->template expect_tables<std::uint16_t>(n, random);
    this->template expect_tables<std::uint32_t>(n, random);
  }
}

/// A rotated list in each row: long enough that a GPU's scratch holds only a part of a row.
TYPED_TEST(Initialise, RowsLongerThanAScratchWindow) {
  std::size_t const n = 23'000;
  std::size_t const rows = 3;
  sm::Table<std::uint16_t, typename TestFixture::Memory> const lists("test::lists", rows, n);
  auto const lists_here = Kokkos::create_mirror_view(lists);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t rank = 0; rank < n; ++rank) {
      lists_here(row, rank) = static_cast<std::uint16_t>((rank * 7919 + row * 11'003) % n);
    }
  }
  Kokkos::deep_copy(lists, lists_here);
  sm::Table<std::uint16_t, typename TestFixture::Memory> const ranks("test::ranks", rows, n);
  using Scatter = sm::detail::ScatterRanks<TypeParam, std::uint16_t>;
  auto policy = taper::row_teams(this->space, rows);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scatter::Window::shmem_size(Scatter::window_entries)));
  sm::ConstTable<std::uint16_t, typename TestFixture::Memory> const const_lists = lists;
  Kokkos::parallel_for("test::rank_matrix", policy,
                       Scatter{taper::rows_of(const_lists), taper::rows_of(ranks), n});
  this->space.fence("test: the rows are scattered");
  auto const ranks_here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, ranks);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t rank = 0; rank < n; ++rank) {
      ASSERT_EQ(ranks_here(row, lists_here(row, rank)), rank);
    }
  }
}

TYPED_TEST(Initialise, PrecheckTellsDistinctFirstChoices) {
  for (std::size_t n = 1; n <= 3; ++n) {
    oracle::for_each_market(n, [&](oracle::Market const& market) {
      if (market.women != oracle::Lists(n, oracle::identity(n))) {
        return;  // the women's lists are not looked at
      }
      std::vector<std::size_t> first;
      for (auto const& list : market.men) {
        first.push_back(list.front());
      }
      EXPECT_EQ(sm::detail::all_first_choices_distinct(this->space,
                                                       oracle::to_table<TypeParam>(market.men)),
                oracle::is_permutation(first));
    });
  }
}

TEST(Footprint, CountsWhatIsAllocated) {
  constexpr sm::Options gale_shapley{.algorithm = sm::Algorithm::gale_shapley};
  constexpr sm::Options locality_aware{.algorithm = sm::Algorithm::locality_aware};
  static_assert(sm::footprint_bytes(0, locality_aware) == 0);
  static_assert(sm::footprint_bytes(10'000, gale_shapley) == 200'000'000 + 10'000 * 26);
  static_assert(sm::footprint_bytes(10'000, locality_aware) == 600'000'000 + 10'000 * 26);
  // 64-bit, and 32-bit ids, past 65,535.
  static_assert(sm::footprint_bytes(100'000, gale_shapley) == 40'000'000'000 + 100'000 * 28);
  static_assert(sm::footprint_bytes(100'000, locality_aware) == 120'000'000'000 + 100'000 * 28);
  SUCCEED() << "checked at compile time";
}

}  // namespace
