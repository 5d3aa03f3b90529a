// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/oracles.hpp>
#include <taper/backend.hpp>
#include <taper/marriage_propagator/parallel_phases.hpp>
#include <taper/marriage_propagator/tables.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace {

namespace mp = taper::marriage_propagator;
namespace detail = taper::marriage_propagator::detail;
namespace oracle = taper::testing;
using Id = std::uint16_t;
using detail::Chain;

/// What proposals leave behind: the receivers' offers, and the proposers' positions.
struct Outcome {
  std::vector<mp::Word> offers;
  std::vector<std::uint32_t> positions;
  bool failed = false;
  int launches = 0;

  bool operator==(Outcome const& other) const {
    return failed ? other.failed : offers == other.offers && positions == other.positions;
  }
};

/// Pairs that are in no domain, as man and position on his list.
using Missing = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// The proposals one after another, by the definition. A proposal to a woman who is missing in the
/// man's domain is rejected, but she keeps only better men from then on.
Outcome propose_in_turn(oracle::Market const& market, Missing const& missing) {
  std::uint32_t const n = static_cast<std::uint32_t>(market.size());
  Outcome outcome{std::vector<mp::Word>(n, detail::unengaged(n)), std::vector<std::uint32_t>(n)};
  std::vector<std::uint32_t> next(n);
  std::vector<std::uint32_t> free;
  for (std::uint32_t man = 0; man < n; ++man) {
    free.push_back(man);
  }
  while (!free.empty()) {
    std::uint32_t const man = free.back();
    std::uint32_t const position = next[man]++;
    if (position == n) {
      outcome.failed = true;
      return outcome;
    }
    std::size_t const woman = market.men[man][position];
    auto const rank = static_cast<std::uint32_t>(oracle::rank_in(market.women[woman], man));
    bool const has =
        std::find(missing.begin(), missing.end(), std::pair(man, position)) == missing.end();
    mp::Word& offer = outcome.offers[woman];
    mp::Word const proposal = has ? detail::engaged(rank, man, position) : detail::unengaged(rank);
    if (proposal >= offer) {
      continue;
    }
    mp::Word const before = std::exchange(offer, proposal);
    if (has) {
      outcome.positions[man] = position;
      free.pop_back();
    }
    if (detail::is_engaged(before)) {
      free.push_back(detail::proposer_of(before));
      outcome.positions[detail::proposer_of(before)] = detail::value_of(before) + 1;
    }
  }
  return outcome;
}

template <class Space>
struct Proposals : ::testing::Test {
  using Memory = typename Space::memory_space;
  template <class T>
  using List = Kokkos::View<T*, Memory>;

  Space where;

  /// Proposals by ProposeInTeam, until no proposer is free. `stop_after`: steps of a worker.
  Outcome propose_in_team(oracle::Market const& market, Missing const& missing, int workers,
                          std::uint64_t stop_after) {
    std::uint32_t const n = static_cast<std::uint32_t>(market.size());
    auto const instance = oracle::to_instance<Space>(market);
    auto const men_table = detail::join(where, instance.men, instance.women);
    auto const women_table = detail::join(where, instance.women, instance.men);
    detail::Domains<Memory> const men("men", n);
    detail::Domains<Memory> const women("women", n);
    auto const rows = Kokkos::create_mirror(men.rows);
    auto const offers = Kokkos::create_mirror(women.offer);
    for (std::uint32_t person = 0; person < n; ++person) {
      offers(person) = detail::unengaged(n);
      for (std::uint32_t word = 0; word < mp::words_for(n); ++word) {
        rows(person, word) = mp::bits_below(n, word);
      }
    }
    for (auto const& [man, position] : missing) {
      rows(man, position / mp::word_bits) &= ~mp::bit_of(position);
    }
    Kokkos::deep_copy(men.rows, rows);
    Kokkos::deep_copy(women.offer, offers);
    Kokkos::deep_copy(men.proposed, 0);

    Kokkos::View<detail::CallControl, Memory> const control("control");
    auto const host_control = Kokkos::create_mirror(control);
    List<Chain> chains("chains", n);
    List<Chain> parked("parked", n);
    List<std::uint8_t> const improved("improved", n);
    List<std::uint8_t> const changed("changed", detail::change_causes * 2 * n);
    List<std::uint32_t> const assigned("assigned", 2 * n);
    List<std::uint32_t> const links("links", n);
    auto const first_chains = Kokkos::create_mirror(chains);
    for (std::uint32_t man = 0; man < n; ++man) {
      first_chains(man) = {man, 0};
    }
    Kokkos::deep_copy(chains, first_chains);

    Outcome outcome;
    for (std::uint32_t live = n; live > 0;) {
      Kokkos::deep_copy(control, detail::CallControl{});
      using Kernel = detail::ProposeInTeam<Space, Id>;
      Kernel const kernel{{men.template view<Id>(mp::Side::men, men_table),
                           women.template view<Id>(mp::Side::women, women_table), links.data()},
                          {control.data(),
                           parked.data(),
                           improved.data(),
                           changed.data(),
                           assigned.data(),
                           {stop_after}},
                          chains.data(),
                          live};
      Kokkos::TeamPolicy<Space> policy(where, 1, workers, detail::ParallelLimits<Space>::lanes);
      policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes(n, workers)));
      Kokkos::parallel_for("test::propose_in_team", policy, kernel);
      Kokkos::deep_copy(host_control, control);
      ++outcome.launches;
      if (host_control().failed != 0) {
        outcome.failed = true;
        return outcome;
      }
      live = host_control().parked;
      std::swap(chains, parked);
    }
    auto const positions = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, men.proposed);
    Kokkos::deep_copy(offers, women.offer);
    outcome.offers.assign(offers.data(), offers.data() + n);
    outcome.positions.assign(positions.data(), positions.data() + n);
    return outcome;
  }

  /// The sizes of teams that this backend runs.
  std::vector<int> team_sizes() const {
    if (taper::is_gpu<Space>) {
      return {1, 2, 16};
    }
    return taper::concurrency(where) > 1 ? std::vector{1, 2} : std::vector{1};
  }
};
TYPED_TEST_SUITE(Proposals, oracle::Backends, oracle::BackendNames);

/// With few workers most chains wait to be taken. A worker that stops early parks its chains, and
/// if all stop, the others are parked too.
TYPED_TEST(Proposals, InOneTeamEqualThoseInTurn) {
  std::mt19937_64 random(1);
  int failures = 0;
  int restarts = 0;
  for (std::uint64_t repeat = 0; repeat < 40; ++repeat) {
    std::uint32_t const n = 1 + static_cast<std::uint32_t>(random() % 90);
    auto const market = oracle::random_market(n, random);
    Missing missing;
    for (std::uint64_t count = random() % (2 * n) * (repeat % 3); count > 0; --count) {
      missing.emplace_back(random() % n, random() % n);
    }
    Outcome const expected = propose_in_turn(market, missing);
    failures += expected.failed ? 1 : 0;
    for (int const workers : this->team_sizes()) {
      for (std::uint64_t const stop_after : {5u, 1u << 14}) {
        Outcome const outcome = this->propose_in_team(market, missing, workers, stop_after);
        EXPECT_TRUE(outcome == expected) << n << ' ' << workers << ' ' << stop_after;
        restarts += outcome.launches - 1;
      }
    }
  }
  EXPECT_GT(failures, 2);
  EXPECT_LT(failures, 30);
  EXPECT_GT(restarts, 40);
}

}  // namespace
