// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/standard/clause_learning.hpp>
#include <taper/vertex_cover/standard/variable_elimination.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

/// A minimum vertex cover from below, by core-guided maximum satisfiability: at most one vertex of a clique is outside a cover, so that a
/// partition into q cliques has a cover of n - q vertices iff there is one outside it of each. Whether
/// there is, clause learning finds out; where there is not, it gives cliques that cannot all have
/// one: the bound rises by one, and all but one of these are asked for.
///
/// Graphs that encode constraints, each a clique of alternatives, are solved so in no time that branch
/// and reduce gets nowhere with, since no bound of its own tells a wrong decision for long.
///
/// Source: Li and Quan 2010 for the cliques of a partition as soft clauses, here wishes; Fu and Malik 2006 for
/// going from one core to the next; Narodytska and Bacchus 2014 for what follows from a core (PMRES).
class CliqueChoice {
 public:
  /// `clique_of`: a partition into cliques, by any numbers below the number of vertices. `cover`: a
  /// cover, like which the first try looks.
  CliqueChoice(HostGraph const& graph, std::span<Vertex const> clique_of,
               std::span<std::uint8_t const> cover, Interrupt& interrupt)
      : graph_(graph), interrupt_(interrupt), formula_(graph, clique_of),
        elimination_(std::move(formula_.clauses), formula_.keep, interrupt), clauses_(interrupt),
        wanted_(std::move(formula_.wanted)), cover_(cover.begin(), cover.end()),
        cover_size_(static_cast<std::uint32_t>(std::count(cover_.begin(), cover_.end(), 1))),
        lower_(static_cast<std::uint32_t>(graph.vertices() - wanted_.size())) {
    for (std::uint32_t variable = 0; variable < formula_.keep.size(); ++variable) {
      bool const value = variable >= cover.size() || cover[variable] == 0;
      clauses_.add_variable(value, !elimination_.eliminated(variable));
    }
    elimination_.for_each_clause(
        [&](std::span<Literal const> clause) { clauses_.add_clause(clause); });
  }

  /// Goes on until a cover is as small as the bound, or the bound is `limit`, or a cover has at most
  /// `enough` vertices; or until there have been about so many conflicts, a question counting as ten.
  /// True if it came to an end.
  bool run(std::uint32_t limit, std::uint32_t enough, std::uint64_t most_conflicts) {
    std::uint64_t const last = spent() + most_conflicts;
    while (lower() < std::min(limit, cover_size_) && cover_size_ > enough) {
      if (spent() >= last || interrupt_.over()) {
        return false;
      }
      ask(last);
      ++questions_;
    }
    return true;
  }

  /// What no cover is smaller than.
  std::uint32_t lower() const { return lower_ + (refuted_ ? 1 : 0); }
  /// The smallest that was found, the caller's if none is smaller.
  std::vector<std::uint8_t> const& cover() const { return cover_; }
  std::uint32_t cover_size() const { return cover_size_; }
  std::uint64_t conflicts() const { return clauses_.conflicts() + conflicts_on_facts_; }
  /// About what it takes up.
  std::uint64_t bytes() const {
    return bytes_an_edge * graph_.edges() + clauses_.bytes() + (facts_ ? facts_->bytes() : 0);
  }
  static constexpr std::uint64_t bytes_an_edge = 150;

 private:
  using Answer = ClauseLearning::Answer;

