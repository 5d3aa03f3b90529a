// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/standard/activity.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

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
/// The value of the variable that makes it true.
constexpr bool value_of(Literal l) {
  return l % 2 == 0;
}

/// Satisfiability of clauses under assumptions: conflict-driven clause learning (CDCL).
///
/// Source: Marques-Silva and Sakallah 1999 (learning), Zhang et al. 2001 (the first unique implication point),
/// Moskewicz et al. 2001 (two watched literals, activities), Eén and Sörensson 2003 (assumptions, cores),
/// Pipatsrisawat and Darwiche 2007 (phase saving), Sörensson and Biere 2009 (shorter clauses), Audemard and
/// Simon 2009 (which clauses to keep: by literal block distance).
class ClauseLearning {
 public:
  enum class Answer { yes, no, unknown };

  explicit ClauseLearning(Interrupt& interrupt) : interrupt_(interrupt) {}

  /// Tried first with `value`; not at all unless it `matters`, since no clause has it.
  std::uint32_t add_variable(bool value, bool matters = true) {
    auto const variable = static_cast<std::uint32_t>(variables_.size());
    variables_.push_back({.value = value});
    by_activity_.add_variable();
    seen_.push_back(0);
    truth_.resize(2 * variables_.size(), 0);
    implied_.resize(2 * variables_.size());
    watchers_.resize(2 * variables_.size());
    if (matters) {
      by_activity_.enqueue(variable);
    }
    return variable;
  }
  std::uint32_t variables() const { return static_cast<std::uint32_t>(variables_.size()); }

  /// Takes effect at the next solve(). Requires: no variable twice.
  void add_clause(std::span<Literal const> clause) {
    back_to(0);
    take_open(clause, 0);
  }
  void add_clause(std::initializer_list<Literal> clause) {
    add_clause(std::span<Literal const>(clause.begin(), clause.size()));
  }

  /// Whether all clauses can be met with all the assumptions true; unknown after so many conflicts.
  /// After yes, value() says how. After no, core() are assumptions of which one must be false.
  Answer solve(std::span<Literal const> assumptions, std::uint64_t most_conflicts) {
    core_.clear();
    back_to(0);
    std::uint64_t const last = conflicts_ + most_conflicts;
    auto answer = Answer::unknown;
    for (std::uint64_t restart = 1; answer == Answer::unknown; ++restart) {
      if (kept_.size() > most_kept_) {
        back_to(0);
      }
      if (level() == 0 && !begin(assumptions)) {
        answer = Answer::no;
        break;
      }
      back_to(1);
      answer = search(std::min(last, conflicts_ + conflicts_a_restart * luby(restart)));
      if (conflicts_ >= last || interrupt_.over()) {
        break;
      }
    }
    interrupt_.over_after(std::exchange(work_, 0));
    return answer;
  }

