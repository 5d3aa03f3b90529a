// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"
#include "call.hpp"
#include "convert.hpp"
#include "device.hpp"
#include "device_array.hpp"
#include "search.hpp"
#include "solve.hpp"

#include <algorithms/vertex_cover/graph_options.hpp>
#include <algorithms/vertex_cover/problem.hpp>
#include <support/seconds_of.hpp>

#include <io/graph/read.hpp>
#include <taper/vertex_cover/fields.hpp>
#include <taper/vertex_cover/host_graph.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Vertex cover, and the graphs for it in CSR arrays.

namespace taper::python {
namespace {

namespace vc = vertex_cover;

using Offsets = Array<std::int64_t>;
using Entries = Array<std::uint32_t>;

/// The offsets and the entries of a graph as arrays.
py::tuple to_arrays(vc::HostGraph graph) {
  std::vector<std::int64_t> offsets(graph.offsets.begin(), graph.offsets.end());
  return py::make_tuple(to_array(std::move(offsets)), to_array(std::move(graph.entries)));
}

/// Whether each edge is in the rows of both ends, and rows ascend without loops and duplicates.
/// Needs no memory, unlike vertex_cover::find_fault().
bool is_simple_and_sorted(std::span<std::int64_t const> offsets,
                          std::span<std::uint32_t const> entries) {
  auto const n = offsets.size() - 1;
  auto const row = [&](std::size_t v) {
    return entries.subspan(static_cast<std::size_t>(offsets[v]),
                           static_cast<std::size_t>(offsets[v + 1] - offsets[v]));
  };
  for (std::size_t v = 0; v < n; ++v) {
    auto const neighbours = row(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      auto const u = neighbours[i];
      if (u >= n || u == v || (i > 0 && neighbours[i - 1] >= u)) {
        return false;
      }
    }
  }
  for (std::size_t v = 0; v < n; ++v) {
    for (auto const u : row(v)) {
      if (!std::ranges::binary_search(row(u), v)) {
        return false;
      }
    }
  }
  return true;
}

/// Requires: offsets begin with 0, do not fall, and end with the number of entries.
bool is_simple(Offsets const& offsets, Entries const& entries) {
  auto const steps = 20 * static_cast<double>(entries.size());
  return call({.uses_kokkos = false, .steps = steps},
              [a = span_of(offsets), b = span_of(entries), kept = keep(offsets, entries)] {
                return is_simple_and_sorted(a, b);
              });
}

/// Makes a simple graph of edges, an array of shape (m, 2) of ids below n. Returns its arrays, the
/// vertices with loops, and the number of repeated edges. `without_loop_vertices`: edges of
/// vertices with loops are left out.
py::tuple make_graph(std::size_t n, Entries const& edges, bool without_loop_vertices) {
  auto const steps = 100 * static_cast<double>(edges.size());
  auto made = call({.uses_kokkos = false, .steps = steps},
                   [n, ends = span_of(edges), without_loop_vertices, kept = keep(edges)] {
                     std::vector<vc::Edge> list(ends.size() / 2);
                     for (std::size_t e = 0; e < list.size(); ++e) {
                       list[e] = {ends[2 * e], ends[2 * e + 1]};
                     }
                     auto graph = vc::make_graph(n, list);
                     if (without_loop_vertices && !graph.loops.empty()) {
                       auto const has_loop = [&](vc::Vertex v) {
                         return std::ranges::binary_search(graph.loops, v);
                       };
                       std::erase_if(list, [&](vc::Edge const& edge) {
                         return has_loop(edge.first) || has_loop(edge.second);
                       });
                       graph.graph = vc::make_graph(n, list).graph;
                     }
                     return graph;
                   });
  return py::make_tuple(to_arrays(std::move(made.graph)), to_array(std::move(made.loops)),
                        made.duplicates);
}

/// The options of a search by their names; those of component search only in its modes.
vc::Options search_options(py::dict const& given) {
  vc::Options options;
  py::dict mode;
  if (given.contains("mode")) {
    mode["mode"] = given["mode"];
  }
  read_options(mode, options);
  if (options.mode == vc::Mode::taper) {
    read_options(given, options);
  } else {
    options.component_search = component_search_options(options.mode);
    py::dict others(given);
    others.attr("pop")("mode");
    read_options(others, *options.component_search);
  }
  return options;
}

/// Nodes, the vertices of the best cover or None, and the lower bound.
auto numbers_of(vc::Progress const& progress) {
  auto const best = progress.best.load(std::memory_order_relaxed);
  return std::tuple(progress.nodes.load(std::memory_order_relaxed),
                    best == vc::Progress::unknown ? std::nullopt : std::optional(best),
                    progress.lower_bound.load(std::memory_order_relaxed));
}

/// Requires: the graph is simple. Returns the marks of the cover, whether the search was stopped,
/// the report, the seconds and the backend.
py::tuple cover(Offsets const& offsets, Entries const& entries, py::dict const& given,
                std::int64_t k, double time_limit_s, std::string const& backend_name, int threads,
                py::object const& progress) {
  start();
  auto options = search_options(given);
  options.k = k;
  options.time_limit_s = time_limit_s;
  auto const backend =
      app::cover_backend(backend_name.empty() ? "widest" : backend_name, options.mode);
  require_threads(backend, threads);
  CsrGraph const graph{reinterpret_cast<std::uint64_t const*>(offsets.data()), entries.data(),
                       static_cast<std::size_t>(offsets.size() - 1),
                       static_cast<std::size_t>(entries.size())};
  auto const shared = std::make_shared<Shared<vc::Progress>>();
  options.stop = &shared->stop;
  options.progress = &shared->progress;
  struct Result {
    std::vector<std::uint8_t> in_cover;
    vc::Report report;
    double seconds = 0;
  };
  auto result = call({.steps = 1e18,
                      .stop = [shared] { shared->stop = true; },
                      .tick = ticker(progress, shared, numbers_of)},
                     [=, shared = shared, kept = keep(offsets, entries)] {
                       Result found;
                       found.in_cover.resize(graph.vertices);
                       found.seconds = app::seconds_of([&] {
                         found.report =
                             find_cover(backend, threads, graph, found.in_cover.data(), options);
                       });
                       return found;
                     });
  return py::make_tuple(to_array(std::move(result.in_cover)),
                        result.report.status == Status::stopped, to_python(result.report),
                        result.seconds, std::string(backend));
}

// On the device -----------------------------------------------------------------------------------

/// Offsets of int32 or int64, and entries of 32 bits. The package has checked the types.
DeviceGraph graph_of(DeviceArray const& offsets, DeviceArray const& entries) {
  DeviceGraph graph{
      {}, entries_of<std::uint32_t const>(entries).data(), offsets.size() - 1, entries.size()};
  if (offsets.entry_bytes() == sizeof(std::int32_t)) {
    graph.offsets = entries_of<std::int32_t const>(offsets).data();
  } else {
    graph.offsets = entries_of<std::int64_t const>(offsets).data();
  }
  return graph;
}

bool is_simple_on_device(DeviceArray const& offsets, DeviceArray const& entries) {
  start();
  return call({.steps = 20 * static_cast<double>(entries.size())},
              [=] { return !has_fault_on_device(graph_of(offsets, entries)); });
}

/// As cover(), with the marks on the device.
py::tuple cover_on_device(DeviceArray const& offsets, DeviceArray const& entries,
                          py::dict const& given, std::int64_t k, double time_limit_s,
                          std::string const& backend_name, int threads,
                          py::object const& progress) {
  start();
  auto options = search_options(given);
  options.k = k;
  options.time_limit_s = time_limit_s;
  if (threads != 0) {
    throw app::ConfigError("threads: a graph on a GPU is searched on all threads; leave it out");
  }
  auto const request = backend_name.empty() ? std::string("widest") : backend_name;
  auto const backend = options.mode == vc::Mode::taper  // whose search is the host's
                           ? app::cover_backend(request, options.mode)
                           : require_device_backend(request);
  auto const in_cover = new_device_array({static_cast<std::int64_t>(offsets.size() - 1)},
                                         {dlpack::unsigned_integer, 8, 1});
  auto const shared = std::make_shared<Shared<vc::Progress>>();
  options.stop = &shared->stop;
  options.progress = &shared->progress;
  auto const [report, seconds] =
      call({.steps = 1e18,
            .stop = [shared] { shared->stop = true; },
            .tick = ticker(progress, shared, numbers_of)},
           [=, shared = shared] {
             std::pair<vc::Report, double> found;
             found.second = app::seconds_of([&] {
               found.first = find_cover_on_device(
                   graph_of(offsets, entries), entries_of<std::uint8_t>(in_cover).data(), options);
             });
             return found;
           });
  return py::make_tuple(in_cover, report.status == Status::stopped, to_python(report), seconds,
                        std::string(backend));
}

/// The number of the first vertex, if the others have the next numbers. Names that are numbers
/// ascend.
std::optional<std::uint64_t> number_of_first(io::GraphFile const& graph) {
  if (graph.vertices == 0) {
    return 0;
  }
  if (graph.names.are_words()) {
    return std::nullopt;
  }
  auto const first = std::stoull(graph.names.of(0));
  auto const last = std::stoull(graph.names.of(static_cast<vc::Vertex>(graph.vertices - 1)));
  return last - first + 1 == graph.vertices ? std::optional(first) : std::nullopt;
}

/// Returns the number of vertices; the edges with loops and repetitions; the number of the first
/// vertex, and None if the others have the next numbers, else the names of all; whether these are
/// words; notes.
py::tuple read_graph(std::string const& file, std::string const& format,
                     std::string const& columns) {
  app::GraphArguments arguments;
  arguments.format = format;
  arguments.columns = columns;
  auto const options = arguments.read_options();
  auto const graph =
      call_until_stopped({.uses_kokkos = false, .steps = 1e18}, [=](std::atomic<bool> const& stop) {
        return io::read_graph(file, with_stop(options, stop));
      });
  py::array_t<std::uint32_t> edges({graph.edges.size(), std::size_t{2}});
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    edges.mutable_at(e, 0) = graph.edges[e].first;
    edges.mutable_at(e, 1) = graph.edges[e].second;
  }
  auto const first = number_of_first(graph);
  py::list names;
  for (vc::Vertex v = 0; !first && v < graph.vertices; ++v) {
    names.append(graph.names.of(v));
  }
  return py::make_tuple(graph.vertices, edges, first.value_or(0),
                        first ? py::object(py::none()) : names, graph.names.are_words(),
                        graph.notes);
}

py::tuple generate_graph(std::string const& family, std::size_t n, std::uint64_t seed,
                         double degree, std::size_t cover_size, std::size_t component_size) {
  vc::Workload workload{.n = n,
                        .seed = seed,
                        .degree = degree,
                        .cover = cover_size,
                        .component_size = component_size};
  auto const named = vc::parse<vc::Family>(family);
  if (!named) {
    throw app::ConfigError("unknown family " + io::in_quotes(family) +
                           app::expected_instead(family, vc::names<vc::Family>()));
  }
  workload.family = *named;
  if (n > io::max_vertices || !(degree >= 0 && degree < 4294967295.0)) {
    throw app::ConfigError("expected n up to " + std::to_string(io::max_vertices) +
                           ", and a degree from 0");
  }
  app::require_generation_memory(workload);
  auto const steps = 100 * static_cast<double>(n);
  return to_arrays(
      call({.uses_kokkos = false, .steps = steps}, [=] { return app::generate_graph(workload); }));
}

}  // namespace

void bind_graphs(py::module_& module) {
  using py::arg;
  module.def("is_simple", is_simple, arg("offsets").noconvert(), arg("entries").noconvert());
  module.def("make_graph", make_graph, arg("n"), arg("edges").noconvert(),
             arg("without_loop_vertices"));
  module.def("cover", cover, arg("offsets").noconvert(), arg("entries").noconvert(), arg("options"),
             arg("k"), arg("time_limit_s"), arg("backend"), arg("threads"), arg("progress"));
  module.def("is_simple_on_device", is_simple_on_device);
  module.def("cover_on_device", cover_on_device);
  module.def("read_graph", read_graph);
  module.def("generate_graph", generate_graph);
}

}  // namespace taper::python
