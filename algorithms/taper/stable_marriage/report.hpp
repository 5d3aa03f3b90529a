// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/report.hpp>

#include <cstdint>
#include <vector>

namespace taper::stable_marriage {

/// What a run did. Needs no Kokkos.
struct Report {
  Status status =
      Status::solved;           ///< stopped: Options::stop ended the run, and nothing else is set
  bool perfect = false;         ///< all first choices are distinct: they are the matching
  std::uint64_t tiers = 0;      ///< tiers that the instance fell apart into; 0: not solved by tiers
  std::uint64_t proposals = 0;  ///< sum of all ranks of partners, from 1; equal for all engines

  // Counted if Options::count asks for it, else 0.
  std::uint64_t acceptances = 0;
  std::uint64_t rejections = 0;
  std::uint64_t atomic_operations = 0;
  std::uint64_t failed_compare_exchanges = 0;
  std::uint64_t compare_exchange_reads = 0;  ///< plain loads before compare-exchanges

  // Of a run of `hybrid` or `bamboo` that tapered, else 0 and Location::none.
  std::uint64_t taper_step = 0;  ///< proposals before it tapered
  std::uint64_t taper_live = 0;  ///< free proposers when it tapered
  Location tail_side = Location::none;
  std::vector<Migration> migrations;
  std::uint64_t bytes_moved = 0;  ///< between memory spaces, by all migrations

  /// Threads of a host whose proposals ran at the same time. 0: on a GPU or on several devices, or
  /// the precheck or tiers ended the run.
  std::uint64_t threads = 0;

  std::uint64_t rounds = 0;        ///< on several devices: exchanges of standing offers
  std::uint64_t copied_bytes = 0;  ///< instance in host memory: copied to the device and back
};

}  // namespace taper::stable_marriage
