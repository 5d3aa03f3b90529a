// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/preferences/validate.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/sharded/instance.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// Checks that a matching is stable, and lists its blocking pairs.
//
// The verifier is independent of the engines: it uses no rank matrix, no PRMatrix and no proposals.
// `partner_of` maps men to women, whichever side proposed.

namespace taper::stable_marriage {

/// A man and a woman that both prefer each other to their partners.
struct BlockingPair {
  std::uint32_t man;
  std::uint32_t woman;

  friend bool operator==(BlockingPair const&, BlockingPair const&) = default;
};

namespace detail {

/// man_of(w) = the partner of woman w.
template <class Partners, class Men>
struct InvertMatching {
  Partners partner_of;
  Men man_of;

  KOKKOS_FUNCTION void operator()(std::size_t man) const {
    man_of(partner_of(man)) = static_cast<typename Men::value_type>(man);
  }
};

/// Sets bit (m, w) if man m prefers woman w to his partner.
template <class Preferences, class Partners, class Bits>
struct MarkPreferred {
  Preferences men;
  Partners partner_of;
  Bits preferred;

  KOKKOS_FUNCTION void operator()(std::size_t man) const {
    auto const n = men.extent(1);
    auto const partner = static_cast<std::size_t>(partner_of(man));
    preferred.clear(man);
    for (std::size_t rank = 0; rank < n && men(man, rank) != partner; ++rank) {
      preferred.set(man, men(man, rank));
    }
  }
};

/// Scans a woman's list up to her partner. The men before him that prefer her to their partners
/// form blocking pairs with her.
template <class Preferences, class Men, class Bits>
struct BlockingMen {
  Preferences women;
  Men man_of;
  Bits preferred;

  /// Returns the number of her blocking pairs. Writes the first `room` of them to `out`, in the
  /// order of her list.
  KOKKOS_FUNCTION std::uint64_t of(std::size_t woman, BlockingPair* out, std::uint64_t room) const {
    auto const n = women.extent(1);
    std::uint64_t found = 0;
    for (std::size_t rank = 0; rank < n && women(woman, rank) != man_of(woman); ++rank) {
      auto const man = women(woman, rank);
      if (preferred.test(man, woman)) {
        if (found < room) {
          out[found] = {man, static_cast<std::uint32_t>(woman)};
        }
        ++found;
      }
    }
    return found;
  }
};

template <class Finder>
struct CountBlockingPairs {
  Finder blocking_men;

  KOKKOS_FUNCTION void operator()(std::size_t woman, std::uint64_t& total) const {
    total += blocking_men.of(woman, nullptr, 0);
  }
};

/// A scan over the women. The pairs of a woman come after those of all women before her.
template <class Finder, class Pairs>
struct CollectBlockingPairs {
  Finder blocking_men;
  Pairs pairs;

