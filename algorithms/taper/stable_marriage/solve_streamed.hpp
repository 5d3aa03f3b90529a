// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/device_info.hpp>
#include <taper/error.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/precheck.hpp>
#include <taper/stable_marriage/solve_tables.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/staged_copy.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace taper::stable_marriage {

/// Where to solve an instance that lies in host memory: on `place`, while the execution space
/// instances `streams` of the same device copy the rows. Use two or more streams, each with its own
/// queue, so that copies overlap. If the device does not reach host memory, `place` is a Duo with
/// its host.
template <Place P>
struct Streamed {
  P place;
  std::vector<DeviceOf<P>> streams;
  /// Bytes that a stream copies at once, but at least one row.
  std::uint64_t block_bytes = std::uint64_t{32} << 20;
};

template <Place P, class... More>
Streamed(P, More...) -> Streamed<P>;

/// The device memory of a streamed solve, kept from one call to the next: the tables, and a
/// Workspace. A new workspace is empty; a call with another n allocates anew.
///
/// One solve at a time may use it. It holds up to four ids per pair, for the last n. For a GPU and
/// pageable tables it also holds one block per stream in page-locked host memory. See Workspace for
/// what that holds there.
template <class Id, class MemorySpace>
class StreamedWorkspace {
 public:
  using Lists = Table<Id, MemorySpace>;
  using Buffers = Kokkos::View<Id*, Kokkos::SharedHostPinnedSpace>;
  struct Tables {
    Lists men;
    Lists women;
  };

  /// The instance's tables on the device. Internal.
  template <ExecutionSpace Exec>
  Tables const& tables(Exec const& where, std::size_t n) {
    if (!tables_ || tables_->men.extent(0) != n) {
      tables_.reset();
      tables_.emplace(Tables{allocate_large<Lists>(where, "taper::stable_marriage::men", n, n),
                             allocate_large<Lists>(where, "taper::stable_marriage::women", n, n)});
    }
    return *tables_;
  }
  /// Page-locked memory of the streams. Internal.
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

/// Rows per block. At least eight are rounded down to a multiple of eight, so that a host copies
/// whole words.
inline std::size_t rows_per_block(std::uint64_t block_bytes, std::uint64_t row_bytes) {
  std::uint64_t const rows = std::max<std::uint64_t>(1, block_bytes / row_bytes);
  return rows < 8 ? rows : rows / 8 * 8;
}

/// Copies both tables to the device and builds the rank matrix. The ranks need only the receivers'
/// lists, so these come first. The ranks of each block of rows are built while the next blocks, and
/// then the proposers' lists, are copied.
template <Place P, class Preferences, class Id, class Memory>
void copy_tables(Streamed<P> const& streamed, bool men_propose,
                 Instance<Preferences> const& host_instance,
                 StreamedWorkspace<Id, Memory>& workspace, Table<Id, Memory> const& ranks) {
  auto const& device = device_of(streamed.place);
  std::size_t const n = host_instance.size();
  std::size_t const rows = std::min(n, rows_per_block(streamed.block_bytes, n * sizeof(Id)));
  bool const staged = !copies_asynchronously<DeviceOf<P>>(host_instance.men.data()) ||
                      !copies_asynchronously<DeviceOf<P>>(host_instance.women.data());
  StagedCopy<DeviceOf<P>, HostOf<P>, Id> staged_copy(
      "taper::stable_marriage::copy", streamed.streams, host_of(streamed.place),
      workspace.buffers(staged ? streamed.streams.size() * rows * n : 0));

  auto const& tables = workspace.tables(device, n);
  auto const copy = [&](bool men, auto const& arrived) {
    Id const* const from = men ? host_instance.men.data() : host_instance.women.data();
    Id* const to = men ? tables.men.data() : tables.women.data();
    for (std::size_t begin = 0; begin < n; begin += rows) {
      std::size_t const end = std::min(n, begin + rows);
      staged_copy.send(from + begin * n, to + begin * n, (end - begin) * n,
                       [arrived, begin, end] { arrived(begin, end); });
    }
  };
  ConstTable<Id, Memory> const receivers = men_propose ? tables.women : tables.men;
  copy(!men_propose, [&](std::size_t begin, std::size_t end) {
    preferences::build_rank_rows(device, receivers, ranks, begin, end);
  });
  copy(men_propose, [](std::size_t, std::size_t) {});
  staged_copy.finish();
}

template <Place P, class Preferences, class Partners, class Id, class Memory>
Report solve_streamed(Streamed<P> const& streamed, Instance<Preferences> const& host_instance,
                      Partners const& partner_of, Options const& options,
                      StreamedWorkspace<Id, Memory>& workspace) {
  Region const whole("taper::stable_marriage::streamed");
  auto const& device = device_of(streamed.place);
  std::size_t const n = host_instance.size();
  bool const men_propose = options.proposer == Proposer::men;

  if (has_precheck(options.schedule)) {
    Report const report = precheck(host_of(streamed.place),
                                   rows_of(men_propose ? host_instance.men : host_instance.women),
                                   partner_of, options);
    if (report.perfect) {
      return report;
    }
  }

  auto const& tables = workspace.tables(device, n);
  Kokkos::View<Id*, Memory> const partners(
      Kokkos::view_alloc(device, Kokkos::WithoutInitializing, "taper::stable_marriage::partners"),
      n);
  using Lists = SolveLists<P, Id, Memory>;
  Instance<Lists> const device_instance{Lists(tables.men), Lists(tables.women)};
  Report report = solve_arriving_tables<P, Id, Memory>(
      streamed.place, device_instance, partners, options, workspace.ranks(),
      [&](Table<Id, Memory> const& ranks) {
        Region const region("taper::stable_marriage::copy");
        copy_tables(streamed, men_propose, host_instance, workspace, ranks);
      });
  if (report.status == Status::stopped) {
    return report;
  }
  FencedRegion const region(device, "taper::stable_marriage::postprocessing");
  Kokkos::deep_copy(device, partner_of, partners);
  report.copied_bytes = (2 * n * n + n) * sizeof(Id);
  return report;
}

}  // namespace detail

