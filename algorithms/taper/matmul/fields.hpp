// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>

/// How files and commands spell the options and the report: see taper/fields.hpp.
namespace taper::matmul {

/// The largest extent and size that a file may ask for.
inline constexpr std::int64_t largest_extent = std::int64_t{1} << 40;

template <FieldsOf<Options> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "kernel", .help = "multiplies where an engine stops dividing"},
        options.kernel);
  visit(Field{.name = "block",
              .help = "tiled: rows and columns of a block",
              .min = 1,
              .max = largest_extent},
        options.block);
  visit(Field{.name = "scheduler", .help = "recursive engines: runs the branches"},
        options.scheduler);
  visit(Field{.name = "threshold",
              .help = "recursive engines: extents up to it go to the kernel; none: the machine "
                      "profile's",
              .min = 1,
              .max = largest_extent},
        options.threshold);
  visit(
      Field{.name = "temporaries",
            .help = "fork_join: compute the halves of a sum at the same time, one in a temporary"},
      options.temporaries);
  visit(
      Field{.name = "two_temporaries",
            .help = "fork_join with temporaries: one per half, added by one thread (Algorithm 6)"},
      options.two_temporaries);
  visit(
      Field{.name = "explicit_simd",
            .help = "additions: AVX2 through Kokkos SIMD instead of the compiler's vectorisation"},
      options.explicit_simd);
  visit(Field{.name = "streamed_engine", .help = "streamed: multiplies on the device"},
        options.streamed_engine);
  visit(Field{.name = "streams",
              .help = "streamed: execution space instances; two copy, the others multiply",
              .min = 1,
              .max = 1024},
        options.streams);
  visit(Field{.name = "stream_tile",
              .help = "streamed: rows and columns of a tile; none: from the free memory",
              .min = 1,
              .max = largest_extent},
        options.stream_tile);
  visit(Field{.name = "stream_memory_bytes",
              .help =
                  "streamed: device memory for blocks and tiles; 0: nine tenths of the free memory",
              .unit = "bytes"},
        options.stream_memory_bytes);
}

template <FieldsOf<Streaming> Aggregate, class Visitor>
constexpr void fields(Aggregate& streaming, Visitor&& visit) {
  visit(Field{.name = "streams", .help = "execution space instances"}, streaming.streams);
  visit(Field{.name = "tile_rows", .help = "rows of a tile"}, streaming.tile_rows);
  visit(Field{.name = "tile_columns", .help = "columns of a tile"}, streaming.tile_columns);
  visit(Field{.name = "tiles", .help = "tiles of C"}, streaming.tiles);
  visit(Field{.name = "bytes_to_device", .help = "copied to the device", .unit = "bytes"},
        streaming.bytes_to_device);
  visit(Field{.name = "bytes_to_host", .help = "copied back", .unit = "bytes"},
        streaming.bytes_to_host);
  visit(Field{.name = "device_bytes", .help = "allocated for tiles", .unit = "bytes"},
        streaming.device_bytes);
  visit(Field{.name = "to_device_seconds",
              .help = "while a copy to the device was under way",
              .unit = "seconds"},
        streaming.to_device_s);
  visit(Field{.name = "to_host_seconds",
              .help = "while a copy to the host was under way",
              .unit = "seconds"},
        streaming.to_host_s);
  visit(Field{.name = "compute_seconds", .help = "while a kernel ran", .unit = "seconds"},
        streaming.compute_s);
  visit(Field{.name = "elapsed_seconds",
              .help = "from the first copy to the last",
              .unit = "seconds"},
        streaming.elapsed_s);
}

/// `streaming` is a mapping of its own.
template <FieldsOf<Report> Aggregate, class Visitor>
constexpr void fields(Aggregate& report, Visitor&& visit) {
  visit(Field{.name = "ran", .help = "the engine that multiplied"}, report.engine);
  visit(Field{.name = "operations",
              .help = "floating-point operations of the definition, whatever an engine saves"},
        report.operations);
  visit(Field{.name = "kernel_calls", .help = "calls of the kernel by host engines"},
        report.kernel_calls);
  visit(Field{.name = "levels", .help = "levels of the recursion above them"}, report.levels);
  visit(Field{.name = "scratch_bytes",
              .help = "allocated beside the matrices, at the peak",
              .unit = "bytes"},
        report.scratch_bytes);
}

}  // namespace taper::matmul
