// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/options.hpp>
#include <taper/report.hpp>

#include <cstdint>

namespace taper::clique {

/// The result and the counters of a solve().
struct Report {
  /// solved: the clique has maximum weight. stopped: a limit or Options::stop ended the run; the
  /// clique is the incumbent.
  Status status = Status::solved;
  std::uint64_t clique_size = 0;  ///< vertices of the clique
  Weight clique_weight = 0;       ///< its weight; without weights: its size
  Weight upper_bound = 0;         ///< no clique is heavier; equal to clique_weight if solved

  std::uint64_t degeneracy = 0;       ///< each subgraph has a vertex of at most this degree
  std::uint64_t kernel_vertices = 0;  ///< vertices that the cores leave
  std::uint64_t subproblems = 0;      ///< dense graphs that were searched
  std::uint64_t largest = 0;          ///< vertices of the largest dense graph
  std::uint64_t nodes = 0;            ///< search nodes visited
  std::uint64_t workers = 0;          ///< threads that searched
};

/// The result of count_maximal().
struct MaximalReport {
  /// solved: all maximal cliques are counted. stopped: a limit ended the run; there are more.
  Status status = Status::solved;
  std::uint64_t cliques = 0;        ///< maximal cliques
  std::uint64_t largest = 0;        ///< vertices of the largest maximal clique
  std::uint64_t largest_count = 0;  ///< maximal cliques of this size
  std::uint64_t degeneracy = 0;     ///< each subgraph has a vertex of at most this degree
  std::uint64_t nodes = 0;          ///< search nodes visited
  std::uint64_t workers = 0;        ///< threads that searched
};

}  // namespace taper::clique
