// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/clique_sat/clause_learning.hpp>
#include <taper/vertex_cover/clique_sat/variable_elimination.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::clique_sat {

/// A minimum vertex cover by core-guided maximum satisfiability (MaxSAT), which raises a lower
/// bound.
///
/// A clique has at most one vertex outside a cover. A graph with a partition into q cliques
/// therefore has a cover of n - q vertices iff some cover leaves out one vertex of each clique.
/// Clause learning decides that; "clique c leaves out a vertex" is a soft literal. If the answer is
/// no, it returns a core: cliques that cannot all leave out a vertex. The bound rises by one, and
/// all of the core's soft literals but one are asked for next.
///
/// Graphs that encode constraints, each a clique of alternatives, are solved quickly this way.
/// Branch and reduce fails on them: none of its bounds detects a wrong decision before many levels.
///
/// Used by: branch_and_reduce::Solver.
/// Source: Li and Quan 2010 for the cliques of a partition as soft clauses; Fu and Malik 2006 for
/// the iteration over cores; Narodytska and Bacchus 2014 for the relaxation of a core (PMRES).
class CliqueSat {
 public:
  /// `clique_of`, by vertex: its clique in a partition, any number below the number of vertices.
  /// `cover`: a known cover; its vertices give the first phases. `seed`: 0: the first variables
  /// come first; else in a random order, until conflicts tell which are active.
  CliqueSat(HostGraph const& graph, std::span<Vertex const> clique_of,
            std::span<std::uint8_t const> cover, Interrupt& interrupt, std::uint64_t seed = 0)
      : graph_(graph), interrupt_(interrupt), formula_(graph, clique_of),
        elimination_(std::move(formula_.clauses), formula_.frozen, interrupt), solver_(interrupt),
        soft_(std::move(formula_.soft)), cover_(cover.begin(), cover.end()),
        cover_size_(static_cast<std::uint32_t>(std::count(cover_.begin(), cover_.end(), 1))),
        lower_bound_(static_cast<std::uint32_t>(graph.vertices() - soft_.size())) {
    std::mt19937_64 random(seed);
    for (std::uint32_t variable = 0; variable < formula_.frozen.size(); ++variable) {
      bool const phase = variable >= cover.size() || cover[variable] == 0;
      double const activity = seed == 0 ? 0 : static_cast<double>(random() >> 11) * 0x1p-53;
      solver_.add_variable(phase, !elimination_.eliminated(variable), activity);
    }
    elimination_.for_each_clause(
        [&](std::span<Literal const> clause) { solver_.add_clause(clause); });
  }

  /// Continues until a cover is as small as the bound, or the bound is `limit`, or a cover has at
  /// most `enough` vertices: then returns true. Returns false after about `max_conflicts` more
  /// conflicts, where each solver call counts as ten, and after an interrupt.
  bool run(std::uint32_t limit, std::uint32_t enough, std::uint64_t max_conflicts) {
    std::uint64_t const conflict_limit = spent() + max_conflicts;
    while (lower_bound() < std::min(limit, cover_size_) && cover_size_ > enough) {
      if (spent() >= conflict_limit || interrupt_.stopped()) {
        return false;
      }
      solve_soft(conflict_limit);
      ++calls_;
    }
    return true;
  }

  /// From now on, take_clauses() returns the short clauses that were learned since its last call,
  /// for add_clauses() of others that were made of the same graph and partition with other seeds.
  /// They rest on the soft literals of the beginning: once a core changes these, the exchange ends.
  void exchange_clauses() { exchanges_ = true; }
  ClauseLearning::ClauseList take_clauses() {
    return exchanges_ && hard_solver_ ? hard_solver_->take_short() : ClauseLearning::ClauseList{};
  }
  void add_clauses(std::span<std::uint32_t const> list) {
    received_.insert(received_.end(), list.begin(), list.end());
  }

  /// No cover is smaller.
  std::uint32_t lower_bound() const { return lower_bound_ + (refuted_ ? 1 : 0); }
  /// The incumbent; the caller's cover if none smaller was found.
  std::vector<std::uint8_t> const& cover() const { return cover_; }
  std::uint32_t cover_size() const { return cover_size_; }
  std::uint64_t conflicts() const { return solver_.conflicts() + hard_conflicts_; }
  /// Approximate memory.
  std::uint64_t bytes() const {
    return bytes_per_edge * graph_.edges() + solver_.bytes() +
           (hard_solver_ ? hard_solver_->bytes() : 0);
  }
  static constexpr std::uint64_t bytes_per_edge = 150;

