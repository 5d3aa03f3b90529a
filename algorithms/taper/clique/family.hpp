// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>
#include <taper/fields.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace taper::clique {

/// The families of dense graphs that generate() makes: those of the DIMACS challenge of 1993, by
/// their definitions. vertex_cover/generate.hpp has sparse ones.
enum class Family {
  gnp,  ///< every pair is an edge with probability `density`, independently

  /// Degrees vary more than in gnp (as in p_hat): each vertex draws a number between density -
  /// spread and density + spread; a pair is an edge with the mean of its two numbers.
  p_hat,

  /// A clique of `clique` vertices whose degrees are no higher than others' (as in brock). Source:
  /// Brockington and Culberson, "Camouflaging independent sets in quasi-random graphs", 1996.
  hidden_clique,

  /// Words of n bits; an edge joins two that differ in `distance` bits or more. A maximum clique is
  /// a largest code. Distance 2: it has 2^(n - 1) vertices.
  hamming,

  /// Words of n bits of which `ones` are 1, with edges as in hamming. Distance 2 * ones, the Kneser
  /// graph: a maximum clique has floor(n / ones) vertices.
  johnson,

  /// The covering problem of the Steiner triple system of lines in the affine space of dimension n
  /// over three elements (as in MANN). Maximum cliques for n = 2, 3, 4: 16, 126, 1100.
  steiner,
};

constexpr auto enum_names(Family) {
  return std::array{EnumName{"gnp", Family::gnp},
                    EnumName{"p_hat", Family::p_hat},
                    EnumName{"hidden_clique", Family::hidden_clique},
                    EnumName{"hamming", Family::hamming},
                    EnumName{"johnson", Family::johnson},
                    EnumName{"steiner", Family::steiner}};
}

/// What to generate. Equal workloads give equal graphs, on every machine.
struct Workload {
  Family family = Family::gnp;
  std::uint32_t n = 0;  ///< vertices; hamming, johnson: bits; steiner: dimension
  std::uint64_t seed = 1;
  double density = 0.5;        ///< gnp, p_hat, hidden_clique: the mean probability of an edge
  double spread = 0.25;        ///< p_hat only
  std::uint32_t clique = 0;    ///< hidden_clique only
  std::uint32_t ones = 2;      ///< johnson only
  std::uint32_t distance = 2;  ///< hamming, johnson
};

template <FieldsOf<Workload> Aggregate, class Visitor>
constexpr void fields(Aggregate& workload, Visitor&& visit) {
  visit(Field{.name = "family", .help = "how edges are drawn, or the definition of the graph"},
        workload.family);
  visit(Field{.name = "n",
              .help = "vertices; hamming, johnson: bits; steiner: dimension",
              .max = 20'000},
        workload.n);
  visit(Field{.name = "seed", .help = "seed of the random numbers"}, workload.seed);
  visit(Field{.name = "density", .help = "gnp, p_hat, hidden_clique: probability of an edge"},
        workload.density);
  visit(Field{.name = "spread",
              .help = "p_hat: the greatest distance of a density of a vertex from the mean"},
        workload.spread);
  visit(Field{.name = "clique", .help = "hidden_clique: its vertices", .max = 20'000},
        workload.clique);
  visit(Field{.name = "ones", .help = "johnson: bits that are 1", .max = 28}, workload.ones);
  visit(Field{.name = "distance",
              .help = "hamming, johnson: the least distance of two words with an edge",
              .max = 28},
        workload.distance);
}

namespace detail {

/// The probabilities of edges of hidden_clique: between the clique and other vertices, and between
/// other vertices. With them every vertex has the mean degree of gnp.
struct HiddenDensities {
  double across = 0;
  double outside = 0;
};

inline HiddenDensities hidden_densities(Workload const& workload) {
  double const n = workload.n;
  double const k = workload.clique;
  double const degree = workload.density * (n - 1);
  HiddenDensities densities;
  densities.across = n > k ? (degree - (k - 1)) / (n - k) : 0;
  densities.outside = n > k + 1 ? (degree - k * densities.across) / (n - k - 1) : 0;
  return densities;
}

}  // namespace detail

/// The most vertices of a generated graph: its edges need 16 bytes each.
inline constexpr std::uint32_t max_generated = 20'000;

/// What is wrong with a workload, and what is allowed; empty if nothing is wrong.
inline std::string fault_of(Workload const& workload) {
  auto const& [family, n, seed, density, spread, clique, ones, distance] = workload;
  if (family == Family::hamming && n > 14) {
    return "hamming: n is at most 14 bits";
  }
  if (family == Family::johnson && (n > 28 || ones > n)) {
    return "johnson: n is at most 28 bits, and ones at most n";
  }
  if (family == Family::johnson) {
    double words = 1;
    for (std::uint32_t i = 0; i < ones; ++i) {
      words = words * (n - i) / (i + 1);
    }
    if (words > max_generated) {
      return "johnson: the graph would have more than 20000 vertices";
    }
  }
  if (family == Family::steiner && (n < 1 || n > 4)) {
    return "steiner: n is a dimension from 1 to 4";
  }
  if (n > max_generated) {
    return "n is at most 20000";
  }
  if (!(density >= 0 && density <= 1)) {
    return "density is a probability from 0 to 1";
  }
  if (family == Family::p_hat && !(spread >= 0 && density - spread >= 0 && density + spread <= 1)) {
    return "p_hat: density - spread and density + spread are probabilities from 0 to 1";
  }
  if (family == Family::hidden_clique) {
    auto const hidden = detail::hidden_densities(workload);
    if (clique > n || hidden.across < 0 || hidden.across > 1 || hidden.outside < 0 ||
        hidden.outside > 1) {
      return "hidden_clique: the clique is too large to be hidden at this density";
    }
  }
  return {};
}

/// The size of a maximum clique, if it follows from the definition of the family.
inline std::optional<std::uint64_t> known_maximum(Workload const& workload) {
  if (workload.family == Family::hamming && workload.distance == 2 && workload.n > 0) {
    return std::uint64_t{1} << (workload.n - 1);
  }
  if (workload.family == Family::johnson && workload.ones > 0 && workload.n >= workload.ones &&
      workload.distance == 2 * workload.ones) {
    return workload.n / workload.ones;
  }
  if (workload.family == Family::steiner && workload.n >= 2 && workload.n <= 4) {
    return std::array<std::uint64_t, 3>{16, 126, 1100}[workload.n - 2];
  }
  return std::nullopt;
}

}  // namespace taper::clique
