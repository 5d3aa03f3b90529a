// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/options.hpp>
#include <taper/stable_marriage/instance.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Independent of the propagators: nothing here knows an offer, a bound or a
// twin. Host only, from the definition in marriage_propagator.hpp; slow and
// plain.

namespace taper::marriage_propagator {

/// A set of pairs (man, woman), by ids.
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

/// Which fixpoint is meant; see Options.
struct Rules {
  bool symmetric = false;
  bool engage = true;
};

/// Both sides' lists in host memory.
class HostMarket {
 public:
  template <class Preferences>
  explicit HostMarket(stable_marriage::Instance<Preferences> const& instance)
      : n_(instance.size()), lists_{ids(instance.men), ids(instance.women)},
        ranks_{inverse(lists_[0]), inverse(lists_[1])} {}

  std::size_t size() const { return n_; }
  /// Whom the person likes `value`-th, 0 the best.
  std::size_t liked(People side, std::size_t person, std::size_t value) const {
    return lists_[index_of(side)][person * n_ + value];
  }
  /// The place of `partner` on the person's list.
  std::size_t rank(People side, std::size_t person, std::size_t partner) const {
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

/// A set of pairs as one side sees it.
template <class Pairs>
class Seen {
 public:
  Seen(Pairs& pairs, People side) : pairs_(pairs), side_(side) {}

  bool has(std::size_t person, std::size_t partner) const {
    return side_ == People::men ? pairs_.has(person, partner) : pairs_.has(partner, person);
  }
  void drop(std::size_t person, std::size_t partner) const {
    side_ == People::men ? pairs_.set(person, partner, false) : pairs_.set(partner, person, false);
  }

 private:
  Pairs& pairs_;
  People side_;
};

/// Calls excluded(proposer, receiver) for each pair that is left although the
/// proposals of `side` exclude it; false where a proposer has nobody left.
template <class Pairs, class Excluded>
bool for_each_excluded(HostMarket const& market, Pairs& pairs, People side,
                       Excluded const& excluded) {
  std::size_t const n = market.size();
  Seen<Pairs> const seen(pairs, side);
  // Of those who like a receiver as much as their best remaining one or better, whom she likes most.
  std::vector<std::size_t> suitor(n, n);
  for (std::size_t proposer = 0; proposer < n; ++proposer) {
    std::size_t value = 0;
    for (bool found = false; !found; ++value) {
      if (value == n) {
        return false;
      }
      std::size_t const receiver = market.liked(side, proposer, value);
      suitor[receiver] = std::min(suitor[receiver], market.rank(other(side), receiver, proposer));
      found = seen.has(proposer, receiver);
    }
  }
  for (std::size_t receiver = 0; receiver < n; ++receiver) {
    for (std::size_t rank = suitor[receiver] + 1; rank < n; ++rank) {
      std::size_t const rival = market.liked(other(side), receiver, rank);
      if (seen.has(rival, receiver)) {
        excluded(rival, receiver);
      }
    }
  }
  return true;
}

/// Calls excluded(person, partner) for each pair that is left although one of
/// the two has another partner for good.
template <class Pairs, class Excluded>
void for_each_bereft(HostMarket const& market, Pairs& pairs, People side,
                     Excluded const& excluded) {
  std::size_t const n = market.size();
  Seen<Pairs> const seen(pairs, side);
  for (std::size_t person = 0; person < n; ++person) {
    std::size_t left = 0;
    std::size_t last = n;
    for (std::size_t partner = 0; partner < n; ++partner) {
      if (seen.has(person, partner)) {
        ++left;
        last = partner;
      }
    }
    if (left == 1) {
      for (std::size_t rival = 0; rival < n; ++rival) {
        if (rival != person && seen.has(rival, last)) {
          excluded(rival, last);
        }
      }
    }
  }
}

/// Deferred acceptance (Gale and Shapley, 1962), the people of `side` proposing: the rank of whom
/// each receiver ends with.
inline std::vector<std::size_t> accepted_ranks(HostMarket const& market, People side) {
  std::size_t const n = market.size();
  std::vector<std::size_t> next(n, 0);
  std::vector<std::size_t> accepted(n, n);
  for (std::size_t first = 0; first < n; ++first) {
    for (std::size_t proposer = first; proposer < n;) {
      std::size_t const receiver = market.liked(side, proposer, next[proposer]++);
      std::size_t const rank = market.rank(other(side), receiver, proposer);
      if (rank < accepted[receiver]) {
        std::size_t const before = std::exchange(accepted[receiver], rank);
        proposer = before < n ? market.liked(other(side), receiver, before) : n;
      }
    }
  }
  return accepted;
}

}  // namespace detail

/// The greatest set within `pairs` that the constraint allows; nothing where it
/// leaves somebody alone.
///
/// Equivalent to: remove one excluded pair after the other until there is none.
/// Cost: O(n^2) for each round of removals.
inline std::optional<PairSet> greatest_fixpoint(HostMarket const& market, PairSet pairs,
                                                Rules const& rules = {}) {
  for (std::size_t before = pairs.count() + 1; pairs.count() < before;) {
    before = pairs.count();
    for (People const side : {People::men, People::women}) {
      detail::Seen<PairSet> const seen(pairs, side);
      auto const drop = [&](std::size_t person, std::size_t partner) {
        seen.drop(person, partner);
      };
      bool const proposes = side == People::men || rules.symmetric;
      if (proposes && !detail::for_each_excluded(market, pairs, side, drop)) {
        return std::nullopt;
      }
      if (rules.engage) {
        detail::for_each_bereft(market, pairs, side, drop);
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

/// What a first call leaves of full domains, by deferred acceptance alone: the extended
/// Gale-Shapley lists (Gusfield and Irving, "The Stable Marriage Problem", 1989), the men's or with
/// Rules::symmetric both sides', less what Rules::engage takes out of them.
/// Cost: O(n^2).
inline PairSet extended_lists(HostMarket const& market, Rules const& rules = {}) {
  std::size_t const n = market.size();
  PairSet pairs(n, true);
  for (People const side : {People::men, People::women}) {
    if (side == People::women && !rules.symmetric) {
      continue;
    }
    detail::Seen<PairSet> const seen(pairs, side);
    std::vector<std::size_t> const kept = detail::accepted_ranks(market, side);
    for (std::size_t receiver = 0; receiver < n; ++receiver) {
      for (std::size_t rank = kept[receiver] + 1; rank < n; ++rank) {
        seen.drop(market.liked(other(side), receiver, rank), receiver);
      }
    }
  }
  for (std::size_t before = pairs.count() + 1; rules.engage && pairs.count() < before;) {
    before = pairs.count();
    for (People const side : {People::men, People::women}) {
      detail::Seen<PairSet> const seen(pairs, side);
      detail::for_each_bereft(market, pairs, side, [&](std::size_t person, std::size_t partner) {
        seen.drop(person, partner);
      });
    }
  }
  return pairs;
}

/// The pairs that a propagator has left; nothing where a man's domain and a
/// woman's contradict each other.
template <class Propagator>
std::optional<PairSet> pairs_of(HostMarket const& market, Propagator const& propagator) {
  std::size_t const n = market.size();
  PairSet by_men(n, false);
  PairSet by_women(n, false);
  for (std::uint32_t person = 0; person < n; ++person) {
    for (std::uint32_t value = 0; value < n; ++value) {
      if (propagator.contains(People::men, person, value)) {
        by_men.set(person, market.liked(People::men, person, value), true);
      }
      if (propagator.contains(People::women, person, value)) {
        by_women.set(market.liked(People::women, person, value), person, true);
      }
    }
  }
  return by_men == by_women ? std::optional(by_men) : std::nullopt;
}

/// A pair that is left and must not be.
struct Violation {
  std::size_t man;
  std::size_t woman;

  friend bool operator==(Violation const&, Violation const&) = default;
};

/// Whether `pairs` satisfies the constraint, which a fixpoint does whatever it
/// came from: some pair that is left though it is excluded, {n, n} where
/// somebody is alone, or nothing. Cost: O(n^2).
inline std::optional<Violation> find_violation(HostMarket const& market, PairSet const& pairs,
                                               Rules const& rules = {}) {
  std::optional<Violation> found;
  for (People const side : {People::men, People::women}) {
    auto const note = [&](std::size_t person, std::size_t partner) {
      found = side == People::men ? Violation{person, partner} : Violation{partner, person};
    };
    bool const proposes = side == People::men || rules.symmetric;
    if (proposes && !detail::for_each_excluded(market, pairs, side, note)) {
      return Violation{market.size(), market.size()};
    }
    if (rules.engage) {
      detail::for_each_bereft(market, pairs, side, note);
    }
  }
  return found;
}

}  // namespace taper::marriage_propagator
