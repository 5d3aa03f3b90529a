// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// A lane's share of a row, in registers: runs l, l + lanes, ... of the first `runs` for lane l of
/// a team. A core holds nothing: its cache does that for it.
template <ExecutionSpace Exec, class Id, std::uint32_t lanes>
struct HeldRow {
  static constexpr std::uint32_t run = RowTeams<Exec>::template run<Id>;
  static constexpr std::uint32_t runs_held = RowTeams<Exec>::runs_held;
  using Run = Compared<Id, run>;

  std::uint32_t runs = 0;
  Run mine[runs_held + 1];  // g++ has no arrays of nothing

  template <class Member, class Use>
  KOKKOS_FUNCTION void each(Member const& team, Use const& use) const {
    for (std::uint32_t h = 0; h < runs_held; ++h) {
      std::uint32_t const i = h * lanes + team.team_rank();
      if (i < runs) {
        use(h, i);
      }
    }
  }
  template <class Member>
  KOKKOS_FUNCTION void load(Member const& team, Id const* row, std::uint32_t runs_in_row) {
    runs = Kokkos::min(runs_in_row, runs_held * lanes);
    each(team, [&](std::uint32_t h, std::uint32_t i) { mine[h] = pack_at<Run>(row + i * run); });
  }
  /// Loads the run of one entry again.
  template <class Member>
  KOKKOS_FUNCTION void renew(Member const& team, Id const* row, std::uint32_t entry) {
    each(team, [&](std::uint32_t h, std::uint32_t i) {
      if (i == entry / run) {
        mine[h] = pack_at<Run>(row + i * run);
      }
    });
  }
  /// Calls hit(start of the run) for each run that passes the test. What is in registers cannot
  /// be indexed at run time: the tests are noted, and the few hits read their run again.
  template <class Member, class Test, class Hit>
  KOKKOS_FUNCTION void test(Member const& team, Test const& passes, Hit const& hit) const {
    unsigned hits = 0;
    each(team, [&](std::uint32_t h, std::uint32_t) { hits |= unsigned{passes(h)} << h; });
    for (std::uint32_t i = team.team_rank(); hits != 0; hits >>= 1, i += lanes) {
      if (hits & 1) {
        hit(i * run);
      }
    }
  }
};

/// Calls would_accept(receiver) for all with a bar above his rank; both rows are in order of the
/// receivers' ids, and the lanes of the team share them: what they hold of both first.
template <ExecutionSpace Exec, class Id, std::uint32_t lanes, class Member, class Use>
KOKKOS_FUNCTION void for_all_above(Member const& team, HeldRow<Exec, Id, lanes> const& his,
                                   Id const* ranks, HeldRow<Exec, Id, lanes> const& held,
                                   Id const* bars, std::uint32_t n, Use const& would_accept) {
  using Row = HeldRow<Exec, Id, lanes>;
  constexpr std::uint32_t run = Row::run;
  std::uint32_t const runs = n / run;
  auto const name_those_of = [&](std::uint32_t from) {
    for (std::uint32_t receiver = from; receiver < from + run; ++receiver) {
      if (ranks[receiver] < bars[receiver]) {
        would_accept(receiver);
      }
    }
  };
  his.test(
      team, [&](std::uint32_t h) { return any_below<Id, run>(his.mine[h], held.mine[h]); },
      name_those_of);
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, his.runs, runs + (n - runs * run)),
                       [&](std::uint32_t i) {
                         if (i < runs) {
                           if (any_below<Id, run>(pack_at<typename Row::Run>(ranks + i * run),
                                                  pack_at<typename Row::Run>(bars + i * run))) {
                             name_those_of(i * run);
                           }
                         } else if (std::uint32_t const receiver = i - runs + runs * run;
                                    ranks[receiver] < bars[receiver]) {
                           would_accept(receiver);
                         }
                       });
}

}  // namespace taper::stable_marriage::detail
