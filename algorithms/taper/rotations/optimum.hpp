// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/rotations/closed_sets.hpp>
#include <taper/rotations/minimum_cut.hpp>
#include <taper/rotations/options.hpp>
#include <taper/rotations/poset.hpp>
#include <taper/rotations/report.hpp>
#include <taper/stop.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

// Stable matchings that are best in some sense. They differ in the closed set that they choose.

namespace taper::rotations {
namespace detail {

/// The matching of a closed set. `members` ascend.
inline Optimum matching_of(RotationPoset const& poset, std::vector<std::int32_t> members,
                           std::int64_t value) {
  Matching matching(poset);
  for (std::int32_t const rotation : members) {
    matching.eliminate(rotation);
  }
  return {.partner_of_man = matching.partner_of_man(),
          .eliminated = std::move(members),
          .value = value};
}

/// The weight of the man-optimal matching, and what each rotation adds to it.
struct Weights {
  std::int64_t man_optimal = 0;
  std::vector<std::int64_t> change;
};

/// `weight` gives a stable pair its weight. Throws: std::overflow_error.
template <class Weight>
Weights weights_of(RotationPoset const& poset, Weight const& weight) {
  Weights result;
  for (std::int32_t man = 0; man < poset.men; ++man) {
    if (auto const pairs = poset.pairs_of(man); !pairs.empty()) {
      result.man_optimal = checked_sum(result.man_optimal, weight(pairs.front()));
    }
  }
  result.change.reserve(static_cast<std::size_t>(poset.rotations()));
  for (std::int32_t rotation = 0; rotation < poset.rotations(); ++rotation) {
    std::int64_t change = 0;
    for (std::int64_t const pair : poset.moved.row(rotation)) {
      auto const i = static_cast<std::size_t>(pair);
      std::int64_t const less = checked_negative(weight(poset.pairs[i]));
      change = checked_sum(change, checked_sum(weight(poset.pairs[i + 1]), less));
    }
    result.change.push_back(change);
  }
  return result;
}

/// Finds the matching of least regret.
///
/// Rotations make men worse off, so only a woman's rank is a reason to eliminate one. The walk
/// eliminates what the women of the worst rank need, rotations with all predecessors, and then
/// looks again. So it comes to the least closed set for each bound on the women's ranks, and the
/// best matching is among these.
/// Source: the idea is Gusfield's, see RotationWalk. The order of eliminations is Taper's.
/// Cost: O(stable pairs + edges + women's list length) time.
class RegretWalk {
 public:
  explicit RegretWalk(RotationPoset const& poset)
      : poset_(poset), broken_by_(poset.pairs.size(), none),
        pair_of_woman_(static_cast<std::size_t>(poset.women), none),
        eliminated_(static_cast<std::size_t>(poset.rotations()), 0) {
    for (std::int32_t rotation = 0; rotation < poset.rotations(); ++rotation) {
      for (std::int64_t const pair : poset.moved.row(rotation)) {
        broken_by_[static_cast<std::size_t>(pair)] = rotation;
      }
    }
    for (std::int32_t man = 0; man < poset.men; ++man) {
      if (!poset.pairs_of(man).empty()) {
        match(static_cast<std::size_t>(poset.first_pair[static_cast<std::size_t>(man)]));
      }
    }
  }

  /// Requires: one call.
  Optimum run() {
    std::int32_t best = women_of_rank_.empty() ? 0 : std::numeric_limits<std::int32_t>::max();
    std::size_t best_length = 0;
    while (!women_of_rank_.empty()) {
      auto const women_regret = static_cast<std::int32_t>(women_of_rank_.size()) - 1;
      auto const women = std::exchange(women_of_rank_.back(), {});
      women_of_rank_.pop_back();
      bool const any = std::ranges::any_of(
          women, [&](std::int32_t woman) { return rank_of(woman) == women_regret; });
      if (!any) {
        continue;
      }
      if (std::max(men_regret_, women_regret) < best) {
        best = std::max(men_regret_, women_regret);
        best_length = order_.size();
      }
      if (men_regret_ >= women_regret || !raise(women, women_regret)) {
        break;
      }
    }
    order_.resize(best_length);
    std::ranges::sort(order_);
    return matching_of(poset_, std::move(order_), best);
  }

 private:
  static constexpr std::int32_t none = -1;

  std::int32_t rank_of(std::int32_t woman) const {
    auto const pair = pair_of_woman_[static_cast<std::size_t>(woman)];
    return poset_.pairs[static_cast<std::size_t>(pair)].woman_rank;
  }

  void match(std::size_t pair) {
    StablePair const& next = poset_.pairs[pair];
    auto const rank = static_cast<std::size_t>(next.woman_rank);
    men_regret_ = std::max(men_regret_, next.man_rank);
    pair_of_woman_[static_cast<std::size_t>(next.woman)] = static_cast<std::int64_t>(pair);
    women_of_rank_.resize(std::max(women_of_rank_.size(), rank + 1));
    women_of_rank_[rank].push_back(next.woman);
  }

