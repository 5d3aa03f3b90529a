// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

#include <io/market/id_table.hpp>
#include <taper/stable_marriage/distributed/report.hpp>
#include <taper/stable_marriage/family.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/report.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// Seconds in the library's phase regions. Generating instances is not included.
struct PhaseSeconds {
  double copy = 0;  ///< of tables in host memory, with the initialisation that it overlaps
  double precheck = 0;
  double initialisation = 0;
  double execution = 0;
  double postprocessing = 0;
  /// From tables in host memory to the matching in host memory; 0: the tables were in the memory of
  /// the backend.
  double call = 0;

  double phases() const { return copy + precheck + initialisation + execution + postprocessing; }
  double total() const { return call > 0 ? call : phases(); }
};

/// The result of one solve: the matching, its times, and the library's report.
struct Solved {
  std::vector<std::uint32_t> partner_of_man;
  PhaseSeconds seconds;
  stable_marriage::Report report;
  /// What several processes sent to each other, per round.
  std::vector<stable_marriage::RoundTraffic> traffic = {};

  /// Whether the optional counters were counted.
  bool counted() const { return report.acceptances > 0; }
};

/// The result of a verification.
struct Verdict {
  bool perfect_matching = false;
  std::uint64_t blocking_pairs = 0;

  bool stable() const { return perfect_matching && blocking_pairs == 0; }
};

/// One instance in host or device memory. The type does not depend on the backend and the width of
/// ids: problems_kokkos.cpp compiles them.
///
/// `backend`: one of backend_names(). All host backends can use one Problem; a device needs its
/// own. Throws: taper::Error, ConfigError, and the exceptions of allocations.
class Problem {
 public:
  virtual ~Problem() = default;

  virtual std::size_t size() const = 0;
  /// Solves the instance. A hybrid schedule on a device may migrate to the host.
  virtual Solved solve(std::string_view backend, stable_marriage::Options const& options) const = 0;
  virtual Verdict verify(std::span<std::uint32_t const> partner_of_man) const = 0;
  /// At most `limit` of the blocking pairs, each (man, woman).
  virtual std::vector<std::pair<std::uint32_t, std::uint32_t>>
  blocking_pairs(std::span<std::uint32_t const> partner_of_man, std::size_t limit) const = 0;
};

/// Generates an instance in the memory that `backend` works on.
std::unique_ptr<Problem> generate_problem(std::string_view backend,
                                          stable_marriage::Workload const& workload);

/// Generates an instance in host memory. Each solve copies the tables to the memory of `backend`,
/// and the matching back. Verifies on the host.
std::unique_ptr<Problem> generate_problem(std::string_view backend, Tables tables,
                                          stable_marriage::Workload const& workload);

/// Generates an instance in shards on the devices of `backend`; each holds the lists of its own
/// agents. On a host backend all shards are in host memory. Solves on all devices, verifies on the
/// first. Throws: ConfigError if there are fewer devices, or if one cannot reach another's memory.
std::unique_ptr<Problem> generate_problem(std::string_view backend, Sharding const& sharding,
                                          stable_marriage::Workload const& workload);

/// Generates preference lists into host tables for workload.n agents per side.
void generate_tables(stable_marriage::Workload const& workload, io::IdTable& men,
                     io::IdTable& women);

/// A Problem with these tables. A host backend uses them in place, so they must outlive the
/// Problem; a device gets a copy.
std::unique_ptr<Problem> load_problem(std::string_view backend, io::IdTable const& men,
                                      io::IdTable const& women);

/// Bytes of an instance of size n plus the allocations of its solve and its verification, in the
/// memory of the engine. On several devices: on the first, which verifies. Needs no started
/// Runtime.
std::uint64_t bytes_needed(std::size_t n, stable_marriage::Options const& options,
                           Sharding const& sharding = {});

/// Throws ConfigError, with the needed and the free bytes, unless an instance of size n and its
/// solve fit into the memory of `engine`. Tables in host memory must fit there. `loaded`: these
/// exist already. Returns the needed bytes; on several devices those on the first.
std::uint64_t require_memory(Engine const& engine, std::size_t n, bool loaded = false);

}  // namespace taper::app
