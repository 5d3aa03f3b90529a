// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/error.hpp>
#include <taper/hospitals_residents/lot.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

namespace taper::hospitals_residents::detail {

/// A free seat. It is worse than any offer.
inline constexpr AtomicWord empty_seat = std::numeric_limits<AtomicWord>::max();

/// How an offer of a resident to a hospital is written in one 64-bit word. The least word is the
/// best offer, so hospitals compare words and never look into a list.
///
/// Fields from the top: the round of the mechanism, the key, the lot, and the *hint*: the position
/// of the hospital in the resident's list, or less if it does not fit. From the lot comes the
/// resident, and from the hint on its list is searched for the hospital. So a resident that loses
/// its seat can go on from the word alone. No array of positions has to be kept in order with the
/// seats.
struct OfferFormat {
  Lots lots;
  std::uint32_t positions_per_round;  ///< positions that share a round; 0: all
  unsigned key_shift;
  unsigned round_shift;  ///< 64 if there is one round
  std::uint32_t largest_hint;
  unsigned hint_bits;

  KOKKOS_FUNCTION AtomicWord offer(std::uint64_t resident, std::uint64_t hospital,
                                   std::uint32_t position, std::uint32_t key) const {
    AtomicWord word = AtomicWord{key} << key_shift | lots.of(resident, hospital) << hint_bits |
                      (position < largest_hint ? position : largest_hint);
    if (positions_per_round > 0) {
      word |= AtomicWord{position / positions_per_round} << round_shift;
    }
    return word;
  }
  KOKKOS_FUNCTION std::uint32_t resident_of(AtomicWord word, std::uint64_t hospital) const {
    std::uint64_t const lot = word >> hint_bits & ((std::uint64_t{1} << lots.bits()) - 1);
    return static_cast<std::uint32_t>(lots.resident_of(lot, hospital));
  }
  KOKKOS_FUNCTION std::uint32_t hint_of(AtomicWord word) const {
    return static_cast<std::uint32_t>(word & ((AtomicWord{1} << hint_bits) - 1));
  }
};

/// The position of the hospital in the list of the resident whose offer to it this is.
template <class Space>
KOKKOS_FUNCTION std::uint32_t position_of(Market<Space> const& market, OfferFormat const& format,
                                          std::uint32_t resident, std::uint64_t hospital,
                                          AtomicWord offer) {
  std::uint32_t position = format.hint_of(offer);
  if (position < format.largest_hint) {
    return position;
  }
  auto const begin = static_cast<std::uint64_t>(market.offsets(resident));
  while (market.hospitals(begin + position) != hospital) {
    ++position;
  }
  return position;
}

/// Bits for the numbers 0 .. largest.
constexpr unsigned bits_for(std::uint64_t largest) {
  return static_cast<unsigned>(std::bit_width(largest));
}

/// The largest of `values`; 0 if there are none.
template <class Exec, class View>
std::uint64_t largest_of(Exec const& where, View const& values) {
  std::uint64_t largest = 0;
  if (values.extent(0) > 0) {
    Kokkos::parallel_reduce(
        "taper::hospitals_residents::largest_key", ItemRange<Exec>(where, 0, values.extent(0)),
        KOKKOS_LAMBDA(std::uint64_t i, std::uint64_t & best) {
          best = values(i) > best ? values(i) : best;
        },
        Kokkos::Max<std::uint64_t>(largest));
  }
  return largest;
}

/// The longest list.
template <class Exec, class Space>
std::uint64_t longest_list(Exec const& where, Market<Space> const& market) {
  std::uint64_t longest = 0;
  if (market.resident_count() > 0) {
    Kokkos::parallel_reduce(
        "taper::hospitals_residents::longest_list",
        ItemRange<Exec>(where, 0, market.resident_count()),
        KOKKOS_LAMBDA(std::uint64_t resident, std::uint64_t & best) {
          best = market.list_length(resident) > best ? market.list_length(resident) : best;
        },
        Kokkos::Max<std::uint64_t>(longest));
  }
  return longest;
}

/// The length that all lists have; 0 if their lengths differ.
template <class Exec, class Space>
std::uint32_t equal_list_length(Exec const& where, Market<Space> const& market) {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  Kokkos::parallel_reduce(
      "taper::hospitals_residents::equal_list_length",
      ItemRange<Exec>(where, 0, market.resident_count()),
      KOKKOS_LAMBDA(std::uint64_t resident, std::uint32_t & low, std::uint32_t & high) {
        std::uint32_t const length = market.list_length(resident);
        low = Kokkos::min(low, length);
        high = Kokkos::max(high, length);
      },
      Kokkos::Min<std::uint32_t>(least), Kokkos::Max<std::uint32_t>(most));
  return least == most ? most : 0;
}

/// Throws: taper::Error if options contradict each other or are out of range.
inline void require_options(std::string const& function, Options const& options) {
  TAPER_REQUIRE(options.proposer == Proposer::residents ||
                    options.mechanism == Mechanism::deferred_acceptance,
                function + ": with mechanism '" + std::string(to_string(options.mechanism)) +
                    "' residents propose");
  TAPER_REQUIRE(options.choices_per_round > 0, function + ": choices_per_round is at least 1");
}

/// Positions of a list that are alike for the mechanism; 0: all.
constexpr std::uint32_t positions_per_round(Options const& options) {
  switch (options.mechanism) {
  case Mechanism::immediate_acceptance:
    return 1;
  case Mechanism::parallel_mechanism:
    return options.choices_per_round;
  case Mechanism::deferred_acceptance:
  case Mechanism::top_trading_cycles:
    break;
  }
  return 0;
}

/// The format for a market of `residents` residents. `longest_list` and `largest_key` are functions that
/// return these numbers. They are called only if needed: the first if the mechanism has rounds, the
/// second if 32 bits for each key do not fit beside the other fields.
///
/// Throws: taper::Error if no format has 64 bits or less.
template <class LongestList, class LargestKey>
OfferFormat offer_format(std::uint64_t residents, Options const& options,
                         LongestList const& longest_list, LargestKey const& largest_key) {
  unsigned lot_bits = bits_for(residents > 0 ? residents - 1 : 0);
  if (options.lottery != Lottery::by_id) {
    lot_bits = std::max(lot_bits, Lots::min_bits);
  }
  std::uint32_t const per_round = positions_per_round(options);
  unsigned round_bits = 0;
  if (per_round > 0) {
    std::uint64_t const longest = longest_list();
    round_bits = bits_for(longest > 0 ? (longest - 1) / per_round : 0);
  }
  unsigned key_bits = 32;
  if (round_bits + key_bits + lot_bits >= 64) {
    key_bits = bits_for(largest_key());
  }
  unsigned const used = round_bits + key_bits + lot_bits;
  TAPER_REQUIRE(used < 64, "taper::hospitals_residents::solve: an offer has 64 bits, but rounds (" +
                               std::to_string(round_bits) + " bits), keys (" +
                               std::to_string(key_bits) + "), residents (" +
                               std::to_string(lot_bits) + ") need " + std::to_string(used) +
                               " and one more; make the keys smaller, for example ranks");
  unsigned const hint_bits = std::min(64 - used, 32u);
  // Not all ones: then no offer is equal to an empty seat.
  std::uint32_t const largest_hint =
      static_cast<std::uint32_t>((std::uint64_t{1} << hint_bits) - 2);
  return {.lots = {options.lottery, options.seed, lot_bits},
          .positions_per_round = round_bits > 0 ? per_round : 0,
          .key_shift = lot_bits + hint_bits,
          .round_shift = key_bits + lot_bits + hint_bits,
          .largest_hint = largest_hint,
          .hint_bits = hint_bits};
}

/// The format for this market. Reads offsets and keys only if it needs them.
template <class Exec, class Space>
OfferFormat offer_format(Exec const& where, Market<Space> const& market, Options const& options) {
  return offer_format(
      market.resident_count(), options, [&] { return longest_list(where, market); },
      [&] { return largest_of(where, market.keys); });
}

}  // namespace taper::hospitals_residents::detail
