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

// Complete lists of which each process has a part. Process 0 uses them as one Problem, while the
// others serve_lists(): they do their share of each generation, solve and check.

namespace taper::app {

/// Asks for the rank of an agent in the list of another one.
struct RankQuestion {
  std::uint32_t of_woman;  ///< 1: whose list is a woman's
  std::uint32_t agent;     ///< whose list
  std::uint32_t other;
};

/// The instance of all parts, as process 0 uses it. Its `backend` is not looked at: each process
/// solves with its host's threads.
class ProblemInParts : public Problem {
 public:
  /// The answers, from 1, in the order of the questions.
  virtual std::vector<std::uint32_t> ranks_of(std::vector<RankQuestion> const& questions) const = 0;
};

/// Generates an instance of which each process makes its part. Process 0 calls it.
/// Throws ConfigError if a process cannot.
std::unique_ptr<ProblemInParts> generate_lists(stable_marriage::Workload const& workload);

/// What the processes have read: the people per side and the first id in the file.
struct ListsRead {
  std::size_t n = 0;
  int base = 0;
};

/// Reads the part of this process, for read_lists() and serve_lists(). All processes call it.
/// Prints the notes of process 0. Throws ConfigError in all processes.
ListsRead load_lists(std::span<std::filesystem::path const> files,
                     io::MarketReadOptions const& options);
/// The instance that load_lists() has read. Process 0 calls it once.
std::unique_ptr<ProblemInParts> loaded_lists();

/// What the other processes do until process 0 calls end_commands(). It reports errors.
void serve_lists();

}  // namespace taper::app