  /// Of the last solve(), which said yes.
  bool value(std::uint32_t variable) const { return variables_[variable].value; }
  /// Of the last solve(), which said no.
  std::span<Literal const> core() const { return core_; }
  std::uint64_t conflicts() const { return conflicts_; }
  /// About what the clauses take up.
  std::uint64_t bytes() const {
    return pool_.size() * sizeof(Literal) + (given_.size() + kept_.size()) * 2 * sizeof(Watcher);
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Why a literal is true: a clause of three or more, whose first it is; or another literal, which
  /// is false, and the two are a clause; or neither, since it was assumed, decided, or is always so.
  struct Reason {
    std::uint32_t clause = none;
    Literal other = none;
  };
  struct Variable {
    bool value;  ///< the last, or the one to try first
    std::uint32_t level = 0;
    Reason reason = {};
  };
  /// Of a clause, whoever comes to it looks first at `blocker`, one of its literals: mostly it is true.
  struct Watcher {
    std::uint32_t clause;
    Literal blocker;
  };

  // --- Clauses: in pool_ the length, the number of levels that it had when it was learned (0: it was
  // given), and the literals, of which the first two are watched ---

  std::span<Literal> literals(std::uint32_t clause) {
    return {pool_.data() + clause + 2, pool_[clause]};
  }

  std::uint32_t store(std::span<Literal const> clause, std::uint32_t levels) {
    auto const place = static_cast<std::uint32_t>(pool_.size());
    pool_.push_back(static_cast<std::uint32_t>(clause.size()));
    pool_.push_back(levels);
    pool_.insert(pool_.end(), clause.begin(), clause.end());
    (levels == 0 ? given_ : kept_).push_back(place);
    return place;
  }
  void watch(std::uint32_t clause) {
    auto const both = literals(clause);
    watchers_[both[0]].push_back({clause, both[1]});
    watchers_[both[1]].push_back({clause, both[0]});
  }
  void add_implications(Literal a, Literal b) {
    implied_[complement(a)].push_back(b);
    implied_[complement(b)].push_back(a);
  }

  /// Drops what is always true of the clauses and in them, and, where there are too many, of the learned
  /// ones the half that tied most levels together (literal block distance).
  /// Requires: level 0, all propagated. Nobody asks for its reasons any more.
  void tidy() {
    tidied_ = trail_.size();
    for (Literal const l : trail_) {
      variables_[variable_of(l)].reason = {};
    }
    std::vector<std::uint32_t> const old_pool = std::exchange(pool_, {});
    std::vector<std::uint32_t> const old_given = std::exchange(given_, {});
    std::vector<std::uint32_t> old_kept = std::exchange(kept_, {});
    for (auto& watchers : watchers_) {
      watchers.clear();
    }
    bool const too_many = old_kept.size() > most_kept_;
    if (too_many) {
      std::stable_sort(old_kept.begin(), old_kept.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(old_pool[a + 1], old_pool[a]) < std::pair(old_pool[b + 1], old_pool[b]);
      });
      auto const half = old_kept.begin() + static_cast<std::ptrdiff_t>(old_kept.size() / 2);
      old_kept.erase(std::find_if(half, old_kept.end(),
                                  [&](std::uint32_t clause) { return old_pool[clause + 1] > 2; }),
                     old_kept.end());
    }
    auto const take = [&](std::vector<std::uint32_t> const& clauses) {
      for (std::uint32_t const clause : clauses) {
        take_open({old_pool.data() + clause + 2, old_pool[clause]}, old_pool[clause + 1]);
      }
    };
    take(old_given);
    take(old_kept);
    if (too_many) {
      most_kept_ = std::max(most_kept_, kept_.size()) + most_kept_more;
    }
  }

  /// A clause, unless it is true, without what is false. Requires: level 0.
  void take_open(std::span<Literal const> clause, std::uint32_t levels) {
    scratch_.clear();
    for (Literal const l : clause) {
      if (truth_[l] > 0) {
        return;
      }
      if (truth_[l] == 0) {
        scratch_.push_back(l);
      }
    }
    if (scratch_.empty()) {
      hopeless_ = true;
    } else if (scratch_.size() == 1) {
      assign(scratch_[0], {});
    } else if (scratch_.size() == 2) {
      add_implications(scratch_[0], scratch_[1]);
    } else {
      watch(store(scratch_, levels));
    }
  }

  // --- The trail: level 0 is always true, level 1 follows from the assumptions, and each further one
  // from a decision ---

  std::uint32_t level() const { return static_cast<std::uint32_t>(begins_.size()); }

  void assign(Literal l, Reason reason) {
    truth_[l] = 1;
    truth_[complement(l)] = -1;
    Variable& variable = variables_[variable_of(l)];
    variable.value = value_of(l);
    variable.level = level();
    variable.reason = reason;
    trail_.push_back(l);
  }

  void back_to(std::uint32_t to) {
    if (level() <= to) {
      return;
    }
    work_ += trail_.size() - begins_[to];
    while (trail_.size() > begins_[to]) {
      Literal const l = trail_.back();
      trail_.pop_back();
      truth_[l] = truth_[complement(l)] = 0;
      by_activity_.enqueue(variable_of(l));
    }
    begins_.resize(to);
    next_ = std::min(next_, trail_.size());
  }

  /// False: conflict_ is a clause of which all literals are false.
  bool propagate() {
    while (next_ < trail_.size()) {
      Literal const l = trail_[next_++];
      Literal const gone = complement(l);
      work_ += implied_[l].size() + watchers_[gone].size();
      for (Literal const implied : implied_[l]) {
        if (truth_[implied] < 0) {
          conflict_.assign({gone, implied});
          return false;
        }
        if (truth_[implied] == 0) {
          assign(implied, {none, gone});
        }
      }
      if (!visit_watchers(gone)) {
        return false;
      }
    }
    return true;
  }