  /// A variable for each vertex, true outside the cover, and one for each clique of two or more, which
  /// says that one of them is; not both ends of an edge; and a wish for each clique.
  struct Formula {
    std::vector<VariableElimination::Clause> clauses;
    std::vector<Literal> wanted;
    std::vector<std::uint8_t> keep;  ///< by variable: what is wished for

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
      keep.assign(n, 0);
      for (VariableElimination::Clause& clique : cliques) {
        if (clique.size() == 1) {
          wanted.push_back(clique[0]);
          keep[variable_of(clique[0])] = 1;
        } else if (clique.size() > 1) {
          wanted.push_back(literal(static_cast<std::uint32_t>(keep.size())));
          keep.push_back(1);
          clique.push_back(complement(wanted.back()));
          clauses.push_back(std::move(clique));
        }
      }
    }
  };

  std::uint64_t spent() const { return conflicts() + 10 * questions_; }
  std::uint64_t left(std::uint64_t last) const { return last - std::min(last, spent()); }

  /// Whether all that is wanted can be had. A hard question is put to a copy too that takes the wishes
  /// for facts: what it learns is shorter, since it does not say which of them it rests on, and so it
  /// cannot say either which are to blame.
  void ask(std::uint64_t last) {
    Answer answer = Answer::unknown;
    if (!facts_ || refuted_) {
      answer = clauses_.solve(wanted_, refuted_ ? left(last) : std::min(left(last), easy));
    }
    if (answer == Answer::no) {
      ++lower_;
      set_aside(last);
    } else if (answer == Answer::yes) {
      take_cover(clauses_);
    } else if (!refuted_) {
      ask_for_facts(last);
    }
  }

  void ask_for_facts(std::uint64_t last) {
    if (!facts_) {
      facts_.emplace(clauses_);
      for (Literal const wish : wanted_) {
        facts_->add_clause({wish});
      }
    }
    std::uint64_t const before = facts_->conflicts();
    Answer const answer = facts_->solve({}, left(last));
    conflicts_on_facts_ += facts_->conflicts() - before;
    refuted_ = answer == Answer::no;
    if (answer == Answer::yes) {
      take_cover(*facts_);
    }
  }

  /// Of the wishes that cannot all be met, as few as can be had cheaply. They are not asked for any
  /// more, until the others have led to a cover: so the next core has none of them.
  void set_aside(std::uint64_t last) {
    std::vector<Literal> core(clauses_.core().begin(), clauses_.core().end());
    for (std::size_t size = core.size() + 1; core.size() < size && core.size() > 1;) {
      size = core.size();
      if (clauses_.solve(core, std::min(left(last), conflicts_to_trim)) == Answer::no) {
        core.assign(clauses_.core().begin(), clauses_.core().end());
      }
    }
    std::vector<Literal> sorted = core;
    std::sort(sorted.begin(), sorted.end());
    std::erase_if(wanted_, [&](Literal wish) {
      return std::binary_search(sorted.begin(), sorted.end(), wish);
    });
    cores_.push_back(std::move(core));
    close_question();
  }

  void close_question() {
    facts_.reset();
    refuted_ = false;
  }

  /// Wishes w_1 .. w_k of a core: one is given up. For what is left, w_i or all after it, for
  /// each i < k: all of these, if no more than one of the w_i is broken.
  void relax() {
    for (std::vector<Literal> const& core : cores_) {
      std::vector<Literal> broken;
      for (Literal const wish : core) {
        broken.push_back(complement(wish));
      }
      clauses_.add_clause(broken);
      if (core.size() < 2) {
        continue;
      }
      Literal all_after = core.back();
      for (std::size_t i = core.size() - 1; i-- > 0;) {
        Literal const any = literal(clauses_.add_variable(true));
        clauses_.add_clause({complement(any), core[i], all_after});
        wanted_.push_back(any);
        if (i > 0) {
          Literal const all = literal(clauses_.add_variable(true));
          clauses_.add_clause({complement(all), core[i]});
          clauses_.add_clause({complement(all), all_after});
          all_after = all;
        }
      }
    }
    cores_.clear();
    close_question();
  }

  /// What the clauses leave outside a cover, and whoever else has no neighbour there. All that was wanted
  /// is: that is all but what the cores have cost, if none is set aside.
  void take_cover(ClauseLearning const& clauses) {
    auto const n = static_cast<Vertex>(graph_.vertices());
    std::vector<std::uint8_t> outside(formula_.keep.size());
    for (std::uint32_t variable = 0; variable < outside.size(); ++variable) {
      outside[variable] = clauses.value(variable) ? 1 : 0;
    }
    elimination_.extend(outside);
    std::vector<std::uint8_t> cover(n);
    std::transform(outside.begin(), outside.begin() + n, cover.begin(),
                   [](std::uint8_t is) { return static_cast<std::uint8_t>(1 - is); });
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
    relax();
  }

  static constexpr std::uint64_t conflicts_to_trim = 1000;
  static constexpr std::uint64_t easy = 1000;

  HostGraph const& graph_;
  Interrupt& interrupt_;
  Formula formula_;
  VariableElimination elimination_;
  ClauseLearning clauses_;
  /// Of the question that is open, once it has shown to be hard.
  std::optional<ClauseLearning> facts_;
  std::uint64_t conflicts_on_facts_ = 0;
  std::uint64_t questions_ = 0;
  bool refuted_ = false;                     ///< the open question, without a core so far
  std::vector<Literal> wanted_;              ///< all at once, if that can be
  std::vector<std::vector<Literal>> cores_;  ///< set aside
  std::vector<std::uint8_t> cover_;
  std::uint32_t cover_size_;
  std::uint32_t lower_;
};

}  // namespace taper::vertex_cover::standard
