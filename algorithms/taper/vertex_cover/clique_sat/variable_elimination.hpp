// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/clique_sat/clause_learning.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::clique_sat {

/// Bounded variable elimination: equisatisfiable clauses with fewer variables. A variable is
/// eliminated if its resolvents are no more than the clauses that contain it. In graphs that encode
/// constraints this holds for most vertices.
///
/// Used by: CliqueSat, as preprocessing.
/// Source: Eén and Biere 2005.
class VariableElimination {
 public:
  using Clause = std::vector<Literal>;

  /// Eliminates variables until no more can be eliminated, max_work is spent, or the interrupt
  /// stops. `frozen`, by variable: not 0 if it must stay. Requires: no variable twice in a clause.
  VariableElimination(std::vector<Clause> clauses, std::span<std::uint8_t const> frozen,
                      Interrupt& interrupt)
      : clauses_(std::move(clauses)), occurrences_(2 * frozen.size()), state_(frozen.size(), 0),
        marked_(2 * frozen.size(), 0) {
    for (std::uint32_t c = 0; c < clauses_.size(); ++c) {
      for (Literal const l : clauses_[c]) {
        occurrences_[l].push_back(c);
      }
    }
    for (std::uint32_t variable = 0; variable < frozen.size(); ++variable) {
      if (frozen[variable] == 0) {
        enqueue(variable);
      } else {
        state_[variable] = is_frozen;
      }
    }
    std::uint64_t total = 0;
    while (!queue_.empty() && total < max_work && !interrupt.stopped_after(work_)) {
      total += std::exchange(work_, 0);
      auto const [cost, variable] = queue_.top();
      queue_.pop();
      if (state_[variable] == 0 && cost == cost_of(variable)) {
        eliminate(variable);
      }
    }
  }

  /// Calls use(clause) for each remaining clause. The empty clause: unsatisfiable.
  template <class Use>
  void for_each_clause(Use const& use) const {
    if (unsat_) {
      use(Clause{});
    }
    for (Clause const& clause : clauses_) {
      if (!clause.empty()) {
        use(clause);
      }
    }
  }

  bool eliminated(std::uint32_t variable) const { return state_[variable] == is_eliminated; }

  /// Extends a model of the remaining clauses to the eliminated variables, the last one first.
  void extend(std::vector<std::uint8_t>& values) const {
    for (std::size_t i = eliminations_.size(); i-- > 0;) {
      Elimination const& elimination = eliminations_[i];
      bool const satisfied = std::all_of(
          elimination.clauses.begin(), elimination.clauses.end(), [&](Clause const& clause) {
            return std::any_of(clause.begin(), clause.end(), [&](Literal l) {
              return l != elimination.literal && (values[variable_of(l)] != 0) == value_of(l);
            });
          });
      values[variable_of(elimination.literal)] = value_of(elimination.literal) != satisfied ? 1 : 0;
    }
  }

 private:
  static constexpr std::uint8_t is_frozen = 1;
  static constexpr std::uint8_t is_eliminated = 2;
  static constexpr std::size_t max_resolvent_size = 16;
  static constexpr std::uint64_t max_pairs = 1000;
  /// Literals read: some tenths of a second. Without it, variables with many clauses are costly,
  /// since their occurrence lists are read again and again.
  static constexpr std::uint64_t max_work = 50'000'000;

  /// One eliminated variable. `clauses` are all clauses that contained `literal`, which extend()
  /// makes true iff the rest of one of them is false.
  struct Elimination {
    Literal literal;
    std::vector<Clause> clauses;
  };

  /// The number of pairs to resolve.
  std::uint64_t cost_of(std::uint32_t variable) const {
    return std::uint64_t{occurrences_[literal(variable)].size()} *
           occurrences_[literal(variable, false)].size();
  }
  void enqueue(std::uint32_t variable) {
    if (std::uint64_t const cost = cost_of(variable); cost <= max_pairs) {
      queue_.push({cost, variable});
    }
  }

  void eliminate(std::uint32_t variable) {
    Literal const positive = literal(variable);
    Literal const negative = literal(variable, false);
    std::vector<Clause> resolvents;
    std::size_t const max_resolvents =
        occurrences_[positive].size() + occurrences_[negative].size();
    for (std::uint32_t const c : occurrences_[positive]) {
      for (std::uint32_t const d : occurrences_[negative]) {
        if (!resolve(clauses_[c], clauses_[d], variable)) {
          continue;
        }
        if (resolvent_.size() > max_resolvent_size || resolvents.size() == max_resolvents) {
          return;
        }
        unsat_ = unsat_ || resolvent_.empty();
        resolvents.push_back(resolvent_);
      }
    }
    Literal const pivot =
        occurrences_[positive].size() < occurrences_[negative].size() ? positive : negative;
    Elimination elimination{pivot, {}};
    for (std::uint32_t const c : occurrences_[pivot]) {
      elimination.clauses.push_back(clauses_[c]);
    }
    eliminations_.push_back(std::move(elimination));
    state_[variable] = is_eliminated;
    for (Literal const l : {positive, negative}) {
      for (std::uint32_t const c : std::exchange(occurrences_[l], {})) {
        remove(c, l);
      }
    }
    for (Clause& clause : resolvents) {
      add(std::move(clause));
    }
    for (std::uint32_t const other : std::exchange(touched_, {})) {
      if (state_[other] == 0) {
        enqueue(other);
      }
    }
  }

  /// Sets resolvent_. False: it is a tautology, since another variable occurs in both polarities.
  bool resolve(Clause const& a, Clause const& b, std::uint32_t variable) {
    work_ += a.size() + b.size();
    resolvent_.clear();
    for (Literal const l : a) {
      if (variable_of(l) != variable) {
        marked_[l] = 1;
        resolvent_.push_back(l);
      }
    }
    bool useful = true;
    for (Literal const l : b) {
      if (variable_of(l) != variable) {
        useful = useful && marked_[complement(l)] == 0;
        if (marked_[l] == 0) {
          resolvent_.push_back(l);
        }
      }
    }
    for (Literal const l : a) {
      marked_[l] = 0;
    }
    return useful;
  }

  /// Removes a clause from all occurrence lists but that of `except`.
  void remove(std::uint32_t c, Literal except) {
    for (Literal const l : std::exchange(clauses_[c], {})) {
      if (l != except) {
        work_ += occurrences_[l].size();
        std::erase(occurrences_[l], c);
        touched_.push_back(variable_of(l));
      }
    }
  }
  void add(Clause clause) {
    auto const c = static_cast<std::uint32_t>(clauses_.size());
    for (Literal const l : clause) {
      occurrences_[l].push_back(c);
      touched_.push_back(variable_of(l));
    }
    clauses_.push_back(std::move(clause));
  }

  using Entry = std::pair<std::uint64_t, std::uint32_t>;

  std::vector<Clause> clauses_;                          ///< empty: removed
  std::vector<std::vector<std::uint32_t>> occurrences_;  ///< by literal
  std::vector<std::uint8_t> state_;   ///< by variable: 0, is_frozen or is_eliminated
  std::vector<std::uint8_t> marked_;  ///< by literal: scratch of resolve()
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;  ///< fewest pairs first
  std::vector<Elimination> eliminations_;
  std::vector<std::uint32_t> touched_;  ///< variables whose clauses have changed
  Clause resolvent_;
  bool unsat_ = false;
  std::uint64_t work_ = 1;  ///< literals read since the interrupt was last asked
};

}  // namespace taper::vertex_cover::clique_sat