  bool visit_watchers(Literal gone) {
    std::vector<Watcher>& watchers = watchers_[gone];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < watchers.size(); ++i) {
      Watcher const watcher = watchers[i];
      if (truth_[watcher.blocker] > 0) {
        watchers[kept++] = watcher;
        continue;
      }
      auto const clause = literals(watcher.clause);
      if (clause[0] == gone) {
        std::swap(clause[0], clause[1]);
      }
      Literal const first = clause[0];
      auto const open = truth_[first] > 0 ? clause.end()
                                          : std::find_if(clause.begin() + 2, clause.end(),
                                                         [&](Literal l) { return truth_[l] >= 0; });
      if (truth_[first] <= 0 && open != clause.end()) {
        std::swap(clause[1], *open);
        watchers_[clause[1]].push_back({watcher.clause, first});
        continue;
      }
      watchers[kept++] = {watcher.clause, first};
      if (truth_[first] == 0) {
        assign(first, {watcher.clause, none});
      } else if (truth_[first] < 0) {
        conflict_.assign(clause.begin(), clause.end());
        auto const begin = watchers.begin();
        watchers.erase(begin + static_cast<std::ptrdiff_t>(kept),
                       begin + static_cast<std::ptrdiff_t>(i) + 1);
        return false;
      }
    }
    watchers.resize(kept);
    return true;
  }

  /// Calls use() with the false literals that have made a true one so.
  template <class Use>
  void for_each_reason(Literal l, Use const& use) {
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

  /// From level 0 to level 1. False: the assumptions contradict each other, or the clauses do.
  bool begin(std::span<Literal const> assumptions) {
    if (hopeless_ || !propagate()) {
      hopeless_ = true;
      return false;
    }
    if (kept_.size() > most_kept_ || trail_.size() > tidied_ + variables() / 64) {
      tidy();
    }
    begins_.push_back(trail_.size());
    for (Literal const l : assumptions) {
      if (truth_[l] == 0) {
        assign(l, {});
      } else if (truth_[l] < 0) {
        conflict_.assign({l});
        blame_assumptions();
        core_.push_back(l);
        return false;
      }
      if (!propagate()) {
        blame_assumptions();
        return false;
      }
    }
    return true;
  }

  /// core_ becomes the assumptions that led to conflict_ at level 1.
  void blame_assumptions() {
    for (Literal const l : conflict_) {
      seen_[variable_of(l)] = 1;
    }
    for (std::size_t i = trail_.size(); i-- > begins_[0];) {
      Literal const l = trail_[i];
      if (std::exchange(seen_[variable_of(l)], 0) == 0) {
        continue;
      }
      Reason const reason = variables_[variable_of(l)].reason;
      if (reason.clause == none && reason.other == none) {
        core_.push_back(l);
      }
      for_each_reason(l, [&](Literal other) { seen_[variable_of(other)] = 1; });
    }
    for (std::size_t i = 0; i < begins_[0]; ++i) {
      seen_[variable_of(trail_[i])] = 0;
    }
  }

  /// Decides until there is an answer, or so many conflicts there have been.
  Answer search(std::uint64_t last_conflict) {
    for (;;) {
      if (!propagate()) {
        if (level() == 1) {
          blame_assumptions();
          return Answer::no;
        }
        ++conflicts_;
        std::uint32_t const back = learn();
        // A fact counts without assumptions too: they are made anew.
        if (back == 0) {
          back_to(0);
          assign(learned_[0], {});
          return Answer::unknown;
        }
        back_to(back);
        assert_learned();
        by_activity_.age();
        if (interrupt_.over_after(std::exchange(work_, 0))) {
          return Answer::unknown;
        }
        continue;
      }
      if (conflicts_ >= last_conflict) {
        return Answer::unknown;
      }
      std::uint32_t const variable = most_active_open();
      if (variable == none) {
        return Answer::yes;
      }
      begins_.push_back(trail_.size());
      assign(literal(variable, variables_[variable].value), {});
    }
  }

  std::uint32_t most_active_open() {
    while (!by_activity_.empty()) {
      std::uint32_t const variable = by_activity_.take();
      if (truth_[literal(variable)] == 0) {
        return variable;
      }
    }
    return none;
  }

  /// learned_ becomes the clause that follows from conflict_, with one literal of the last level, its
  /// first. Returns the last level of the others; those of a fact have none.
  std::uint32_t learn() {
    learned_.assign(1, none);
    std::uint32_t open = 0;
    auto const meet = [&](Literal l) {
      std::uint32_t const variable = variable_of(l);
      if (seen_[variable] != 0 || variables_[variable].level == 0) {
        return;
      }
      seen_[variable] = 1;
      by_activity_.raise(variable);
      if (variables_[variable].level == level()) {
        ++open;
      } else {
        learned_.push_back(l);
      }
    };
    for (Literal const l : conflict_) {
      meet(l);
    }
    for (std::size_t i = trail_.size();;) {
      Literal l = trail_[--i];
      while (seen_[variable_of(l)] == 0) {
        l = trail_[--i];
      }
      if (--open == 0) {
        learned_[0] = complement(l);
        break;
      }
      seen_[variable_of(l)] = 0;
      for_each_reason(l, meet);
    }
    std::vector<Literal> const met = learned_;
    drop_implied();
    for (Literal const l : met) {
      seen_[variable_of(l)] = 0;
    }
    std::uint32_t back = 0;
    for (std::size_t i = 1; i < learned_.size(); ++i) {
      if (variables_[variable_of(learned_[i])].level > back) {
        back = variables_[variable_of(learned_[i])].level;
        std::swap(learned_[1], learned_[i]);
      }
    }
    return back;
  }

  /// A literal goes that is false because others of the clause are.
  void drop_implied() {
    std::size_t kept = 1;
    for (std::size_t i = 1; i < learned_.size(); ++i) {
      Literal const l = learned_[i];
      bool has_reason = false;
      bool implied = true;
      for_each_reason(complement(l), [&](Literal other) {
        has_reason = true;
        implied = implied &&
                  (seen_[variable_of(other)] != 0 || variables_[variable_of(other)].level == 0);
      });
      if (!has_reason || !implied) {
        learned_[kept++] = l;
      }
    }
    learned_.resize(kept);
  }

  void assert_learned() {
    if (learned_.size() == 2) {
      add_implications(learned_[0], learned_[1]);
      return assign(learned_[0], {none, learned_[1]});
    }
    std::uint32_t const clause = store(learned_, levels_tied());
    watch(clause);
    assign(learned_[0], {clause, none});
  }

  /// The levels of learned_, whose first literal is open.
  std::uint32_t levels_tied() {
    levels_.clear();
    for (std::size_t i = 1; i < learned_.size(); ++i) {
      levels_.push_back(variables_[variable_of(learned_[i])].level);
    }
    std::sort(levels_.begin(), levels_.end());
    return 1 + static_cast<std::uint32_t>(std::unique(levels_.begin(), levels_.end()) -
                                          levels_.begin());
  }

  /// 1, 1, 2, 1, 1, 2, 4, 1, ... from i = 1 on.
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

  static constexpr std::uint64_t conflicts_a_restart = 250;
  static constexpr std::size_t most_kept_more = 100;

  Interrupt& interrupt_;
  std::vector<Variable> variables_;
  std::vector<std::int8_t> truth_;              ///< by literal: 1 true, -1 false, 0 open
  std::vector<std::vector<Literal>> implied_;   ///< by literal, of clauses of two
  std::vector<std::vector<Watcher>> watchers_;  ///< by watched literal, of longer ones
  std::vector<std::uint32_t> pool_, given_, kept_;
  std::size_t most_kept_ = 2000;
  std::size_t tidied_ = 0;  ///< facts, when the clauses were last rid of them

  std::vector<Literal> trail_;
  std::vector<std::size_t> begins_;  ///< of each level from 1 on
  std::size_t next_ = 0;             ///< of the trail, to be propagated

  std::vector<Literal> conflict_, learned_, core_, scratch_;
  std::vector<std::uint32_t> levels_;
  std::vector<std::uint8_t> seen_;

  VariablesByActivity by_activity_;

  bool hopeless_ = false;
  std::uint64_t conflicts_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace taper::vertex_cover::standard