/// solve() for an instance in host memory. The tables are copied to the device while it builds the
/// ranks of the rows that have arrived.
///
/// Equivalent to: solve() on a copy of the instance: the same matching and number of proposals.
/// Requires: as solve(), except for the memory: the host reaches the tables and `partner_of`, and
/// the tables have no gaps between rows. Tables in Kokkos::SharedHostPinnedSpace are copied
/// directly, others through page-locked buffers.
/// Cost: 2 n^2 ids go to the device and n come back; report.copied_bytes has the sum. If all first
/// choices are distinct, nothing is copied: the host finds the matching in n entries. Device memory
/// holds 2 n^2 ids beside footprint_bytes(), host memory one block per stream if buffers are
/// needed. A device that reaches host memory copies all this too: there, solve() on the instance
/// itself is better.
/// Regions: those of solve(). taper::stable_marriage::copy is a part of the initialisation, in
/// which all rows arrive and all ranks but the last are built. taper::stable_marriage::streamed is
/// the whole call.
/// Async: returns with the execution space instances of `streamed` fenced; uses no other.
/// Throws: taper::Error as solve(), if there is no stream, or if a table has gaps between rows.
template <Place P, class Preferences, class Partners>
Report solve(Streamed<P> const& streamed, Instance<Preferences> const& instance,
             Partners const& partner_of, Options const& options,
             StreamedWorkspace<typename Preferences::non_const_value_type,
                               typename DeviceOf<P>::memory_space>& workspace) {
  static_assert(HostExecutionSpace<HostOf<P>>,
                "solve: a device that does not reach host memory needs its host: pass a Duo");
  static_assert(
      Kokkos::SpaceAccessibility<HostOf<P>, typename Preferences::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<HostOf<P>, typename Partners::memory_space>::accessible,
      "solve: the host must reach the tables and partner_of of a streamed run");
  std::string const function = "taper::stable_marriage::solve";
  detail::require_solvable<P>(function.c_str(), instance, partner_of, options);
  TAPER_REQUIRE(!streamed.streams.empty(),
                function + ": a streamed run needs at least one stream, got 0");
  TAPER_REQUIRE(instance.men.span_is_contiguous() && instance.women.span_is_contiguous(),
                function + ": a streamed run needs tables without gaps between rows");
  if (instance.size() == 0) {
    return {};
  }
  return detail::solve_streamed(streamed, instance, partner_of, options, workspace);
}

/// The same with a temporary workspace.
template <Place P, class Preferences, class Partners>
Report solve(Streamed<P> const& streamed, Instance<Preferences> const& instance,
             Partners const& partner_of, Options const& options = {}) {
  StreamedWorkspace<typename Preferences::non_const_value_type, typename DeviceOf<P>::memory_space>
      workspace;
  return solve(streamed, instance, partner_of, options, workspace);
}

}  // namespace taper::stable_marriage