  /// Gives each of `women` that still has the rank a better partner. False if one has her best.
  bool raise(std::vector<std::int32_t> const& women, std::int32_t rank) {
    for (std::int32_t const woman : women) {
      if (rank_of(woman) == rank) {
        auto const pair = pair_of_woman_[static_cast<std::size_t>(woman)];
        std::int32_t const rotation = broken_by_[static_cast<std::size_t>(pair)];
        if (rotation == none) {
          return false;
        }
        eliminate(rotation);
      }
    }
    return true;
  }

  /// Eliminates `rotation` after its predecessors, and theirs.
  void eliminate(std::int32_t rotation) {
    struct Step {
      std::int32_t rotation;
      std::size_t next;
    };
    std::vector<Step> path{{rotation, 0}};
    while (!path.empty()) {
      auto& [current, next] = path.back();
      auto const predecessors = poset_.predecessors.row(current);
      if (eliminated_[static_cast<std::size_t>(current)] != 0) {
        path.pop_back();
      } else if (next < predecessors.size()) {
        path.push_back({predecessors[next++], 0});
      } else {
        for (std::int64_t const pair : poset_.moved.row(current)) {
          match(static_cast<std::size_t>(pair) + 1);
        }
        eliminated_[static_cast<std::size_t>(current)] = 1;
        order_.push_back(current);
        path.pop_back();
      }
    }
  }

  RotationPoset const& poset_;
  std::vector<std::int32_t> broken_by_;      // per pair: the rotation
  std::vector<std::int64_t> pair_of_woman_;  // present
  std::vector<std::uint8_t> eliminated_;     // per rotation
  std::vector<std::int32_t> order_;          // of eliminations
  std::int32_t men_regret_ = -1;
  /// Per rank: women that have or had a partner of that rank.
  std::vector<std::vector<std::int32_t>> women_of_rank_;
};

/// Finds the matching with the least difference of both sides' sums of ranks, by branch and bound
/// over closed sets. The problem is NP-hard (Kato 1993).
///
/// Each rotation increases the men's sum minus the women's. So no larger set is better than one at
/// which this is not negative. A set is also left if all rotations together leave it too low.
class SexEqualSearch {
 public:
  explicit SexEqualSearch(RotationPoset const& poset)
      : poset_(poset), weights_(weights_of(poset,
                                           [](StablePair const& pair) {
                                             return std::int64_t{pair.man_rank} - pair.woman_rank;
                                           })),
        rest_(weights_.change.size() + 1, 0) {
    for (std::size_t i = weights_.change.size(); i-- > 0;) {
      rest_[i] = rest_[i + 1] + weights_.change[i];
    }
  }

  /// `limit`: closed sets to visit; 0: no limit. `stop`: as Options::stop.
  Optimum run(std::uint64_t limit, std::atomic<bool> const* stop) {
    best_ = std::abs(weights_.man_optimal);
    try_prefixes();
    std::int64_t const bound = lower_bound();
    std::int64_t sum = weights_.man_optimal;
    std::uint64_t visited = 0;
    bool proved = best_ == bound || sum >= 0;
    if (!proved) {
      ClosedSets sets(poset_);
      proved = sets.visit(
          minimal_rotations(poset_),
          [&](std::int32_t rotation) {
            auto const i = static_cast<std::size_t>(rotation);
            if (sum + rest_[i] <= -best_) {
              return Visit::parent;
            }
            if ((limit != 0 && visited == limit) || StopFlag{stop}.is_set()) {
              return Visit::stop;
            }
            ++visited;
            sum += weights_.change[i];
            if (std::abs(sum) < best_) {
              best_ = std::abs(sum);
              members_ = sets.members();
              members_.push_back(rotation);
              if (best_ == bound) {
                return Visit::stop;
              }
            }
            return sum < 0 ? Visit::children : Visit::siblings;
          },
          [&](std::int32_t rotation) {
            sum -= weights_.change[static_cast<std::size_t>(rotation)];
          });
    }
    Optimum result = matching_of(poset_, std::move(members_), best_);
    result.proved = proved || best_ == bound;
    result.visited = visited;
    return result;
  }

 private:
  /// Starts with the best set of the form 0 .. i.
  void try_prefixes() {
    std::int64_t sum = weights_.man_optimal;
    std::size_t length = 0;
    for (std::size_t i = 0; i < weights_.change.size(); ++i) {
      sum += weights_.change[i];
      if (std::abs(sum) < best_) {
        best_ = std::abs(sum);
        length = i + 1;
      }
    }
    members_.resize(length);
    std::iota(members_.begin(), members_.end(), 0);
  }

