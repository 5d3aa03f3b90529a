// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/experiment.hpp>
#include <experiment/picture.hpp>
#include <experiment/summary.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

class Commands;
class Sampler;
class SparseMarketSolver;

/// One kind of picture of an algorithm's results.
struct PictureKind {
  std::string_view name;  ///< as `taper plot --kind` spells it
  std::string_view help;
  /// Draws a results.json. `n`: the size to show; 0: the largest of each workload.
  /// Throws ConfigError if the file has no such picture.
  Picture (*draw)(std::filesystem::path const& results, std::uint64_t n);
};

/// One generated table of the docs. A page holds it between the lines `<!-- fields: NAME -->` and
/// `<!-- end -->`.
struct FieldTable {
  std::string_view name;
  std::string (*markdown)();
};

/// An algorithm's plug-in: all that the driver knows of the algorithm. Its folder
/// apps/algorithms/NAME defines NAME_plugin(). apps/CMakeLists.txt lists the algorithms.
struct Algorithm {
  std::string_view name;                     ///< the value of an experiment's key `algorithm`
  std::string_view results_format;           ///< the first key of its results.json
  void (*add_commands)(Commands& commands);  ///< solve, generate and verify
  /// Reads an experiment. Throws ConfigError with the file, the line and what was expected.
  std::unique_ptr<Experiment> (*read)(Node const& root);
  /// What the other processes of MPI do while process 0 runs an experiment, until it calls
  /// end_commands(); nullptr: it runs in one process.
  void (*serve)() = nullptr;
  /// The rows of `taper table` for a results.json. Throws ConfigError.
  std::vector<SummaryRow> (*summarize)(std::filesystem::path const& results);
  /// The tables of `taper table --details` for a results.json; nullptr: none. Throws ConfigError.
  std::string (*details)(std::filesystem::path const& results) = nullptr;
  std::span<PictureKind const> pictures;  ///< the first is the default
  std::span<FieldTable const> tables;     ///< of its options and its report
  /// Measures the costs that scheduling decisions read, and checks these, for `taper tune`; nullptr:
  /// none.
  void (*tune)(Sampler& sampler) = nullptr;
  std::size_t (*tune_steps)() = nullptr;  ///< the number of Sampler::begin() calls of tune()
  /// The largest instance that fits into `bytes` of memory, as text for `taper info`; nullptr:
  /// none.
  std::string (*capacity)(std::uint64_t bytes) = nullptr;
  /// What solves markets with short lists, ties or seats; nullptr: this algorithm does not.
  std::unique_ptr<SparseMarketSolver> (*sparse_market_solver)() = nullptr;
};

/// All algorithms of this build, in the order of `taper --help`.
std::span<Algorithm const* const> algorithms();

/// The algorithms that CMake's option Taper_ALGORITHMS leaves out.
std::span<std::string_view const> left_out_algorithms();

/// The end of an error about a name that this build may have left out; empty in a build of all
/// algorithms.
std::string left_out_note();

/// The algorithm that wrote this results.json.
/// Throws ConfigError if the file is missing, or was not written by `taper run`.
Algorithm const& algorithm_of_results(std::filesystem::path const& file);

}  // namespace taper::app
