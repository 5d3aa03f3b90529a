// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>
#include <taper/machine_profile.hpp>
#include <taper/scheduler.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// The options of a matrix product. This header needs only the standard library.
//
// "The document" in this folder, and its algorithm and section numbers: H. T. Nguyen, "Journey to
// SC2031: Fundamentals of Parallel and High-Performance Computing", HCMC University of Technology,
// January 2026.

namespace taper::matmul {

/// How a product is partitioned, and what computes the parts. Algorithm numbers in parentheses.
enum class Engine {
  automatic,   ///< vendor if it is linked for the place, else the fastest portable engine
  vendor,      ///< the system's BLAS, KokkosBlas::gemm or cuBLAS; see taper/matmul/vendor.hpp
  serial,      ///< one thread, one call of the kernel (1, 2, 3)
  rows,        ///< one range of rows per worker, one call of the kernel each ("vanilla", 4)
  tiled,       ///< workers take blocks of C; one call of the kernel per pair of blocks (5)
  fork_join,   ///< halves every extent until the kernel takes over (6)
  strassen,    ///< 7 products of quadrants instead of 8 (Strassen 1969)
  winograd,    ///< strassen with 15 instead of 18 additions (Winograd 1971)
  packed,      ///< host: packed panels and register tiles on all workers; the fastest portable one
  combined,    ///< add() only: one range of rows per worker, and fork_join in it (Section 8.3.1)
  team_tiled,  ///< GPU: tiles in team scratch, one entry of C per thread (7)
  register_blocked,  ///< GPU: tiles in team scratch, a block of C in the registers of each thread
  streamed,  ///< GPU: matrices in host memory; copies of tiles overlap with products of others (8)
};

/// The base case of an engine: the loop that multiplies one block. Error bounds: loops.hpp and
/// panels.hpp.
enum class Kernel {
  ijk,       ///< a dot product for each entry (Algorithm 2)
  ikj,       ///< rows of B added to a row of C (Algorithm 3)
  kahan,     ///< ijk with Kahan's compensated sum (Algorithm 1)
  neumaier,  ///< ijk with Neumaier's sum: accurate also after a summand larger than the sum so far
  pairwise,  ///< ijk with pairwise summation
  packed,    ///< packed panels and register tiles
};

/// What multiplies the tiles of the engine streamed on the device.
enum class TileEngine {
  automatic,         ///< register_blocked
  register_blocked,  ///< Engine::register_blocked
  team_tiled,        ///< Engine::team_tiled
};

using taper::Scheduler;

constexpr auto enum_names(Engine) {
  using enum Engine;
  return std::array{
      EnumName{"automatic", automatic},   EnumName{"vendor", vendor},
      EnumName{"serial", serial},         EnumName{"rows", rows},
      EnumName{"tiled", tiled},           EnumName{"fork_join", fork_join},
      EnumName{"strassen", strassen},     EnumName{"winograd", winograd},
      EnumName{"packed", packed},         EnumName{"combined", combined},
      EnumName{"team_tiled", team_tiled}, EnumName{"register_blocked", register_blocked},
      EnumName{"streamed", streamed}};
}

constexpr auto enum_names(Kernel) {
  using enum Kernel;
  return std::array{EnumName{"ijk", ijk},           EnumName{"ikj", ikj},
                    EnumName{"kahan", kahan},       EnumName{"neumaier", neumaier},
                    EnumName{"pairwise", pairwise}, EnumName{"packed", packed}};
}

constexpr auto enum_names(TileEngine) {
  using enum TileEngine;
  return std::array{EnumName{"automatic", automatic},
                    EnumName{"register_blocked", register_blocked},
                    EnumName{"team_tiled", team_tiled}};
}

using taper::names;
using taper::parse;
using taper::to_string;

/// How to multiply. YAML files spell these names. An engine ignores options that it does not use.
struct Options {
  Engine engine = Engine::automatic;  ///< the best one for the place; see Engine

  /// For serial, rows, tiled, fork_join, strassen, winograd; packed is the fastest.
  Kernel kernel = Kernel::packed;

  // tiled
  std::int64_t block = 128;  ///< rows and columns of a block; at least 1

  // fork_join, strassen, winograd, combined
  Scheduler scheduler = Scheduler::pool;  ///< runs the branches of the recursion
  /// Extents up to here are not halved; at least 1. None: threshold_of().
  std::optional<std::int64_t> threshold = std::nullopt;

  // fork_join
  bool temporaries = true;  ///< both halves of a sum in parallel (Algorithm 6); else one by one
  /// With temporaries: both halves get one, and one thread adds them, as the document does. Else
  /// one half is computed in C, and the addition forks. Without temporaries it has no effect.
  bool two_temporaries = false;

  // add()
  /// AVX2 through Kokkos SIMD, instead of a loop that the compiler vectorises. Hosts only.
  bool explicit_simd = false;

  // streamed
  TileEngine streamed_engine = TileEngine::register_blocked;
  /// Execution space instances: 2 copy, the others multiply; at least 1.
  std::int64_t streams = 4;
  /// Rows and columns of a tile of C; at least 1. None: chosen by the memory, see plan_stream().
  std::optional<std::int64_t> stream_tile = std::nullopt;
  /// Device memory that it may use. 0: nine tenths of the free memory.
  std::int64_t stream_memory_bytes = 0;

