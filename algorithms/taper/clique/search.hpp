// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/core_order.hpp>
#include <taper/clique/dense_graph.hpp>
#include <taper/clique/dense_search.hpp>
#include <taper/clique/incumbent.hpp>
#include <taper/clique/report.hpp>
#include <taper/clique/shared_search.hpp>
#include <taper/clique/weights.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace taper::clique {

/// The interface of taper::Fork on the calling thread, for callers without Kokkos.
struct SerialFork {
  template <class Index, class Callable>
  void each(Index begin, Index end, Callable const& callable) {
    for (; begin < end; ++begin) {
      callable(begin, *this);
    }
  }
  std::uint32_t worker() const { return 0; }
  std::uint32_t workers() const { return 1; }
};

/// Finds a clique of maximum weight: cores, subproblems, branch and bound.
///
/// A degeneracy order makes a subproblem of each vertex: the neighbours after it. So a large sparse
/// graph becomes many small dense graphs, and its complement is never built. The source of this
/// scheme, with the cores as bounds: Rossi, Gleich and Gebremedhin, "Parallel maximum clique
/// algorithms with applications to network analysis", 2015 (PMC). A graph that is dense as a whole
/// is one subproblem, whose root a colouring bounds.
///
/// The first levels of a large subproblem are forked. Each child has a dense graph of its own, with
/// fewer words per row and an order of its own.
/// Used by: solve_on_host().
template <class Weights>
class Search {
  using Word = bits::Word;

 public:
  /// `shared`: what other processes search too; null: there are none. Else run() is called with a
  /// SerialFork, and weights are 1.
  Search(HostGraph const& graph, Weights const& weights, Options const& options,
         SharedSearch* shared = nullptr)
      : graph_(graph), weights_(weights), options_(options), shared_(shared),
        interrupt_({.time_limit_s = options.time_limit_s, .stop = options.stop}),
        incumbent_(options.progress), n_(static_cast<Vertex>(graph.vertices())),
        cores_(core_order(
            graph, [this](std::uint64_t work) { return interrupt_.stopped_after(16 * work); })) {}

  /// Finds a clique of maximum weight, which is then clique(). Call run() or collect(), once.
  template <class Fork>
  Report run(Fork& fork) {
    for (std::uint32_t worker = 0; worker < fork.workers(); ++worker) {
      workers_.emplace_back(incumbent_, options_);
    }
    offer_start();
    list_later([&](Vertex v) { return weights_[v] > 0; });  // no clique has the others
    find_first_cliques();
    Report report;
    report.degeneracy = std::max(cores_.degeneracy, largest_later_);
    if (interrupt_.stopped_after(0)) {  // in a large graph the steps above may take the whole time
      report.kernel_vertices = n_;
      if (n_ > 0) {
        incumbent_.leave_open(*std::max_element(potential_.begin(), potential_.end()));
      }
    } else {
      search_kernel(fork, report);
    }
    Weight bound = std::max(incumbent_.weight(), incumbent_.open());
    if (shared_ != nullptr) {
      bound = shared_->meet(incumbent_, bound, interrupt_.stopped());
    }
    for (Worker const& worker : workers_) {
      report.nodes += worker.search.nodes();
      report.subproblems += worker.search.subproblems;
      report.largest = std::max(report.largest, worker.search.largest);
    }
    report.workers = fork.workers();
    report.clique_size = incumbent_.clique().size();
    report.clique_weight = incumbent_.weight();
    report.upper_bound = bound;
    report.status = report.upper_bound == report.clique_weight ? Status::solved : Status::stopped;
    return report;
  }

  std::vector<Vertex> const& clique() const { return incumbent_.clique(); }

  /// Finds cliques of `weight`, up to `limit`, which are then collected(). Finds each clique once,
  /// since the search reaches each set of vertices along one path only. Returns false if a limit of
  /// the options ended it.
  /// Requires: run() was not called; the maximum is `weight`, at least 1; limit is at least 1.
  template <class Fork>
  bool collect(Fork& fork, Weight weight, std::size_t limit) {
    for (std::uint32_t worker = 0; worker < fork.workers(); ++worker) {
      workers_.emplace_back(incumbent_, options_);
    }
    incumbent_.collect(weight, limit);
    list_later([&](Vertex v) { return weights_[v] > 0; });
    Report report;
    if (!interrupt_.stopped_after(0)) {
      search_kernel(fork, report);
    }
    return !interrupt_.stopped_after(0) && incumbent_.open() < weight;
  }

  /// After collect().
  std::vector<std::vector<Vertex>>& collected() { return incumbent_.collected(); }

