// SPDX-License-Identifier: Apache-2.0
//
// Compiles the templates of clique. They need a Fork, not a backend: so they are compiled once.
#include "solve.hpp"

#include <support/fork_on.hpp>
#include <support/seconds_of.hpp>

#include <taper/clique/generate.hpp>
#include <taper/clique/maximal.hpp>
#include <taper/clique/solve.hpp>

#include <utility>

namespace taper::app {

SolvedClique solve_clique(std::string_view backend, int threads, clique::HostGraph const& graph,
                          std::span<clique::Weight const> weights, clique::Options const& options) {
  SolvedClique solved;
  solved.in_clique.resize(graph.vertices());
  solved.seconds = seconds_of([&] {
    fork_on(backend, threads, [&](Fork& fork) {
      solved.report = weights.empty()
                          ? clique::solve_on_host(fork, graph, solved.in_clique, options)
                          : clique::solve_on_host(fork, graph, weights, solved.in_clique, options);
    });
  });
  return solved;
}

FoundSets find_all_cliques(std::string_view backend, clique::HostGraph const& graph,
                           std::span<clique::Weight const> weights, clique::Weight maximum,
                           std::size_t limit, clique::Options const& options) {
  FoundSets found;
  fork_on(backend, 0, [&](Fork& fork) {
    auto all = clique::find_all_on_host(fork, graph, weights, maximum, limit, options);
    found = {all.status, std::move(all.cliques)};
  });
  return found;
}

CountedCliques count_maximal_cliques(std::string_view backend, int threads,
                                     clique::HostGraph const& graph,
                                     clique::Options const& options) {
  CountedCliques counted;
  counted.seconds = seconds_of([&] {
    fork_on(backend, threads, [&](Fork& fork) {
      counted.report = clique::count_maximal_on_host(fork, graph, options);
    });
  });
  return counted;
}

CountedCliques
see_maximal_cliques(std::string_view backend, int threads, clique::HostGraph const& graph,
                    clique::Options const& options,
                    std::function<void(std::span<clique::Vertex const>)> const& see) {
  CountedCliques counted;
  counted.seconds = seconds_of([&] {
    fork_on(backend, threads, [&](Fork& fork) {
      counted.report = clique::count_maximal_on_host(fork, graph, options, see);
    });
  });
  return counted;
}

clique::HostGraph generate_clique_graph(clique::Workload const& workload) {
  return clique::generate(workload);
}

}  // namespace taper::app
