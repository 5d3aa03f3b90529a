// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/read.hpp>
#include <io/market/sparse_market.hpp>
#include <io/market/write.hpp>

#include <CLI/App.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

class Output;
class Runtime;

/// A call of `taper match` with a market of short lists, ties or seats.
struct SparseMatchRequest {
  CLI::App const& command;  ///< for the options that it shares with complete markets
  std::string proposer;     ///< --proposer as it is given; empty: the first side
  std::string backend;
  int threads = 0;
  bool json_report = false;
  io::MatchingFormat format = io::MatchingFormat::text;
  Output& output;
};

/// A call of `taper match` by several processes of MPI.
struct SparsePartsRequest {
  CLI::App const& command;
  std::string proposer;
  std::filesystem::path market;  ///< a table or NumPy arrays, of which each process reads a part
  io::MarketReadOptions options = {};
  std::filesystem::path output;
  io::MatchingFormat format = io::MatchingFormat::text;
  int threads = 0;
  bool json_report = false;
};

/// A call of `taper verify` by several processes of MPI.
struct SparseCheckRequest {
  std::filesystem::path market;
  io::MarketReadOptions options = {};
  std::filesystem::path matching;  ///< which process 0 reads
  io::MatchingFormat format = io::MatchingFormat::automatic;
  std::size_t limit = 0;
  int threads = 0;
};

/// What solves and checks such markets for `taper match` and `taper verify`. An algorithm's plug-in
/// brings it: Algorithm::sparse_market_solver.
class SparseMarketSolver {
 public:
  virtual ~SparseMarketSolver() = default;

  /// Adds the options of a solve that `command` does not have. This object must outlive it.
  virtual void add_options(CLI::App& command) = 0;
  /// As add_options(), for a check.
  virtual void add_verify_options(CLI::App& command) = 0;
  /// The options of add_options() that are on the command line, such as "--lottery".
  virtual std::vector<std::string> given() const = 0;
  /// The options of complete markets that apply here too.
  virtual std::span<std::string_view const> shared_options() const = 0;

  /// Solves the market, verifies and writes the matching. Returns the exit status.
  virtual int match(io::SparseMarket const& market, SparseMatchRequest const& request,
                    Runtime& runtime) const = 0;
  /// As match(), with a market that no process holds alone. All processes call it.
  virtual int match_parts(SparsePartsRequest const& request, Runtime& runtime) const = 0;
  /// Says whether a matching is stable, and prints up to `limit` blocking pairs. Returns the exit
  /// status: 0 stable, 1 not.
  virtual int verify(io::SparseMarket const& market, std::span<std::uint32_t const> hospital_of,
                     std::size_t limit, int threads, Runtime& runtime) const = 0;
  /// As verify(), with a market that no process holds alone. All processes call it.
  virtual int verify_parts(SparseCheckRequest const& request, Runtime& runtime) const = 0;
};

/// The solver of this build. Null: its algorithm is left out.
std::unique_ptr<SparseMarketSolver> sparse_market_solver();

}  // namespace taper::app
