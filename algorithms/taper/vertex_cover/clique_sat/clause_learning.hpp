// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/clique_sat/vsids.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::clique_sat {

/// A variable, numbered from 0, or its complement.
using Literal = std::uint32_t;

constexpr Literal literal(std::uint32_t variable, bool value = true) {
  return 2 * variable + (value ? 0 : 1);
}
constexpr Literal complement(Literal l) {
  return l ^ 1;
}
constexpr std::uint32_t variable_of(Literal l) {
  return l / 2;
}
/// The value of its variable that makes the literal true.
constexpr bool value_of(Literal l) {
  return l % 2 == 0;
}

/// Satisfiability of clauses under assumptions: conflict-driven clause learning (CDCL),
/// incremental. Names follow CaDiCaL and MiniSat.
///
/// Used by: CliqueSat.
/// Source: Marques-Silva and Sakallah 1999 (learning), Zhang et al. 2001 (the first unique
/// implication point), Moskewicz et al. 2001 (two watched literals, activities), Eén and Sörensson
/// 2003 (assumptions, cores), Pipatsrisawat and Darwiche 2007 (phase saving), Sörensson and Biere
/// 2009 (clause minimization), Audemard and Simon 2009 (glue, that is literal block distance,
/// decides which clauses to keep).
class ClauseLearning {
 public:
  enum class Answer { satisfiable, unsatisfiable, unknown };

  explicit ClauseLearning(Interrupt& interrupt) : interrupt_(interrupt) {}

  /// Adds a variable and returns its number. `phase`: the value that its first decision tries.
  /// `decision`: false if no clause contains it, so that it is never decided. `activity`: at first.
  std::uint32_t add_variable(bool phase, bool decision = true, double activity = 0) {
    auto const variable = static_cast<std::uint32_t>(variables_.size());
    variables_.push_back({.phase = phase});
    vsids_.add_variable(activity);
    seen_.push_back(0);
    values_.resize(2 * variables_.size(), 0);
    binary_.resize(2 * variables_.size());
    watches_.resize(2 * variables_.size());
    if (decision) {
      vsids_.push(variable);
    }
    return variable;
  }
  std::uint32_t variables() const { return static_cast<std::uint32_t>(variables_.size()); }

  /// Adds a clause, which takes effect at the next solve(). Requires: no variable twice.
  void add_clause(std::span<Literal const> clause) {
    backtrack(0);
    add_simplified(clause, 0);
  }
  void add_clause(std::initializer_list<Literal> clause) {
    add_clause(std::span<Literal const>(clause.begin(), clause.size()));
  }

  /// Whether some assignment satisfies all clauses and all assumptions; unknown after
  /// `max_conflicts` conflicts or an interrupt. If satisfiable, value() is such an assignment. If
  /// unsatisfiable, core() holds assumptions of which at least one is false in every model.
  Answer solve(std::span<Literal const> assumptions, std::uint64_t max_conflicts) {
    core_.clear();
    backtrack(0);
    std::uint64_t const conflict_limit = conflicts_ + max_conflicts;
    auto answer = Answer::unknown;
    for (std::uint64_t restart = 1; answer == Answer::unknown; ++restart) {
      if (learned_.size() > max_learned_) {
        backtrack(0);
      }
      if (level() == 0 && !assume(assumptions)) {
        answer = Answer::unsatisfiable;
        break;
      }
      backtrack(1);
      answer = search(std::min(conflict_limit, conflicts_ + conflicts_per_restart * luby(restart)));
      if (conflicts_ >= conflict_limit || interrupt_.stopped()) {
        break;
      }
    }
    interrupt_.stopped_after(std::exchange(work_, 0));
    return answer;
  }

  /// The model, which the saved phases hold. Requires: the last solve() returned satisfiable.
  bool value(std::uint32_t variable) const { return variables_[variable].phase; }
  /// Assumptions that cannot all be true. Requires: the last solve() returned unsatisfiable.
  std::span<Literal const> core() const { return core_; }
  std::uint64_t conflicts() const { return conflicts_; }

