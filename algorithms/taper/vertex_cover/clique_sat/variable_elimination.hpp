// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/standard/clause_learning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

/// Clauses with fewer variables, which can be met iff the given ones can: a variable goes where what
/// follows for the others from each two clauses that disagree about it is no more than these clauses.
/// Of constraints that are written down as a graph that is most vertices.
///
/// Source: Eén and Biere 2005.
class VariableElimination {
 public:
  using Clause = std::vector<Literal>;

  /// Requires: no variable twice in a clause. Those of which `keep` is not 0 stay, as do all that are
  /// there yet after much work, or when the interrupt is over.
  VariableElimination(std::vector<Clause> clauses, std::span<std::uint8_t const> keep,
                      Interrupt& interrupt)
      : clauses_(std::move(clauses)), with_(2 * keep.size()), eliminated_(keep.size(), 0),
        side_(2 * keep.size(), 0) {
    for (std::uint32_t c = 0; c < clauses_.size(); ++c) {
      for (Literal const l : clauses_[c]) {
        with_[l].push_back(c);
      }
    }
    for (std::uint32_t variable = 0; variable < keep.size(); ++variable) {
      if (keep[variable] == 0) {
        enqueue(variable);
      } else {
        eliminated_[variable] = kept;
      }
    }
    std::uint64_t total = 0;
    while (!queue_.empty() && total < most_work && !interrupt.over_after(work_)) {
      total += std::exchange(work_, 0);
      auto const [cost, variable] = queue_.top();
      queue_.pop();
      if (eliminated_[variable] == 0 && cost == cost_of(variable)) {
        eliminate(variable);
      }
    }
  }

  /// Calls use(clause) for each that is left; an empty one cannot be met.
  template <class Use>
  void for_each_clause(Use const& use) const {
    if (impossible_) {
      use(Clause{});
    }
    for (Clause const& clause : clauses_) {
      if (!clause.empty()) {
        use(clause);
      }
    }
  }

  bool eliminated(std::uint32_t variable) const { return eliminated_[variable] == gone; }

  /// From values that meet the clauses that are left, those of the variables that have gone.
  void extend(std::vector<std::uint8_t>& values) const {
    for (std::size_t i = steps_.size(); i-- > 0;) {
      Step const& step = steps_[i];
      bool const all_met =
          std::all_of(step.clauses.begin(), step.clauses.end(), [&](Clause const& clause) {
            return std::any_of(clause.begin(), clause.end(), [&](Literal l) {
              return l != step.literal && (values[variable_of(l)] != 0) == value_of(l);
            });
          });
      values[variable_of(step.literal)] = value_of(step.literal) != all_met ? 1 : 0;
    }
  }

 private:
  static constexpr std::uint8_t kept = 1;
  static constexpr std::uint8_t gone = 2;
  static constexpr std::size_t longest = 16;
  static constexpr std::uint64_t most_pairs = 1000;
  /// In literals read: some tenths of a second. Hubs cost their degree, time and again.
  static constexpr std::uint64_t most_work = 50'000'000;

  /// A variable went, and the clauses with it as `literal` are what says whether that has to be true.
  struct Step {
    Literal literal;
    std::vector<Clause> clauses;
  };

  std::uint64_t cost_of(std::uint32_t variable) const {
    return std::uint64_t{with_[literal(variable)].size()} * with_[literal(variable, false)].size();
  }
  void enqueue(std::uint32_t variable) {
    if (std::uint64_t const cost = cost_of(variable); cost <= most_pairs) {
      queue_.push({cost, variable});
    }
  }

  void eliminate(std::uint32_t variable) {
    Literal const yes = literal(variable);
    Literal const no = literal(variable, false);
    std::vector<Clause> follow;
    std::size_t const most = with_[yes].size() + with_[no].size();
    for (std::uint32_t const c : with_[yes]) {
      for (std::uint32_t const d : with_[no]) {
        if (!resolve(clauses_[c], clauses_[d], variable)) {
          continue;
        }
        if (resolvent_.size() > longest || follow.size() == most) {
          return;
        }
        impossible_ = impossible_ || resolvent_.empty();
        follow.push_back(resolvent_);
      }
    }
    Literal const fewer = with_[yes].size() < with_[no].size() ? yes : no;
    Step step{fewer, {}};
    for (std::uint32_t const c : with_[fewer]) {
      step.clauses.push_back(clauses_[c]);
    }
    steps_.push_back(std::move(step));
    eliminated_[variable] = gone;
    for (Literal const l : {yes, no}) {
      for (std::uint32_t const c : std::exchange(with_[l], {})) {
        remove(c, l);
      }
    }
    for (Clause& clause : follow) {
      add(std::move(clause));
    }
    for (std::uint32_t const other : std::exchange(touched_, {})) {
      if (eliminated_[other] == 0) {
        enqueue(other);
      }
    }
  }

  /// False where it says nothing, since another variable stands in it both ways.
  bool resolve(Clause const& a, Clause const& b, std::uint32_t variable) {
    work_ += a.size() + b.size();
    resolvent_.clear();
    for (Literal const l : a) {
      if (variable_of(l) != variable) {
        side_[l] = 1;
        resolvent_.push_back(l);
      }
    }
    bool says = true;
    for (Literal const l : b) {
      if (variable_of(l) != variable) {
        says = says && side_[complement(l)] == 0;
        if (side_[l] == 0) {
          resolvent_.push_back(l);
        }
      }
    }
    for (Literal const l : a) {
      side_[l] = 0;
    }
    return says;
  }

  void remove(std::uint32_t c, Literal except) {
    for (Literal const l : std::exchange(clauses_[c], {})) {
      if (l != except) {
        work_ += with_[l].size();
        std::erase(with_[l], c);
        touched_.push_back(variable_of(l));
      }
    }
  }
  void add(Clause clause) {
    auto const c = static_cast<std::uint32_t>(clauses_.size());
    for (Literal const l : clause) {
      with_[l].push_back(c);
      touched_.push_back(variable_of(l));
    }
    clauses_.push_back(std::move(clause));
  }

  using Entry = std::pair<std::uint64_t, std::uint32_t>;

  std::vector<Clause> clauses_;                   ///< empty: gone
  std::vector<std::vector<std::uint32_t>> with_;  ///< by literal
  std::vector<std::uint8_t> eliminated_;          ///< 0, kept or gone
  std::vector<std::uint8_t> side_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;  ///< by pairs of clauses
  std::vector<Step> steps_;
  std::vector<std::uint32_t> touched_;
  Clause resolvent_;
  bool impossible_ = false;
  std::uint64_t work_ = 1;  ///< not yet told of
};

}  // namespace taper::vertex_cover::standard
