// SPDX-License-Identifier: Apache-2.0
//
// Every engine of stable marriage finds the optimal matching of a market of up to five people per
// side, as the textbook algorithm and, for a part of the inputs, the trial of all matchings do.
#include "kokkos.hpp"

#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <array>
#include <cstdint>
#include <map>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;
using taper::fuzz::Bytes;
using taper::fuzz::require;
using taper::fuzz::Space;
using Id = std::uint16_t;
using Memory = Space::memory_space;
using Duo = taper::Duo<Space, Space>;

/// Options that fit together, of all kinds.
sm::Options options_of(Bytes& bytes) {
  sm::Options options;
  auto const choice = bytes.next();
  options.algorithm = std::array{sm::Algorithm::gale_shapley, sm::Algorithm::mcvitie_wilson,
                                 sm::Algorithm::locality_aware}[choice % 3];
  options.schedule = std::array{
      sm::Schedule::serial, sm::Schedule::parallel, sm::Schedule::bamboo,
      sm::Schedule::hybrid, sm::Schedule::hybrid,   sm::Schedule::hybrid}[choice / 3 % 6];
  options.contention = static_cast<sm::Contention>(choice / 18 % 2);
  options.proposer = static_cast<sm::Proposer>(choice / 36 % 2);
  options.count = choice / 72 % 2 == 1;
  if (options.schedule == sm::Schedule::bamboo) {
    options.algorithm = sm::Algorithm::locality_aware;
    options.contention = sm::Contention::fetch_min;
  } else if (options.schedule == sm::Schedule::hybrid) {
    auto const course = bytes.next();
    options.tail = static_cast<sm::Tail>(course % 3);
    options.tail_threshold = static_cast<std::int64_t>(course / 3 % 4) - 1;
    options.tiers = course / 12 % 2 == 1;
    options.lazy_ranks = static_cast<sm::LazyRanks>(course / 24 % 4);
  }
  return options;
}

/// The matching that is best for the proposing side, by the textbook; `by_trial`: also by its
/// definition, among all stable matchings.
oracle::Outcome expected(oracle::Market const& market, sm::Proposer proposer, bool by_trial) {
  auto const women_propose = proposer == sm::Proposer::women;
  auto outcome = oracle::gale_shapley(women_propose ? oracle::exchanged(market) : market);
  if (women_propose) {
    outcome.partner_of = oracle::inverse(outcome.partner_of);
  }
  if (by_trial) {
    auto const best = women_propose ? oracle::woman_optimal(market) : oracle::man_optimal(market);
    require(best == outcome.partner_of, "the oracles agree");
  }
  return outcome;
}

/// Tables that stay from input to input, per size. They are never freed: Kokkos stays, too.
struct Tables {
  explicit Tables(std::size_t n) : men("men", n, n), women("women", n, n), partner_of("p", n) {}

  sm::Table<Id, Memory> men;
  sm::Table<Id, Memory> women;
  Kokkos::View<Id*, Memory> partner_of;
  sm::Workspace<Id, Memory> workspace;
};
Tables& tables_of(std::size_t n) {
  static auto& all = *new std::map<std::size_t, Tables>;
  return all.try_emplace(n, n).first->second;
}

void fill(sm::Table<Id, Memory> const& table, oracle::Lists const& lists) {
  for (std::size_t person = 0; person < lists.size(); ++person) {
    for (std::size_t rank = 0; rank < lists.size(); ++rank) {
      table(person, rank) = static_cast<Id>(lists[person][rank]);
    }
  }
}

sm::Report solve(Tables& tables, sm::Options const& options, bool on_duo, bool keep_workspace) {
  sm::Instance<sm::ConstTable<Id, Memory>> const instance{tables.men, tables.women};
  auto const solve_on = [&](auto const& place) {
    return keep_workspace ? sm::solve(place, instance, tables.partner_of, options, tables.workspace)
                          : sm::solve(place, instance, tables.partner_of, options);
  };
  return on_duo ? solve_on(Duo{{}, {}}) : solve_on(Space{});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Bytes bytes(data, size);
  auto const choice = bytes.next();
  std::size_t const n = 1 + choice % 5;
  auto const options = options_of(bytes);
  auto const market = taper::fuzz::market(n, bytes);
  auto const should = expected(market, options.proposer, size % 16 == 0);

  auto& tables = tables_of(n);
  fill(tables.men, market.men);
  fill(tables.women, market.women);
  Kokkos::deep_copy(tables.partner_of, static_cast<Id>(-1));
  bool const needs_duo = options.schedule == sm::Schedule::bamboo || options.tail == sm::Tail::host;
  auto const report =
      solve(tables, options, needs_duo || choice / 5 % 2 == 1, choice / 10 % 2 == 1);
  for (std::size_t man = 0; man < n; ++man) {
    require(tables.partner_of(man) == should.partner_of[man], "the matching is the optimal one");
  }
  require(report.proposals == should.proposals, "the number of proposals is that of the textbook");
  return 0;
}
