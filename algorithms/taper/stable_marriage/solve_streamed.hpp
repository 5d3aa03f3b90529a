// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/conveyor.hpp>
#include <taper/duo.hpp>
#include <taper/large_view.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/transfer.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace taper::stable_marriage {

/// Where an instance is solved that lies in host memory. `place` solves it, while the instances
/// `lanes`, of the same device, bring it the rows: two or more, each with a queue of its own, if
/// that shall overlap. A place whose device does not reach host memory has its host beside it.
template <Place P>
struct Streamed {
  P place;
  std::vector<DeviceOf<P>> lanes;
  std::uint64_t block_bytes = std::uint64_t{32} << 20;  ///< that a lane brings at once, or a row
};

template <Place P, class... More>
Streamed(P, More...) -> Streamed<P>;

/// What solving instances from host memory takes on a device, kept from one call to the next: their
/// tables, and a Workspace. Empty at first; a call with another n allocates anew.
///
/// For one solve at a time. Holds up to four ids a pair, of the last n; of a GPU's run on pageable
/// tables, a block a lane in page-locked memory of the host too.
template <class Id, class MemorySpace>
class StreamedWorkspace {
 public:
  using Lists = Table<Id, MemorySpace>;
  using Buffers = Kokkos::View<Id*, Kokkos::SharedHostPinnedSpace>;
  struct Tables {
    Lists men;
    Lists women;
  };

  template <ExecutionSpace Exec>
  Tables const& tables(Exec const& where, std::size_t n) {
    if (!tables_ || tables_->men.extent(0) != n) {
      tables_.reset();
      tables_.emplace(Tables{allocate_large<Lists>(where, "taper::stable_marriage::men", n, n),
                             allocate_large<Lists>(where, "taper::stable_marriage::women", n, n)});
    }
    return *tables_;
  }
  Buffers const& buffers(std::size_t entries) {
    if (!buffers_ || buffers_->extent(0) != entries) {
      buffers_.reset();
      buffers_.emplace(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::stable_marriage::buffers"),
          entries);
    }
    return *buffers_;
  }
  Workspace<Id, MemorySpace>& ranks() { return ranks_; }

 private:
  std::optional<Tables> tables_;
  std::optional<Buffers> buffers_;
  Workspace<Id, MemorySpace> ranks_;
};

namespace detail {

/// Rows a block: a multiple of eight where there are as many, so that a host copies words.
inline std::size_t rows_a_block(std::uint64_t block_bytes, std::uint64_t row_bytes) {
  std::uint64_t const rows = std::max<std::uint64_t>(1, block_bytes / row_bytes);
  return rows < 8 ? rows : rows / 8 * 8;
}

/// Brings both tables. Ranks are made of the receivers' lists alone, so these come first: their
/// blocks are scattered while the next ones, and then the proposers' lists, are under way.
template <Place P, class Preferences, class Id, class Memory>
void bring_tables(Streamed<P> const& streamed, bool men_propose, Instance<Preferences> const& here,
                  StreamedWorkspace<Id, Memory>& workspace, Table<Id, Memory> const& ranks) {
  auto const& device = device_of(streamed.place);
  std::size_t const n = here.size();
  std::size_t const rows = std::min(n, rows_a_block(streamed.block_bytes, n * sizeof(Id)));
  bool const staged = !is_copied_alone<DeviceOf<P>>(here.men.data()) ||
                      !is_copied_alone<DeviceOf<P>>(here.women.data());
  Conveyor<DeviceOf<P>, HostOf<P>, Id> conveyor(
      "taper::stable_marriage::copy", streamed.lanes, host_of(streamed.place),
      workspace.buffers(staged ? streamed.lanes.size() * rows * n : 0));

  auto const& there = workspace.tables(device, n);
  auto const bring = [&](bool men, auto const& arrived) {
    Id const* const from = men ? here.men.data() : here.women.data();
    Id* const to = men ? there.men.data() : there.women.data();
    for (std::size_t begin = 0; begin < n; begin += rows) {
      std::size_t const end = std::min(n, begin + rows);
      conveyor.send(from + begin * n, to + begin * n, (end - begin) * n,
                    [arrived, begin, end] { arrived(begin, end); });
    }
  };
  ConstTable<Id, Memory> const receivers = men_propose ? there.women : there.men;
  bring(!men_propose, [&](std::size_t begin, std::size_t end) {
    build_rank_rows(device, receivers, ranks, begin, end);
  });
  bring(men_propose, [](std::size_t, std::size_t) {});
  conveyor.finish();
}

template <Place P, class Preferences, class Partners, class Id, class Memory>
Report solve_streamed(Streamed<P> const& streamed, Instance<Preferences> const& here,
                      Partners const& partner_of, Options const& options,
                      StreamedWorkspace<Id, Memory>& workspace) {
  Region const whole("taper::stable_marriage::streamed");
  auto const& device = device_of(streamed.place);
  std::size_t const n = here.size();
  bool const men_propose = options.proposer == Proposer::men;

  if (options.schedule == Schedule::hybrid) {
    Report const report = precheck(
        host_of(streamed.place), rows_of(men_propose ? here.men : here.women), partner_of, options);
    if (report.perfect) {
      return report;
    }
  }

  auto const& tables = workspace.tables(device, n);
  Kokkos::View<Id*, Memory> const partners(
      Kokkos::view_alloc(device, Kokkos::WithoutInitializing, "taper::stable_marriage::partners"),
      n);
  Instance<ConstTable<Id, Memory>> const there{tables.men, tables.women};
  Report report = solve_imperfect(
      streamed.place, there, partners, options, workspace.ranks(), {},
      [&](Table<Id, Memory> const& ranks) {
        Region const region("taper::stable_marriage::copy");
        bring_tables(streamed, men_propose, here, workspace, ranks);
      },
      [&](Report& ended) { return ends_by_tiers(device, there, partners, options, ended); });
  FencedRegion const region(device, "taper::stable_marriage::postprocessing");
  Kokkos::deep_copy(device, partner_of, partners);
  report.copied_bytes = (2 * n * n + n) * sizeof(Id);
  return report;
}

}  // namespace detail

