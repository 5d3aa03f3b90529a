// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/machine_profile.hpp>
#include <taper/scheduler.hpp>
#include <taper/spelling.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// What a caller chooses. Standard library only.

namespace taper::matmul {

/// How the product is cut up and who works on the pieces. Algorithm numbers are the document's.
enum class Engine {
  automatic,  ///< the vendor's where it is linked and there for the place, else the best portable one
  vendor,     ///< the system's BLAS, KokkosBlas::gemm or cuBLAS; see taper/matmul/vendor.hpp
  sequential,  ///< one worker, one call of the kernel (Algorithms 1, 2, 3)
  rows,        ///< a range of rows for each worker, each one call of the kernel ("vanilla", 4)
  tiled,       ///< blocks of C for each worker, one call of the kernel for each two blocks (5)
  fork_join,   ///< halves every extent until the kernel takes over (6)
  strassen,    ///< 7 products of quadrants instead of 8 (Strassen 1969)
  winograd,    ///< the same with 15 instead of 18 additions (Winograd 1971)
  packed,      ///< host: packed panels, register blocks, all workers: the best portable one there
  team_tiled,  ///< GPU: tiles in team scratch, an entry of C a thread (7)
  register_blocked,  ///< GPU: tiles in team scratch, a block of C in each thread's registers
  streamed,  ///< GPU: operands in host memory, copied in tiles while others are multiplied (8)
};

/// What multiplies where an engine has stopped cutting up. See kernels.hpp for the error bounds.
enum class Kernel {
  ijk,       ///< a dot product for each entry (Algorithm 2)
  ikj,       ///< rows of B added to a row of C (Algorithm 3)
  kahan,     ///< ijk, compensated (Algorithm 1)
  neumaier,  ///< ijk, compensated also where a summand is larger than the sum so far
  pairwise,  ///< ijk, halves summed apart
  packed,    ///< packed panels and register blocks
};

/// Who runs the branches of a recursion.
using taper::Scheduler;

constexpr auto spellings(Engine) {
  using enum Engine;
  return std::array{Spelling{"automatic", automatic},
                    Spelling{"vendor", vendor},
                    Spelling{"sequential", sequential},
                    Spelling{"rows", rows},
                    Spelling{"tiled", tiled},
                    Spelling{"fork_join", fork_join},
                    Spelling{"strassen", strassen},
                    Spelling{"winograd", winograd},
                    Spelling{"packed", packed},
                    Spelling{"team_tiled", team_tiled},
                    Spelling{"register_blocked", register_blocked},
                    Spelling{"streamed", streamed}};
}

constexpr auto spellings(Kernel) {
  using enum Kernel;
  return std::array{Spelling{"ijk", ijk},           Spelling{"ikj", ikj},
                    Spelling{"kahan", kahan},       Spelling{"neumaier", neumaier},
                    Spelling{"pairwise", pairwise}, Spelling{"packed", packed}};
}

using taper::names;
using taper::parse;
using taper::to_string;

/// How to multiply; spelled in YAML exactly as here. An engine ignores what is not its own.
struct Options {
  Engine engine = Engine::automatic;
  Kernel kernel = Kernel::packed;  ///< of sequential, rows, tiled, fork_join, strassen, winograd

  std::int64_t block = 128;  ///< tiled: rows and columns of a block, at least 1

  // fork_join, strassen, winograd.
  Scheduler scheduler = Scheduler::pool;
  /// Extents up to here are not halved any more; at least 1. None: threshold_of().
  std::optional<std::int64_t> threshold = std::nullopt;
  /// fork_join only: the two halves of a sum at the same time, one of them in a temporary, as
  /// Algorithm 6 has it; else one after the other, in place.
  bool temporaries = true;

  // streamed.
  Engine streamed_engine = Engine::register_blocked;  ///< multiplies on the device
  std::int64_t streams =
      4;  ///< execution space instances: two copy, the others multiply; at least 1
  /// Rows and columns of C in a tile, at least 1. None: from the memory that is free.
  std::optional<std::int64_t> stream_tile = std::nullopt;
  /// Bytes of device memory that blocks and tiles may take. 0: nine tenths of what is free.
  std::int64_t stream_memory_bytes = 0;

  /// Where thresholds come from that nobody has said; must outlive the call. None:
  /// default_threshold().
  MachineProfile const* machine = nullptr;
};

/// Engines that one place or another can run, vendor and automatic in both sets.
constexpr bool runs_on_host(Engine engine) {
  return engine <= Engine::packed;
}
constexpr bool runs_on_gpu(Engine engine) {
  return engine <= Engine::vendor || engine >= Engine::team_tiled;
}

/// Engines that Options::kernel is for.
constexpr bool has_kernel(Engine engine) {
  return engine >= Engine::sequential && engine <= Engine::winograd;
}
/// Engines that Options::scheduler and threshold are for.
constexpr bool recurses(Engine engine) {
  return engine >= Engine::fork_join && engine <= Engine::winograd;
}

/// The threshold of a machine that nobody has measured: the slower the kernel, the smaller the blocks
/// that are worth a branch of their own. Strassen's gain by each level that they go down, and so end
/// later.
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

/// The threshold that `options` come to: their own, else the machine's, else default_threshold().
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

/// A rung of the ladder: a program of the document, or one that it leads to, as the options it
/// stands for.
struct Rung {
  enum class Backend { host, gpu, any };
  std::string_view name;
  Options options;
  Backend backend;
};

namespace detail {
inline constexpr std::array rungs{
    Rung{"IJK", {Engine::sequential, Kernel::ijk}, Rung::Backend::host},
    Rung{"IJK+Kahan", {Engine::sequential, Kernel::kahan}, Rung::Backend::host},
    Rung{"IJK+Neumaier", {Engine::sequential, Kernel::neumaier}, Rung::Backend::host},
    Rung{"IJK+Pairwise", {Engine::sequential, Kernel::pairwise}, Rung::Backend::host},
    Rung{"IKJ", {Engine::sequential, Kernel::ikj}, Rung::Backend::host},
    Rung{"Vanilla", {Engine::rows, Kernel::ikj}, Rung::Backend::host},
    Rung{"Tiled", {Engine::tiled, Kernel::ikj}, Rung::Backend::host},
    Rung{"ForkJoin-IJK+Kahan", {Engine::fork_join, Kernel::kahan}, Rung::Backend::host},
    Rung{"ForkJoin-IJK", {Engine::fork_join, Kernel::ijk}, Rung::Backend::host},
    Rung{"ForkJoin-IKJ", {Engine::fork_join, Kernel::ikj}, Rung::Backend::host},
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

/// From the plainest to the fastest.
constexpr std::span<const Rung> ladder() {
  return detail::rungs;
}

}  // namespace taper::matmul
