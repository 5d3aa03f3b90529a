// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stable marriage: the front door.
//
//   options.hpp    what a caller chooses, and the engines: those of the paper and Taper's own
//   instance.hpp   the preference lists of both sides
//   report.hpp     what a solve returns
//   workspace.hpp  the large tables, for callers that keep them from call to call
//   phases.hpp     the phases: precheck, initialisation, execution, postprocessing
//
// See also: verify.hpp checks a matching, generate.hpp makes instances, sharded/solve.hpp solves on
// several devices, and solve_streamed.hpp solves instances that lie in host memory.
//
// Inside: propose.hpp (one proposal), stages/ (the parallel part), tails/ (the last chains),
// lazy_ranks/ and shortlist_run.hpp (runs without a rank matrix), tiers.hpp (instances that fall
// apart), hybrid_plan.hpp (which of these a hybrid run uses).

#include <taper/copy_entries.hpp>
#include <taper/place.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/report.hpp>
#include <taper/stable_marriage/solve_tables.hpp>
#include <taper/stable_marriage/workspace.hpp>
#ifndef TAPER_COMPILED  // Taper::compiled has the phases in object code
#include <taper/stable_marriage/phases.hpp>
#endif

#include <Kokkos_Core.hpp>

namespace taper::stable_marriage {

/// Writes the stable matching of `instance` that is best for the proposing side to `partner_of`.
/// partner_of(m) is the woman of man m, whichever side proposes.
///
///   namespace sm = taper::stable_marriage;
///   using Space = Kokkos::DefaultExecutionSpace;
///   sm::Table<std::uint16_t, Space> men("men", n, n), women("women", n, n);  // fill both
///   Kokkos::View<std::uint16_t*, Space> partner_of("partner_of", n);
///   sm::Instance<sm::ConstTable<std::uint16_t, Space>> const instance{men, women};
///   sm::Report const report = sm::solve(Space{}, instance, partner_of);
///
/// place:      an execution space instance, or a Duo of a device and a host. The tail of a hybrid
///             run may move to the host of a Duo. `bamboo` needs a Duo.
/// instance:   two n x n tables of ids (std::uint16_t or std::uint32_t).
/// partner_of: n ids of the same type, in memory that the device of `place` reaches.
/// options:    see options.hpp.
/// workspace:  keeps the large tables for the next call.
///
/// Equivalent to: serial Gale-Shapley (Gale and Shapley 1962; Algorithm 1 of Liu, Lee, Xia and
///           Zhang, "A Stable Marriage Requires a Shared Residence with Low Contention and Mutual
///           Complementarity"). The matching does not depend on backend, thread count, engine or
///           policy (Theorems IX.7 and IX.8).
/// Requires: each row is a permutation of 0 .. n-1. find_bad_row() checks this, solve() does not.
///           The device side of `place` reaches the tables and partner_of, and no other work uses
///           them.
/// Ensures:  count_blocking_pairs(where, instance, partner_of) == 0.
/// Cost:     at most O(n^2) proposals; memory as footprint_bytes() says, with the tables in
///           `workspace`. A hybrid run migrates at most twice; Report::migrations has the sizes. If
///           the instance falls into tiers, the run reads all lists once and ends. A long hybrid
///           run in which many proposers stay free builds the ranks in the order of the lists.
///           Serial and parallel runs with locality_aware, and `bamboo`, build the PRMatrix. If
///           `bamboo` on a GPU leaves a proposer, the PRMatrix goes to the host.
/// Regions:  taper::stable_marriage::{precheck, initialisation, execution, postprocessing}, each
///           fenced at its end. A hybrid run enters precheck twice if it looks for tiers. It enters
///           initialisation and execution twice if it outlasts its first stage.
/// Stop:     if Options::stop is set, returns soon with status `stopped`; partner_of is undefined. It
///           looks at the flag between launches, and cuts long legs, and a host's passes over tables,
///           into pieces of up to a tenth of a second each. One piece is the end of a GPU's long
///           tail, on teams or warps: tenths of a second at n = 30,000.
/// Async:    returns with the execution space instances of `place` fenced; touches no others.
/// Throws:   taper::Error if extents disagree, n does not fit the ids, `tail` is host or the
///           schedule is `bamboo` and `place` is no Duo, `bamboo` comes with an option that is not
///           that of Algorithm 2, min_proposers_per_thread or max_threads is 0, or a row that is no
///           permutation left people without a partner.
template <Place P, class Preferences, class Partners>
Report solve(P const& place, Instance<Preferences> const& instance, Partners const& partner_of,
             Options const& options,
             Workspace<typename Preferences::non_const_value_type,
                       typename Preferences::memory_space>& workspace) {
  static_assert(
      Kokkos::SpaceAccessibility<DeviceOf<P>, typename Preferences::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<DeviceOf<P>, typename Partners::memory_space>::accessible,
      "solve: the device side of `place` must reach the tables and partner_of");
  detail::require_solvable<P>("taper::stable_marriage::solve", instance, partner_of, options);
  if (instance.size() == 0) {
    return {};
  }
  using Id = typename Preferences::non_const_value_type;
  using Memory = typename Preferences::memory_space;
  using Lists = detail::SolveLists<P, Id, Memory>;
  using OwnPartners = detail::SolvePartners<P, Id, Memory>;
  Instance<Lists> const lists{Lists(instance.men), Lists(instance.women)};
  if constexpr (is_assignable_view<Partners, OwnPartners>) {
    return detail::solve_tables<P, Id, Memory>(place, lists, partner_of, options, workspace);
  } else {
    auto const& device = device_of(place);
    Kokkos::View<Id*, Memory> const own(
        Kokkos::view_alloc(device, Kokkos::WithoutInitializing, "taper::stable_marriage::partners"),
        instance.size());
    Report report = detail::solve_tables<P, Id, Memory>(place, lists, own, options, workspace);
    if (report.status == Status::stopped) {
      return report;
    }
    copy_entries(device, "taper::stable_marriage::copy_partners", own, partner_of);
    device.fence("taper::stable_marriage::solve: wait for the copy of the matching");
    return report;
  }
}

/// The same, with tables that it allocates and frees.
template <Place P, class Preferences, class Partners>
Report solve(P const& place, Instance<Preferences> const& instance, Partners const& partner_of,
             Options const& options = {}) {
  Workspace<typename Preferences::non_const_value_type, typename Preferences::memory_space>
      workspace;
  return solve(place, instance, partner_of, options, workspace);
}

}  // namespace taper::stable_marriage
