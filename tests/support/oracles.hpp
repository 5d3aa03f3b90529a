// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/case_stride.hpp>
#include <taper/stable_marriage/instance.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

/// Simple, slow host solvers for stable marriage, and generators of small instances. Oracles for
/// tests: of the library they use only the types of its Views.
namespace taper::testing {

/// Preference lists, the best first.
using Lists = std::vector<std::vector<std::size_t>>;

struct Market {
  Lists men;
  Lists women;

  std::size_t size() const { return men.size(); }
};

/// The woman of each man.
using Matching = std::vector<std::size_t>;

/// The rank of `id` in a list, 0 for the best. An id that is not on the list has the list's length.
inline std::size_t rank_in(std::vector<std::size_t> const& list, std::size_t id) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), id) - list.begin());
}

inline bool prefers(std::vector<std::size_t> const& list, std::size_t a, std::size_t b) {
  return rank_in(list, a) < rank_in(list, b);
}

inline std::size_t man_of(Matching const& partner_of, std::size_t woman) {
  return rank_in(partner_of, woman);
}

/// All blocking pairs, by the definition: a man and a woman that both prefer each other to their
/// partners. Ordered by woman, and then by the woman's preferences.
inline std::vector<std::pair<std::size_t, std::size_t>> blocking_pairs(Market const& market,
                                                                       Matching const& partner_of) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t woman = 0; woman < market.size(); ++woman) {
    for (std::size_t const man : market.women[woman]) {
      if (prefers(market.men[man], woman, partner_of[man]) &&
          prefers(market.women[woman], man, man_of(partner_of, woman))) {
        pairs.emplace_back(man, woman);
      }
    }
  }
  return pairs;
}

inline Matching identity(std::size_t n) {
  Matching ids(n);
  std::iota(ids.begin(), ids.end(), std::size_t{0});
  return ids;
}

inline bool is_permutation(std::vector<std::size_t> list) {
  std::sort(list.begin(), list.end());
  return list == identity(list.size());
}

inline bool is_perfect(Matching const& partner_of) {
  return is_permutation(partner_of);
}

inline bool is_stable(Market const& market, Matching const& partner_of) {
  return partner_of.size() == market.size() && is_perfect(partner_of) &&
         blocking_pairs(market, partner_of).empty();
}

/// All stable matchings in lexicographic order, by trial of every permutation. For n up to about 7.
inline std::vector<Matching> stable_matchings_by_trial(Market const& market) {
  std::vector<Matching> stable;
  Matching partner_of = identity(market.size());
  do {
    if (is_stable(market, partner_of)) {
      stable.push_back(partner_of);
    }
  } while (std::next_permutation(partner_of.begin(), partner_of.end()));
  return stable;
}

/// Adds to `stable` all stable matchings that begin with `partner_of`. The next man gets a partner
/// if no pair among the people matched so far is blocking. So no pair of a complete matching is.
inline void extend_matching(Market const& market, Matching& partner_of,
                            std::vector<Matching>& stable) {
  if (partner_of.size() == market.size()) {
    stable.push_back(partner_of);
    return;
  }
  std::size_t const man = partner_of.size();
  for (std::size_t woman = 0; woman < market.size(); ++woman) {
    bool fits = true;
    for (std::size_t other = 0; other < man && fits; ++other) {
      std::size_t const taken = partner_of[other];
      bool const man_leaves =
          prefers(market.men[man], taken, woman) && prefers(market.women[taken], man, other);
      bool const other_leaves =
          prefers(market.men[other], woman, taken) && prefers(market.women[woman], other, man);
      fits = taken != woman && !man_leaves && !other_leaves;
    }
    if (fits) {
      partner_of.push_back(woman);
      extend_matching(market, partner_of, stable);
      partner_of.pop_back();
    }
  }
}

/// All stable matchings in lexicographic order, by backtracking. For n up to about 12.
inline std::vector<Matching> stable_matchings(Market const& market) {
  std::vector<Matching> stable;
  Matching partner_of;
  extend_matching(market, partner_of, stable);
  return stable;
}

/// The man-optimal matching by its definition: each man has his best partner of all stable
/// matchings.
inline Matching man_optimal(Market const& market) {
  auto const stable = stable_matchings(market);
  for (auto const& candidate : stable) {
    bool optimal = true;
    for (auto const& other : stable) {
      for (std::size_t man = 0; man < market.size(); ++man) {
        optimal = optimal && !prefers(market.men[man], other[man], candidate[man]);
      }
    }
    if (optimal) {
      return candidate;
    }
  }
  throw std::logic_error("oracle: no stable matching is optimal for all men");
}

/// The woman-optimal matching by its definition: each woman has her best partner of all stable
/// matchings.
inline Matching woman_optimal(Market const& market) {
  auto const stable = stable_matchings(market);
  for (auto const& candidate : stable) {
    bool optimal = true;
    for (auto const& other : stable) {
      for (std::size_t woman = 0; woman < market.size(); ++woman) {
        optimal = optimal &&
                  !prefers(market.women[woman], man_of(other, woman), man_of(candidate, woman));
      }
    }
    if (optimal) {
      return candidate;
    }
  }
  throw std::logic_error("oracle: no stable matching is optimal for all women");
}

struct Outcome {
  Matching partner_of;      ///< the woman of each man
  std::uint64_t proposals;  ///< the same for every order of proposals (McVitie and Wilson)
};

