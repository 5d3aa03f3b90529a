// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/standard/clique_bound.hpp>
#include <taper/vertex_cover/standard/clique_graph.hpp>
#include <taper/vertex_cover/standard/workers.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

/// Largest independent set of a small dense graph, as a clique of its complement: branch and bound
/// on bitsets, with the bounds of CliqueBound.
///
/// Several workers share a search: the tree is cut a few levels below its root into tasks, and the
/// largest clique so far is everybody's bound.
class MaxClique {
  using Word = CliqueGraph::Word;

 public:
  MaxClique(HostGraph const& graph, Interrupt const& interrupt, Workers const& workers = {})
      : graph_(graph), interrupt_(interrupt), workers_(workers) {}

  /// Looks for more than `size` vertices; stops at `enough`. True if it went through, or found
  /// enough: then best() is a largest set, or empty where none is larger than `size`.
  bool run(std::size_t size, std::size_t enough) {
    best_size_ = size;
    enough_ = enough;
    Task whole{{}, std::vector<Word>(graph_.words())};
    for (Vertex i = 0; i < graph_.size(); ++i) {
      CliqueGraph::set(whole.candidates.data(), i);
    }
    std::list<Search> searches;
    for (std::uint32_t worker = 0; worker < workers_.count(); ++worker) {
      searches.emplace_back(*this);
    }
    if (workers_.count() == 1) {
      searches.front().run(std::move(whole));
    } else {
      share(std::move(whole), searches);
    }
    bool stopped = false;
    for (Search const& search : searches) {
      nodes_ += search.nodes();
      stopped = stopped || search.stopped();
    }
    return !stopped;
  }

  std::vector<Vertex> const& best() const { return best_; }
  std::uint64_t nodes() const { return nodes_; }

 private:
  /// A node of the tree: the clique that it has, by place, and who could join.
  struct Task {
    std::vector<Vertex> clique;
    std::vector<Word> candidates;
  };

  /// What one worker searches with.
  class Search {
   public:
    explicit Search(MaxClique& whole)
        : whole_(whole), graph_(whole.graph_), interrupt_(whole.interrupt_),
          bound_(graph_, interrupt_) {}

    void run(Task task) {
      begin(std::move(task));
      expand(0);
    }

    /// The children of a task, in the order in which run() would go through them.
    void split(Task task, std::vector<Task>& children) {
      begin(std::move(task));
      branch(0, [&] { children.push_back({clique_, levels_[1].candidates}); });
    }

    std::uint64_t nodes() const { return nodes_; }
    bool stopped() const { return stopped_; }

   private:
    struct Level {
      std::vector<Word> candidates;
      std::vector<Vertex> branches;
    };

    void begin(Task task) {
      clique_ = std::move(task.clique);
      levels_.resize(1);
      levels_[0].candidates = std::move(task.candidates);
    }

    void expand(std::size_t depth) {
      branch(depth, [&] { expand(depth + 1); });
    }

    /// Calls visit() for each child of the node at `depth`, which stands at the level below.
    template <class Visit>
    void branch(std::size_t depth, Visit const& visit) {
      ++nodes_;
      if (is_over()) {
        return;
      }
      if (levels_.size() < depth + 2) {
        levels_.resize(depth + 2);
      }
      std::size_t const words = graph_.words();
      levels_[depth + 1].candidates.resize(words);
      // Others may have found more than this clique and its candidates can come to.
      std::size_t const best = whole_.best_size();
      auto const colours = static_cast<std::uint32_t>(best - clique_.size());
      bound_.branches(levels_[depth].candidates.data(), colours, levels_[depth].branches);
      for (Vertex const v : levels_[depth].branches) {
        CliqueGraph::clear(levels_[depth].candidates.data(), v);
      }
      for (std::size_t i = 0; i < levels_[depth].branches.size(); ++i) {
        Vertex const v = levels_[depth].branches[i];
        clique_.push_back(v);
        whole_.offer(clique_);
        Word const* const row = graph_.beside(v);
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
        if (is_over()) {
          return;
        }
        CliqueGraph::set(levels_[depth].candidates.data(), v);
      }
    }

    bool is_over() {
      stopped_ = stopped_ || interrupt_.over_after(graph_.size() * graph_.words());
      return stopped_ || whole_.best_size() >= whole_.enough_;
    }

    MaxClique& whole_;
    CliqueGraph const& graph_;
    Interrupt interrupt_;  ///< a worker's own count of the work since it looked at the clock
    CliqueBound bound_;
    std::vector<Vertex> clique_;
    std::vector<Level> levels_;  ///< by depth
    std::uint64_t nodes_ = 0;
    bool stopped_ = false;
  };

  /// Cuts the tree level by level, until there are enough tasks for the large ones among them to be
  /// made up for.
  void share(Task whole, std::list<Search>& searches) {
    constexpr std::size_t tasks_a_worker = 64;
    constexpr int most_levels = 4;
    std::vector<Task> tasks(1);
    tasks[0] = std::move(whole);
    for (int level = 0;
         level < most_levels && !tasks.empty() && tasks.size() < tasks_a_worker * workers_.count();
         ++level) {
      std::vector<Task> children;
      for (Task& task : tasks) {
        searches.front().split(std::move(task), children);
      }
      tasks = std::move(children);
    }
    std::vector<Search*> by_worker;
    for (Search& search : searches) {
      by_worker.push_back(&search);
    }
    workers_.each(tasks.size(), [&](std::size_t i, std::uint32_t worker) {
      by_worker[worker]->run(std::move(tasks[i]));
    });
  }

  // relaxed: a bound; an old one costs a branch that a newer one would have spared.
  std::size_t best_size() const { return best_size_.load(std::memory_order_relaxed); }

  void offer(std::vector<Vertex> const& clique) {
    if (clique.size() <= best_size()) {
      return;
    }
    std::lock_guard const lock(best_mutex_);
    if (clique.size() <= best_size()) {
      return;
    }
    best_.resize(clique.size());
    std::transform(clique.begin(), clique.end(), best_.begin(),
                   [&](Vertex place) { return graph_.vertex(place); });
    best_size_.store(clique.size(), std::memory_order_relaxed);
  }

  CliqueGraph const graph_;
  Interrupt const interrupt_;
  Workers const workers_;
  std::size_t enough_ = 0;
  std::mutex best_mutex_;
  std::vector<Vertex> best_;
  std::atomic<std::size_t> best_size_{0};
  std::uint64_t nodes_ = 0;
};

}  // namespace taper::vertex_cover::standard