  /// Clauses as a list: the length of each, then its literals.
  using ClauseList = std::vector<std::uint32_t>;
  /// From now on, take_short() returns the clauses of at most `length` literals that were learned
  /// since its last call.
  void keep_short(std::uint32_t length) { short_length_ = length; }
  ClauseList take_short() { return std::exchange(short_, {}); }
  /// Adds clauses that follow from those of this solver, which may drop them again.
  void add_implied(std::span<std::uint32_t const> list) {
    backtrack(0);
    for (; !list.empty(); list = list.subspan(1 + list[0])) {
      add_simplified(list.subspan(1, list[0]), list[0]);
    }
  }

  /// Approximate memory of the clauses.
  std::uint64_t bytes() const {
    return pool_.size() * sizeof(Literal) +
           (original_.size() + learned_.size()) * 2 * sizeof(Watch);
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Why a literal is true. `clause`: a clause of three or more literals, of which it is the first.
  /// `other`: the false literal of a binary clause. Neither: an assumption, a decision, or a unit.
  struct Reason {
    std::uint32_t clause = none;
    Literal other = none;
  };
  struct Variable {
    bool phase;  ///< saved phase: the last value, which the next decision tries first
    std::uint32_t level = 0;
    Reason reason = {};
  };
  /// An entry of a watch list. `blocker` is one of the clause's literals; if it is true, which is
  /// frequent, propagation need not read the clause.
  struct Watch {
    std::uint32_t clause;
    Literal blocker;
  };

  // --- Clauses. In pool_, at the clause's index: the length; the glue when it was learned (0: an
  // original clause); the literals, of which the first two are watched ---

  std::span<Literal> literals(std::uint32_t clause) {
    return {pool_.data() + clause + 2, pool_[clause]};
  }

  std::uint32_t store(std::span<Literal const> clause, std::uint32_t glue) {
    auto const position = static_cast<std::uint32_t>(pool_.size());
    pool_.push_back(static_cast<std::uint32_t>(clause.size()));
    pool_.push_back(glue);
    pool_.insert(pool_.end(), clause.begin(), clause.end());
    (glue == 0 ? original_ : learned_).push_back(position);
    return position;
  }
  void watch(std::uint32_t clause) {
    auto const both = literals(clause);
    watches_[both[0]].push_back({clause, both[1]});
    watches_[both[1]].push_back({clause, both[0]});
  }
  void add_implications(Literal a, Literal b) {
    binary_[complement(a)].push_back(b);
    binary_[complement(b)].push_back(a);
  }

  /// Removes satisfied clauses and false literals. If there are too many learned clauses, also
  /// removes half of them, those with the highest glue; a glue of at most 2 is kept.
  /// Requires: level 0, all propagated. Reasons at level 0 are cleared, since analysis never reads
  /// them.
  void reduce_learned() {
    simplified_at_ = trail_.size();
    for (Literal const l : trail_) {
      variables_[variable_of(l)].reason = {};
    }
    std::vector<std::uint32_t> const old_pool = std::exchange(pool_, {});
    std::vector<std::uint32_t> const old_original = std::exchange(original_, {});
    std::vector<std::uint32_t> old_learned = std::exchange(learned_, {});
    for (auto& watches : watches_) {
      watches.clear();
    }
    bool const too_many = old_learned.size() > max_learned_;
    if (too_many) {
      // By glue, then by length: see the layout of pool_ above.
      std::stable_sort(old_learned.begin(), old_learned.end(),
                       [&](std::uint32_t a, std::uint32_t b) {
                         return std::pair(old_pool[a + 1], old_pool[a]) <
                                std::pair(old_pool[b + 1], old_pool[b]);
                       });
      auto const half = old_learned.begin() + static_cast<std::ptrdiff_t>(old_learned.size() / 2);
      old_learned.erase(
          std::find_if(half, old_learned.end(),
                       [&](std::uint32_t clause) { return old_pool[clause + 1] > 2; }),
          old_learned.end());
    }
    auto const copy = [&](std::vector<std::uint32_t> const& clauses) {
      for (std::uint32_t const clause : clauses) {
        add_simplified({old_pool.data() + clause + 2, old_pool[clause]}, old_pool[clause + 1]);
      }
    };
    copy(old_original);
    copy(old_learned);
    if (too_many) {
      max_learned_ = std::max(max_learned_, learned_.size()) + max_learned_growth;
    }
  }

  /// Adds a clause without its false literals, unless it is satisfied. Requires: level 0.
  void add_simplified(std::span<Literal const> clause, std::uint32_t glue) {
    scratch_.clear();
    for (Literal const l : clause) {
      if (values_[l] > 0) {
        return;
      }
      if (values_[l] == 0) {
        scratch_.push_back(l);
      }
    }
    if (scratch_.empty()) {
      unsat_ = true;
    } else if (scratch_.size() == 1) {
      assign(scratch_[0], {});
    } else if (scratch_.size() == 2) {
      add_implications(scratch_[0], scratch_[1]);
    } else {
      watch(store(scratch_, glue));
    }
  }

  // --- The trail. Level 0: units and what follows from them. Level 1: the assumptions and what
  // follows. Each further level: one decision and what follows ---

  std::uint32_t level() const { return static_cast<std::uint32_t>(level_begins_.size()); }

  void assign(Literal l, Reason reason) {
    values_[l] = 1;
    values_[complement(l)] = -1;
    Variable& variable = variables_[variable_of(l)];
    variable.phase = value_of(l);
    variable.level = level();
    variable.reason = reason;
    trail_.push_back(l);
  }

  void backtrack(std::uint32_t to) {
    if (level() <= to) {
      return;
    }
    work_ += trail_.size() - level_begins_[to];
    while (trail_.size() > level_begins_[to]) {
      Literal const l = trail_.back();
      trail_.pop_back();
      values_[l] = values_[complement(l)] = 0;
      vsids_.push(variable_of(l));
    }
    level_begins_.resize(to);
    propagated_ = std::min(propagated_, trail_.size());
  }

  /// Unit propagation. False: conflict_ is a clause whose literals are all false.
  bool propagate() {
    while (propagated_ < trail_.size()) {
      Literal const l = trail_[propagated_++];
      Literal const falsified = complement(l);
      work_ += binary_[l].size() + watches_[falsified].size();
      for (Literal const implied : binary_[l]) {
        if (values_[implied] < 0) {
          conflict_.assign({falsified, implied});
          return false;
        }
        if (values_[implied] == 0) {
          assign(implied, {none, falsified});
        }
      }
      if (!propagate_watches(falsified)) {
        return false;
      }
    }
    return true;
  }

  /// Visits the clauses of three or more literals that watch `falsified`.
  bool propagate_watches(Literal falsified) {
    std::vector<Watch>& watches = watches_[falsified];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < watches.size(); ++i) {
      Watch const watch_entry = watches[i];
      if (values_[watch_entry.blocker] > 0) {
        watches[kept++] = watch_entry;
        continue;
      }
      auto const clause = literals(watch_entry.clause);
      if (clause[0] == falsified) {
        std::swap(clause[0], clause[1]);
      }
      Literal const first = clause[0];
      auto const replacement = values_[first] > 0
                                   ? clause.end()
                                   : std::find_if(clause.begin() + 2, clause.end(),
                                                  [&](Literal l) { return values_[l] >= 0; });
      if (values_[first] <= 0 && replacement != clause.end()) {
        std::swap(clause[1], *replacement);
        watches_[clause[1]].push_back({watch_entry.clause, first});
        continue;
      }
      watches[kept++] = {watch_entry.clause, first};
      if (values_[first] == 0) {
        assign(first, {watch_entry.clause, none});
      } else if (values_[first] < 0) {
        conflict_.assign(clause.begin(), clause.end());
        auto const begin = watches.begin();
        watches.erase(begin + static_cast<std::ptrdiff_t>(kept),
                      begin + static_cast<std::ptrdiff_t>(i) + 1);
        return false;
      }
    }
    watches.resize(kept);
    return true;
  }

