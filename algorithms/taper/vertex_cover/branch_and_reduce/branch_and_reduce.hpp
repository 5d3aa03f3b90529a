// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mode::taper, in the order in which the data flows: reduce, bound, search, lift. The headers
// need only the standard library. One host thread does the work, except that the clique search of a
// dense component uses all workers of the caller.
// Used by: solve_views.hpp.

// Limits of the caller, and its workers.
#include <taper/vertex_cover/branch_and_reduce/workers.hpp>
#include <taper/vertex_cover/interrupt.hpp>
// The graph that reductions rewrite, and the lifting of covers. LiveGraph is what graphs with and
// without weights share.
#include <taper/vertex_cover/branch_and_reduce/live_graph.hpp>
#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>
// Reductions: local rules, packing constraints, the linear relaxation.
#include <taper/vertex_cover/branch_and_reduce/local_rules.hpp>
#include <taper/vertex_cover/branch_and_reduce/packing.hpp>
#include <taper/vertex_cover/branch_and_reduce/relaxation.hpp>
// Lower bounds, and a first cover.
#include <taper/vertex_cover/branch_and_reduce/bounds.hpp>
#include <taper/vertex_cover/branch_and_reduce/clique_propagation.hpp>
#include <taper/vertex_cover/branch_and_reduce/local_search.hpp>
// Exact searches: clause learning, clique search, branch and reduce.
#include <taper/vertex_cover/branch_and_reduce/max_clique.hpp>
#include <taper/vertex_cover/branch_and_reduce/search.hpp>
#include <taper/vertex_cover/clique_sat/clique_sat.hpp>

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

namespace taper::vertex_cover::branch_and_reduce {

/// One run of Mode::taper: reduces the graph, and then solves its components one after another.
class Solver {
 public:
  Solver(HostGraph const& graph, Options const& options, Workers const& workers,
         std::uint64_t max_bytes)
      : graph_(graph), options_(options), workers_(workers), max_bytes_(max_bytes),
        interrupt_(options), first_third_(Interrupt::of_a_third(options)),
        search_(options.heuristic ? first_third_ : interrupt_, report_, options.progress, max_bytes,
                options.packing) {
    if (!options.start.empty()) {
      start_size_ = graph.vertices() - static_cast<std::size_t>(std::count(options.start.begin(),
                                                                           options.start.end(), 0));
    }
  }

  Report run(std::span<std::uint8_t> in_cover) {
    root_.graph.assign(graph_);
    root_.matching.assign(graph_.vertices());
    root_.graph.touch_all();
    search_.reduce(root_, no_cover);
    report_.kernel_vertices = root_.graph.live_vertices();
    report_.kernel_edges = root_.graph.live_edges();

    root_.best = root_.graph.in_cover();
    upper_ = lower_ = root_.graph.cover_size();
    if (options_.heuristic) {
      search_locally();
    } else {
      bound_components();
    }
    for (Component& component : components_) {
      if (answered() || interrupt_.stopped()) {
        break;
      }
      solve_component(component);
    }

    root_.graph.lift(root_.best);
    std::span<std::uint8_t const> const best = start_size_ < upper_ ? options_.start : root_.best;
    std::transform(best.begin(), best.end(), in_cover.begin(),
                   [](std::uint8_t mark) { return static_cast<std::uint8_t>(mark != 0); });
    report_.status = answered() ? Status::solved : Status::stopped;
    report_.cover_size = best_size();
    report_.lower_bound = lower_;
    report_.found = options_.k < 0 || best_size() <= k();
    return report_;
  }

 private:
  /// A component of the reduced graph, with its bounds. root_.best holds its incumbent.
  struct Component {
    std::vector<Vertex> vertices;
    std::vector<Vertex> clique_of;  ///< a partition into cliques
    std::uint32_t upper, lower;     ///< bounds on its minimum cover
  };

  std::uint64_t k() const { return static_cast<std::uint64_t>(options_.k); }

  /// The size of the incumbent of the whole graph.
  std::uint64_t best_size() const { return std::min(upper_, start_size_); }

  bool answered() const {
    return lower_ == best_size() || (options_.k >= 0 && (best_size() <= k() || lower_ > k()));
  }

