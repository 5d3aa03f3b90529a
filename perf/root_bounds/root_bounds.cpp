// SPDX-License-Identifier: Apache-2.0
//
// root_bounds FILE...: bounds of minimum vertex covers by Kokkos Kernels' graph colouring and by
// its MIS-2, beside those that the searches start from. A Markdown table with a row per graph; each
// cell has a bound and the milliseconds that it took. docs/notes/kokkos_kernels.md has the results.
#include <support/seconds_of.hpp>

#include <taper/vertex_cover/branch_and_reduce/bounds.hpp>
#include <taper/vertex_cover/branch_and_reduce/local_search.hpp>
#include <taper/vertex_cover/component_search/root_reduction.hpp>
#include <taper/vertex_cover/crs_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <io/graph/read.hpp>

#include <KokkosGraph_Distance1Color.hpp>
#include <KokkosGraph_MIS2.hpp>
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_StaticCrsGraph.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
using Device = Kokkos::Serial::device_type;
// The types that Debian's Kokkos Kernels has in object code.
using Crs = KokkosSparse::StaticCrsGraph<int, Kokkos::LayoutLeft, Device, void, std::size_t>;
using Handle =
    KokkosKernels::Experimental::KokkosKernelsHandle<std::size_t, int, double, Kokkos::Serial,
                                                     Kokkos::HostSpace, Kokkos::HostSpace>;

Crs crs_of(vc::HostGraph const& graph) {
  Kokkos::View<std::size_t*, Device> const row_map("row_map", graph.offsets.size());
  Kokkos::View<int*, Device> const entries("entries", graph.entries.size());
  std::copy(graph.offsets.begin(), graph.offsets.end(), row_map.data());
  std::copy(graph.entries.begin(), graph.entries.end(), entries.data());
  return Crs(entries, row_map);
}

/// The colours of the vertices, from 1, and their number.
struct Colouring {
  std::vector<int> colour_of;
  int colours = 0;
};

Colouring colouring_of(Crs const& crs, KokkosGraph::ColoringAlgorithm algorithm) {
  Handle handle;
  handle.create_graph_coloring_handle(algorithm);
  int const n = static_cast<int>(crs.numRows());
  KokkosGraph::Experimental::graph_color(&handle, n, n, crs.row_map, crs.entries);
  auto* const made = handle.get_graph_coloring_handle();
  auto const colours = made->get_vertex_colors();
  return {std::vector<int>(colours.data(), colours.data() + n),
          static_cast<int>(made->get_num_colors())};
}

/// Adds every vertex without a neighbour in the independent set, by ascending degree. Returns the
/// number of vertices outside: the size of a cover. Throws if the set is not independent.
std::size_t cover_outside(vc::HostGraph const& graph, std::vector<char> in_set) {
  for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
    auto const has_member =
        std::ranges::any_of(graph.neighbours(v), [&](vc::Vertex u) { return in_set[u] != 0; });
    if (in_set[v] != 0 && has_member) {
      throw std::logic_error("Kokkos Kernels: two neighbours are in one independent set");
    }
  }
  std::vector<vc::Vertex> by_degree(graph.vertices());
  for (vc::Vertex v = 0; v < by_degree.size(); ++v) {
    by_degree[v] = v;
  }
  std::ranges::stable_sort(by_degree, {}, [&](vc::Vertex v) { return graph.degree(v); });
  for (vc::Vertex const v : by_degree) {
    bool const is_free =
        std::ranges::none_of(graph.neighbours(v), [&](vc::Vertex u) { return in_set[u] != 0; });
    in_set[v] = in_set[v] != 0 || is_free ? 1 : 0;
  }
  return static_cast<std::size_t>(std::ranges::count(in_set, 0));
}