 private:
  /// Searches the vertices that peel() leaves.
  template <class Fork>
  void search_kernel(Fork& fork, Report& report) {
    std::vector<Vertex> kernel = peel();
    report.kernel_vertices = kernel.size();
    if (std::size_t{largest_later_} * 4 >= kernel.size()) {
      search_whole(fork, kernel);
    } else {
      if (shared_ != nullptr) {
        std::reverse(kernel.begin(), kernel.end());  // run_tasks() begins with the last
      }
      search_by_vertex(fork, kernel);
    }
  }

  struct Worker {
    Worker(Incumbent& incumbent, Options const& options) : search(incumbent, options) {}

    DenseSearch<Weights> search;
    std::vector<Vertex> index;  ///< by vertex: one more than its place in the subproblem; 0: none
    std::vector<Word> rows;     ///< of the subproblem, before it is ordered
  };

  /// Offers the clique of Options::start to the incumbent, without vertices of weight 0.
  void offer_start() {
    std::vector<Vertex> start;
    Weight weight = 0;
    for (Vertex v = 0; v < options_.start.size(); ++v) {
      if (options_.start[v] != 0 && weights_[v] > 0) {
        start.push_back(v);
        weight += weights_[v];
      }
    }
    incumbent_.offer(weight, start);
  }

  /// Fills later_ and potential_. Vertices for which keep(v) is false are left out.
  template <class Keep>
  void list_later(Keep const& keep) {
    later_ = later_neighbours(graph_, cores_, keep);
    potential_.assign(n_, 0);
    largest_later_ = 0;
    for (Vertex v = 0; v < n_; ++v) {
      if (keep(v)) {
        potential_[v] = weights_[v];
        for (Vertex const u : later_.neighbours(v)) {
          potential_[v] += weights_[u];
        }
      }
      largest_later_ = std::max(largest_later_, static_cast<Vertex>(later_.degree(v)));
    }
  }

  /// Offers greedy cliques to the incumbent, each from a vertex and its neighbours after it. It
  /// always adds the heaviest candidate; among equal ones the last of the degeneracy order.
  void find_first_cliques() {
    std::uint64_t work = 16 * (std::uint64_t{n_} + later_.entries.size()) + 100'000;
    constexpr std::uint64_t last_work = 1 << 20;  // after a stop: milliseconds
    std::vector<Vertex> mark(n_, 0);  // by vertex: the number of the candidate set that has it
    std::vector<Vertex> clique;
    std::vector<Vertex> candidates;
    Vertex set = 0;
    for (Vertex i = n_; i-- > 0 && work > 0;) {
      if (interrupt_.stopped_after(16)) {
        work = std::min(work, last_work);
      }
      Vertex v = cores_.order[i];
      if (potential_[v] <= incumbent_.weight()) {
        continue;
      }
      clique.assign(1, v);
      Weight weight = weights_[v];
      candidates.assign(later_.neighbours(v).begin(), later_.neighbours(v).end());
      while (!candidates.empty()) {
        v = *std::max_element(candidates.begin(), candidates.end(), [&](Vertex a, Vertex b) {
          return std::pair(weights_[a], cores_.position[a]) <
                 std::pair(weights_[b], cores_.position[b]);
        });
        clique.push_back(v);
        weight += weights_[v];
        ++set;
        for (Vertex const u : graph_.neighbours(v)) {
          mark[u] = set;
        }
        std::erase_if(candidates, [&](Vertex u) { return mark[u] != set; });
        std::uint64_t const used = graph_.degree(v) + candidates.size();
        work -= std::min(work, used);
        if (set == std::numeric_limits<Vertex>::max()) {
          work = 0;
          break;
        }
      }
      incumbent_.offer(weight, clique);
    }
  }

  /// Removes vertices that weigh too little, together with their neighbours, for a heavier clique,
  /// until there are none. With unit weights this leaves a core. Returns the vertices that are
  /// left, the last of the degeneracy order first.
  std::vector<Vertex> peel() {
    std::vector<Weight> reach(n_, 0);  // the weight of a vertex and of its neighbours that are left
    std::vector<std::uint8_t> gone(n_, 0);
    std::vector<Vertex> queue;
    Weight const best = incumbent_.weight();
    for (Vertex v = 0; v < n_; ++v) {
      reach[v] = weights_[v];
      for (Vertex const u : graph_.neighbours(v)) {
        reach[v] += weights_[u];
      }
      if (reach[v] <= best || weights_[v] == 0) {
        gone[v] = 1;
        queue.push_back(v);
      }
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (Vertex const u : graph_.neighbours(queue[head])) {
        reach[u] -= weights_[queue[head]];
        if (gone[u] == 0 && reach[u] <= best) {
          gone[u] = 1;
          queue.push_back(u);
        }
      }
    }
    list_later([&](Vertex v) { return gone[v] == 0; });
    std::vector<Vertex> kernel;
    for (Vertex i = n_; i-- > 0;) {
      if (gone[cores_.order[i]] == 0) {
        kernel.push_back(cores_.order[i]);
      }
    }
    return kernel;
  }

