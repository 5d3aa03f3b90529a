// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/options.hpp>
#include <taper/preferences/instance.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Checks of a propagator's results. Host only; simple and slow.
// They follow the definition in marriage_propagator.hpp. They share no code with the propagators:
// nothing here uses offers, bounds or reverse pairs.
// Used by: `taper run`, the tests and the benchmarks.

namespace taper::marriage_propagator {

/// A set of pairs (man, woman), given by their ids.
class PairSet {
 public:
  PairSet(std::size_t n, bool all) : n_(n), in_(n * n, all) {}

  std::size_t size() const { return n_; }
  bool has(std::size_t man, std::size_t woman) const { return in_[man * n_ + woman]; }
  void set(std::size_t man, std::size_t woman, bool in) { in_[man * n_ + woman] = in; }
  std::size_t count() const {
    return static_cast<std::size_t>(std::count(in_.begin(), in_.end(), true));
  }
  friend bool operator==(PairSet const&, PairSet const&) = default;

 private:
  std::size_t n_;
  std::vector<bool> in_;
};

/// The options that determine the fixpoint; see Options.
struct Rules {
  bool symmetric = false;
  bool bind_partner = true;
};

/// The preference lists of both sides, and their inverse lists, in host memory.
class HostMarket {
 public:
  template <class Preferences>
  explicit HostMarket(preferences::Instance<Preferences> const& instance)
      : n_(instance.size()), lists_{ids(instance.men), ids(instance.women)},
        ranks_{inverse(lists_[0]), inverse(lists_[1])} {}

  std::size_t size() const { return n_; }
  /// The candidate at place `value` of the person's list; 0 is the best.
  std::size_t candidate(Side side, std::size_t person, std::size_t value) const {
    return lists_[index_of(side)][person * n_ + value];
  }
  /// The place of `partner` on the person's list.
  std::size_t rank(Side side, std::size_t person, std::size_t partner) const {
    return ranks_[index_of(side)][person * n_ + partner];
  }

 private:
  template <class Preferences>
  static std::vector<std::uint32_t> ids(Preferences const& lists) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lists);
    std::vector<std::uint32_t> all;
    all.reserve(host.extent(0) * host.extent(1));
    for (std::size_t person = 0; person < host.extent(0); ++person) {
      for (std::size_t value = 0; value < host.extent(1); ++value) {
        all.push_back(host(person, value));
      }
    }
    return all;
  }
  std::vector<std::uint32_t> inverse(std::vector<std::uint32_t> const& lists) const {
    std::vector<std::uint32_t> ranks(lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
      ranks[i / n_ * n_ + lists[i]] = static_cast<std::uint32_t>(i % n_);
    }
    return ranks;
  }

  std::size_t n_;
  std::vector<std::uint32_t> lists_[2];
  std::vector<std::uint32_t> ranks_[2];
};

namespace detail {

/// A set of pairs, indexed by the persons of one side and their partners.
template <class Pairs>
class PairsOfSide {
 public:
  PairsOfSide(Pairs& pairs, Side side) : pairs_(pairs), side_(side) {}

  bool has(std::size_t person, std::size_t partner) const {
    return side_ == Side::men ? pairs_.has(person, partner) : pairs_.has(partner, person);
  }
  void drop(std::size_t person, std::size_t partner) const {
    side_ == Side::men ? pairs_.set(person, partner, false) : pairs_.set(partner, person, false);
  }

 private:
  Pairs& pairs_;
  Side side_;
};

/// Calls excluded(proposer, receiver) for each pair in `pairs` that the proposals of `side`
/// exclude. Returns false if a proposer has no pair.
template <class Pairs, class Excluded>
bool for_each_excluded_by_proposals(HostMarket const& market, Pairs& pairs, Side side,
                                    Excluded const& excluded) {
  std::size_t const n = market.size();
  PairsOfSide<Pairs> const of_side(pairs, side);
  // Per receiver: the best rank among the proposers that prefer it to, or have it as, their best
  // remaining receiver.
  std::vector<std::size_t> best_rank(n, n);
  for (std::size_t proposer = 0; proposer < n; ++proposer) {
    std::size_t value = 0;
    for (bool found = false; !found; ++value) {
      if (value == n) {
        return false;
      }
      std::size_t const receiver = market.candidate(side, proposer, value);
      best_rank[receiver] =
          std::min(best_rank[receiver], market.rank(other(side), receiver, proposer));
      found = of_side.has(proposer, receiver);
    }
  }
  for (std::size_t receiver = 0; receiver < n; ++receiver) {
    for (std::size_t rank = best_rank[receiver] + 1; rank < n; ++rank) {
      std::size_t const rival = market.candidate(other(side), receiver, rank);
      if (of_side.has(rival, receiver)) {
        excluded(rival, receiver);
      }
    }
  }
  return true;
}

/// Calls excluded(rival, partner) for each other pair of a partner that a person has as its only
/// one.
template <class Pairs, class Excluded>
void for_each_excluded_by_partner(HostMarket const& market, Pairs& pairs, Side side,
                                  Excluded const& excluded) {
  std::size_t const n = market.size();
  PairsOfSide<Pairs> const of_side(pairs, side);
  for (std::size_t person = 0; person < n; ++person) {
    std::size_t left = 0;
    std::size_t last = n;
    for (std::size_t partner = 0; partner < n; ++partner) {
      if (of_side.has(person, partner)) {
        ++left;
        last = partner;
      }
    }
    if (left == 1) {
      for (std::size_t rival = 0; rival < n; ++rival) {
        if (rival != person && of_side.has(rival, last)) {
          excluded(rival, last);
        }
      }
    }
  }
}

/// Deferred acceptance (Gale and Shapley, 1962), in which `side` proposes. Returns per receiver the
/// rank of the proposer that it ends with.
inline std::vector<std::size_t> accepted_ranks(HostMarket const& market, Side side) {
  std::size_t const n = market.size();
  std::vector<std::size_t> next(n, 0);
  std::vector<std::size_t> accepted(n, n);
  for (std::size_t first = 0; first < n; ++first) {
    for (std::size_t proposer = first; proposer < n;) {
      std::size_t const receiver = market.candidate(side, proposer, next[proposer]++);
      std::size_t const rank = market.rank(other(side), receiver, proposer);
      if (rank < accepted[receiver]) {
        std::size_t const before = std::exchange(accepted[receiver], rank);
        proposer = before < n ? market.candidate(other(side), receiver, before) : n;
      }
    }
  }
  return accepted;
}

}  // namespace detail

