// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solve.hpp"

#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/report.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

// Memory of the device, and the solvers on arrays in it. The device is Kokkos' default execution
// space: a GPU if the build has CUDA, else the host. solve_kokkos.cpp has the definitions. All
// functions require a started Kokkos.

namespace taper::python {

/// Whether the build has CUDA. This alone requires no Kokkos.
bool has_gpu();

/// The GPU of this process, and its stream on which solvers run. Requires has_gpu().
struct Gpu {
  int id = 0;
  std::uintptr_t stream = 0;
};
Gpu gpu();

/// The number of the GPU that has this memory; nothing if no GPU has it. 0 in a build without CUDA.
std::optional<int> gpu_of(void const* pointer);

/// Waits for the work of a stream of CUDA. Throws ConfigError if it failed.
void wait_for_stream(std::uintptr_t stream);

/// Memory of the device. If Kokkos ends first, it is never freed.
std::shared_ptr<void> allocate_on_device(std::size_t bytes);

void copy_to_host(void const* from, void* to, std::size_t bytes);
void copy_to_device(void const* from, void* to, std::size_t bytes);
void copy_on_device(void const* from, void* to, std::size_t bytes);

/// How many of the numbers are negative.
std::size_t count_negative(std::int32_t const* numbers, std::size_t count);

/// As match_tables(), of tables and n partners on the device.
template <class Id>
stable_marriage::Report match_tables_on_device(Tables<Id> const& tables, std::int32_t* partner_of,
                                               stable_marriage::Options const& options);

/// As find_bad_entry(), of a table on the device.
template <class Id>
std::optional<std::pair<std::size_t, std::size_t>> find_bad_entry_on_device(Id const* table,
                                                                            std::size_t n);

/// As verify_tables(), on the device. Partners out of range are none.
template <class Id>
TablesVerdict verify_tables_on_device(Tables<Id> const& tables, std::int32_t const* partner_of,
                                      std::size_t limit);

/// A graph as CsrGraph, in memory of the device, with offsets of one of two types.
struct DeviceGraph {
  std::variant<std::int32_t const*, std::int64_t const*> offsets;
  std::uint32_t const* entries;
  std::size_t vertices;
  std::size_t entry_count;
};

/// Whether vertex_cover::find_fault() finds a fault in the graph. Copies the graph to the host.
bool has_fault_on_device(DeviceGraph const& graph);

/// As find_cover(), with a mark per vertex on the device.
vertex_cover::Report find_cover_on_device(DeviceGraph const& graph, std::uint8_t* in_cover,
                                          vertex_cover::Options const& options);

/// sums[i] += counts[i], of arrays on the device.
void add_counts_on_device(std::uint32_t const* counts, std::uint32_t* sums, std::size_t count);

}  // namespace taper::python