 private:
  using Answer = ClauseLearning::Answer;

  /// A variable per vertex, true if the vertex is outside the cover. A variable per clique of two
  /// or more vertices, which implies that one of them is outside. A clause per edge: one end is in
  /// the cover. A soft literal per clique.
  struct Formula {
    std::vector<VariableElimination::Clause> clauses;
    std::vector<Literal> soft;
    std::vector<std::uint8_t> frozen;  ///< by variable: 1 if a soft literal has it

    Formula(HostGraph const& graph, std::span<Vertex const> clique_of) {
      auto const n = static_cast<Vertex>(graph.vertices());
      std::vector<VariableElimination::Clause> cliques(n);
      for (Vertex v = 0; v < n; ++v) {
        cliques[clique_of[v]].push_back(literal(v));
        for (Vertex const u : graph.neighbours(v)) {
          if (v < u) {
            clauses.push_back({literal(v, false), literal(u, false)});
          }
        }
      }
      frozen.assign(n, 0);
      for (VariableElimination::Clause& clique : cliques) {
        if (clique.size() == 1) {
          soft.push_back(clique[0]);
          frozen[variable_of(clique[0])] = 1;
        } else if (clique.size() > 1) {
          soft.push_back(literal(static_cast<std::uint32_t>(frozen.size())));
          frozen.push_back(1);
          clique.push_back(complement(soft.back()));
          clauses.push_back(std::move(clique));
        }
      }
    }
  };

  /// The effort so far, in conflicts; a solver call counts as ten.
  std::uint64_t spent() const { return conflicts() + 10 * calls_; }
  std::uint64_t remaining(std::uint64_t conflict_limit) const {
    return conflict_limit - std::min(conflict_limit, spent());
  }

  /// Asks whether all soft literals can be true. If that takes more than easy_conflicts, a copy of
  /// the solver continues that has them as unit clauses. It learns shorter clauses, which do not
  /// contain the assumptions that they rest on; for the same reason it cannot return a core. If it
  /// refutes them, the bound rises at once, and the solver continues until it has a core.
  void solve_soft(std::uint64_t conflict_limit) {
    Answer answer = Answer::unknown;
    if (!hard_solver_ || refuted_) {
      answer = solver_.solve(soft_, refuted_ ? remaining(conflict_limit)
                                             : std::min(remaining(conflict_limit), easy_conflicts));
    }
    if (answer == Answer::unsatisfiable) {
      ++lower_bound_;
      put_aside_core(conflict_limit);
    } else if (answer == Answer::satisfiable) {
      update_cover(solver_);
    } else if (!refuted_) {
      solve_hard(conflict_limit);
    }
  }

  void solve_hard(std::uint64_t conflict_limit) {
    if (!hard_solver_) {
      hard_solver_.emplace(solver_);
      for (Literal const soft_literal : soft_) {
        hard_solver_->add_clause({soft_literal});
      }
      hard_solver_->keep_short(exchanges_ ? short_clause : 0);
    }
    if (auto const list = std::exchange(received_, {}); exchanges_) {
      hard_solver_->add_implied(list);
    }
    std::uint64_t const before = hard_solver_->conflicts();
    Answer const answer = hard_solver_->solve({}, remaining(conflict_limit));
    hard_conflicts_ += hard_solver_->conflicts() - before;
    refuted_ = answer == Answer::unsatisfiable;
    if (answer == Answer::satisfiable) {
      update_cover(*hard_solver_);
    }
  }

  /// Trims the core of solver_, and removes its literals from soft_, so that the next core is
  /// disjoint from it. When the rest of soft_ is satisfiable, relax_cores() replaces them.
  void put_aside_core(std::uint64_t conflict_limit) {
    exchanges_ = false;
    std::vector<Literal> core(solver_.core().begin(), solver_.core().end());
    for (std::size_t size = core.size() + 1; core.size() < size && core.size() > 1;) {
      size = core.size();
      if (solver_.solve(core, std::min(remaining(conflict_limit), conflicts_to_trim)) ==
          Answer::unsatisfiable) {
        core.assign(solver_.core().begin(), solver_.core().end());
      }
    }
    std::vector<Literal> sorted = core;
    std::sort(sorted.begin(), sorted.end());
    std::erase_if(soft_, [&](Literal soft_literal) {
      return std::binary_search(sorted.begin(), sorted.end(), soft_literal);
    });
    cores_.push_back(std::move(core));
    reset_hard_solver();
  }