/// The textbook algorithm of Gale and Shapley: men propose, free men wait in a queue.
inline Outcome gale_shapley(Market const& market) {
  std::size_t const none = market.size();
  std::vector<std::size_t> husband_of(market.size(), none);
  std::vector<std::size_t> asked(market.size(), 0);
  std::uint64_t proposals = 0;
  auto const men = identity(market.size());
  for (std::deque<std::size_t> free(men.begin(), men.end()); !free.empty();) {
    std::size_t const man = free.front();
    free.pop_front();
    std::size_t const woman = market.men[man].at(asked[man]++);
    ++proposals;
    std::size_t const husband = husband_of[woman];
    if (husband == none) {
      husband_of[woman] = man;
    } else if (prefers(market.women[woman], man, husband)) {
      husband_of[woman] = man;
      free.push_back(husband);
    } else {
      free.push_back(man);
    }
  }
  Matching partner_of(market.size());
  for (std::size_t woman = 0; woman < market.size(); ++woman) {
    partner_of[husband_of[woman]] = woman;
  }
  return {partner_of, proposals};
}

/// The market with the roles of the sides exchanged. Its matchings are the inverse ones.
inline Market exchanged(Market const& market) {
  return {market.women, market.men};
}

inline Matching inverse(Matching const& partner_of) {
  Matching husband_of(partner_of.size());
  for (std::size_t man = 0; man < partner_of.size(); ++man) {
    husband_of[partner_of[man]] = man;
  }
  return husband_of;
}

/// All n! orders of 0 .. n-1, in lexicographic order.
inline std::vector<Matching> all_permutations(std::size_t n) {
  std::vector<Matching> permutations;
  Matching order = identity(n);
  do {
    permutations.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return permutations;
}

/// Calls visit(market) for all (n!)^(2n) markets of n men: 1, 1, 16 and 46,656 for n = 0 .. 3. For
/// n = 3, case_stride applies.
template <class Visit>
void for_each_market(std::size_t n, Visit const& visit) {
  auto const lists = all_permutations(n);
  std::vector<std::size_t> digits(2 * n, 0);
  Market market{Lists(n, lists.front()), Lists(n, lists.front())};
  std::size_t const step = n < 3 ? 1 : case_stride;
  for (std::size_t number = 0;; ++number) {
    if (number % step == 0) {
      visit(std::as_const(market));
    }
    std::size_t place = 0;
    for (; place < 2 * n; ++place) {
      digits[place] = (digits[place] + 1) % lists.size();
      (place < n ? market.men[place] : market.women[place - n]) = lists[digits[place]];
      if (digits[place] != 0) {
        break;
      }
    }
    if (place == 2 * n) {
      return;
    }
  }
}

/// A market of independent random lists.
inline Market random_market(std::size_t n, std::mt19937_64& random) {
  Market market{Lists(n, identity(n)), Lists(n, identity(n))};
  for (Lists* side : {&market.men, &market.women}) {
    for (auto& list : *side) {
      std::shuffle(list.begin(), list.end(), random);
    }
  }
  return market;
}

/// Lists as a table in the memory of `Space`. All lists have the same length.
template <class Space, class Id = std::uint16_t>
auto to_table(Lists const& lists) {
  using Result = stable_marriage::Table<Id, typename Space::memory_space>;
  Result const table("taper::testing::table", lists.size(),
                     lists.empty() ? 0 : lists.front().size());
  auto const host = Kokkos::create_mirror_view(table);
  for (std::size_t row = 0; row < lists.size(); ++row) {
    for (std::size_t rank = 0; rank < lists[row].size(); ++rank) {
      host(row, rank) = static_cast<Id>(lists[row][rank]);
    }
  }
  Kokkos::deep_copy(table, host);
  return stable_marriage::ConstTable<Id, typename Space::memory_space>(table);
}

template <class Space, class Id = std::uint16_t>
auto to_instance(Market const& market) {
  auto const men = to_table<Space, Id>(market.men);
  auto const women = to_table<Space, Id>(market.women);
  return stable_marriage::Instance<stable_marriage::ConstTable<Id, typename Space::memory_space>>{
      men, women};
}

/// A matching as a View in the memory of `Space`.
template <class Space, class Id = std::uint16_t>
auto to_partners(Matching const& partner_of) {
  Kokkos::View<Id*, typename Space::memory_space> const partners("taper::testing::partners",
                                                                 partner_of.size());
  auto const host = Kokkos::create_mirror_view(partners);
  for (std::size_t man = 0; man < partner_of.size(); ++man) {
    host(man) = static_cast<Id>(partner_of[man]);
  }
  Kokkos::deep_copy(partners, host);
  return partners;
}

template <class Partners>
Matching to_matching(Partners const& partners) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), partners);
  return Matching(host.data(), host.data() + host.extent(0));
}

template <class Table>
Lists to_lists(Table const& table) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), table);
  Lists lists(host.extent(0));
  for (std::size_t row = 0; row < lists.size(); ++row) {
    for (std::size_t rank = 0; rank < host.extent(1); ++rank) {
      lists[row].push_back(host(row, rank));
    }
  }
  return lists;
}

template <class Preferences>
Market to_market(Preferences const& men, Preferences const& women) {
  return {to_lists(men), to_lists(women)};
}

}  // namespace taper::testing