/// The vertices outside the largest colour class, which is an independent set.
std::size_t by_colouring(vc::HostGraph const& graph, Crs const& crs,
                         KokkosGraph::ColoringAlgorithm algorithm) {
  auto const [colour_of, colours] = colouring_of(crs, algorithm);
  std::vector<std::size_t> members(static_cast<std::size_t>(colours) + 1);
  for (int const colour : colour_of) {
    ++members[static_cast<std::size_t>(colour)];
  }
  auto const largest = static_cast<int>(std::ranges::max_element(members) - members.begin());
  std::vector<char> in_set(graph.vertices());
  std::ranges::transform(colour_of, in_set.begin(),
                         [&](int colour) { return static_cast<char>(colour == largest); });
  return cover_outside(graph, std::move(in_set));
}

std::size_t by_mis2(vc::HostGraph const& graph, Crs const& crs) {
  auto const set =
      KokkosGraph::graph_d2_mis<Device>(crs.row_map, crs.entries, KokkosGraph::MIS2_QUALITY);
  std::vector<char> in_set(graph.vertices());
  for (std::size_t i = 0; i < set.extent(0); ++i) {
    in_set[static_cast<std::size_t>(set(i))] = 1;
  }
  return cover_outside(graph, std::move(in_set));
}

/// A lower bound: a colour class of the complement is a clique, all but one vertex of which are in
/// every cover.
std::size_t lower_by_colouring(vc::HostGraph const& graph) {
  vc::HostGraph complement;
  std::vector<char> is_neighbour(graph.vertices());
  for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
    std::ranges::fill(is_neighbour, 0);
    for (vc::Vertex const u : graph.neighbours(v)) {
      is_neighbour[u] = 1;
    }
    for (vc::Vertex u = 0; u < graph.vertices(); ++u) {
      if (u != v && is_neighbour[u] == 0) {
        complement.entries.push_back(u);
      }
    }
    complement.offsets.push_back(complement.entries.size());
  }
  auto const colours = colouring_of(crs_of(complement), KokkosGraph::COLORING_SERIAL).colours;
  return graph.vertices() - static_cast<std::size_t>(colours);
}

std::size_t lower_by_cliques(vc::HostGraph const& graph) {
  vc::branch_and_reduce::ReductionGraph live;
  live.assign(graph);
  std::vector<vc::Vertex> clique_of;
  return vc::branch_and_reduce::Bounds().clique_cover(live, clique_of, 2, ~std::uint32_t{0});
}

template <class Bound>
void print_cell(Bound const& bound) {
  std::size_t found = 0;
  double const seconds = taper::app::seconds_of([&] { found = bound(); });
  std::printf(" %zu, %.2f |", found, 1e3 * seconds);
}

void print_row(std::filesystem::path const& file) {
  auto const read = taper::io::read_graph(file);
  auto const graph = vc::make_graph(read.vertices, read.edges).graph;
  auto const crs = crs_of(graph);
  vc::Interrupt interrupt{vc::Options{}};
  std::printf("| %s | %zu | %zu |", file.stem().c_str(), graph.vertices(), graph.edges());
  print_cell([&] { return by_colouring(graph, crs, KokkosGraph::COLORING_SERIAL); });
  print_cell([&] { return by_colouring(graph, crs, KokkosGraph::COLORING_VBBIT); });
  print_cell([&] { return by_mis2(graph, crs); });
  print_cell([&] { return vc::component_search::greedy_cover(graph, interrupt).size; });
  print_cell([&] { return vc::branch_and_reduce::LocalSearch(graph, interrupt).cover_size(); });
  if (graph.vertices() <= 5000) {  // the complement has about n^2 entries
    print_cell([&] { return lower_by_colouring(graph); });
  } else {
    std::printf(" |");
  }
  print_cell([&] { return lower_by_cliques(graph); });
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  std::printf(
      "| graph | vertices | edges | colour class | by VBBIT | MIS-2 | greedy | local search | "
      "colours of the complement | cliques |\n|---|---|---|---|---|---|---|---|---|---|\n");
  try {
    for (int i = 1; i < argc; ++i) {
      print_row(argv[i]);
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "root_bounds: %s\n", error.what());
    return 1;
  }
}
