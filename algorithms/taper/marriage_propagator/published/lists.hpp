// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/huge_pages.hpp>
#include <taper/preferences/instance.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/rows.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace taper::marriage_propagator::published {

/// A table of ids for pseudo-code, whose persons, indices and bounds are of one signed type.
template <class Id>
struct Matrix {
  Rows<Id const> rows;

  KOKKOS_FUNCTION int operator()(int row, int column) const {
    return static_cast<int>(rows(static_cast<std::size_t>(row), static_cast<std::size_t>(column)));
  }
};

/// The paper's four matrices, as its pseudo-code names and indexes them:
///   pm(m, k), pw(w, k): the k-th preference of man m or woman w;
///   mpw(m, w), wpm(w, m): the inverse lists, the index of w on m's list and of m on w's.
template <class Id>
struct Matrices {
  Matrix<Id> pm;
  Matrix<Id> pw;
  Matrix<Id> mpw;
  Matrix<Id> wpm;
};

/// The memory of these matrices. Without extent if the engine does not need them.
///
/// Used by: both published propagators. Taper's engine joins the lists of one side with the inverse
/// lists of the other (tables.hpp), so that it reads one matrix instead of two.
template <class Id, class Memory>
struct Lists {
  using Table = preferences::ConstTable<Id, Memory>;

  std::array<Table, 2> preferences;  ///< per side: pm, pw
  std::array<Table, 2> inverse;      ///< per side: mPw, wPm

  Matrices<Id> matrices() const {
    return {{rows_of(preferences[0])},
            {rows_of(preferences[1])},
            {rows_of(inverse[0])},
            {rows_of(inverse[1])}};
  }
};

/// Copies the preference lists, and inverts them.
template <ExecutionSpace Exec, class Preferences>
auto build_lists(Exec const& where, preferences::Instance<Preferences> const& instance) {
  using Id = typename Preferences::non_const_value_type;
  using Memory = typename Preferences::memory_space;
  Lists<Id, Memory> lists;
  for (std::size_t side = 0; side < 2; ++side) {
    Preferences const& given = side == 0 ? instance.men : instance.women;
    auto const copy = allocate_large<preferences::Table<Id, Memory>>(
        where, "taper::marriage_propagator::published::preferences", given.extent(0),
        given.extent(1));
    auto const inverse = preferences::allocate_ranks<Id, Memory>(
        where, "taper::marriage_propagator::published::inverse", given.extent(0));
    if (given.extent(0) > 0) {
      Kokkos::deep_copy(where, copy, given);
      preferences::build_rank_matrix(where, given, inverse);
    }
    lists.preferences[side] = copy;
    lists.inverse[side] = inverse;
  }
  where.fence("taper::marriage_propagator::post: wait for the inverse lists");
  return lists;
}

}  // namespace taper::marriage_propagator::published