  void reset_hard_solver() {
    hard_solver_.reset();
    refuted_ = false;
  }

  /// Replaces each core w_1 .. w_k. One w_i is false: a hard clause. The new soft literals say
  /// "w_i, or all of w_(i+1) .. w_k", for each i < k; all of them hold iff only one of the w_i is
  /// false.
  void relax_cores() {
    for (std::vector<Literal> const& core : cores_) {
      std::vector<Literal> violated;
      for (Literal const soft_literal : core) {
        violated.push_back(complement(soft_literal));
      }
      solver_.add_clause(violated);
      if (core.size() < 2) {
        continue;
      }
      Literal all_later = core.back();
      for (std::size_t i = core.size() - 1; i-- > 0;) {
        Literal const relaxed = literal(solver_.add_variable(true));
        solver_.add_clause({complement(relaxed), core[i], all_later});
        soft_.push_back(relaxed);
        if (i > 0) {
          Literal const all = literal(solver_.add_variable(true));
          solver_.add_clause({complement(all), core[i]});
          solver_.add_clause({complement(all), all_later});
          all_later = all;
        }
      }
    }
    cores_.clear();
    reset_hard_solver();
  }

  /// Takes the cover of a model, without the vertices whose neighbours are all in it. All of soft_
  /// is true: if no core is put aside, the cover is as small as the bound. Then relaxes the cores.
  void update_cover(ClauseLearning const& solver) {
    auto const n = static_cast<Vertex>(graph_.vertices());
    std::vector<std::uint8_t> outside(formula_.frozen.size());
    for (std::uint32_t variable = 0; variable < outside.size(); ++variable) {
      outside[variable] = solver.value(variable) ? 1 : 0;
    }
    elimination_.extend(outside);
    std::vector<std::uint8_t> cover(n);
    std::transform(
        outside.begin(), outside.begin() + n, cover.begin(),
        [](std::uint8_t is_outside) { return static_cast<std::uint8_t>(1 - is_outside); });
    for (Vertex v = 0; v < n; ++v) {
      auto const row = graph_.neighbours(v);
      if (std::all_of(row.begin(), row.end(), [&](Vertex u) { return cover[u] == 1; })) {
        cover[v] = 0;
      }
    }
    auto const size = static_cast<std::uint32_t>(std::count(cover.begin(), cover.end(), 1));
    if (size < cover_size_) {
      cover_ = std::move(cover);
      cover_size_ = size;
    }
    relax_cores();
  }

  static constexpr std::uint64_t conflicts_to_trim = 1000;
  static constexpr std::uint64_t easy_conflicts = 1000;
  static constexpr std::uint32_t short_clause = 8;

  HostGraph const& graph_;
  Interrupt& interrupt_;
  Formula formula_;
  VariableElimination elimination_;
  ClauseLearning solver_;
  /// A copy of solver_ with soft_ as unit clauses; present once solver_ has found soft_ hard to
  /// decide.
  std::optional<ClauseLearning> hard_solver_;
  std::uint64_t hard_conflicts_ = 0;         ///< of all hard solvers
  std::uint64_t calls_ = 0;                  ///< of solve_soft()
  bool refuted_ = false;                     ///< hard_solver_ refuted soft_; there is no core yet
  bool exchanges_ = false;                   ///< exchange_clauses(), and soft_ is as at first
  ClauseLearning::ClauseList received_;      ///< clauses that hard_solver_ does not have yet
  std::vector<Literal> soft_;                ///< the soft literals; all are assumed at once
  std::vector<std::vector<Literal>> cores_;  ///< put aside, without their literals in soft_
  std::vector<std::uint8_t> cover_;
  std::uint32_t cover_size_;
  std::uint32_t lower_bound_;
};

}  // namespace taper::vertex_cover::clique_sat