  /// Calls use() with each literal of the reason of a true literal `l`; those literals are false.
  template <class Use>
  void for_each_antecedent(Literal l, Use const& use) {
    Reason const reason = variables_[variable_of(l)].reason;
    if (reason.other != none) {
      use(reason.other);
    } else if (reason.clause != none) {
      for (Literal const other : literals(reason.clause).subspan(1)) {
        use(other);
      }
    }
  }

  // --- The search ---

  /// Goes from level 0 to level 1. False: unsatisfiable under the assumptions; core_ is set.
  bool assume(std::span<Literal const> assumptions) {
    if (unsat_ || !propagate()) {
      unsat_ = true;
      return false;
    }
    if (learned_.size() > max_learned_ || trail_.size() > simplified_at_ + variables() / 64) {
      reduce_learned();
    }
    level_begins_.push_back(trail_.size());
    for (Literal const l : assumptions) {
      if (values_[l] == 0) {
        assign(l, {});
      } else if (values_[l] < 0) {
        conflict_.assign({l});
        analyze_final();
        core_.push_back(l);
        return false;
      }
      if (!propagate()) {
        analyze_final();
        return false;
      }
    }
    return true;
  }

  /// Sets core_ to the assumptions that imply conflict_ at level 1.
  void analyze_final() {
    for (Literal const l : conflict_) {
      seen_[variable_of(l)] = 1;
    }
    for (std::size_t i = trail_.size(); i-- > level_begins_[0];) {
      Literal const l = trail_[i];
      if (std::exchange(seen_[variable_of(l)], 0) == 0) {
        continue;
      }
      Reason const reason = variables_[variable_of(l)].reason;
      if (reason.clause == none && reason.other == none) {
        core_.push_back(l);
      }
      for_each_antecedent(l, [&](Literal other) { seen_[variable_of(other)] = 1; });
    }
    for (std::size_t i = 0; i < level_begins_[0]; ++i) {
      seen_[variable_of(trail_[i])] = 0;
    }
  }

