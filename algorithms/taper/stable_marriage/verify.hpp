// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/sharded_instance.hpp>
#include <taper/stable_marriage/validate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// Independent of the engines: nothing here knows a rank matrix, a PRMatrix or a proposal.

namespace taper::stable_marriage {

/// A man and a woman who both like each other better than their partners.
struct BlockingPair {
  std::uint32_t man;
  std::uint32_t woman;

  friend bool operator==(BlockingPair const&, BlockingPair const&) = default;
};

namespace detail {

template <class Partners, class Husbands>
struct InvertMatching {
  Partners partner_of;
  Husbands husband_of;

  KOKKOS_FUNCTION void operator()(std::size_t man) const {
    husband_of(partner_of(man)) = static_cast<typename Husbands::value_type>(man);
  }
};

/// Bit (m, w): man m likes woman w better than his partner.
template <class Preferences, class Partners, class Bits>
struct MarkWishes {
  Preferences men;
  Partners partner_of;
  Bits wishes;

  KOKKOS_FUNCTION void operator()(std::size_t man) const {
    auto const n = men.extent(1);
    auto const partner = static_cast<std::size_t>(partner_of(man));
    wishes.clear(man);
    for (std::size_t rank = 0; rank < n && men(man, rank) != partner; ++rank) {
      wishes.set(man, men(man, rank));
    }
  }
};

/// The walk that finds a woman's blocking pairs: the men above her husband on her list who wish for
/// her.
template <class Preferences, class Husbands, class Bits>
struct Suitors {
  Preferences women;
  Husbands husband_of;
  Bits wishes;

  /// How many there are; the first `room` of them are written to `out`, the best for her first.
  KOKKOS_FUNCTION std::uint64_t of(std::size_t woman, BlockingPair* out, std::uint64_t room) const {
    auto const n = women.extent(1);
    std::uint64_t found = 0;
    for (std::size_t rank = 0; rank < n && women(woman, rank) != husband_of(woman); ++rank) {
      auto const man = women(woman, rank);
      if (wishes.test(man, woman)) {
        if (found < room) {
          out[found] = {man, static_cast<std::uint32_t>(woman)};
        }
        ++found;
      }
    }
    return found;
  }
};

template <class Walk>
struct CountSuitors {
  Walk suitors;

  KOKKOS_FUNCTION void operator()(std::size_t woman, std::uint64_t& total) const {
    total += suitors.of(woman, nullptr, 0);
  }
};

/// A scan over the women: the pairs before hers say where hers go.
template <class Walk, class Pairs>
struct CollectSuitors {
  Walk suitors;
  Pairs pairs;

