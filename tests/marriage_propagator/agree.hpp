// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <support/oracles.hpp>
#include <taper/marriage_propagator/generate.hpp>
#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <taper/marriage_propagator/verify.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace taper::testing {

namespace mp = taper::marriage_propagator;

/// The words and counts of both sides' domains, for exact comparison.
template <class Propagator>
std::vector<mp::Word> words_of(Propagator const& propagator) {
  std::vector<mp::Word> words;
  for (mp::Side const side : {mp::Side::men, mp::Side::women}) {
    for (std::uint32_t person = 0; person < propagator.size(); ++person) {
      auto const row = propagator.row(side, person);
      words.insert(words.end(), row.begin(), row.end());
      words.push_back(propagator.count(side, person));
    }
  }
  return words;
}

/// Thresholds at which a hybrid propagator of a small market uses both propagators.
inline constexpr mp::Thresholds small_thresholds{
    .free_people = 2, .modified_values = 4, .domain_size = 0};

inline mp::Options options(mp::Schedule schedule, mp::Rules const& rules) {
  return {.schedule = schedule,
          .symmetric = rules.symmetric,
          .bind_partner = rules.bind_partner,
          .thresholds = small_thresholds};
}

inline std::vector<mp::Rules> all_rules() {
  return {{false, true}, {false, false}, {true, true}, {true, false}};
}

inline std::string name(mp::Rules const& rules) {
  return std::string(rules.symmetric ? "symmetric" : "men") +
         (rules.bind_partner ? ", bind_partner" : "");
}

/// The paper's Algorithm 1, literally: the men-oriented extended Gale-Shapley lists.
inline mp::PairSet extended_gale_shapley(Market const& market) {
  std::size_t const n = market.size();
  mp::PairSet lists(n, true);
  Matching husband_of(n, n);
  auto free = identity(n);
  while (!free.empty()) {
    std::size_t const man = free.back();
    free.pop_back();
    auto const woman = *std::find_if(market.men[man].begin(), market.men[man].end(),
                                     [&](std::size_t id) { return lists.has(man, id); });
    if (husband_of[woman] != n) {
      free.push_back(husband_of[woman]);
    }
    husband_of[woman] = man;
    auto const& hers = market.women[woman];
    for (std::size_t rank = rank_in(hers, man) + 1; rank < n; ++rank) {
      lists.set(hers[rank], woman, false);
    }
  }
  return lists;
}
/// What a solver's own removals leave, kept beside the propagator as a set of pairs.
struct SolverPairs {
  mp::HostMarket const& lists;
  mp::PairSet pairs;
  std::vector<mp::PairSet> saved = {};

  void apply(mp::Decision const& decision) {
    using Act = mp::Decision::Act;
    std::uint32_t const n = static_cast<std::uint32_t>(lists.size());
    switch (decision.act) {
    case Act::save:
      return saved.push_back(pairs);
    case Act::restore:
      pairs = saved.back();
      return saved.pop_back();
    case Act::remove:
      return drop(decision, decision.value);
    case Act::halve:
      for (std::uint32_t value = decision.value; value < n; value += 2) {
        drop(decision, value);
      }
      return;
    case Act::assign:
      for (std::uint32_t value = 0; value < n; ++value) {
        if (value != decision.value) {
          drop(decision, value);
        }
      }
      return;
    case Act::propagate:
      return;
    }
  }

 private:
  void drop(mp::Decision const& decision, std::uint32_t value) {
    std::size_t const partner = lists.candidate(decision.side, decision.person, value);
    decision.side == mp::Side::men ? pairs.set(decision.person, partner, false)
                                   : pairs.set(partner, decision.person, false);
  }
};

}  // namespace taper::testing