  /// Searches a graph that is dense as a whole, as one subproblem.
  template <class Fork>
  void search_whole(Fork& fork, std::vector<Vertex> const& kernel) {
    if (kernel.empty()) {
      return;
    }
    std::vector<Vertex> index(n_, 0);
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      index[kernel[i]] = static_cast<Vertex>(i + 1);
    }
    DenseGraph<Weights> const dense(kernel, weights_.pick(kernel),
                                    [&](Vertex i, auto const& visit) {
                                      for (Vertex const u : graph_.neighbours(kernel[i])) {
                                        if (index[u] != 0) {
                                          visit(index[u] - 1);
                                        }
                                      }
                                    });
    DenseSearch<Weights>& me = workers_[fork.worker()].search;
    Prefix root;
    root.bound = me.upper_bound(dense, dense.all().data());
    if (!incumbent_.collects()) {
      me.find_first_cliques(dense, root.bound);
    }
    search_dense(fork, dense, root, 0);
  }

  /// Calls task(i, fork) for each i below `count`. `bound`: of the cliques of all tasks.
  template <class Fork, class Task>
  void for_each_task(Fork& fork, std::size_t count, Weight bound, Task const& task) {
    if (shared_ == nullptr) {
      fork.each(std::size_t{0}, count, task);
    } else {
      shared_->run_tasks(interrupt_, workers_.front().search, incumbent_, count, bound,
                         [&](std::size_t i) { task(i, fork); });
    }
  }

  /// Searches a sparse graph: a subproblem per vertex.
  template <class Fork>
  void search_by_vertex(Fork& fork, std::vector<Vertex> const& kernel) {
    for (Worker& worker : workers_) {
      worker.index.assign(n_, 0);
    }
    Weight const bound = *std::max_element(potential_.begin(), potential_.end());
    for_each_task(fork, kernel.size(), bound, [&](std::size_t i, Fork& inner) {
      Vertex const v = kernel[i];
      Prefix prefix{{v}, weights_[v], potential_[v]};
      if (prefix.bound <= incumbent_.weight()) {
        return;
      }
      Worker& me = workers_[inner.worker()];
      if (me.search.stopped()) {
        return incumbent_.leave_open(prefix.bound);
      }
      incumbent_.offer(prefix.weight, prefix.clique);
      DenseGraph<Weights> const dense = subproblem(me, v);
      if (dense.size() == 0) {
        return;
      }
      search_dense(inner, dense, prefix, 1);
    });
  }

  /// The graph of the neighbours after v. Leaves out those that are in no heavier clique with v.
  DenseGraph<Weights> subproblem(Worker& me, Vertex v) {
    auto const members = later_.neighbours(v);
    std::size_t const size = members.size();
    std::size_t const words = (size + 63) / 64;
    for (std::size_t i = 0; i < size; ++i) {
      me.index[members[i]] = static_cast<Vertex>(i + 1);
    }
    me.rows.assign(size * words, 0);
    for (Vertex i = 0; i < size; ++i) {
      for (Vertex const u : later_.neighbours(members[i])) {
        if (me.index[u] != 0) {
          Vertex const j = me.index[u] - 1;
          bits::set(me.rows.data() + i * words, j);
          bits::set(me.rows.data() + j * words, i);
        }
      }
    }
    for (Vertex const u : members) {
      me.index[u] = 0;
    }
    std::vector<Word> const left = peel(me, members, words, weights_[v]);
    std::vector<Vertex> kept;
    std::vector<Vertex> vertices;
    std::vector<Vertex> index(size);
    bits::for_each(left.data(), words, [&](Vertex i) {
      index[i] = static_cast<Vertex>(kept.size());
      kept.push_back(i);
      vertices.push_back(members[i]);
    });
    return DenseGraph<Weights>(vertices, weights_.pick(vertices), [&](Vertex i, auto const& visit) {
      Word const* const row = me.rows.data() + std::size_t{kept[i]} * words;
      for (std::size_t w = 0; w < words; ++w) {
        for (Word rest = row[w] & left[w]; rest != 0; rest &= rest - 1) {
          visit(index[w * 64 + static_cast<unsigned>(std::countr_zero(rest))]);
        }
      }
    });
  }

  /// As peel() above, for a subproblem, in rounds. `weight`: that of its prefix. Returns the places
  /// of the vertices that are left.
  std::vector<Word> peel(Worker const& me, std::span<Vertex const> members, std::size_t words,
                         Weight weight) const {
    std::vector<Word> left(words, 0);
    for (Vertex i = 0; i < members.size(); ++i) {
      bits::set(left.data(), i);
    }
    for (bool changed = true; changed;) {
      changed = false;
      Weight const best = incumbent_.weight();
      std::vector<Word> const before = left;
      bits::for_each(before.data(), words, [&](Vertex i) {
        Word const* const row = me.rows.data() + std::size_t{i} * words;
        Weight reach = weight + weights_[members[i]];
        for (std::size_t w = 0; w < words; ++w) {
          if constexpr (Weights::unit) {
            reach += std::popcount(row[w] & left[w]);
          } else {
            for (Word rest = row[w] & left[w]; rest != 0; rest &= rest - 1) {
              reach += weights_[members[w * 64 + static_cast<unsigned>(std::countr_zero(rest))]];
            }
          }
        }
        if (reach <= best) {
          bits::clear(left.data(), i);
          changed = true;
        }
      });
    }
    return left;
  }

  /// Searches a subproblem. A small one runs on this worker; the first levels of others are forked.
  /// `level`: the number of forks above.
  template <class Fork>
  void search_dense(Fork& fork, DenseGraph<Weights> const& graph, Prefix const& prefix, int level) {
    constexpr int forked_levels = 2;
    std::size_t const min_forked =
        shared_ != nullptr && level == 0 ? shared_->vertices_alone() : 64;
    DenseSearch<Weights>& me = workers_[fork.worker()].search;
    ++me.subproblems;
    me.largest = std::max<std::uint64_t>(me.largest, graph.size());
    if (level >= forked_levels || graph.size() < min_forked) {
      me.run(graph, prefix);
      return;
    }
    // Do not use `me` after the fork: this worker may run other tasks while it waits, and so may
    // this function.
    std::vector<Word> covered = graph.all();
    std::vector<Vertex> const branching =
        me.branching_vertices(graph, covered.data(), prefix.weight);
    if (!branching.empty() && me.stopped()) {
      return incumbent_.leave_open(
          std::min(prefix.bound, prefix.weight + me.upper_bound(graph, covered.data())));
    }
    for (Vertex const v : branching) {
      bits::clear(covered.data(), v);
    }
    auto const search_one = [&](std::size_t i, Fork& inner) {
      std::vector<Word> candidates = covered;
      for (std::size_t j = 0; j < i; ++j) {
        bits::set(candidates.data(), branching[j]);
      }
      search_child(inner, graph, prefix, branching[i], candidates, level);
    };
    if (level == 0) {
      for_each_task(fork, branching.size(), prefix.bound, search_one);
    } else {
      fork.each(std::size_t{0}, branching.size(), search_one);
    }
  }

  /// Searches the child of a forked node that takes v. `candidates`: those of the node for this
  /// child; the child keeps the neighbours of v.
  template <class Fork>
  void search_child(Fork& fork, DenseGraph<Weights> const& graph, Prefix const& prefix, Vertex v,
                    std::vector<Word>& candidates, int level) {
    DenseSearch<Weights>& me = workers_[fork.worker()].search;
    for (std::size_t w = 0; w < graph.words(); ++w) {
      candidates[w] &= graph.neighbours(v)[w];
    }
    Prefix child{prefix.clique, prefix.weight + graph.weight(v), prefix.bound};
    child.clique.push_back(graph.vertex(v));
    incumbent_.offer(child.weight, child.clique);
    if (me.stopped()) {
      return incumbent_.leave_open(
          std::min(child.bound, child.weight + me.upper_bound(graph, candidates.data())));
    }
    // Most children need no branch, and so no graph of their own.
    if (me.branching_vertices(graph, candidates.data(), child.weight).empty()) {
      return;
    }
    search_dense(fork, graph.induced(candidates.data()), child, level + 1);
  }

  HostGraph const& graph_;
  Weights const& weights_;
  Options const& options_;
  SharedSearch* shared_;
  vertex_cover::Interrupt interrupt_;  ///< of the work before the subproblems
  Incumbent incumbent_;
  Vertex n_;
  std::deque<Worker> workers_;
  CoreOrder cores_;
  HostGraph later_;                ///< per vertex: its neighbours after it; see later_neighbours()
  std::vector<Weight> potential_;  ///< by vertex: its weight and that of its row in later_
  Vertex largest_later_ = 0;       ///< entries of the longest row of later_
};

}  // namespace taper::clique
