// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/clique_bound.hpp>
#include <taper/vertex_cover/branch_and_reduce/clique_graph.hpp>
#include <taper/vertex_cover/branch_and_reduce/workers.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// A maximum independent set of a small dense graph, found as a clique of its complement: branch
/// and bound on bitsets, with the bounds of CliqueBound.
///
/// Workers share the search: the tree is cut a few levels below its root into tasks, and all
/// workers prune with the size of the largest clique so far.
/// Used by: Solver, for dense components.
class MaxClique {
  using Word = CliqueGraph::Word;

 public:
  MaxClique(HostGraph const& graph, Interrupt const& interrupt, Workers const& workers = {})
      : graph_(graph), interrupt_(interrupt), workers_(workers) {}

  /// Searches for a set of more than `size` vertices, and ends when one has at least `enough`.
  /// True: the search is complete or has found `enough`; best() is empty if no set has more than
  /// `size` vertices. False: the interrupt stopped it.
  bool run(std::size_t size, std::size_t enough) {
    constexpr std::size_t tasks_per_worker = 64;
    std::uint32_t const workers = workers_.count();
    std::size_t const tasks = start(size, enough, workers == 1 ? 1 : tasks_per_worker * workers);
    std::vector<WorkerSearch*> by_worker;
    for (WorkerSearch& search : searches_) {
      by_worker.push_back(&search);
    }
    workers_.for_each_task(tasks, [&](std::size_t i, std::uint32_t worker) {
      by_worker[worker]->run(std::move(tasks_[i]));
    });
    return !stopped();
  }

  /// The same in steps, on the calling thread: cuts the tree into `wanted` tasks or more, if it is
  /// large enough, and returns how many. Equal calls make equal tasks.
  std::size_t start(std::size_t size, std::size_t enough, std::size_t wanted) {
    best_size_ = size;
    enough_ = enough;
    searches_.clear();
    for (std::uint32_t worker = 0; worker < workers_.count(); ++worker) {
      searches_.emplace_back(*this);
    }
    cut(wanted);
    return tasks_.size();
  }
  /// Runs a task, once. `poll`: see Interrupt; it may call raise().
  void run_task(std::size_t task, std::function<bool()> poll) {
    searches_.front().poll_with(std::move(poll));
    searches_.front().run(std::move(tasks_[task]));
  }
  /// From now on, only sets of more than `size` vertices are wanted.
  void raise(std::size_t size) {
    best_size_.store(std::max(best_size(), size), std::memory_order_relaxed);
  }

  /// Whether the interrupt has stopped a worker.
  bool stopped() const {
    return std::any_of(searches_.begin(), searches_.end(),
                       [](WorkerSearch const& search) { return search.stopped(); });
  }

  std::vector<Vertex> const& best() const { return best_; }
  std::uint64_t nodes() const {
    std::uint64_t nodes = 0;
    for (WorkerSearch const& search : searches_) {
      nodes += search.nodes();
    }
    return nodes;
  }

 private:
  /// A node of the search tree: its clique, and the vertices adjacent to all of it. Both by
  /// position.
  struct Task {
    std::vector<Vertex> clique;
    std::vector<Word> candidates;
  };

  /// The state of one worker.
  class WorkerSearch {
   public:
    explicit WorkerSearch(MaxClique& owner)
        : owner_(owner), graph_(owner.graph_), interrupt_(owner.interrupt_),
          bound_(graph_, interrupt_) {}

    void run(Task task) {
      start(std::move(task));
      expand(0);
    }

    /// Appends the children of a task, in the order in which run() visits them.
    void split(Task task, std::vector<Task>& children) {
      start(std::move(task));
      branch(0, [&] { children.push_back({clique_, levels_[1].candidates}); });
    }

    void poll_with(std::function<bool()> poll) { interrupt_.poll_with(std::move(poll)); }

    std::uint64_t nodes() const { return nodes_; }
    bool stopped() const { return stopped_; }

   private:
    struct Level {
      std::vector<Word> candidates;
      std::vector<Vertex> branching;
    };

    void start(Task task) {
      clique_ = std::move(task.clique);
      levels_.resize(1);
      levels_[0].candidates = std::move(task.candidates);
    }