/// solve() of an instance in host memory, whose tables are brought to the device's while ranks are
/// made of those that have arrived.
///
/// Equivalent to: solve() on a copy of the instance: the same matching and number of proposals.
/// Requires: as solve(), but for the memory: tables without gaps between rows, and `partner_of`,
/// where the host reaches them. Tables in Kokkos::SharedHostPinnedSpace are copied as they lie,
/// others through page-locked buffers.
/// Cost: 2 n^2 ids go to the device and n come back, which report.copied_bytes says; where all first
/// choices are distinct, none: the host sees that, and the matching, in n entries. The device's
/// memory holds 2 n^2 ids beside what footprint_bytes() says, the host's a block a lane if buffers
/// are needed. Where the device reaches the host's memory anyway all this is copied too: solve() is
/// better.
/// Phases: those of solve(); of initialisation a part is taper::stable_marriage::copy, in which
/// everything arrives and all but the last ranks are made. taper::stable_marriage::streamed is the
/// whole call.
/// Async: returns with all instances fenced; touches no other.
/// Throws: taper::Error as solve(), or where there is no lane, or there are gaps between rows.
template <Place P, class Preferences, class Partners>
Report solve(Streamed<P> const& streamed, Instance<Preferences> const& instance,
             Partners const& partner_of, Options const& options,
             StreamedWorkspace<typename Preferences::non_const_value_type,
                               typename DeviceOf<P>::memory_space>& workspace) {
  static_assert(HostExecutionSpace<HostOf<P>>,
                "solve: a device that does not reach host memory comes with a host, in a Duo");
  static_assert(
      Kokkos::SpaceAccessibility<HostOf<P>, typename Preferences::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<HostOf<P>, typename Partners::memory_space>::accessible,
      "solve: the tables and partner_of of a streamed run are in host memory");
  std::string const function = "taper::stable_marriage::solve";
  detail::require_solvable<P>(function.c_str(), instance, partner_of, options);
  TAPER_REQUIRE(!streamed.lanes.empty(), function + ": no lane to bring the tables");
  TAPER_REQUIRE(instance.men.span_is_contiguous() && instance.women.span_is_contiguous(),
                function + ": a streamed run takes tables without gaps between rows");
  if (instance.size() == 0) {
    return {};
  }
  return detail::solve_streamed(streamed, instance, partner_of, options, workspace);
}

/// The same, in tables that it allocates and frees.
template <Place P, class Preferences, class Partners>
Report solve(Streamed<P> const& streamed, Instance<Preferences> const& instance,
             Partners const& partner_of, Options const& options = {}) {
  StreamedWorkspace<typename Preferences::non_const_value_type, typename DeviceOf<P>::memory_space>
      workspace;
  return solve(streamed, instance, partner_of, options, workspace);
}

}  // namespace taper::stable_marriage