  /// Decides and propagates until there is an answer, or conflicts() is `conflict_limit`.
  Answer search(std::uint64_t conflict_limit) {
    for (;;) {
      if (!propagate()) {
        if (level() == 1) {
          analyze_final();
          return Answer::unsatisfiable;
        }
        ++conflicts_;
        std::uint32_t const jump_level = analyze();
        if (new_clause_.size() <= short_length_) {
          short_.push_back(static_cast<std::uint32_t>(new_clause_.size()));
          short_.insert(short_.end(), new_clause_.begin(), new_clause_.end());
        }
        // A learned unit holds at level 0. solve() assumes anew at its next restart.
        if (jump_level == 0) {
          backtrack(0);
          assign(new_clause_[0], {});
          return Answer::unknown;
        }
        backtrack(jump_level);
        add_learned();
        vsids_.decay();
        if (interrupt_.stopped_after(std::exchange(work_, 0))) {
          return Answer::unknown;
        }
        continue;
      }
      if (conflicts_ >= conflict_limit) {
        return Answer::unknown;
      }
      std::uint32_t const variable = next_decision_variable();
      if (variable == none) {
        return Answer::satisfiable;
      }
      level_begins_.push_back(trail_.size());
      assign(literal(variable, variables_[variable].phase), {});
    }
  }

  std::uint32_t next_decision_variable() {
    while (!vsids_.empty()) {
      std::uint32_t const variable = vsids_.pop();
      if (values_[literal(variable)] == 0) {
        return variable;
      }
    }
    return none;
  }

  /// Sets new_clause_ to the first-UIP clause of conflict_. Its first literal is the only one of
  /// the current level; its second has the highest level of the others. Returns that level, 0 for a
  /// unit.
  std::uint32_t analyze() {
    new_clause_.assign(1, none);
    std::uint32_t unresolved = 0;
    auto const analyze_literal = [&](Literal l) {
      std::uint32_t const variable = variable_of(l);
      if (seen_[variable] != 0 || variables_[variable].level == 0) {
        return;
      }
      seen_[variable] = 1;
      vsids_.bump(variable);
      if (variables_[variable].level == level()) {
        ++unresolved;
      } else {
        new_clause_.push_back(l);
      }
    };
    for (Literal const l : conflict_) {
      analyze_literal(l);
    }
    for (std::size_t i = trail_.size();;) {
      Literal l = trail_[--i];
      while (seen_[variable_of(l)] == 0) {
        l = trail_[--i];
      }
      if (--unresolved == 0) {
        new_clause_[0] = complement(l);
        break;
      }
      seen_[variable_of(l)] = 0;
      for_each_antecedent(l, analyze_literal);
    }
    std::vector<Literal> const analyzed = new_clause_;
    minimize();
    for (Literal const l : analyzed) {
      seen_[variable_of(l)] = 0;
    }
    std::uint32_t jump_level = 0;
    for (std::size_t i = 1; i < new_clause_.size(); ++i) {
      if (variables_[variable_of(new_clause_[i])].level > jump_level) {
        jump_level = variables_[variable_of(new_clause_[i])].level;
        std::swap(new_clause_[1], new_clause_[i]);
      }
    }
    return jump_level;
  }