    void expand(std::size_t depth) {
      branch(depth, [&] { expand(depth + 1); });
    }

    /// Calls visit() for each child of the node at `depth`; levels_[depth + 1] then holds the
    /// child.
    template <class Visit>
    void branch(std::size_t depth, Visit const& visit) {
      ++nodes_;
      if (should_stop()) {
        return;
      }
      if (levels_.size() < depth + 2) {
        levels_.resize(depth + 2);
      }
      std::size_t const words = graph_.words();
      levels_[depth + 1].candidates.resize(words);
      // Other workers may have found a clique larger than this one and its candidates together.
      std::size_t const best = owner_.best_size();
      auto const colours = static_cast<std::uint32_t>(best - clique_.size());
      bound_.branching_vertices(levels_[depth].candidates.data(), colours,
                                levels_[depth].branching);
      for (Vertex const v : levels_[depth].branching) {
        CliqueGraph::clear(levels_[depth].candidates.data(), v);
      }
      for (std::size_t i = 0; i < levels_[depth].branching.size(); ++i) {
        Vertex const v = levels_[depth].branching[i];
        clique_.push_back(v);
        owner_.improve_best(clique_);
        Word const* const row = graph_.neighbours(v);
        Word const* const candidates = levels_[depth].candidates.data();
        Word* const next = levels_[depth + 1].candidates.data();
        Word any = 0;
        for (std::size_t w = 0; w < words; ++w) {
          next[w] = candidates[w] & row[w];
          any |= next[w];
        }
        if (any != 0) {
          visit();
        }
        clique_.pop_back();
        if (should_stop()) {
          return;
        }
        CliqueGraph::set(levels_[depth].candidates.data(), v);
      }
    }

    bool should_stop() {
      stopped_ = stopped_ || interrupt_.stopped_after(graph_.size() * graph_.words());
      return stopped_ || owner_.best_size() >= owner_.enough_;
    }

    MaxClique& owner_;
    CliqueGraph const& graph_;
    Interrupt interrupt_;  ///< a copy: each worker counts its own work between clock checks
    CliqueBound bound_;
    std::vector<Vertex> clique_;
    std::vector<Level> levels_;  ///< by depth
    std::uint64_t nodes_ = 0;
    bool stopped_ = false;
  };

  /// Splits the tree level by level until there are enough tasks to balance large ones.
  void cut(std::size_t wanted) {
    constexpr int max_levels = 4;
    Task whole{{}, std::vector<Word>(graph_.words())};
    for (Vertex i = 0; i < graph_.size(); ++i) {
      CliqueGraph::set(whole.candidates.data(), i);
    }
    tasks_.clear();
    tasks_.push_back(std::move(whole));
    for (int level = 0; level < max_levels && !tasks_.empty() && tasks_.size() < wanted; ++level) {
      std::vector<Task> children;
      for (Task& task : tasks_) {
        searches_.front().split(std::move(task), children);
      }
      tasks_ = std::move(children);
    }
  }

  // relaxed: benign, since the value is only a bound. An old one costs a branch that the newer one
  // would prune; the clique itself is guarded by best_mutex_.
  std::size_t best_size() const { return best_size_.load(std::memory_order_relaxed); }

  void improve_best(std::vector<Vertex> const& clique) {
    if (clique.size() <= best_size()) {
      return;
    }
    std::lock_guard const lock(best_mutex_);
    if (clique.size() <= best_size()) {
      return;
    }
    best_.resize(clique.size());
    std::transform(clique.begin(), clique.end(), best_.begin(),
                   [&](Vertex position) { return graph_.vertex(position); });
    best_size_.store(clique.size(), std::memory_order_relaxed);
  }

  CliqueGraph const graph_;
  Interrupt const interrupt_;
  Workers const workers_;
  std::size_t enough_ = 0;
  std::mutex best_mutex_;
  std::vector<Vertex> best_;
  std::atomic<std::size_t> best_size_{0};
  std::list<WorkerSearch> searches_;  ///< by worker
  std::vector<Task> tasks_;
};

}  // namespace taper::vertex_cover::branch_and_reduce
