// SPDX-License-Identifier: Apache-2.0
#pragma once

// The default mode, in the order in which the data flows. Everything here needs the standard library
// alone, and is one host core's work; a dense kernel's search is shared with the workers that the
// caller brings.

// When to end early, and who helps.
#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/standard/workers.hpp>
// A graph that shrinks, its folds, and how a cover is lifted.
#include <taper/vertex_cover/standard/reduction_graph.hpp>
// Reductions near a vertex; by the linear relaxation; by what branches may suppose.
#include <taper/vertex_cover/standard/local_rules.hpp>
#include <taper/vertex_cover/standard/packing.hpp>
#include <taper/vertex_cover/standard/relaxation.hpp>
// A small cover to begin with, and bounds from below.
#include <taper/vertex_cover/standard/bounds.hpp>
#include <taper/vertex_cover/standard/local_search.hpp>
#include <taper/vertex_cover/standard/propagation.hpp>
// Exact search: dense kernels; clause learning, from below; branch and reduce.
#include <taper/vertex_cover/standard/clique_choice.hpp>
#include <taper/vertex_cover/standard/max_clique.hpp>
#include <taper/vertex_cover/standard/search.hpp>

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/matching.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

/// One run of the default mode.
class Solver {
 public:
  Solver(HostGraph const& graph, Options const& options, Workers const& workers,
         std::uint64_t most_bytes)
      : graph_(graph), options_(options), workers_(workers), most_bytes_(most_bytes),
        interrupt_(options),
        search_(interrupt_, report_, options.progress, most_bytes, options.packing) {}

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
    std::vector<Vertex> clique_of;  ///< a partition into cliques
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
      std::uint32_t const lower =
          interrupt_.over() ? matching_size(graph, 0, static_cast<Vertex>(graph.vertices()))
                            : search_.lower_bound(node, no_cover);
      LocalSearch local(graph, interrupt_);
      local.run(effort(graph, 1000, 20'000'000), lower);
      auto const upper = static_cast<std::uint32_t>(local.cover_size());
      keep(vertices, local.cover());
      upper_ += upper;
      lower_ += std::min(lower, upper);
      parts_.push_back(
          {std::move(vertices), std::move(node.clique_of), upper, std::min(lower, upper)});
    }
    report_progress();
  }

  /// A short search, which is all that most parts need. Then by turns, as nothing tells beforehand which of
  /// them gets through: clause learning; local search, where little is missing to the lower bound; and branch
  /// and reduce, for a quarter of the work of the first there, which is about half the time, and else for
  /// eight times as much.
  /// Source of taking turns, and of the clique solver: Hespe, Lamm, Schulz and Strash 2020.
  void finish_part(Part& part) {
    if (part.lower == part.upper) {
      return;
    }
    Node node;
    HostGraph const graph = take(part.vertices, node);
    if (dense(graph)) {
      return finish_by_clique(part, graph);
    }
    constexpr std::uint64_t few_nodes = 500;
    if (search(part, node, few_nodes) || answered()) {
      return;
    }
    LocalSearch local(graph, interrupt_);
    std::uint64_t steps_left = effort(graph, 400'000, 2'000'000'000);
    std::optional<CliqueChoice> choice;
    std::uint64_t const bytes = CliqueChoice::bytes_an_edge * graph.edges();
    if (bytes <= std::min(most_bytes_, most_bytes_of_clauses) && !interrupt_.over()) {
      choice.emplace(graph, part.clique_of, cover_of(part), interrupt_);
    }
    // Returns how much work is branch and reduce's due after that.
    auto const take_turns = [&]() -> std::uint64_t {
      std::uint64_t const before = interrupt_.work();
      if (choice && choice->bytes() <= most_bytes_ && !is_finished(part)) {
        choose(part, *choice);
      }
      std::uint64_t const work = std::max(interrupt_.work() - before, least_turn);
      if (!is_finished(part) && is_near(part)) {
        std::uint64_t const steps = std::min(work / 2, steps_left);
        search_locally(part, local, steps);
        steps_left -= steps;
      }
      return is_near(part) ? work / 4 : 8 * work;
    };
    std::uint64_t due = take_turns();
    // Anew once a smaller cover is known, since branch and reduce need not look for such any more.
    bool through = false;
    while (!through && !is_finished(part) && !interrupt_.over() && !search_.full()) {
      std::uint32_t const upper = part.upper;
      search_.take(root_, part.vertices, node);
      auto const pause = [&]() -> std::uint64_t {
        due = take_turns();
        bool const ends = is_finished(part) || part.upper < upper || node.best_size <= part.lower;
        return ends ? 0 : due;
      };
      through = search(part, node, std::numeric_limits<std::uint64_t>::max(), {due, pause});
    }
  }

  bool is_finished(Part const& part) const { return answered() || part.lower == part.upper; }

  /// Whether little is missing: a cover as small as the lower bound may be found by chance.
  static bool is_near(Part const& part) {
    return part.upper <= part.lower + 1 + part.vertices.size() / 50;
  }

  /// What to look for in one part: a cover smaller than `limit`; one of `enough` need not be beaten.
  struct Goal {
    std::uint32_t limit, enough;
  };

  /// With k, a part may have what the others' lower bounds leave, and need not have less than what
  /// their covers leave.
  Goal goal(Part const& part) const {
    Goal goal{part.upper, part.lower};
    if (options_.k >= 0) {
      std::uint64_t const least = lower_ - part.lower;
      std::uint64_t const most = upper_ - part.upper;
      if (k() + 1 - least < goal.limit) {
        goal.limit = static_cast<std::uint32_t>(k() + 1 - least);
      }
      if (k() > most + goal.enough) {
        goal.enough =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(k() - most, goal.limit - 1));
      }
    }
    return goal;
  }

  /// True if it went through.
  bool search(Part& part, Node& node, std::uint64_t most_nodes, Search::Pause pause = {}) {
    auto const [limit, enough] = goal(part);
    std::uint32_t const lower = search_.run(node, limit, enough, most_nodes, std::move(pause));
    bool const found = node.best_size < part.upper;
    if (found) {
      keep(part.vertices, node.best);
    }
    improve(part, found ? node.best_size : part.upper, lower);
    return lower >= limit || (found && (lower == node.best_size || node.best_size <= enough));
  }

  /// A turn of clause learning: tenths of a second, and longer where little is missing.
  void choose(Part& part, CliqueChoice& choice) {
    auto const [limit, enough] = goal(part);
    std::uint64_t const before = choice.conflicts();
    choice.run(limit, enough, is_near(part) ? 20'000 : 4'000);
    report_.conflicts += choice.conflicts() - before;
    if (choice.cover_size() < part.upper) {
      keep(part.vertices, choice.cover());
    }
    improve(part, std::min(part.upper, choice.cover_size()), choice.lower());
  }

  void finish_by_clique(Part& part, HostGraph const& graph) {
    auto const [limit, enough] = goal(part);
    MaxClique clique(graph, interrupt_, workers_);
    auto const n = static_cast<std::uint32_t>(graph.vertices());
    bool const complete = clique.run(n - limit, n - enough);
    report_.nodes += clique.nodes();
    if (clique.best().empty()) {
      return improve(part, part.upper, complete ? limit : part.lower);
    }
    std::vector<std::uint8_t> cover(n, 1);
    for (Vertex const v : clique.best()) {
      cover[v] = 0;
    }
    keep(part.vertices, cover);
    std::uint32_t const size = n - static_cast<std::uint32_t>(clique.best().size());
    improve(part, size, complete && size > enough ? size : part.lower);
  }

  void search_locally(Part& part, LocalSearch& local, std::uint64_t steps) {
    local.run(steps, part.lower);
    if (local.cover_size() < part.upper) {
      keep(part.vertices, local.cover());
      improve(part, static_cast<std::uint32_t>(local.cover_size()), part.lower);
    }
  }

  void improve(Part& part, std::uint32_t upper, std::uint32_t lower) {
    lower = std::clamp(lower, part.lower, upper);
    upper_ -= part.upper - upper;
    lower_ += lower - part.lower;
    part.upper = upper;
    part.lower = lower;
    report_progress();
  }

  /// The component as a node of its own and as a plain graph, rows sorted.
  HostGraph take(std::vector<Vertex> const& vertices, Node& node) {
    search_.take(root_, vertices, node);
    HostGraph graph;
    for (Vertex v = 0; v < node.graph.vertices(); ++v) {
      auto const row = node.graph.neighbours(v);
      graph.entries.insert(graph.entries.end(), row.begin(), row.end());
      graph.offsets.push_back(graph.entries.size());
    }
    return detail::transposed(graph);
  }

  std::vector<std::uint8_t> cover_of(Part const& part) const {
    std::vector<std::uint8_t> cover;
    for (Vertex const v : part.vertices) {
      cover.push_back(root_.best[v]);
    }
    return cover;
  }
  void keep(std::vector<Vertex> const& vertices, std::vector<std::uint8_t> const& cover) {
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      root_.best[vertices[v]] = cover[v];
    }
  }

  static std::uint64_t effort(HostGraph const& graph, std::uint64_t an_entry, std::uint64_t most) {
    return std::min<std::uint64_t>(an_entry * (graph.vertices() + graph.edges()), most);
  }

  /// Where the clique solver is faster than branch and reduce: measured on random graphs of 100 to
  /// 1,000 vertices.
  static bool dense(HostGraph const& graph) {
    auto const n = static_cast<double>(graph.vertices());
    auto const entries = static_cast<double>(graph.entries.size());
    return (n <= 256 && entries >= 5 * n) || (n <= 4000 && entries > 0.2 * n * n);
  }

  static constexpr std::uint64_t least_turn = 1'000'000;  ///< work: some milliseconds
  /// Of what it starts with: for larger graphs it would take long to get ready.
  static constexpr std::uint64_t most_bytes_of_clauses = 75'000'000;

  void report_progress() {
    if (options_.progress != nullptr) {
      options_.progress->best.store(upper_, std::memory_order_relaxed);
      options_.progress->lower_bound.store(lower_, std::memory_order_relaxed);
    }
  }

  HostGraph const& graph_;
  Options const& options_;
  Workers const& workers_;
  std::uint64_t most_bytes_;
  Interrupt interrupt_;
  Report report_;
  Search search_;
  Node root_;
  std::vector<Part> parts_;
  std::uint64_t upper_ = 0;
  std::uint64_t lower_ = 0;
};

/// A minimum vertex cover, or what Options::k asks for; see taper::vertex_cover::solve(). A search
/// that is to take up more than about `most_bytes` beside the kernel ends, stopped; clause learning may
/// take up as much again.
inline Report solve(HostGraph const& graph, std::span<std::uint8_t> in_cover,
                    Options const& options, Workers const& workers = {},
                    std::uint64_t most_bytes = Search::default_bytes) {
  return Solver(graph, options, workers, most_bytes).run(in_cover);
}

}  // namespace taper::vertex_cover::standard
