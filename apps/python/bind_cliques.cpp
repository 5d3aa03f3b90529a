// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"
#include "call.hpp"
#include "convert.hpp"
#include "search.hpp"

#include <algorithms/clique/solve.hpp>
#include <algorithms/vertex_cover/weighted_set.hpp>
#include <support/runtime.hpp>

#include <taper/clique/fields.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Maximum cliques, all maximal ones, and independent sets of maximum weight. The host searches.

namespace taper::python {
namespace {

namespace cq = clique;

using Offsets = Array<std::int64_t>;
using Entries = Array<std::uint32_t>;

/// A copy of a graph's arrays.
cq::HostGraph host_graph(std::span<std::int64_t const> offsets,
                         std::span<std::uint32_t const> entries) {
  return {{offsets.begin(), offsets.end()}, {entries.begin(), entries.end()}};
}

/// Nodes, and the weight of the best clique or None.
auto numbers_of_clique(cq::Progress const& progress) {
  auto const best = progress.best.load(std::memory_order_relaxed);
  return std::tuple(progress.nodes.load(std::memory_order_relaxed),
                    best == cq::Progress::unknown ? std::nullopt : std::optional(best));
}

/// Requires: the graph is simple; a weight from 0 per vertex, or none, with a sum below 2^63.
/// Returns the marks of the clique, whether the search was stopped, the report, the seconds and the
/// backend.
py::tuple find_clique(Offsets const& offsets, Entries const& entries,
                      Array<std::int64_t> const& weights, py::dict const& given,
                      double time_limit_s, int threads, py::object const& progress) {
  start();
  cq::Options options;
  read_options(given, options);
  options.time_limit_s = time_limit_s;
  auto const backend = app::require_backend("host");
  require_threads(backend, threads);
  auto const shared = std::make_shared<Shared<cq::Progress>>();
  options.stop = &shared->stop;
  options.progress = &shared->progress;
  auto solved = call({.steps = 1e18,
                      .stop = [shared] { shared->stop = true; },
                      .tick = ticker(progress, shared, numbers_of_clique)},
                     [=, a = span_of(offsets), b = span_of(entries), w = span_of(weights),
                      shared = shared, kept = keep(offsets, entries, weights)] {
                       return app::solve_clique(backend, threads, host_graph(a, b), w, options);
                     });
  return py::make_tuple(to_array(std::move(solved.in_clique)),
                        solved.report.status == Status::stopped, to_python(solved.report),
                        solved.seconds, std::string(backend));
}

/// Nodes, the weight of the best set or None, and the upper bound or None.
auto numbers_of_set(independent_set::Progress const& progress) {
  auto const known = [](independent_set::Weight weight) {
    return weight == independent_set::Progress::unknown ? std::nullopt : std::optional(weight);
  };
  return std::tuple(progress.nodes.load(std::memory_order_relaxed),
                    known(progress.best.load(std::memory_order_relaxed)),
                    known(progress.upper_bound.load(std::memory_order_relaxed)));
}

/// An independent set of maximum weight. Requires: as find_clique(), and weights. Returns what that
/// returns, of the set.
py::tuple find_weighted_set(Offsets const& offsets, Entries const& entries,
                            Array<std::int64_t> const& weights, double time_limit_s, int threads,
                            py::object const& progress) {
  start();
  auto const backend = app::require_backend("host");
  require_threads(backend, threads);
  auto const shared = std::make_shared<Shared<independent_set::Progress>>();
  independent_set::Options options;
  options.time_limit_s = time_limit_s;
  options.stop = &shared->stop;
  options.progress = &shared->progress;
  auto solved =
      call({.steps = 1e18,
            .stop = [shared] { shared->stop = true; },
            .tick = ticker(progress, shared, numbers_of_set)},
           [=, a = span_of(offsets), b = span_of(entries), w = span_of(weights), shared = shared,
            kept = keep(offsets, entries, weights)] {
             return app::solve_weighted_set(backend, threads, host_graph(a, b), w, options);
           });
  auto const& report = solved.report;
  py::dict about;
  about["set_size"] = report.set_size;
  about["set_weight"] = report.set_weight;
  about["upper_bound"] = report.upper_bound;
  about["kernel_vertices"] = report.kernel_vertices;
  about["kernel_edges"] = report.kernel_edges;
  about["components"] = report.components;
  about["nodes"] = report.nodes;
  about["workers"] = report.workers;
  return py::make_tuple(to_array(std::move(solved.in_set)), report.status == Status::stopped, about,
                        solved.seconds, std::string(backend));
}

/// Cliques that many threads find, up to a limit, and how many there are.
struct CliqueList {
  std::atomic<std::uint64_t> found = 0;
  std::mutex mutex;  ///< of what follows
  std::vector<std::vector<std::uint32_t>> cliques;