  /// Removes each literal of new_clause_ that is implied false by other literals of it: the rest of
  /// its reason is in the clause or at level 0.
  void minimize() {
    std::size_t kept = 1;
    for (std::size_t i = 1; i < new_clause_.size(); ++i) {
      Literal const l = new_clause_[i];
      bool has_reason = false;
      bool implied = true;
      for_each_antecedent(complement(l), [&](Literal other) {
        has_reason = true;
        implied = implied &&
                  (seen_[variable_of(other)] != 0 || variables_[variable_of(other)].level == 0);
      });
      if (!has_reason || !implied) {
        new_clause_[kept++] = l;
      }
    }
    new_clause_.resize(kept);
  }

  /// Stores new_clause_ after the backtracking, and assigns its first literal.
  void add_learned() {
    if (new_clause_.size() == 2) {
      add_implications(new_clause_[0], new_clause_[1]);
      return assign(new_clause_[0], {none, new_clause_[1]});
    }
    std::uint32_t const clause = store(new_clause_, glue());
    watch(clause);
    assign(new_clause_[0], {clause, none});
  }

  /// The number of different levels in new_clause_, whose first literal is unassigned by now.
  std::uint32_t glue() {
    levels_.clear();
    for (std::size_t i = 1; i < new_clause_.size(); ++i) {
      levels_.push_back(variables_[variable_of(new_clause_[i])].level);
    }
    std::sort(levels_.begin(), levels_.end());
    return 1 + static_cast<std::uint32_t>(std::unique(levels_.begin(), levels_.end()) -
                                          levels_.begin());
  }

  /// The Luby sequence 1, 1, 2, 1, 1, 2, 4, 1, ... from i = 1 on: restart intervals.
  /// Source: Luby, Sinclair and Zuckerman 1993.
  static std::uint64_t luby(std::uint64_t i) {
    std::uint64_t power = 1;
    while (2 * power - 1 < i) {
      power *= 2;
    }
    while (2 * power - 1 != i) {
      i -= power - 1;
      power = 1;
      while (2 * power - 1 < i) {
        power *= 2;
      }
    }
    return power;
  }

  static constexpr std::uint64_t conflicts_per_restart = 250;
  static constexpr std::size_t max_learned_growth = 100;

  Interrupt& interrupt_;
  std::vector<Variable> variables_;
  std::vector<std::int8_t> values_;           ///< by literal: 1 true, -1 false, 0 unassigned
  std::vector<std::vector<Literal>> binary_;  ///< by literal: what it implies by binary clauses
  std::vector<std::vector<Watch>> watches_;   ///< by watched literal, of longer clauses
  std::vector<std::uint32_t> pool_;           ///< all clauses, see store()
  std::vector<std::uint32_t> original_, learned_;  ///< indices in pool_
  std::size_t max_learned_ = 2000;
  std::size_t simplified_at_ = 0;  ///< trail length at the last reduce_learned()

  std::vector<Literal> trail_;
  std::vector<std::size_t> level_begins_;  ///< trail length where each level from 1 on begins
  std::size_t propagated_ = 0;             ///< trail literals that propagate() has handled

  std::vector<Literal> conflict_, new_clause_, core_, scratch_;
  std::uint32_t short_length_ = 0;
  ClauseList short_;
  std::vector<std::uint32_t> levels_;  ///< scratch of glue()
  std::vector<std::uint8_t> seen_;     ///< by variable: scratch of the analyses; else 0

  VsidsQueue vsids_;

  bool unsat_ = false;
  std::uint64_t conflicts_ = 0;
  std::uint64_t work_ = 0;  ///< entries read since the interrupt was last asked
};

}  // namespace taper::vertex_cover::clique_sat
