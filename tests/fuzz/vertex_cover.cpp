// SPDX-License-Identifier: Apache-2.0
//
// Every mode of vertex cover finds a minimum cover of a graph of up to ten vertices, or answers k,
// as a simple recursion and, for a part of the inputs, the trial of all sets do.
#include "kokkos.hpp"

#include <support/graph_oracles.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace {

namespace vc = taper::vertex_cover;
namespace oracle = taper::testing;
using taper::fuzz::Bytes;
using taper::fuzz::require;
using taper::fuzz::Space;

/// Component search with every switch, and with small stores, which may fill.
vc::ComponentSearchOptions search_of(vc::Mode mode, Bytes& bytes) {
  auto search = vc::component_search_options(mode);
  search.teams = 1;
  search.stack_nodes = 16;
  search.registry_entries = 64;
  if (mode != vc::Mode::component_search) {
    return search;
  }
  auto const switches = bytes.next();
  search.components = (switches & 1) != 0;
  search.induce = (switches & 2) != 0;
  search.bounds = (switches & 4) != 0;
  search.split_root = (switches & 8) != 0;
  search.lower_bound_stop = (switches & 16) != 0;
  search.degree_bound = (switches & 32) != 0;
  search.first_branch = static_cast<vc::FirstBranch>(switches >> 6 & 1);
  search.count = switches >> 7 != 0;
  auto const choices = bytes.next();
  search.crown = static_cast<vc::Crown>(choices % 3);
  search.balance = static_cast<vc::Balance>(choices / 3 % 3);
  search.degree_bits = static_cast<vc::DegreeBits>(choices / 9 % 5);
  search.small_vertices = std::array{0u, 5u, 128u}[choices / 45 % 3];
  auto const sizes = bytes.next();
  search.teams = 1 + sizes % 2;
  search.stack_nodes = 1 + sizes / 2 % 16;
  search.registry_entries = 1 + sizes / 32 % 8;
  return search;
}

vc::Options options_of(Bytes& bytes) {
  constexpr std::array modes{vc::Mode::taper, vc::Mode::taper, vc::Mode::component_search,
                             vc::Mode::published, vc::Mode::yamout};
  vc::Options options;
  auto const choice = bytes.next();
  options.mode = modes[choice % modes.size()];
  options.packing = choice / 5 % 2 == 0;
  options.k = static_cast<std::int64_t>(choice / 10 % 13) - 2;
  options.k = options.k < 0 ? -1 : options.k;
  if (options.mode != vc::Mode::taper) {
    options.component_search = search_of(options.mode, bytes);
  }
  return options;
}

/// A graph of n vertices, a bit per pair.
oracle::SmallGraph graph_of(std::size_t n, Bytes& bytes) {
  oracle::SmallGraph graph(n, 0);
  unsigned bits = 1;
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = u + 1; v < n; ++v, bits >>= 1) {
      if (bits == 1) {
        bits = 256u + bytes.next();
      }
      if ((bits & 1) != 0) {
        oracle::add_edge(graph, u, v);
      }
    }
  }
  return graph;
}

int minimum_of(oracle::SmallGraph const& graph, bool by_trial) {
  auto const minimum = std::popcount(oracle::minimum_cover(graph));
  if (by_trial) {
    require(oracle::minimum_cover_by_trial(graph) == minimum, "the oracles agree");
  }
  return minimum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Bytes bytes(data, size);
  std::size_t const n = bytes.below(11);
  auto const options = options_of(bytes);
  auto const small = graph_of(n, bytes);
  auto const minimum = static_cast<std::uint64_t>(minimum_of(small, size % 16 == 0));

  Space const where;
  auto const graph = vc::to_views(where, oracle::to_host_graph(small));
  Kokkos::View<std::uint8_t*, Space::memory_space> const in_cover("cover", n);
  Kokkos::deep_copy(in_cover, std::uint8_t{7});
  auto const report = vc::solve(where, graph, in_cover, options);

  std::uint32_t cover = 0;
  for (std::size_t v = 0; v < n; ++v) {
    require(in_cover(v) <= 1, "a mark is 0 or 1");
    cover |= static_cast<std::uint32_t>(in_cover(v)) << v;
  }
  auto const found = static_cast<std::uint64_t>(std::popcount(cover));
  require(oracle::is_cover(small, cover), "the cover covers each edge");
  require(found == report.cover_size, "the report has the size of the cover");
  require(report.status == taper::Status::solved, "a small graph is solved");
  require(report.lower_bound <= minimum, "the lower bound is one");
  if (options.k < 0) {
    require(report.found && found == minimum, "the cover is a minimum one");
  } else {
    auto const k = static_cast<std::uint64_t>(options.k);
    require(report.found == (minimum <= k), "k is answered");
    require(!report.found || found <= k, "the cover has at most k vertices");
  }
  return 0;
}
