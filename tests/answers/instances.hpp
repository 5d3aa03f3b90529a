// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/graph_oracles.hpp>
#include <support/oracles.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

/// The instances of answers.txt. They need no library besides the standard engine, whose words the
/// C++ standard prescribes. The distributions and std::shuffle() differ between libraries.
namespace taper::testing {

/// The instance with a number of 0 to instance_count - 1.
inline constexpr std::uint64_t instance_count = 1000;

enum class Problem { stable_marriage, vertex_cover, domains, product };

inline Problem problem_of(std::uint64_t number) {
  return number < 400   ? Problem::stable_marriage
         : number < 650 ? Problem::vertex_cover
         : number < 850 ? Problem::domains
                        : Problem::product;
}

/// A number of 0 to bound - 1. Small numbers are slightly more likely.
inline std::size_t below(std::size_t bound, std::mt19937_64& random) {
  return static_cast<std::size_t>(random() % bound);
}

/// Exchanges this many random pairs of entries.
inline void exchange_entries(std::vector<std::size_t>& list, std::size_t exchanges,
                             std::mt19937_64& random) {
  for (; exchanges > 0 && !list.empty(); --exchanges) {
    std::size_t const one = below(list.size(), random);
    std::size_t const other = below(list.size(), random);
    std::swap(list[one], list[other]);
  }
}

/// A market of up to `max_size` men. In every third market the lists of a side are similar, so that
/// its people compete.
inline Market market_of(std::uint64_t number, std::size_t max_size, std::mt19937_64& random) {
  std::size_t const n = 1 + below(max_size, random);
  Market market{Lists(n, identity(n)), Lists(n, identity(n))};
  for (Lists* side : {&market.men, &market.women}) {
    for (auto& list : *side) {
      exchange_entries(list, number % 3 == 0 ? n / 8 : 4 * n, random);
    }
  }
  return market;
}

/// A graph of up to 32 vertices, from very sparse to dense.
inline SmallGraph graph_of(std::mt19937_64& random) {
  std::size_t const n = 1 + below(32, random);
  std::size_t const percent = 3 + below(60, random);
  SmallGraph graph(n, 0);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = u + 1; v < n; ++v) {
      if (below(100, random) < percent) {
        add_edge(graph, u, v);
      }
    }
  }
  return graph;
}

/// A market with some pairs that its solver has removed, and the options that decide the domains.
struct RestrictedMarket {
  Market market;
  std::vector<std::pair<std::size_t, std::size_t>> gone;  ///< man, value on his list
  bool symmetric;
  bool bind_partner;
};

inline RestrictedMarket restricted_market_of(std::uint64_t number, std::mt19937_64& random) {
  RestrictedMarket result{market_of(number, 40, random), {}, number % 2 == 0, number % 4 < 2};
  std::size_t const n = result.market.size();
  for (std::size_t removals = below(n + 1, random); removals > 0; --removals) {
    std::size_t const man = below(n, random);
    result.gone.emplace_back(man, below(n, random));
  }
  return result;
}

/// Two matrices of small integers, by rows. Sums of their products are exact in a double.
struct Factors {
  std::size_t m;
  std::size_t n;
  std::size_t k;
  std::vector<std::int64_t> a;  ///< m x k
  std::vector<std::int64_t> b;  ///< k x n
};

inline Factors factors_of(std::mt19937_64& random) {
  Factors result{1 + below(70, random), 1 + below(70, random), 1 + below(70, random), {}, {}};
  auto const entries = [&](std::size_t count) {
    std::vector<std::int64_t> matrix(count);
    for (auto& entry : matrix) {
      entry = static_cast<std::int64_t>(below(2001, random)) - 1000;
    }
    return matrix;
  };
  result.a = entries(result.m * result.k);
  result.b = entries(result.k * result.n);
  return result;
}

/// The hash of an answer, a sequence of integers: FNV-1a over their bytes, the lowest byte first.
/// Source: Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm", IETF draft, 2012.
class AnswerHash {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) {
      value_ = (value_ ^ (number >> (8 * byte) & 0xff)) * 0x100000001b3u;
    }
  }
  void add(std::vector<std::size_t> const& numbers) {
    for (std::size_t const number : numbers) {
      add(std::uint64_t{number});
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace taper::testing
