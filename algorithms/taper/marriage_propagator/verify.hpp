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
      : n_(instance.size()), lists_{ids(instance.men), ids(instance.women)} {}

  std::size_t size() const { return n_; }
  /// Whom the person likes `value`-th, 0 the best.
  std::size_t liked(People side, std::size_t person, std::size_t value) const {
    return lists_[index_of(side)][person * n_ + value];
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

  std::size_t n_;
  std::vector<std::uint32_t> lists_[2];
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
  for (std::size_t proposer = 0; proposer < n; ++proposer) {
    std::size_t best = 0;
    while (best < n && !seen.has(proposer, market.liked(side, proposer, best))) {
      ++best;
    }
    if (best == n) {
      return false;
    }
    for (std::size_t value = 0; value <= best; ++value) {
      std::size_t const receiver = market.liked(side, proposer, value);
      bool liked_less = false;
      for (std::size_t rank = 0; rank < n; ++rank) {
        std::size_t const rival = market.liked(other(side), receiver, rank);
        if (liked_less && seen.has(rival, receiver)) {
          excluded(rival, receiver);
        }
        liked_less = liked_less || rival == proposer;
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

}  // namespace detail

/// The greatest set within `pairs` that the constraint allows; nothing where it
/// leaves somebody alone.
///
/// Equivalent to: remove one excluded pair after the other until there is none.
/// Cost: O(n^3) for each round of removals.
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
/// somebody is alone, or nothing. Cheap enough for n of thousands where the
/// men's minima are small: O(n) for each value up to them.
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