  /// Options::heuristic: local search in the whole reduced graph. The reductions before had a third
  /// of the time.
  void search_locally() {
    std::vector<Vertex> vertices;
    root_.graph.append_live(vertices);
    if (vertices.empty()) {
      return;
    }
    HostGraph const graph = live_graph(vertices);
    auto const n = static_cast<Vertex>(vertices.size());
    // The reductions end where the linear relaxation takes half of every vertex.
    lower_ += first_third_.stopped() ? matching_size(graph, 0, n) : (n + 1) / 2;
    std::uint64_t const reduced = upper_;
    LocalSearch local(graph, interrupt_, start_of(vertices));
    std::uint64_t const turn = 10 * (graph.vertices() + graph.edges());
    bool const to_limit = interrupt_.has_deadline();
    upper_ = reduced + local.cover_size();
    report_progress();
    for (int idle = 0; (to_limit || idle < 10) && !answered() && !interrupt_.stopped(); ++idle) {
      local.run(turn, lower_ - reduced);
      if (reduced + local.cover_size() < upper_) {
        idle = -1;
      }
      upper_ = reduced + local.cover_size();
      report_progress();
    }
    store_cover(vertices, local.cover());
  }

  /// Finds the components, and for each a first cover and a lower bound.
  void bound_components() {
    for (auto& vertices : search_.components(root_)) {
      Node node;
      HostGraph const graph = extract(vertices, node);
      std::uint32_t const lower =
          interrupt_.stopped() ? matching_size(graph, 0, static_cast<Vertex>(graph.vertices()))
                               : search_.lower_bound(node, no_cover);
      LocalSearch local(graph, interrupt_, start_of(vertices));
      local.run(local_search_effort(graph, 1000, 20'000'000), lower);
      auto const upper = static_cast<std::uint32_t>(local.cover_size());
      store_cover(vertices, local.cover());
      upper_ += upper;
      lower_ += std::min(lower, upper);
      components_.push_back(
          {std::move(vertices), std::move(node.clique_of), upper, std::min(lower, upper)});
    }
    report_progress();
  }

  /// Solves one component, as far as the limits allow.
  ///
  /// Dense: the clique search alone. Otherwise first a short branch and reduce, which solves most
  /// components. Then three solvers in turns, since nothing predicts which of them succeeds: clause
  /// learning; local search, if the gap between the bounds is small, or while it finds smaller
  /// covers; branch and reduce. With a small gap branch and reduce gets a quarter of clause
  /// learning's work per turn, about half the time; otherwise eight times its work.
  /// Source of the turns, and of the clique search: Hespe, Lamm, Schulz and Strash 2020.
  void solve_component(Component& component) {
    if (component.lower == component.upper) {
      return;
    }
    Node node;
    HostGraph const graph = extract(component.vertices, node);
    if (is_dense(graph)) {
      return solve_by_clique(component, graph);
    }
    constexpr std::uint64_t few_nodes = 500;
    constexpr std::uint64_t little_work = 100'000'000;  // nodes of large graphs need much
    if (search(component, node, few_nodes, {little_work, [] { return std::uint64_t{0}; }}) ||
        answered()) {
      return;
    }
    LocalSearch local(graph, interrupt_, cover_of(component));
    std::uint64_t effort_left = local_search_effort(graph, 400'000, 2'000'000'000);
    std::uint64_t const least_effort = local_search_effort(graph, 1000, 50'000'000);
    bool improved = true;  // the last turn of local search found a smaller cover
    std::optional<clique_sat::CliqueSat> clique_sat_solver;
    std::uint64_t const bytes = clique_sat::CliqueSat::bytes_per_edge * graph.edges();
    if (bytes <= std::min(max_bytes_, max_clique_sat_bytes) && !interrupt_.stopped()) {
      clique_sat_solver.emplace(graph, component.clique_of, cover_of(component), interrupt_);
    }
    // Runs the two other solvers; returns the work of branch and reduce's next turn.
    auto const run_other_solvers = [&]() -> std::uint64_t {
      std::uint64_t const before = interrupt_.work();
      if (clique_sat_solver && clique_sat_solver->bytes() <= max_bytes_ &&
          !is_finished(component)) {
        run_clique_sat(component, *clique_sat_solver);
      }
      std::uint64_t const work = std::max(interrupt_.work() - before, min_turn_work);
      improved = improved || gap_is_small(component);
      while (improved && !is_finished(component) && !interrupt_.stopped()) {
        std::uint32_t const upper = component.upper;
        std::uint64_t const effort = std::min(std::max(work / 2, least_effort), effort_left);
        run_local_search(component, local, effort);
        effort_left -= effort;
        improved = component.upper < upper;
      }
      return gap_is_small(component) ? work / 4 : 8 * work;
    };
    std::uint64_t turn_work = run_other_solvers();
    // Branch and reduce restarts when another solver finds a smaller cover: its limit is lower
    // then.
    bool complete = false;
    while (!complete && !is_finished(component) && !interrupt_.stopped() && !search_.full()) {
      std::uint32_t const upper = component.upper;
      search_.make_node(root_, component.vertices, node);
      auto const pause = [&]() -> std::uint64_t {
        turn_work = run_other_solvers();
        bool const ends =
            is_finished(component) || component.upper < upper || node.best_size <= component.lower;
        return ends ? 0 : turn_work;
      };
      complete =
          search(component, node, std::numeric_limits<std::uint64_t>::max(), {turn_work, pause});
    }
  }

