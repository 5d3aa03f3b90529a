// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithms/stable_marriage/solver.hpp>

#include <io/market/read.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

// Complete lists over several processes; each process has a part. Process 0 uses them as one
// Problem. The others are in serve_lists(), and do their part of each generation, solve and check.
// Used by: `taper match`, `taper verify` and `taper run`.

namespace taper::app {

/// A question for the rank of `other` in the list of `agent`.
struct RankQuestion {
  std::uint32_t of_woman;  ///< 1: `agent` is a woman, and `other` a man; 0: the reverse
  std::uint32_t agent;
  std::uint32_t other;
};

/// The instance of all parts, as process 0 uses it. It ignores the argument `backend` of solve(),
/// since each process solves with the threads of its host.
class ProblemInParts : public Problem {
 public:
  /// The ranks, counted from 1, in the order of the questions.
  virtual std::vector<std::uint32_t> ranks_of(std::vector<RankQuestion> const& questions) const = 0;
};

/// Generates an instance; each process makes its part. Process 0 calls this.
/// Throws: ConfigError if a process cannot make its part.
std::unique_ptr<ProblemInParts> generate_lists(stable_marriage::Workload const& workload);

/// What load_lists() has found in the file.
struct ListsRead {
  std::size_t n = 0;  ///< people per side
  int base = 0;       ///< the first id, 0 or 1
};

/// Reads the part of this process, for loaded_lists() and serve_lists(). All processes call it.
/// Prints the notes of process 0. Throws: ConfigError in all processes.
ListsRead load_lists(std::span<std::filesystem::path const> files,
                     io::MarketReadOptions const& options);
/// The instance that load_lists() has read. Process 0 calls it once.
std::unique_ptr<ProblemInParts> loaded_lists();

/// Called by the other processes: does their part until process 0 calls end_commands(). Process 0
/// reports errors.
void serve_lists();

}  // namespace taper::app