  MachineProfile const* machine = nullptr;  ///< default of `threshold`; must outlive the call
  /// If set to true, multiply() returns soon, with Report::status `stopped`. See there.
  std::atomic<bool> const* stop = nullptr;
};

/// True if `engine` runs on a host, or on a GPU. automatic and vendor run on both.
constexpr bool runs_on_host(Engine engine) {
  return engine <= Engine::combined;
}
constexpr bool runs_on_gpu(Engine engine) {
  return engine <= Engine::vendor || engine >= Engine::team_tiled;
}

/// True if `engine` is one of add(), or of multiply().
constexpr bool adds(Engine engine) {
  return engine == Engine::automatic || engine == Engine::serial || engine == Engine::rows ||
         engine == Engine::fork_join || engine == Engine::combined;
}
constexpr bool multiplies(Engine engine) {
  return engine != Engine::combined;
}

/// True if `engine` reads Options::kernel.
constexpr bool has_kernel(Engine engine) {
  return engine >= Engine::serial && engine <= Engine::winograd;
}
/// True if `engine` is recursive. It then reads Options::scheduler and Options::threshold.
constexpr bool recurses(Engine engine) {
  return engine >= Engine::fork_join && engine <= Engine::winograd;
}

/// The threshold on a machine without a profile. The slower the kernel, the smaller the block that
/// is worth a branch (Section 8.3.2). strassen and winograd save work at each level, so they
/// recurse further.
constexpr std::int64_t default_threshold(Engine engine, Kernel kernel) {
  bool const gains = engine == Engine::strassen || engine == Engine::winograd;
  switch (kernel) {
  case Kernel::packed:
    return 512;
  case Kernel::ikj:
    return gains ? 128 : 256;
  case Kernel::ijk:
  case Kernel::pairwise:
    return 32;
  case Kernel::kahan:
  case Kernel::neumaier:
    return 16;
  }
  return 64;
}

/// The threshold in effect: that of `options`, else the machine profile's, else
/// default_threshold().
inline std::int64_t threshold_of(Options const& options) {
  if (options.threshold) {
    return *options.threshold;
  }
  if (options.machine != nullptr) {
    if (auto const measured = options.machine->fork_join_threshold(to_string(options.engine),
                                                                   to_string(options.kernel))) {
      return static_cast<std::int64_t>(*measured);
    }
  }
  return default_threshold(options.engine, options.kernel);
}

/// A rung of the ladder(): a named engine, a program of the document or a successor of one, as
/// options.
struct Rung {
  enum class Backend { host, gpu, any };
  std::string_view name;  ///< published; experiments name it
  Options options;
  Backend backend;  ///< where it runs
};

namespace detail {
/// Fork-join as the document publishes it.
constexpr Options algorithm_6(Kernel kernel) {
  return {.engine = Engine::fork_join, .kernel = kernel, .two_temporaries = true};
}

inline constexpr std::array rungs{
    Rung{"IJK", {Engine::serial, Kernel::ijk}, Rung::Backend::host},
    Rung{"IJK+Kahan", {Engine::serial, Kernel::kahan}, Rung::Backend::host},
    Rung{"IJK+Neumaier", {Engine::serial, Kernel::neumaier}, Rung::Backend::host},
    Rung{"IJK+Pairwise", {Engine::serial, Kernel::pairwise}, Rung::Backend::host},
    Rung{"IKJ", {Engine::serial, Kernel::ikj}, Rung::Backend::host},
    Rung{"Vanilla", {Engine::rows, Kernel::ikj}, Rung::Backend::host},
    Rung{"Tiled", {Engine::tiled, Kernel::ikj}, Rung::Backend::host},
    Rung{"ForkJoin-IJK+Kahan", algorithm_6(Kernel::kahan), Rung::Backend::host},
    Rung{"ForkJoin-IJK", algorithm_6(Kernel::ijk), Rung::Backend::host},
    Rung{"ForkJoin-IKJ", algorithm_6(Kernel::ikj), Rung::Backend::host},
    Rung{"ForkJoin-Packed", {Engine::fork_join, Kernel::packed}, Rung::Backend::host},
    Rung{"Strassen-IJK+Kahan", {Engine::strassen, Kernel::kahan}, Rung::Backend::host},
    Rung{"Strassen-IJK", {Engine::strassen, Kernel::ijk}, Rung::Backend::host},
    Rung{"Strassen-IKJ", {Engine::strassen, Kernel::ikj}, Rung::Backend::host},
    Rung{"Strassen-Packed", {Engine::strassen, Kernel::packed}, Rung::Backend::host},
    Rung{"Winograd-IKJ", {Engine::winograd, Kernel::ikj}, Rung::Backend::host},
    Rung{"Winograd-Packed", {Engine::winograd, Kernel::packed}, Rung::Backend::host},
    Rung{"Packed", {Engine::packed}, Rung::Backend::host},
    Rung{"GPU-Tiled", {Engine::team_tiled}, Rung::Backend::gpu},
    Rung{"GPU-Registers", {Engine::register_blocked}, Rung::Backend::gpu},
    Rung{"GPU-Streamed", {Engine::streamed}, Rung::Backend::gpu},
    Rung{"Vendor", {Engine::vendor}, Rung::Backend::any}};
}  // namespace detail

/// The engines with names, from the plainest to the fastest. Experiments name them.
constexpr std::span<const Rung> ladder() {
  return detail::rungs;
}

}  // namespace taper::matmul
