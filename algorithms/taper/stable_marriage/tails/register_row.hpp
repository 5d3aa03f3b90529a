// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/simd.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// A lane's share of the start of a row of ids, in registers. Lane l of a team of `lanes` holds the
/// vectors l, l + lanes, ... of `width` entries each. On a host it holds nothing: the cache does
/// that work.
///
/// Used by: the team tails.
template <ExecutionSpace Exec, class Id, std::uint32_t lanes>
struct RegisterRow {
  static constexpr std::uint32_t width = RowTeams<Exec>::template entries_per_lane<Id>;
  static constexpr std::uint32_t vectors_per_lane = RowTeams<Exec>::vectors_in_registers;
  using Vector = ComparisonVector<Id, width>;

  std::uint32_t count = 0;               ///< vectors of the row that the team holds
  Vector vectors[vectors_per_lane + 1];  // one more than used: g++ has no arrays of size 0

  /// Calls use(h, i) for each vector of this lane: slot h holds vector i of the row.
  template <class Member, class Use>
  KOKKOS_FUNCTION void for_each_vector(Member const& team, Use const& use) const {
    auto const lane = static_cast<std::uint32_t>(team.team_rank());
    for (std::uint32_t h = 0; h < vectors_per_lane; ++h) {
      std::uint32_t const i = h * lanes + lane;
      if (i < count) {
        use(h, i);
      }
    }
  }
  template <class Member>
  KOKKOS_FUNCTION void load(Member const& team, Id const* row, std::uint32_t vectors_in_row) {
    count = Kokkos::min(vectors_in_row, vectors_per_lane * lanes);
    for_each_vector(team, [&](std::uint32_t h, std::uint32_t i) {
      vectors[h] = vector_at<Vector>(row + i * width);
    });
  }
  /// Loads the vector that contains one entry again.
  template <class Member>
  KOKKOS_FUNCTION void reload(Member const& team, Id const* row, std::uint32_t entry) {
    for_each_vector(team, [&](std::uint32_t h, std::uint32_t i) {
      if (i == entry / width) {
        vectors[h] = vector_at<Vector>(row + i * width);
      }
    });
  }
  /// Calls hit(position of the vector's first entry) for each vector whose slot passes the test.
  /// Registers cannot be indexed at run time. So the results are kept as bits, and the few hits
  /// read their vector again.
  template <class Member, class Test, class Hit>
  KOKKOS_FUNCTION void for_each_hit(Member const& team, Test const& passes, Hit const& hit) const {
    unsigned hits = 0;
    for_each_vector(team,
                    [&](std::uint32_t h, std::uint32_t) { hits |= unsigned{passes(h)} << h; });
    auto i = static_cast<std::uint32_t>(team.team_rank());
    for (; hits != 0; hits >>= 1, i += lanes) {
      if (hits & 1) {
        hit(i * width);
      }
    }
  }
};

/// Calls would_accept(receiver) for each receiver whose rank limit is above the proposer's rank.
/// Both rows are in the order of the receivers' ids. Each lane of the team compares its share:
/// first the entries that it holds in registers, then others from memory.
template <ExecutionSpace Exec, class Id, std::uint32_t lanes, class Member, class Use>
KOKKOS_FUNCTION void
for_each_acceptor(Member const& team, RegisterRow<Exec, Id, lanes> const& held_ranks,
                  Id const* ranks, RegisterRow<Exec, Id, lanes> const& held_rank_limits,
                  Id const* rank_limits, std::uint32_t n, Use const& would_accept) {
  using Row = RegisterRow<Exec, Id, lanes>;
  constexpr std::uint32_t width = Row::width;
  std::uint32_t const vectors = n / width;
  auto const report_vector = [&](std::uint32_t begin) {
    for (std::uint32_t receiver = begin; receiver < begin + width; ++receiver) {
      if (ranks[receiver] < rank_limits[receiver]) {
        would_accept(receiver);
      }
    }
  };
  held_ranks.for_each_hit(
      team,
      [&](std::uint32_t h) {
        return any_below<Id, width>(held_ranks.vectors[h], held_rank_limits.vectors[h]);
      },
      report_vector);
  Kokkos::parallel_for(
      Kokkos::TeamThreadRange(team, held_ranks.count, vectors + (n - vectors * width)),
      [&](std::uint32_t i) {
        if (i < vectors) {
          if (any_below<Id, width>(vector_at<typename Row::Vector>(ranks + i * width),
                                   vector_at<typename Row::Vector>(rank_limits + i * width))) {
            report_vector(i * width);
          }
        } else if (std::uint32_t const receiver = i - vectors + vectors * width;
                   ranks[receiver] < rank_limits[receiver]) {
          would_accept(receiver);
        }
      });
}

}  // namespace taper::stable_marriage::detail
