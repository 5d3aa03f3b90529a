// SPDX-License-Identifier: Apache-2.0
//
// Compiles the search with weights. It needs a Fork, not a backend: so it is compiled once.
#include "weighted_set.hpp"

#include <support/fork_on.hpp>
#include <support/seconds_of.hpp>

#include <taper/independent_set/all_sets.hpp>
#include <taper/independent_set/solve.hpp>

#include <utility>

namespace taper::app {

SolvedSet solve_weighted_set(std::string_view backend, int threads,
                             vertex_cover::HostGraph const& graph,
                             std::span<independent_set::Weight const> weights,
                             independent_set::Options const& options) {
  SolvedSet solved;
  solved.backend = backend;
  solved.in_set.resize(graph.vertices());
  solved.seconds = seconds_of([&] {
    fork_on(backend, threads, [&](Fork& fork) {
      solved.report = independent_set::solve_on_host(fork, graph, weights, solved.in_set, options);
    });
  });
  return solved;
}

FoundSets find_all_sets_on(std::string_view backend, vertex_cover::HostGraph const& graph,
                           std::span<independent_set::Weight const> weights,
                           independent_set::Weight maximum, std::size_t limit,
                           independent_set::Options const& options) {
  FoundSets found;
  fork_on(backend, 0, [&](Fork& fork) {
    auto all = independent_set::find_all_on_host(fork, graph, weights, maximum, limit, options);
    found = {all.status, std::move(all.sets)};
  });
  return found;
}

}  // namespace taper::app
