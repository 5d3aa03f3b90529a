// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mode::taper, in the order in which the data flows: reduce, bound, search, lift. The headers
// need only the standard library. One host thread does the work, except that the clique search of a
// dense component uses all workers of the caller.
// Used by: solve_views.hpp.

// Limits of the caller, its workers, and other processes.
#include <taper/vertex_cover/branch_and_reduce/partners.hpp>
#include <taper/vertex_cover/branch_and_reduce/shared_work.hpp>
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
#include <cstddef>
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
  /// `partners`: the other processes; null: there are none.
  Solver(HostGraph const& graph, Options const& options, Workers const& workers,
         std::uint64_t max_bytes, Partners* partners = nullptr)
      : graph_(graph), options_(options), workers_(workers), max_bytes_(max_bytes),
        partners_(partners), interrupt_(options), first_third_(Interrupt::of_a_third(options)),
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
    if (partners_ == nullptr) {
      solve_components();
    } else {
      solve_components_together();
    }

    root_.graph.lift(root_.best);
    std::span<std::uint8_t const> const best = start_size_ < upper_ ? options_.start : root_.best;
    std::vector<std::uint8_t> cover(best.begin(), best.end());
    if (partners_ != nullptr) {
      take_best_of_all(cover);
    }
    std::transform(cover.begin(), cover.end(), in_cover.begin(),
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

  /// The goal in one component: a cover of fewer than `limit` vertices. A search may end at one of
  /// at most `enough` vertices.
  struct Goal {
    std::uint32_t limit, enough;
  };

  std::uint64_t k() const { return static_cast<std::uint64_t>(options_.k); }

  /// The size of the incumbent of the whole graph.
  std::uint64_t best_size() const { return std::min(upper_, start_size_); }

  /// For what is random, another one in each process.
  std::uint64_t seed() const { return partners_ == nullptr ? 0 : partners_->process(); }

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
    LocalSearch local(graph, interrupt_, start_of(vertices), seed());
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

  void solve_components() {
    for (Component& component : components_) {
      if (answered() || interrupt_.stopped()) {
        break;
      }
      if (!solve_quickly(component) && !answered()) {
        solve_in_turns(component);
      }
    }
  }

  /// Solves one component, as far as the limits allow: a dense one by clique search alone, others
  /// by a short branch and reduce, which solves most. False: it needs solve_in_turns().
  bool solve_quickly(Component& component) {
    if (component.lower == component.upper) {
      return true;
    }
    Node node;
    HostGraph const graph = extract(component.vertices, node);
    if (is_dense(graph)) {
      if (partners_ == nullptr) {
        solve_by_clique(component, graph);
      }
      return partners_ == nullptr;
    }
    constexpr std::uint64_t little_work = 100'000'000;  // nodes of large graphs need much
    std::uint64_t const few_nodes = partners_ == nullptr ? 500 : partners_->nodes_alone();
    return search(component, node, few_nodes, {little_work, [] { return std::uint64_t{0}; }});
  }

  /// The solvers that take turns with branch and reduce in one component.
  struct OtherSolvers {
    HostGraph graph;
    LocalSearch local;
    std::uint64_t effort_left, least_effort;
    bool improved = true;  ///< the last turn of local search found a smaller cover
    std::optional<clique_sat::CliqueSat> clauses;

    OtherSolvers(Solver& solver, Component const& component, HostGraph made)
        : graph(std::move(made)),
          local(graph, solver.interrupt_, solver.cover_of(component), solver.seed()),
          effort_left(local_search_effort(graph, 400'000, 2'000'000'000)),
          least_effort(local_search_effort(graph, 1000, 50'000'000)) {
      std::uint64_t const bytes = clique_sat::CliqueSat::bytes_per_edge * graph.edges();
      if (bytes <= std::min(solver.max_bytes_, max_clique_sat_bytes) &&
          !solver.interrupt_.stopped()) {
        clauses.emplace(graph, component.clique_of, solver.cover_of(component), solver.interrupt_,
                        solver.seed());
        if (solver.partners_ != nullptr) {
          clauses->exchange_clauses();
        }
      }
    }
  };

  /// Solves a component by three solvers in turns, since nothing predicts which of them succeeds:
  /// clause learning; local search, if the gap between the bounds is small, or while it finds
  /// smaller covers; branch and reduce. With a small gap branch and reduce gets a quarter of clause
  /// learning's work per turn, about half the time; otherwise eight times its work.
  /// Source of the turns, and of the clique search: Hespe, Lamm, Schulz and Strash 2020.
  void solve_in_turns(Component& component) {
    Node node;
    OtherSolvers others(*this, component, extract(component.vertices, node));
    std::uint64_t turn_work = run_other_solvers(component, others);
    // Branch and reduce restarts when another solver finds a smaller cover: its limit is lower
    // then.
    bool complete = false;
    while (!complete && !is_finished(component) && !interrupt_.stopped() && !search_.full()) {
      std::uint32_t const upper = component.upper;
      search_.make_node(root_, component.vertices, node);
      auto const pause = [&]() -> std::uint64_t {
        turn_work = run_other_solvers(component, others);
        bool const ends =
            is_finished(component) || component.upper < upper || node.best_size <= component.lower;
        return ends ? 0 : turn_work;
      };
      complete =
          search(component, node, std::numeric_limits<std::uint64_t>::max(), {turn_work, pause});
    }
  }

  /// Clause learning and local search; returns the work of branch and reduce's next turn.
  std::uint64_t run_other_solvers(Component& component, OtherSolvers& others) {
    std::uint64_t const before = interrupt_.work();
    if (others.clauses && others.clauses->bytes() <= max_bytes_ && !is_finished(component)) {
      run_clique_sat(component, *others.clauses);
    }
    std::uint64_t const work = std::max(interrupt_.work() - before, min_turn_work);
    others.improved = others.improved || gap_is_small(component);
    while (others.improved && !is_finished(component) && !interrupt_.stopped()) {
      std::uint32_t const upper = component.upper;
      std::uint64_t const effort =
          std::min(std::max(work / 2, others.least_effort), others.effort_left);
      run_local_search(component, others.local, effort);
      others.effort_left -= effort;
      others.improved = component.upper < upper;
    }
    return gap_is_small(component) ? work / 4 : 8 * work;
  }

  /// All processes do alike what is quick, and share what is not.
  ///
  /// The quick part comes first for all components. Afterwards the processes' searches differ, and
  /// a process might need more nodes than another one for the same component.
  void solve_components_together() {
    std::vector<std::size_t> hard;
    for (std::size_t i = 0; i < components_.size() && !answered() && !interrupt_.stopped(); ++i) {
      if (!solve_quickly(components_[i])) {
        hard.push_back(i);
      }
    }
    for (std::size_t i = 0; i < hard.size() && !answered() && !interrupt_.stopped(); ++i) {
      solve_together(hard[i]);
    }
  }

  void solve_together(std::size_t number) {
    Component const& component = components_[number];
    Goal const wanted = goal(component);
    Node node;
    HostGraph graph = extract(component.vertices, node);
    if (is_dense(graph)) {
      solve_by_clique_together(components_[number], wanted, graph);
    } else {
      solve_in_turns_together(components_[number], wanted, std::move(graph));
    }
    agree(number, wanted.limit);
  }

  /// The turns of solve_in_turns() in each process, but all of them share one branch and reduce. A
  /// process without a part of it lets the others take more turns.
  void solve_in_turns_together(Component& component, Goal wanted, HostGraph graph) {
    OtherSolvers others(*this, component, std::move(graph));
    Node node;
    search_.make_node(root_, component.vertices, node);
    std::uint64_t turn_work = min_turn_work;
    auto const pause = [&]() -> std::uint64_t {
      turn_work = run_other_solvers(component, others);
      return partners_->over() ? 0 : turn_work;
    };
    auto const give = [&]() -> std::optional<Partners::Words> {
      auto const part = search_.give();
      return part ? std::optional(part->to_words()) : std::nullopt;
    };
    search_.share_with(partners_);
    bool const begins = partners_->begin(wanted.limit, wanted.enough, component.lower, give);
    sharing_ = true;
    work_until_over(
        *partners_, interrupt_, begins,
        [&](Partners::Words const& words) {
          return search_.restore(Subproblem::of_words(words), node);
        },
        [&] {
          search_.run(node, wanted.limit, wanted.enough, std::numeric_limits<std::uint64_t>::max(),
                      {turn_work, pause});
          if (search_.full()) {
            partners_->give_up();
          }
          return !interrupt_.at_limit();
        },
        [&] {
          std::uint64_t const before = interrupt_.work();
          run_other_solvers(component, others);
          if (interrupt_.work() - before < min_turn_work) {
            partners_->rest();
          }
        });
    sharing_ = false;
    search_.share_with(nullptr);
  }

  /// solve_by_clique() by all processes. They cut the tree alike; the parts of the search are the
  /// numbers of its tasks.
  void solve_by_clique_together(Component& component, Goal wanted, HostGraph const& graph) {
    constexpr std::size_t many_tasks = 1000;
    auto const n = static_cast<std::uint32_t>(graph.vertices());
    MaxClique clique(graph, interrupt_);
    std::size_t const tasks = clique.start(n - wanted.limit, n - wanted.enough, many_tasks);
    auto const poll = [&] {
      auto const found = static_cast<std::uint32_t>(clique.best().size());
      if (found > n - partners_->limit()) {
        partners_->found(n - found, cover_without(clique.best(), n));
      }
      bool const ends = partners_->poll();
      clique.raise(n - partners_->limit());
      return ends;
    };
    run_tasks_together(*partners_, interrupt_, wanted.limit, wanted.enough, component.lower, tasks,
                       [&](std::uint32_t task) {
                         clique.run_task(task, poll);
                         poll();
                         return !clique.stopped();
                       });
    report_.nodes += clique.nodes();
  }

  /// All processes take over the best cover and bound of a component. `limit`: of the goal.
  void agree(std::size_t number, std::uint32_t limit) {
    Component& component = components_[number];
    if (auto const& found = partners_->cover(); !found.empty()) {
      auto const size = static_cast<std::uint32_t>(std::count(found.begin(), found.end(), 1));
      if (size < component.upper) {
        store_cover(component.vertices, found);
        improve(component, size, component.lower);
      }
    }
    auto const best = partners_->meet({.component = number,
                                       .upper = component.upper,
                                       .lower = std::max(component.lower, partners_->lower()),
                                       .stopped = interrupt_.at_limit()});
    if (best.stopped) {
      interrupt_.stop();
      have_met_ = true;
      return;
    }
    auto cover = cover_of(component);
    partners_->share(cover);
    store_cover(component.vertices, cover);
    auto const upper = static_cast<std::uint32_t>(best.upper);
    auto const lower = static_cast<std::uint32_t>(best.lower);
    improve(component, upper, best.complete ? std::max(lower, std::min(limit, upper)) : lower);
  }

  /// The last meeting: `cover`, of the whole graph, becomes the smallest of all processes. If one
  /// has stopped, the last meeting was that of a component for those that search it.
  void take_best_of_all(std::vector<std::uint8_t>& cover) {
    if (!have_met_) {
      partners_->meet({.component = components_.size(), .stopped = interrupt_.at_limit()});
    }
    auto const best =
        partners_->meet({.component = components_.size(), .upper = best_size(), .lower = lower_});
    partners_->share(cover);
    upper_ = best.upper;
    lower_ = std::max(best.lower, lower_);
  }

  bool is_finished(Component const& component) const {
    return answered() || component.lower == component.upper || (sharing_ && partners_->over());
  }

  /// Whether the bounds are so close that local search may find a cover as small as the lower
  /// bound.
  static bool gap_is_small(Component const& component) {
    return component.upper <= component.lower + 1 + component.vertices.size() / 50;
  }

  /// With k: `limit` is what k leaves above the lower bounds of the other components, `enough` what
  /// it leaves above their covers.
  Goal goal(Component const& component) const {
    Goal goal{component.upper, component.lower};
    if (sharing_) {
      goal.limit = std::min(goal.limit, partners_->limit());
    }
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
    if (sharing_) {
      clique_sat_solver.add_clauses(partners_->take_clauses());
    }
    std::uint64_t const before = clique_sat_solver.conflicts();
    clique_sat_solver.run(limit, enough, gap_is_small(component) ? 20'000 : 4'000);
    report_.conflicts += clique_sat_solver.conflicts() - before;
    if (sharing_) {
      partners_->tell_clauses(clique_sat_solver.take_clauses());
    }
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
    store_cover(component.vertices, cover_without(clique.best(), n));
    std::uint32_t const size = n - static_cast<std::uint32_t>(clique.best().size());
    improve(component, size, complete && size > enough ? size : component.lower);
  }

  /// The cover of all n vertices but these.
  static std::vector<std::uint8_t> cover_without(std::vector<Vertex> const& outside,
                                                 std::uint32_t n) {
    std::vector<std::uint8_t> cover(n, 1);
    for (Vertex const v : outside) {
      cover[v] = 0;
    }
    return cover;
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
    if (sharing_) {
      if (upper < partners_->limit()) {
        partners_->found(upper, cover_of(component));
      }
      partners_->proved(lower);
    }
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
  Partners* partners_;
  bool sharing_ = false;   ///< a component is searched by all processes
  bool have_met_ = false;  ///< a meeting has ended the run
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
/// again. With `partners`, all processes call it with the same graph and options, and find the same
/// cover.
inline Report solve(HostGraph const& graph, std::span<std::uint8_t> in_cover,
                    Options const& options, Workers const& workers = {},
                    std::uint64_t max_bytes = Search::default_bytes, Partners* partners = nullptr) {
  return Solver(graph, options, workers, max_bytes, partners).run(in_cover);
}

}  // namespace taper::vertex_cover::branch_and_reduce