  KOKKOS_FUNCTION void operator()(std::size_t woman, std::uint64_t& before, bool final) const {
    bool const writes = final && before < pairs.extent(0);
    before += writes ? suitors.of(woman, pairs.data() + before, pairs.extent(0) - before)
                     : suitors.of(woman, nullptr, 0);
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
                    std::to_string(*bad) + " is out of range or the partner of a man before him");
}

template <class Space, class Preferences, class Partners>
void require_perfect(char const* function, Space const& where,
                     Instance<Preferences> const& instance, Partners const& partner_of) {
  require_square(function, instance);
  require_perfect(function, where, instance.size(), partner_of);
}

template <class Space, class Partners>
auto invert(Space const& where, Partners const& partner_of) {
  using Husbands = Kokkos::View<std::uint32_t*, typename Space::memory_space>;
  Husbands const husband_of(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::husband_of"),
      partner_of.extent(0));
  Kokkos::parallel_for("taper::stable_marriage::invert_matching",
                       People<Space>(where, 0, partner_of.extent(0)),
                       InvertMatching<Partners, Husbands>{partner_of, husband_of});
  return husband_of;
}

template <class Space, class Lists, class Partners>
auto suitors(Space const& where, Lists const& men, Lists const& women, Partners const& partner_of) {
  using Bits = BitRows<Space>;
  auto const n = men.extent(0);
  Bits const wishes(where, "taper::stable_marriage::wishes", n, n);
  Kokkos::parallel_for("taper::stable_marriage::mark_wishes", People<Space>(where, 0, n),
                       MarkWishes<Lists, Partners, Bits>{men, partner_of, wishes});
  auto const husband_of = invert(where, partner_of);
  return Suitors<Lists, std::remove_const_t<decltype(husband_of)>, Bits>{women, husband_of, wishes};
}

template <class Space, class Walk>
std::uint64_t count_suitors(Space const& where, Walk const& walk) {
  std::uint64_t total = 0;
  Kokkos::parallel_reduce("taper::stable_marriage::count_blocking_pairs",
                          People<Space>(where, 0, walk.women.extent(0)), CountSuitors<Walk>{walk},
                          total);
  return total;
}

/// The first `limit` of them.
template <class Space, class Walk>
std::vector<BlockingPair> find_suitors(Space const& where, Walk const& walk, std::size_t limit) {
  using Pairs = Kokkos::View<BlockingPair*, typename Space::memory_space>;
  using HostPairs =
      Kokkos::View<BlockingPair*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  std::vector<BlockingPair> found(std::min<std::uint64_t>(limit, count_suitors(where, walk)));
  if (found.empty()) {
    return found;
  }
  Pairs const pairs(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::pairs"),
      found.size());
  Kokkos::parallel_scan("taper::stable_marriage::find_blocking_pairs",
                        People<Space>(where, 0, walk.women.extent(0)),
                        CollectSuitors<Walk, Pairs>{walk, pairs});
  Kokkos::deep_copy(where, HostPairs(found.data(), found.size()), pairs);
  where.fence("taper::stable_marriage::find_blocking_pairs: the pairs are on the host");
  return found;
}

}  // namespace detail

/// Bytes that the functions below allocate at their peak on an instance of n.
constexpr std::uint64_t verifier_bytes(std::uint64_t n) {
  return n * ((n + 31) / 32 * 4 + 12);
}

/// The number of blocking pairs; 0 means that the perfect matching `partner_of` is stable.
///
/// Equivalent to: for every man and every woman, ask whether each likes the other better than the
///           partner, and count the pairs where both do.
/// Requires: each list of the instance is a permutation (see find_bad_row(); not checked here);
///           partner_of(m) is the woman of man m, readable from `where`; any values.
/// Cost:     O(n^2) work, verifier_bytes(n): n*n/8 + 12n.
/// Async:    returns with `where` fenced.
/// Throws:   taper::Error if extents disagree or the matching is not perfect.
template <class Space, class Preferences, class Partners>
std::uint64_t count_blocking_pairs(Space const& where, Instance<Preferences> const& instance,
                                   Partners const& partner_of) {
  detail::assert_accessible<Space, Preferences>();
  Region const region("taper::stable_marriage::count_blocking_pairs");
  detail::require_perfect("taper::stable_marriage::count_blocking_pairs", where, instance,
                          partner_of);
  return detail::count_suitors(where,
                               detail::suitors(where, instance.men, instance.women, partner_of));
}

/// The same of an instance on several devices, whose memory `where` reaches: it reads every list
/// where it lies.
template <class Space, class Preferences, class Partners>
std::uint64_t count_blocking_pairs(Space const& where, ShardedInstance<Preferences> const& instance,
                                   Partners const& partner_of) {
  detail::assert_accessible<Space, Preferences>();
  Region const region("taper::stable_marriage::count_blocking_pairs");
  detail::require_perfect("taper::stable_marriage::count_blocking_pairs", where, instance.size(),
                          partner_of);
  return detail::count_suitors(where, detail::suitors(where, rows_of(instance.homes, instance.men),
                                                      rows_of(instance.homes, instance.women),
                                                      partner_of));
}

/// The first `limit` blocking pairs, ordered by the woman's id, and for one woman with the man she
/// likes best first. The same pairs on every backend.
///
/// Requires, Async, Throws: as count_blocking_pairs().
/// Cost:     as count_blocking_pairs(), but up to three walks over the women's lists, not one, and
///           8 bytes a pair returned.
template <class Space, class Preferences, class Partners>
std::vector<BlockingPair> find_blocking_pairs(Space const& where,
                                              Instance<Preferences> const& instance,
                                              Partners const& partner_of, std::size_t limit) {
  detail::assert_accessible<Space, Preferences>();
  Region const region("taper::stable_marriage::find_blocking_pairs");
  detail::require_perfect("taper::stable_marriage::find_blocking_pairs", where, instance,
                          partner_of);
  return detail::find_suitors(
      where, detail::suitors(where, instance.men, instance.women, partner_of), limit);
}

/// The same of an instance on several devices.
template <class Space, class Preferences, class Partners>
std::vector<BlockingPair> find_blocking_pairs(Space const& where,
                                              ShardedInstance<Preferences> const& instance,
                                              Partners const& partner_of, std::size_t limit) {
  detail::assert_accessible<Space, Preferences>();
  Region const region("taper::stable_marriage::find_blocking_pairs");
  detail::require_perfect("taper::stable_marriage::find_blocking_pairs", where, instance.size(),
                          partner_of);
  return detail::find_suitors(where,
                              detail::suitors(where, rows_of(instance.homes, instance.men),
                                              rows_of(instance.homes, instance.women), partner_of),
                              limit);
}

}  // namespace taper::stable_marriage
