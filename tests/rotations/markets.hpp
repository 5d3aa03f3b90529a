// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/rotations/rotations.hpp>

#include <support/list_oracles.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace taper::testing {

/// A market of lists, with the library's view of it and an oracle.
struct TestMarket {
  ListTable men;
  ListTable women;
  OwnedLists owned_men{men};
  OwnedLists owned_women{women};

  TestMarket(ListTable men_lists, ListTable women_lists)
      : men(std::move(men_lists)), women(std::move(women_lists)) {}
  TestMarket(TestMarket const&) = delete;

  rotations::Market view() const { return {owned_men.view(), owned_women.view()}; }

  bool mutual(std::int32_t man, std::int32_t woman) const {
    return rank_in(men[static_cast<std::size_t>(man)], woman) >= 0 &&
           rank_in(women[static_cast<std::size_t>(woman)], man) >= 0;
  }

  /// Ranks in the lists without one-sided entries.
  int man_rank(std::int32_t man, std::int32_t woman) const {
    auto list = men[static_cast<std::size_t>(man)];
    std::erase_if(list, [&](std::int32_t other) { return !mutual(man, other); });
    return rank_in(list, woman);
  }
  int woman_rank(std::int32_t woman, std::int32_t man) const {
    auto list = women[static_cast<std::size_t>(woman)];
    std::erase_if(list, [&](std::int32_t other) { return !mutual(other, woman); });
    return rank_in(list, man);
  }

  /// By the definition: pairs list each other, nobody is in two pairs, no pair blocks.
  bool is_stable(Matching const& partner_of_man) const {
    std::vector<std::int32_t> partner_of_woman(women.size(), rotations::no_partner);
    for (std::size_t man = 0; man < men.size(); ++man) {
      auto const woman = partner_of_man[man];
      if (woman == rotations::no_partner) {
        continue;
      }
      auto& partner = partner_of_woman[static_cast<std::size_t>(woman)];
      if (!mutual(static_cast<std::int32_t>(man), woman) || partner != rotations::no_partner) {
        return false;
      }
      partner = static_cast<std::int32_t>(man);
    }
    for (std::size_t man = 0; man < men.size(); ++man) {
      for (std::size_t woman = 0; woman < women.size(); ++woman) {
        if (prefers(men[man], static_cast<std::int32_t>(woman), partner_of_man[man]) &&
            prefers(women[woman], static_cast<std::int32_t>(man), partner_of_woman[woman])) {
          return false;
        }
      }
    }
    return true;
  }

  /// Calls visit() with each assignment of a woman or nobody to each man without repetition.
  void for_each_assignment(std::function<void(Matching const&)> const& visit) const {
    Matching partner(men.size(), rotations::no_partner);
    std::vector<bool> taken(women.size(), false);
    std::function<void(std::size_t)> const assign = [&](std::size_t man) {
      if (man == men.size()) {
        visit(partner);
        return;
      }
      partner[man] = rotations::no_partner;
      assign(man + 1);
      for (std::size_t woman = 0; woman < women.size(); ++woman) {
        if (!taken[woman]) {
          taken[woman] = true;
          partner[man] = static_cast<std::int32_t>(woman);
          assign(man + 1);
          taken[woman] = false;
        }
      }
      partner[man] = rotations::no_partner;
    };
    assign(0);
  }

  /// All stable matchings, sorted.
  std::vector<Matching> stable_matchings() const {
    std::vector<Matching> found;
    for_each_assignment([&](Matching const& partner) {
      if (is_stable(partner)) {
        found.push_back(partner);
      }
    });
    std::ranges::sort(found);
    return found;
  }
};

/// Orders the women's lists by the ranks that men give them, the worst first.
inline void oppose(ListTable const& men, ListTable& women) {
  for (std::size_t woman = 0; woman < women.size(); ++woman) {
    std::ranges::stable_sort(women[woman], std::greater{}, [&](std::int32_t man) {
      return rank_in(men[static_cast<std::size_t>(man)], static_cast<std::int32_t>(woman));
    });
  }
}

/// A random market of n men and women with opposed lists. It has many rotations.
inline TestMarket opposed_market(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ListTable men = random_table(random, n, n);
  ListTable women = random_table(random, n, n);
  oppose(men, women);
  return TestMarket(std::move(men), std::move(women));
}

/// The market of Irving and Leather, with n = 2^k, that has more stable matchings than any other
/// known: 1, 2, 10, 268, 195472 for k = 0, 1, 2, 3, 4. All pairs are stable.
/// Source: Irving and Leather, "The complexity of counting stable marriages", SIAM J. Comput.
///   15(3), 1986; sequence A069124 of the OEIS.
inline TestMarket irving_leather_market(std::size_t n) {
  ListTable men(n);
  ListTable women(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      men[i].push_back(static_cast<std::int32_t>(i ^ k));
      women[i].push_back(static_cast<std::int32_t>(i ^ (n - 1 - k)));
    }
  }
  return TestMarket(std::move(men), std::move(women));
}

/// Calls test(market) with `count` random markets of up to `most` agents per side. Sides are equal
/// and unequal, lists complete and incomplete, random and opposed.
template <class Test>
void for_random_markets(std::size_t count, std::size_t most, std::uint64_t seed, Test const& test) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const men = random() % (most + 1);
    std::size_t const women = i % 2 == 0 ? men : random() % (most + 1);
    ListTable men_lists = random_table(random, men, women);
    ListTable women_lists = random_table(random, women, men);
    if (i % 4 < 2) {
      oppose(men_lists, women_lists);
    }
    if (i % 3 != 0) {
      thin(men_lists, random, 0.9);
      thin(women_lists, random, 0.9);
    }
    test(TestMarket(std::move(men_lists), std::move(women_lists)));
  }
}

/// A market of n men and women with many stable matchings: man i likes i, i + 1, ... and woman j
/// likes j + 1, j + 2, ... That has n stable matchings. `swaps` random exchanges of neighbours in
/// each man's list change it.
inline TestMarket cyclic_market(std::size_t n, std::size_t swaps, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ListTable men(n);
  ListTable women(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      men[i].push_back(static_cast<std::int32_t>((i + k) % n));
      women[i].push_back(static_cast<std::int32_t>((i + k + 1) % n));
    }
    for (std::size_t s = 0; s < swaps; ++s) {
      auto const at = random() % (n - 1);
      std::swap(men[i][at], men[i][at + 1]);
    }
  }
  return TestMarket(std::move(men), std::move(women));
}

}  // namespace taper::testing