  /// No difference is less, since all changes are multiples of their common divisor.
  std::int64_t lower_bound() const {
    std::int64_t divisor = 0;
    for (std::int64_t const change : weights_.change) {
      divisor = std::gcd(divisor, change);
    }
    if (divisor == 0) {
      return std::abs(weights_.man_optimal);
    }
    std::int64_t const remainder = std::abs(weights_.man_optimal) % divisor;
    return std::min(remainder, divisor - remainder);
  }

  RotationPoset const& poset_;
  Weights weights_;
  std::vector<std::int64_t> rest_;  // per rotation: the sum of its change and all later ones
  std::int64_t best_ = 0;
  std::vector<std::int32_t> members_;  // of the best set
};

}  // namespace detail

/// The stable matching with the least sum of weights, where `weight(StablePair)` is the weight of a
/// pair, any 64-bit integer. It is called for stable pairs only. Of several best matchings: the one
/// that men like most.
///
/// Throws: std::overflow_error if a sum of weights does not fit into 64 bits.
/// Cost: see detail::MinimumCut.
template <class Weight>
Optimum minimum_weight(RotationPoset const& poset, Weight const& weight) {
  detail::Weights const weights = detail::weights_of(poset, weight);
  auto members = detail::MinimumCut(poset, weights.change).run();
  std::int64_t value = weights.man_optimal;
  for (std::int32_t const rotation : members) {
    value = detail::checked_sum(value, weights.change[static_cast<std::size_t>(rotation)]);
  }
  return detail::matching_of(poset, std::move(members), value);
}

/// The matching of `options.objective`. Of several egalitarian or minimum-regret matchings: the one
/// that men like most. A search for sex equality may end at `options.visit_limit` with a matching
/// that is not proved to be the best.
///
/// `value` is the sum of all ranks, the worst rank, or the difference of the sides' sums of ranks;
///   for the man-optimal and the woman-optimal matching, the sum of that side's ranks.
/// Cost: egalitarian: see detail::MinimumCut. sex_equal: exponential in the number of rotations.
///   Others: O(stable pairs + edges + women's list length) time.
inline Optimum optimum(RotationPoset const& poset, Options const& options = {}) {
  auto const man_rank = [](StablePair const& pair) { return std::int64_t{pair.man_rank}; };
  auto const woman_rank = [](StablePair const& pair) { return std::int64_t{pair.woman_rank}; };
  switch (options.objective) {
  case Objective::man_optimal:
    return detail::matching_of(poset, {}, detail::weights_of(poset, man_rank).man_optimal);
  case Objective::woman_optimal: {
    std::vector<std::int32_t> all(static_cast<std::size_t>(poset.rotations()));
    std::iota(all.begin(), all.end(), 0);
    detail::Weights const weights = detail::weights_of(poset, woman_rank);
    return detail::matching_of(
        poset, std::move(all),
        std::accumulate(weights.change.begin(), weights.change.end(), weights.man_optimal));
  }
  case Objective::egalitarian:
    break;
  case Objective::minimum_regret:
    return detail::RegretWalk(poset).run();
  case Objective::sex_equal:
    return detail::SexEqualSearch(poset).run(options.visit_limit, options.stop);
  }
  return minimum_weight(
      poset, [](StablePair const& pair) { return std::int64_t{pair.man_rank} + pair.woman_rank; });
}

/// What a stable matching is worth. Requires: each pair is stable.
/// Cost: O(stable pairs) time.
inline Costs costs_of(RotationPoset const& poset, std::span<std::int32_t const> partner_of_man) {
  Costs costs;
  for (std::int32_t man = 0; man < poset.men; ++man) {
    std::int32_t const woman = partner_of_man[static_cast<std::size_t>(man)];
    if (woman != no_partner) {
      auto const pairs = poset.pairs_of(man);
      auto const pair = std::ranges::find(pairs, woman, &StablePair::woman);
      costs.men_ranks += pair->man_rank;
      costs.women_ranks += pair->woman_rank;
      costs.regret = std::max({costs.regret, pair->man_rank, pair->woman_rank});
      ++costs.pairs;
    }
  }
  costs.egalitarian = costs.men_ranks + costs.women_ranks;
  costs.sex_equality = std::abs(costs.men_ranks - costs.women_ranks);
  return costs;
}

/// The numbers that describe a poset.
inline Report report_of(RotationPoset const& poset) {
  Report report{.men = poset.men, .women = poset.women, .one_sided = poset.one_sided};
  for (std::int32_t man = 0; man < poset.men; ++man) {
    report.pairs += poset.pairs_of(man).empty() ? 0 : 1;
  }
  report.stable_pairs = static_cast<std::int64_t>(poset.pairs.size());
  report.rotations = poset.rotations();
  report.edges = poset.edges();
  return report;
}

}  // namespace taper::rotations