  bool is_finished(Component const& component) const {
    return answered() || component.lower == component.upper;
  }

  /// Whether the bounds are so close that local search may find a cover as small as the lower
  /// bound.
  static bool gap_is_small(Component const& component) {
    return component.upper <= component.lower + 1 + component.vertices.size() / 50;
  }

  /// The goal in one component: a cover of fewer than `limit` vertices. A search may end at one of
  /// at most `enough` vertices.
  struct Goal {
    std::uint32_t limit, enough;
  };

  /// With k: `limit` is what k leaves above the lower bounds of the other components, `enough` what
  /// it leaves above their covers.
  Goal goal(Component const& component) const {
    Goal goal{component.upper, component.lower};
    if (options_.k >= 0) {
      std::uint64_t const others_lower = lower_ - component.lower;
      std::uint64_t const others_upper = upper_ - component.upper;
      if (k() + 1 - others_lower < goal.limit) {
        goal.limit = static_cast<std::uint32_t>(k() + 1 - others_lower);
      }
      if (k() > others_upper + goal.enough) {
        goal.enough =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(k() - others_upper, goal.limit - 1));
      }
    }
    return goal;
  }

  /// One turn of branch and reduce. True: the component's goal is decided.
  bool search(Component& component, Node& node, std::uint64_t max_nodes, Search::Pause pause = {}) {
    auto const [limit, enough] = goal(component);
    std::uint32_t const lower = search_.run(node, limit, enough, max_nodes, std::move(pause));
    bool const found = node.best_size < component.upper;
    if (found) {
      store_cover(component.vertices, node.best);
    }
    improve(component, found ? node.best_size : component.upper, lower);
    return lower >= limit || (found && (lower == node.best_size || node.best_size <= enough));
  }

  /// One turn of clause learning: tenths of a second, longer if the gap is small.
  void run_clique_sat(Component& component, clique_sat::CliqueSat& clique_sat_solver) {
    auto const [limit, enough] = goal(component);
    std::uint64_t const before = clique_sat_solver.conflicts();
    clique_sat_solver.run(limit, enough, gap_is_small(component) ? 20'000 : 4'000);
    report_.conflicts += clique_sat_solver.conflicts() - before;
    if (clique_sat_solver.cover_size() < component.upper) {
      store_cover(component.vertices, clique_sat_solver.cover());
    }
    improve(component, std::min(component.upper, clique_sat_solver.cover_size()),
            clique_sat_solver.lower_bound());
  }

  /// Solves a dense component as a maximum clique of its complement.
  void solve_by_clique(Component& component, HostGraph const& graph) {
    auto const [limit, enough] = goal(component);
    MaxClique clique(graph, interrupt_, workers_);
    auto const n = static_cast<std::uint32_t>(graph.vertices());
    bool const complete = clique.run(n - limit, n - enough);
    report_.nodes += clique.nodes();
    if (clique.best().empty()) {
      return improve(component, component.upper, complete ? limit : component.lower);
    }
    std::vector<std::uint8_t> cover(n, 1);
    for (Vertex const v : clique.best()) {
      cover[v] = 0;
    }
    store_cover(component.vertices, cover);
    std::uint32_t const size = n - static_cast<std::uint32_t>(clique.best().size());
    improve(component, size, complete && size > enough ? size : component.lower);
  }

  /// One turn of local search.
  void run_local_search(Component& component, LocalSearch& local, std::uint64_t effort) {
    local.run(effort, component.lower);
    if (local.cover_size() < component.upper) {
      store_cover(component.vertices, local.cover());
      improve(component, static_cast<std::uint32_t>(local.cover_size()), component.lower);
    }
  }

  /// Takes over bounds of a component, and updates the sums.
  void improve(Component& component, std::uint32_t upper, std::uint32_t lower) {
    lower = std::clamp(lower, component.lower, upper);
    upper_ -= component.upper - upper;
    lower_ += lower - component.lower;
    component.upper = upper;
    component.lower = lower;
    report_progress();
  }