  KOKKOS_FUNCTION void operator()(std::size_t woman, std::uint64_t& before, bool final) const {
    bool const writes = final && before < pairs.extent(0);
    before += writes ? blocking_men.of(woman, pairs.data() + before, pairs.extent(0) - before)
                     : blocking_men.of(woman, nullptr, 0);
  }
};

template <class Space, class Partners>
void require_perfect(char const* function, Space const& where, std::size_t men,
                     Partners const& partner_of) {
  TAPER_REQUIRE(partner_of.extent(0) == men,
                std::string(function) + ": partner_of has " + std::to_string(partner_of.extent(0)) +
                    " entries, the instance has " + std::to_string(men) + " men");
  auto const bad = find_bad_partner(where, partner_of);
  TAPER_REQUIRE(!bad,
                std::string(function) + ": partner_of is no perfect matching: the partner of man " +
                    std::to_string(*bad) + " is out of range or the partner of an earlier man");
}

template <class Space, class Preferences, class Partners>
void require_perfect(char const* function, Space const& where,
                     Instance<Preferences> const& instance, Partners const& partner_of) {
  preferences::require_square(function, instance);
  require_perfect(function, where, instance.size(), partner_of);
}

template <class Space, class Partners>
auto invert(Space const& where, Partners const& partner_of) {
  using Men = Kokkos::View<std::uint32_t*, typename Space::memory_space>;
  Men const man_of(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::man_of"),
      partner_of.extent(0));
  Kokkos::parallel_for("taper::stable_marriage::invert_matching",
                       preferences::PersonRange<Space>(where, 0, partner_of.extent(0)),
                       InvertMatching<Partners, Men>{partner_of, man_of});
  return man_of;
}

/// Marks the women that each man prefers to his partner. Returns a functor that finds the blocking
/// pairs of a woman.
template <class Space, class Lists, class Partners>
auto find_blocking_men(Space const& where, Lists const& men, Lists const& women,
                       Partners const& partner_of) {
  using Bits = preferences::BitRows<Space>;
  auto const n = men.extent(0);
  Bits const preferred(where, "taper::stable_marriage::preferred", n, n);
  Kokkos::parallel_for("taper::stable_marriage::mark_preferred",
                       preferences::PersonRange<Space>(where, 0, n),
                       MarkPreferred<Lists, Partners, Bits>{men, partner_of, preferred});
  auto const man_of = invert(where, partner_of);
  return BlockingMen<Lists, std::remove_const_t<decltype(man_of)>, Bits>{women, man_of, preferred};
}

template <class Space, class Finder>
std::uint64_t count_pairs(Space const& where, Finder const& finder) {
  std::uint64_t total = 0;
  Kokkos::parallel_reduce("taper::stable_marriage::count_blocking_pairs",
                          preferences::PersonRange<Space>(where, 0, finder.women.extent(0)),
                          CountBlockingPairs<Finder>{finder}, total);
  return total;
}

/// The first `limit` blocking pairs.
template <class Space, class Finder>
std::vector<BlockingPair> find_pairs(Space const& where, Finder const& finder, std::size_t limit) {
  using Pairs = Kokkos::View<BlockingPair*, typename Space::memory_space>;
  using HostPairs =
      Kokkos::View<BlockingPair*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  std::vector<BlockingPair> found(std::min<std::uint64_t>(limit, count_pairs(where, finder)));
  if (found.empty()) {
    return found;
  }
  Pairs const pairs(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::pairs"),
      found.size());
  Kokkos::parallel_scan("taper::stable_marriage::find_blocking_pairs",
                        preferences::PersonRange<Space>(where, 0, finder.women.extent(0)),
                        CollectBlockingPairs<Finder, Pairs>{finder, pairs});
  Kokkos::deep_copy(where, HostPairs(found.data(), found.size()), pairs);
  where.fence("taper::stable_marriage::find_blocking_pairs: wait for the pairs");
  return found;
}

}  // namespace detail

/// Bytes that the functions below allocate at their peak for an instance of n people per side.
constexpr std::uint64_t verifier_bytes(std::uint64_t n) {
  return n * ((n + 31) / 32 * 4 + 12);
}

/// The number of blocking pairs; 0 means that the perfect matching `partner_of` is stable.
///
/// Equivalent to: for each man and each woman, test whether each prefers the other to the partner,
///           and count the pairs for which both do.
/// Requires: each row of the instance is a permutation; find_bad_row() checks this, this function
///           does not. partner_of(m) is the woman of man m, readable from `where`; any values.
/// Cost:     O(n^2) work, verifier_bytes(n): n*n/8 + 12n.
/// Async:    returns with `where` fenced.
/// Throws:   taper::Error if extents disagree or the matching is not perfect.
template <class Space, class Preferences, class Partners>
std::uint64_t count_blocking_pairs(Space const& where, Instance<Preferences> const& instance,
                                   Partners const& partner_of) {
  preferences::assert_accessible<Space, Preferences>();
  Region const region("taper::stable_marriage::count_blocking_pairs");
  detail::require_perfect("taper::stable_marriage::count_blocking_pairs", where, instance,
                          partner_of);
  return detail::count_pairs(
      where, detail::find_blocking_men(where, instance.men, instance.women, partner_of));
}

/// The same for an instance on several devices. `where` reads each list in the memory of its
/// device, so it must reach all of these.
template <class Space, class Preferences, class Partners>
std::uint64_t count_blocking_pairs(Space const& where, ShardedInstance<Preferences> const& instance,
                                   Partners const& partner_of) {
  preferences::assert_accessible<Space, Preferences>();
  Region const region("taper::stable_marriage::count_blocking_pairs");
  detail::require_perfect("taper::stable_marriage::count_blocking_pairs", where, instance.size(),
                          partner_of);
  return detail::count_pairs(
      where,
      detail::find_blocking_men(where, sharded_rows_of(instance.partition, instance.men),
                                sharded_rows_of(instance.partition, instance.women), partner_of));
}

/// The first `limit` blocking pairs, sorted by the woman's id, then by the man's rank in her list.
/// The same pairs on every backend.
///
/// Requires, Async, Throws: as count_blocking_pairs().
/// Cost:     as count_blocking_pairs(), but up to three scans of the women's lists instead of one,
///           and 8 bytes per returned pair.
template <class Space, class Preferences, class Partners>
std::vector<BlockingPair> find_blocking_pairs(Space const& where,
                                              Instance<Preferences> const& instance,
                                              Partners const& partner_of, std::size_t limit) {
  preferences::assert_accessible<Space, Preferences>();
  Region const region("taper::stable_marriage::find_blocking_pairs");
  detail::require_perfect("taper::stable_marriage::find_blocking_pairs", where, instance,
                          partner_of);
  return detail::find_pairs(
      where, detail::find_blocking_men(where, instance.men, instance.women, partner_of), limit);
}

/// The same for an instance on several devices.
template <class Space, class Preferences, class Partners>
std::vector<BlockingPair> find_blocking_pairs(Space const& where,
                                              ShardedInstance<Preferences> const& instance,
                                              Partners const& partner_of, std::size_t limit) {
  preferences::assert_accessible<Space, Preferences>();
  Region const region("taper::stable_marriage::find_blocking_pairs");
  detail::require_perfect("taper::stable_marriage::find_blocking_pairs", where, instance.size(),
                          partner_of);
  return detail::find_pairs(
      where,
      detail::find_blocking_men(where, sharded_rows_of(instance.partition, instance.men),
                                sharded_rows_of(instance.partition, instance.women), partner_of),
      limit);
}

}  // namespace taper::stable_marriage
