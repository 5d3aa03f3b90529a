// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

#include <io/id_table.hpp>
#include <taper/report.hpp>
#include <taper/stable_marriage/family.hpp>
#include <taper/stable_marriage/options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// Seconds in the library's labelled phases; making instances is in none of them.
struct PhaseSeconds {
  double copy = 0;  ///< of tables in host memory; what of the initialisation it hides is in it
  double precheck = 0;
  double initialisation = 0;
  double execution = 0;
  double postprocessing = 0;
  double call =
      0;  ///< from tables in host memory to the matching there; 0: they were on the device

  double phases() const { return copy + precheck + initialisation + execution + postprocessing; }
  double total() const { return call > 0 ? call : phases(); }
};

/// What is counted on request alone, as stable_marriage::Report has it.
struct Counts {
  std::uint64_t acceptances = 0;
  std::uint64_t rejections = 0;
  std::uint64_t atomic_operations = 0;
  std::uint64_t failed_compare_exchanges = 0;
};

/// One solve: the matching, its times, and what stable_marriage::Report says, without Kokkos in its
/// type.
struct Solved {
  std::vector<std::uint32_t> partner_of_man;
  PhaseSeconds seconds;
  bool perfect = false;  ///< all first choices were distinct, so that the precheck was the answer
  std::uint64_t proposals = 0;
  std::optional<Counts> counts;  ///< nothing where nobody counted
  std::uint64_t taper_step = 0;
  std::uint64_t taper_live = 0;
  Side tail_side = Side::none;
  std::uint64_t bytes_moved = 0;
  std::uint64_t tiers = 0;
  std::uint64_t rounds = 0;
  std::uint64_t copied_bytes = 0;
};

struct Verdict {
  bool perfect_matching = false;
  std::uint64_t blocking_pairs = 0;

  bool stable() const { return perfect_matching && blocking_pairs == 0; }
};

/// One instance in the memory of one kind of backend, the width of its ids erased.
///
/// All that is compiled for each backend and id width lies behind it, in run_stable_marriage.cpp.
/// Backends are named as backend_names() does; host backends share one Problem, a device has its
/// own. Throws: taper::Error, ConfigError, and what an allocation throws.
class Problem {
 public:
  virtual ~Problem() = default;

  virtual std::size_t size() const = 0;
  /// On a device, a hybrid schedule is given the host beside it.
  virtual Solved solve(std::string_view backend, stable_marriage::Options const& options) const = 0;
  virtual Verdict verify(std::span<std::uint32_t const> partner_of_man) const = 0;
  /// Some of the blocking pairs, man first.
  virtual std::vector<std::pair<std::uint32_t, std::uint32_t>>
  blocking_pairs(std::span<std::uint32_t const> partner_of_man, std::size_t limit) const = 0;
};

/// Generates where `backend` can work on it.
std::unique_ptr<Problem> generate_problem(std::string_view backend,
                                          stable_marriage::Workload const& workload);

/// Generates in the host's memory; each solve brings the tables to where `backend` works, and ends
/// with the matching in the host's memory. Verifies on the host.
std::unique_ptr<Problem> generate_problem(std::string_view backend, Tables tables,
                                          stable_marriage::Workload const& workload);

/// Generates in shards on devices of `backend`, each with the lists of its people; a host backend
/// has them all. Solves on all of them, and verifies on the first.
/// Throws: ConfigError where there are fewer devices, or one cannot reach another's memory.
std::unique_ptr<Problem> generate_problem(std::string_view backend, Sharing const& sharing,
                                          stable_marriage::Workload const& workload);

/// Generates into host tables of workload.n.
void generate_tables(stable_marriage::Workload const& workload, io::IdTable& men,
                     io::IdTable& women);

/// The market in these tables: as they lie in memory for a host backend (they must outlive the
/// Problem), a copy for a device.
std::unique_ptr<Problem> load_problem(std::string_view backend, io::IdTable const& men,
                                      io::IdTable const& women);

/// Bytes of an instance of n and of what solving and then verifying it allocates, where it is solved;
/// where devices share it, of the first, which verifies. Needs no Kokkos.
std::uint64_t bytes_needed(std::size_t n, stable_marriage::Options const& options,
                           Sharing const& sharing = {});

/// Throws ConfigError, with the bytes needed and those free, unless an instance of n and its
/// solution fit where `engine` works, and the host's tables, if it has such, in the host's memory;
/// `loaded`: these are there already.
/// Returns the bytes needed, of the first device where several share the instance.
std::uint64_t require_memory(Engine const& engine, std::size_t n, bool loaded = false);

}  // namespace taper::app