  /// The component as the graph of `node`, and as a host graph with sorted rows.
  HostGraph extract(std::vector<Vertex> const& vertices, Node& node) {
    search_.make_node(root_, vertices, node);
    HostGraph graph;
    for (Vertex v = 0; v < node.graph.vertices(); ++v) {
      auto const row = node.graph.neighbours(v);
      graph.entries.insert(graph.entries.end(), row.begin(), row.end());
      graph.offsets.push_back(graph.entries.size());
    }
    return detail::transposed(graph);
  }

  /// What the cover to begin with says about these vertices of the reduced graph. Folds may have
  /// made it no cover of them; LocalSearch repairs it.
  std::vector<std::uint8_t> start_of(std::vector<Vertex> const& vertices) const {
    std::vector<std::uint8_t> marks;
    for (std::size_t v = 0; v < vertices.size() && !options_.start.empty(); ++v) {
      marks.push_back(options_.start[vertices[v]]);
    }
    return marks;
  }

  /// The live graph of the root, whose vertices are renumbered in this order, with sorted rows.
  HostGraph live_graph(std::vector<Vertex> const& vertices) {
    std::vector<Vertex> new_id(root_.graph.vertices());
    for (Vertex v = 0; v < vertices.size(); ++v) {
      new_id[vertices[v]] = v;
    }
    HostGraph graph;
    for (Vertex const v : vertices) {
      for (Vertex const u : root_.graph.neighbours(v)) {
        graph.entries.push_back(new_id[u]);
      }
      graph.offsets.push_back(graph.entries.size());
    }
    return detail::transposed(graph);
  }

  std::vector<std::uint8_t> cover_of(Component const& component) const {
    std::vector<std::uint8_t> cover;
    for (Vertex const v : component.vertices) {
      cover.push_back(root_.best[v]);
    }
    return cover;
  }
  void store_cover(std::vector<Vertex> const& vertices, std::vector<std::uint8_t> const& cover) {
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      root_.best[vertices[v]] = cover[v];
    }
  }

  /// The effort for LocalSearch::run(), in row entries read: proportional to the graph's size.
  static std::uint64_t local_search_effort(HostGraph const& graph, std::uint64_t per_entry,
                                           std::uint64_t max_effort) {
    return std::min<std::uint64_t>(per_entry * (graph.vertices() + graph.edges()), max_effort);
  }

  /// Whether the clique search is faster than branch and reduce: measured on random graphs of 100
  /// to 1,000 vertices.
  static bool is_dense(HostGraph const& graph) {
    auto const n = static_cast<double>(graph.vertices());
    auto const entries = static_cast<double>(graph.entries.size());
    return (n <= 256 && entries >= 5 * n) || (n <= 4000 && entries > 0.2 * n * n);
  }

  static constexpr std::uint64_t min_turn_work = 1'000'000;  ///< in Interrupt::work(); milliseconds
  /// The limit of CliqueSat's initial memory. On larger graphs its preprocessing takes too long.
  static constexpr std::uint64_t max_clique_sat_bytes = 75'000'000;

  /// Relaxed stores: values for display, which order no other data.
  void report_progress() {
    if (options_.progress != nullptr) {
      options_.progress->best.store(best_size(), std::memory_order_relaxed);
      options_.progress->lower_bound.store(lower_, std::memory_order_relaxed);
    }
  }

  HostGraph const& graph_;
  Options const& options_;
  Workers const& workers_;
  std::uint64_t max_bytes_;
  Interrupt interrupt_;
  Interrupt first_third_;
  Report report_;
  Search search_;
  Node root_;
  std::vector<Component> components_;
  std::uint64_t upper_ = 0;  ///< the size of the cover that the components' incumbents make
  std::uint64_t lower_ = 0;  ///< no cover of the whole graph is smaller
  /// The size of the cover to begin with; 2^32, more than any, if there is none.
  std::uint64_t start_size_ = std::uint64_t{1} << 32;
};

/// Solves a host graph in Mode::taper; see taper::vertex_cover::solve() for Options and Report.
///
/// Requires: Options::start is a cover, or empty.
///
/// Writes 1 to `in_cover` for each vertex of the cover, else 0. A search that needs more than about
/// `max_bytes` beside the reduced graph ends with Status::stopped; clause learning may take as much
/// again.
inline Report solve(HostGraph const& graph, std::span<std::uint8_t> in_cover,
                    Options const& options, Workers const& workers = {},
                    std::uint64_t max_bytes = Search::default_bytes) {
  return Solver(graph, options, workers, max_bytes).run(in_cover);
}

}  // namespace taper::vertex_cover::branch_and_reduce