  void add(std::span<cq::Vertex const> clique, std::uint64_t limit) {
    if (found.fetch_add(1, std::memory_order_relaxed) >= limit) {
      return;
    }
    std::vector<std::uint32_t> sorted(clique.begin(), clique.end());
    std::ranges::sort(sorted);
    std::lock_guard const lock(mutex);
    cliques.push_back(std::move(sorted));
  }
};

/// The number of cliques found so far.
auto numbers_of_list(CliqueList const& list) {
  return std::tuple(list.found.load(std::memory_order_relaxed));
}

/// The cliques in lexicographic order, one after another.
py::tuple arrays_of(std::vector<std::vector<std::uint32_t>> cliques) {
  std::ranges::sort(cliques);
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> vertices;
  for (auto const& clique : cliques) {
    vertices.insert(vertices.end(), clique.begin(), clique.end());
    offsets.push_back(static_cast<std::int64_t>(vertices.size()));
  }
  return py::make_tuple(to_array(std::move(offsets)), to_array(std::move(vertices)));
}

/// Requires: the graph is simple. Returns the offsets and the vertices of up to `limit` maximal
/// cliques, whether the search was stopped, the report, the seconds and the backend.
py::tuple maximal_cliques(Offsets const& offsets, Entries const& entries, std::uint64_t limit,
                          double time_limit_s, int threads, py::object const& progress) {
  start();
  auto const backend = app::require_backend("host");
  require_threads(backend, threads);
  auto const shared = std::make_shared<Shared<CliqueList>>();
  cq::Options options;
  options.time_limit_s = time_limit_s;
  options.stop = &shared->stop;
  bool const sees = limit > 0 || !progress.is_none();
  auto const counted =
      call({.steps = 1e18,
            .stop = [shared] { shared->stop = true; },
            .tick = ticker(progress, shared, numbers_of_list)},
           [=, a = span_of(offsets), b = span_of(entries), shared = shared,
            kept = keep(offsets, entries)] {
             auto const graph = host_graph(a, b);
             return sees ? app::see_maximal_cliques(backend, threads, graph, options,
                                                    [&](std::span<cq::Vertex const> clique) {
                                                      shared->progress.add(clique, limit);
                                                    })
                         : app::count_maximal_cliques(backend, threads, graph, options);
           });
  auto const& report = counted.report;
  py::dict about;
  about["cliques"] = report.cliques;
  about["largest"] = report.largest;
  about["largest_count"] = report.largest_count;
  about["degeneracy"] = report.degeneracy;
  about["nodes"] = report.nodes;
  about["workers"] = report.workers;
  return py::make_tuple(arrays_of(std::move(shared->progress.cliques)),
                        report.status == Status::stopped, about, counted.seconds,
                        std::string(backend));
}

}  // namespace

void bind_cliques(py::module_& module) {
  using py::arg;
  module.def("clique", find_clique, arg("offsets").noconvert(), arg("entries").noconvert(),
             arg("weights").noconvert(), arg("options"), arg("time_limit_s"), arg("threads"),
             arg("progress"));
  module.def("weighted_set", find_weighted_set, arg("offsets").noconvert(),
             arg("entries").noconvert(), arg("weights").noconvert(), arg("time_limit_s"),
             arg("threads"), arg("progress"));
  module.def("maximal_cliques", maximal_cliques, arg("offsets").noconvert(),
             arg("entries").noconvert(), arg("limit"), arg("time_limit_s"), arg("threads"),
             arg("progress"));
}

}  // namespace taper::python
