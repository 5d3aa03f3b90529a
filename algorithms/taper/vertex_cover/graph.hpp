// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/vertex_cover/host_graph.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace taper::vertex_cover {

/// A simple undirected graph in Views, in CRS format like a graph of Kokkos Kernels (row map and
/// entries): the neighbours of vertex v are entries(offsets(v)) up to, not including,
/// entries(offsets(v + 1)), in any order.
///
/// Requires: each edge in the rows of both ends, no loops, no duplicates. find_fault() checks this;
/// solve() does not.
template <class Offsets, class Entries>
struct Graph {
  static_assert(Kokkos::is_view_v<Offsets> && Offsets::rank == 1 && Kokkos::is_view_v<Entries> &&
                    Entries::rank == 1,
                "Graph: offsets and entries are rank-1 Kokkos Views");
  static_assert(std::is_const_v<typename Offsets::value_type> &&
                    std::is_const_v<typename Entries::value_type>,
                "Graph: offsets and entries are Views of const values");
  static_assert(std::is_integral_v<typename Offsets::value_type> &&
                    std::is_integral_v<typename Entries::value_type>,
                "Graph: offsets and entries are integers");

  using Entry = typename Entries::non_const_value_type;
  using MemorySpace = typename Entries::memory_space;

  Offsets offsets;  ///< vertices + 1 entries; no entry: the empty graph
  Entries entries;

  KOKKOS_FUNCTION std::size_t vertices() const {
    return offsets.extent(0) == 0 ? 0 : offsets.extent(0) - 1;
  }
  KOKKOS_FUNCTION std::size_t edges() const { return entries.extent(0) / 2; }
};

template <class Offsets, class Entries>
Graph(Offsets, Entries) -> Graph<Offsets, Entries>;

/// The maximum number of vertices: ids have 32 bits, and one value means "none".
inline constexpr std::size_t max_vertices = std::numeric_limits<Vertex>::max() - 1;

/// A copy of the graph in host memory.
///
/// Cost:  linear; `where` copies.
/// Async: returns with `where` fenced.
template <class Space, class Offsets, class Entries>
HostGraph to_host(Space const& where, Graph<Offsets, Entries> const& graph) {
  auto const copied = [&](auto const& view, std::string const& label) {
    using Value = typename std::remove_cvref_t<decltype(view)>::non_const_value_type;
    Kokkos::View<Value*, Kokkos::HostSpace> const host(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, label), view.extent(0));
    Kokkos::deep_copy(where, host, view);
    return host;
  };
  auto const offsets = copied(graph.offsets, "taper::vertex_cover::host_offsets");
  auto const entries = copied(graph.entries, "taper::vertex_cover::host_entries");
  where.fence("taper::vertex_cover::to_host: wait for the graph");
  HostGraph host;
  host.offsets.assign(graph.vertices() + 1, 0);
  std::copy_n(offsets.data(), offsets.extent(0), host.offsets.begin());
  host.entries.assign(entries.data(), entries.data() + entries.extent(0));
  return host;
}

/// A copy of a host graph in Views of `Space`'s memory: 64-bit offsets, 32-bit entries.
///
/// Async: returns with `where` fenced, so that the host graph may be freed.
template <class Space>
auto to_views(Space const& where, HostGraph const& host) {
  using Memory = typename Space::memory_space;
  Kokkos::View<std::uint64_t*, Memory> const offsets(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::vertex_cover::offsets"),
      host.offsets.size());
  Kokkos::View<Vertex*, Memory> const entries(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::vertex_cover::entries"),
      host.entries.size());
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(where, offsets,
                    Kokkos::View<std::uint64_t const*, Kokkos::HostSpace, Unmanaged>(
                        host.offsets.data(), host.offsets.size()));
  Kokkos::deep_copy(where, entries,
                    Kokkos::View<Vertex const*, Kokkos::HostSpace, Unmanaged>(host.entries.data(),
                                                                              host.entries.size()));
  where.fence("taper::vertex_cover::to_views: wait for the copies");
  return Graph{Kokkos::View<std::uint64_t const*, Memory>(offsets),
               Kokkos::View<Vertex const*, Memory>(entries)};
}

/// The first fault that makes this no simple undirected graph; nullopt if there is none. See the
/// overload for host graphs.
///
/// Cost: linear, on the host. Async: returns with `where` fenced.
template <class Space, class Offsets, class Entries>
std::optional<Fault> find_fault(Space const& where, Graph<Offsets, Entries> const& graph) {
  return find_fault(to_host(where, graph));
}

namespace detail {

template <class Offsets, class Entries>
void require_vertices(char const* function, Graph<Offsets, Entries> const& graph) {
  TAPER_REQUIRE(graph.vertices() <= max_vertices,
                std::string(function) + ": the graph has " + std::to_string(graph.vertices()) +
                    " vertices; the maximum is " + std::to_string(max_vertices));
}

template <class Offsets, class Entries, class Cover>
void require_cover_fits(char const* function, Graph<Offsets, Entries> const& graph,
                        Cover const& in_cover) {
  static_assert(Kokkos::is_view_v<Cover> && Cover::rank == 1 &&
                    std::is_same_v<typename Cover::non_const_value_type, std::uint8_t>,
                "in_cover is a rank-1 View of std::uint8_t");
  require_vertices(function, graph);
  TAPER_REQUIRE(in_cover.extent(0) == graph.vertices(),
                std::string(function) + ": in_cover has " + std::to_string(in_cover.extent(0)) +
                    " entries, the graph has " + std::to_string(graph.vertices()) + " vertices");
}

}  // namespace detail
}  // namespace taper::vertex_cover
