// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/report.hpp>
#include <taper/stable_marriage/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>

// What a solve checks first, and solve_tables(): a solve with fixed View types.
// Used by: solve() of stable_marriage.hpp. sharded/solve.hpp and solve_streamed.hpp use the checks.

namespace taper::stable_marriage::detail {

/// Throws: taper::Error if min_proposers_per_thread or max_threads is 0.
inline void require_threads(std::string const& function, Options const& options) {
  TAPER_REQUIRE(options.min_proposers_per_thread.value_or(1) > 0,
                function + ": min_proposers_per_thread is 0, expected at least 1");
  TAPER_REQUIRE(options.max_threads.value_or(1) > 0,
                function + ": max_threads is 0, expected at least 1");
}

/// Throws: taper::Error if the schedule is `bamboo` and the place is no Duo, or another option is
/// not that of Algorithm 2. `duo`: the place is a Duo, or shards.
inline void require_bamboo_options(std::string const& function, Options const& options, bool duo) {
  if (options.schedule == Schedule::bamboo) {
    TAPER_REQUIRE(duo, function + ": schedule: bamboo needs a Duo{device, host} to run on");
    TAPER_REQUIRE(
        options.algorithm == Algorithm::locality_aware &&
            options.contention == Contention::fetch_min,
        function + ": schedule: bamboo needs algorithm: locality_aware and contention: fetch_min");
    TAPER_REQUIRE(options.tail == Tail::automatic && options.tail_threshold < 0,
                  function +
                      ": schedule: bamboo hands the last free proposer to the host; it takes no "
                      "tail and no tail_threshold");
  }
}

/// Throws: taper::Error if the options ask for a queue that their algorithm or schedule has not.
inline void require_queue_options(std::string const& function, Options const& options) {
  TAPER_REQUIRE(!options.queue || (options.algorithm == Algorithm::locality_aware &&
                                   options.schedule == Schedule::serial),
                function + ": queue: true needs algorithm: locality_aware and schedule: serial");
}

/// Throws: taper::Error unless partner_of has an entry per man.
template <class Partners>
void require_partners(std::string const& function, Partners const& partner_of, std::size_t men) {
  TAPER_REQUIRE(partner_of.extent(0) == men,
                function + ": partner_of has " + std::to_string(partner_of.extent(0)) +
                    " entries, the instance has " + std::to_string(men) + " men");
}

/// Throws: taper::Error unless one place can solve the instance with these options.
template <Place P, class Preferences, class Partners>
void require_solvable(char const* function, Instance<Preferences> const& instance,
                      Partners const& partner_of, Options const& options) {
  static_assert(Kokkos::is_view_v<Partners> && Partners::rank == 1,
                "solve: partner_of is a rank-1 Kokkos View");
  static_assert(
      std::is_same_v<typename Partners::value_type, typename Preferences::non_const_value_type>,
      "solve: partner_of holds ids of the instance's type");
  preferences::require_square(function, instance);
  require_partners(function, partner_of, instance.size());
  TAPER_REQUIRE(options.tail != Tail::host || AnyDuo<P>,
                std::string(function) + ": tail: host needs a Duo{device, host} to run on");
  require_bamboo_options(function, options, AnyDuo<P>);
  require_queue_options(function, options);
  require_threads(function, options);
}

/// The View types of solve_tables(), whatever types the caller's Views have. So each combination of
/// place, id and memory is compiled once, by the caller or in the CMake target Taper::compiled.
template <Place P, class Id, class Memory>
using SolveLists =
    Kokkos::View<Id const**, Kokkos::LayoutRight, Kokkos::Device<DeviceOf<P>, Memory>>;
template <Place P, class Id, class Memory>
using SolvePartners = Kokkos::View<Id*, Kokkos::LayoutStride, Kokkos::Device<DeviceOf<P>, Memory>>;

/// All phases, for arguments that have been checked. Defined in phases.hpp.
template <Place P, class Id, class Memory>
Report solve_tables(P const& place, Instance<SolveLists<P, Id, Memory>> const& instance,
                    SolvePartners<P, Id, Memory> const& partner_of, Options const& options,
                    Workspace<Id, Memory>& workspace);

/// Launches the kernels that fill the rank matrix.
template <class Id, class Memory>
using BuildRanks = std::function<void(Table<Id, Memory> const&)>;

/// The phases after the precheck, for an instance that arrives later: `receive` fills its tables
/// and the rank matrix. Defined in phases.hpp.
template <Place P, class Id, class Memory>
Report solve_arriving_tables(P const& place, Instance<SolveLists<P, Id, Memory>> const& instance,
                             SolvePartners<P, Id, Memory> const& partner_of, Options const& options,
                             Workspace<Id, Memory>& workspace,
                             BuildRanks<Id, Memory> const& receive);

}  // namespace taper::stable_marriage::detail
