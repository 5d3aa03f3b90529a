// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/report.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The solvers on arrays of the caller. A host backend uses them in place. `backend`: one of
// backend_names(). `threads`: of a host backend; 0: all. solve_kokkos.cpp has the definitions.

namespace taper::python {

/// Whether Kokkos is initialized, and whether it is finalized.
bool kokkos_runs();
bool kokkos_has_ended();

/// The preference lists of both sides, n x n, by rows. Id: std::uint16_t or std::uint32_t.
template <class Id>
struct Tables {
  Id const* first;
  Id const* second;
  std::size_t n;
};

/// See stable_marriage::solve(). partner_of: n ids. Throws: taper::Error.
template <class Id>
stable_marriage::Report match_tables(std::string_view backend, int threads,
                                     Tables<Id> const& tables, Id* partner_of,
                                     stable_marriage::Options const& options);

/// The first row of n ids that is no permutation, and the entry that shows it; nothing if all are.
template <class Id>
std::optional<std::pair<std::size_t, std::size_t>> find_bad_entry(Id const* table, std::size_t rows,
                                                                  std::size_t n);

/// The result of the check of a matching of complete lists.
struct TablesVerdict {
  /// The first agent of the first side whose partner is out of range, or has an earlier agent too.
  std::optional<std::size_t> bad_agent;
  std::uint64_t blocking_pairs = 0;                            ///< if there is no bad agent
  std::vector<std::pair<std::uint32_t, std::uint32_t>> first;  ///< the first of them, up to a limit
};

template <class Id>
TablesVerdict verify_tables(Tables<Id> const& tables, Id const* partner_of, std::size_t limit);

/// A simple undirected graph in CSR format, each edge in the rows of both ends.
struct CsrGraph {
  std::uint64_t const* offsets;  ///< vertices + 1
  std::uint32_t const* entries;
  std::size_t vertices;
  std::size_t entry_count;
};

/// See vertex_cover::solve(). in_cover: a mark per vertex. Throws: taper::Error.
vertex_cover::Report find_cover(std::string_view backend, int threads, CsrGraph const& graph,
                                std::uint8_t* in_cover, vertex_cover::Options const& options);

}  // namespace taper::python