/// The greatest subset of `pairs` that the constraint allows. Nothing if it leaves a person without
/// a partner.
///
/// Equivalent to: remove excluded pairs one by one until there is none.
/// Cost: O(n^2) per round of removals.
inline std::optional<PairSet> greatest_fixpoint(HostMarket const& market, PairSet pairs,
                                                Rules const& rules = {}) {
  for (std::size_t before = pairs.count() + 1; pairs.count() < before;) {
    before = pairs.count();
    for (Side const side : {Side::men, Side::women}) {
      detail::PairsOfSide<PairSet> const of_side(pairs, side);
      auto const drop = [&](std::size_t person, std::size_t partner) {
        of_side.drop(person, partner);
      };
      bool const proposes = side == Side::men || rules.symmetric;
      if (proposes && !detail::for_each_excluded_by_proposals(market, pairs, side, drop)) {
        return std::nullopt;
      }
      if (rules.bind_partner) {
        detail::for_each_excluded_by_partner(market, pairs, side, drop);
      }
    }
  }
  for (std::size_t person = 0; person < market.size(); ++person) {
    bool man_left = false;
    bool woman_left = false;
    for (std::size_t partner = 0; partner < market.size(); ++partner) {
      man_left = man_left || pairs.has(person, partner);
      woman_left = woman_left || pairs.has(partner, person);
    }
    if (!man_left || !woman_left) {
      return std::nullopt;
    }
  }
  return pairs;
}

/// The result of a first call on full domains, by deferred acceptance alone. These are the extended
/// Gale-Shapley lists (Gusfield and Irving, "The Stable Marriage Problem", 1989): the men's, or
/// with Rules::symmetric those of both sides. Rules::bind_partner removes further pairs.
/// Cost: O(n^2).
inline PairSet extended_lists(HostMarket const& market, Rules const& rules = {}) {
  std::size_t const n = market.size();
  PairSet pairs(n, true);
  for (Side const side : {Side::men, Side::women}) {
    if (side == Side::women && !rules.symmetric) {
      continue;
    }
    detail::PairsOfSide<PairSet> const of_side(pairs, side);
    std::vector<std::size_t> const kept = detail::accepted_ranks(market, side);
    for (std::size_t receiver = 0; receiver < n; ++receiver) {
      for (std::size_t rank = kept[receiver] + 1; rank < n; ++rank) {
        of_side.drop(market.candidate(other(side), receiver, rank), receiver);
      }
    }
  }
  for (std::size_t before = pairs.count() + 1; rules.bind_partner && pairs.count() < before;) {
    before = pairs.count();
    for (Side const side : {Side::men, Side::women}) {
      detail::PairsOfSide<PairSet> const of_side(pairs, side);
      detail::for_each_excluded_by_partner(
          market, pairs, side,
          [&](std::size_t person, std::size_t partner) { of_side.drop(person, partner); });
    }
  }
  return pairs;
}

/// The pairs in a propagator's domains. Nothing if the domains of the two sides contradict each
/// other.
template <class Propagator>
std::optional<PairSet> pairs_of(HostMarket const& market, Propagator const& propagator) {
  std::size_t const n = market.size();
  PairSet by_men(n, false);
  PairSet by_women(n, false);
  for (std::uint32_t person = 0; person < n; ++person) {
    for (std::uint32_t value = 0; value < n; ++value) {
      if (propagator.contains(Side::men, person, value)) {
        by_men.set(person, market.candidate(Side::men, person, value), true);
      }
      if (propagator.contains(Side::women, person, value)) {
        by_women.set(market.candidate(Side::women, person, value), person, true);
      }
    }
  }
  return by_men == by_women ? std::optional(by_men) : std::nullopt;
}

/// A pair that is present although the constraint excludes it.
struct Violation {
  std::size_t man;
  std::size_t woman;

  friend bool operator==(Violation const&, Violation const&) = default;
};

/// Checks that `pairs` satisfies the constraint, as any fixpoint must. Returns an excluded pair,
/// {n, n} if a person has no partner, or nothing.
/// Cost: O(n^2).
inline std::optional<Violation> find_violation(HostMarket const& market, PairSet const& pairs,
                                               Rules const& rules = {}) {
  std::optional<Violation> found;
  for (Side const side : {Side::men, Side::women}) {
    auto const note = [&](std::size_t person, std::size_t partner) {
      found = side == Side::men ? Violation{person, partner} : Violation{partner, person};
    };
    bool const proposes = side == Side::men || rules.symmetric;
    if (proposes && !detail::for_each_excluded_by_proposals(market, pairs, side, note)) {
      return Violation{market.size(), market.size()};
    }
    if (rules.bind_partner) {
      detail::for_each_excluded_by_partner(market, pairs, side, note);
    }
  }
  return found;
}

}  // namespace taper::marriage_propagator
