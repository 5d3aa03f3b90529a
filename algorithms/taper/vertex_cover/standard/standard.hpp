// SPDX-License-Identifier: Apache-2.0
#pragma once

// The default mode, in the order in which the data flows. Everything here is one host core's work
// and needs the standard library alone.

// When to end early.
#include <taper/vertex_cover/standard/interrupt.hpp>
// A graph that shrinks, its folds, and how a cover is lifted.
#include <taper/vertex_cover/standard/reduction_graph.hpp>
// Reductions near a vertex; by the linear relaxation.
#include <taper/vertex_cover/standard/local_rules.hpp>
#include <taper/vertex_cover/standard/relaxation.hpp>
// A small cover to begin with, and bounds from below.
#include <taper/vertex_cover/standard/bounds.hpp>
#include <taper/vertex_cover/standard/local_search.hpp>
// Exact search: dense kernels, and all others.
#include <taper/vertex_cover/standard/max_clique.hpp>
#include <taper/vertex_cover/standard/search.hpp>

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace taper::vertex_cover::standard {

/// One run of the default mode.
class Solver {
 public:
  Solver(HostGraph const& graph, Options const& options)
      : graph_(graph), options_(options), interrupt_(options),
        search_(interrupt_, report_, options.progress) {}

  Report run(std::span<std::uint8_t> in_cover) {
    root_.graph.assign(graph_);
    root_.matching.assign(graph_.vertices());
    root_.graph.touch_all();
    search_.reduce(root_, no_cover);
    report_.kernel_vertices = root_.graph.live_vertices();
    report_.kernel_edges = root_.graph.live_edges();

    root_.best = root_.graph.in_cover();
    upper_ = lower_ = root_.graph.cover_size();
    begin_parts();
    for (Part& part : parts_) {
      if (answered() || interrupt_.over()) {
        break;
      }
      finish_part(part);
    }

    root_.graph.lift(root_.best);
    std::copy(root_.best.begin(), root_.best.end(), in_cover.begin());
    report_.status = answered() ? Status::solved : Status::stopped;
    report_.cover_size = upper_;
    report_.lower_bound = lower_;
    report_.found = options_.k < 0 || upper_ <= k();
    return report_;
  }

 private:
  /// A component of the kernel; its best cover stands in root_.best.
  struct Part {
    std::vector<Vertex> vertices;
    std::uint32_t upper, lower;
  };

  std::uint64_t k() const { return static_cast<std::uint64_t>(options_.k); }

  bool answered() const {
    return lower_ == upper_ || (options_.k >= 0 && (upper_ <= k() || lower_ > k()));
  }

  /// A cover and a lower bound for each component.
  void begin_parts() {
    for (auto& vertices : search_.parts(root_)) {
      Node node;
      HostGraph const graph = take(vertices, node);
      std::uint32_t const lower = interrupt_.over() ? 1 : search_.lower_bound(node, no_cover);
      LocalSearch local(graph);
      search_locally(local, graph, lower);
      auto const upper = static_cast<std::uint32_t>(local.cover_size());
      keep(vertices, local.cover());
      upper_ += upper;
      lower_ += std::min(lower, upper);
      parts_.push_back({std::move(vertices), upper, std::min(lower, upper)});
    }
    report_progress();
  }

  void finish_part(Part& part) {
    if (part.lower == part.upper) {
      return;
    }
    Node node;
    HostGraph const graph = take(part.vertices, node);
    // With k, this part may have what the others' lower bounds leave.
    std::uint32_t limit = part.upper;
    std::uint32_t enough = part.lower;
    if (options_.k >= 0) {
      std::uint64_t const others = lower_ - part.lower;
      limit = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(limit, k() >= others ? k() - others + 1 : 0));
      std::uint64_t const others_upper = upper_ - part.upper;
      enough = k() > others_upper
                   ? std::max(enough, static_cast<std::uint32_t>(
                                          std::min<std::uint64_t>(k() - others_upper, limit - 1)))
                   : enough;
    }
    std::uint32_t size = part.upper;
    std::uint32_t lower = part.lower;
    if (dense(graph)) {
      MaxClique clique(graph, interrupt_);
      auto const n = static_cast<std::uint32_t>(graph.vertices());
      bool const complete = clique.run(n - limit, n - enough);
      report_.nodes += clique.nodes();
      if (!clique.best().empty()) {
        std::vector<std::uint8_t> cover(n, 1);
        for (Vertex const v : clique.best()) {
          cover[v] = 0;
        }
        size = n - static_cast<std::uint32_t>(clique.best().size());
        keep(part.vertices, cover);
      }
      lower = complete && size > enough ? std::min(size, limit) : lower;
    } else {
      lower = search_.run(node, limit, enough);
      if (node.best_size != no_cover) {
        size = node.best_size;
        keep(part.vertices, node.best);
      }
    }
    lower = std::clamp(lower, part.lower, size);
    upper_ -= part.upper - size;
    lower_ += lower - part.lower;
    part.upper = size;
    part.lower = lower;
    report_progress();
  }

  /// The component as a node of its own and as a plain graph, rows sorted.
  HostGraph take(std::vector<Vertex> const& vertices, Node& node) {
    node.origin = vertices;
    node.assign(root_, search_.new_id());
    HostGraph graph;
    for (Vertex v = 0; v < node.graph.vertices(); ++v) {
      auto const row = node.graph.neighbours(v);
      graph.entries.insert(graph.entries.end(), row.begin(), row.end());
      graph.offsets.push_back(graph.entries.size());
    }
    return detail::transposed(graph);
  }

  void keep(std::vector<Vertex> const& vertices, std::vector<std::uint8_t> const& cover) {
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      root_.best[vertices[v]] = cover[v];
    }
  }

  /// Longer where little is missing: a cover as small as the lower bound ends the search for this
  /// part before it begins.
  void search_locally(LocalSearch& local, HostGraph const& graph, std::uint32_t lower) {
    std::uint64_t const size = graph.vertices() + graph.edges();
    auto const run = [&](std::uint64_t effort_an_entry, std::uint64_t most) {
      local.run(std::min(effort_an_entry * size, most), lower, interrupt_);
    };
    run(1000, 20'000'000);
    if (local.cover_size() - lower <= 1 + graph.vertices() / 50) {
      run(20'000, 100'000'000);
    }
    if (local.cover_size() - lower <= 1 + graph.vertices() / 500) {
      run(400'000, 2'000'000'000);
    }
  }

  static bool dense(HostGraph const& graph) {
    auto const n = static_cast<double>(graph.vertices());
    return n <= 256 || (n <= 4000 && static_cast<double>(graph.entries.size()) > 0.2 * n * n);
  }

  void report_progress() {
    if (options_.progress != nullptr) {
      options_.progress->best.store(upper_, std::memory_order_relaxed);
      options_.progress->lower_bound.store(lower_, std::memory_order_relaxed);
    }
  }

  HostGraph const& graph_;
  Options const& options_;
  Interrupt interrupt_;
  Report report_;
  Search search_;
  Node root_;
  std::vector<Part> parts_;
  std::uint64_t upper_ = 0;
  std::uint64_t lower_ = 0;
};

/// A minimum vertex cover, or what Options::k asks for; see taper::vertex_cover::solve().
inline Report solve(HostGraph const& graph, std::span<std::uint8_t> in_cover,
                    Options const& options) {
  return Solver(graph, options).run(in_cover);
}

}  // namespace taper::vertex_cover::standard
