// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/blocks.hpp>
#include <taper/distributed/communicator.hpp>
#include <taper/preferences/validate.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/distributed/shard.hpp>
#include <taper/stable_marriage/distributed/sides.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Checks of instances and matchings over the processes of MPI. Each process marks the women that
// its men prefer to their partners. It sends the marks to the processes of the women. These look
// for marked men that a woman prefers to her partner. The checks share no code with the rounds,
// except for the messages.

namespace taper::stable_marriage {
namespace detail {

/// A bit per pair of a man of this process and a woman of any process, in tiles. A tile has the
/// women of one process: a row of bits per man. Tiles lie one after another.
template <class Memory>
struct BitTiles {
  Blocks<Memory> women;
  std::uint64_t men;
  Kokkos::View<std::uint64_t*, Memory> begin;  ///< per process: of its tile among the words
  Kokkos::View<std::uint32_t*, Memory> words;

  BitTiles(Blocks<Memory> const& blocks, std::uint64_t rows)
      : women(blocks), men(rows),
        begin("taper::stable_marriage::tiles", blocks.processes() + std::size_t{1}) {
    for (std::uint32_t process = 0; process < women.processes(); ++process) {
      begin(process + 1) = begin(process) + men * row_words(process);
    }
    words = Kokkos::View<std::uint32_t*, Memory>("taper::stable_marriage::preferred",
                                                 begin(women.processes()));
  }

  KOKKOS_FUNCTION std::uint64_t row_words(std::uint32_t process) const {
    return (women.first(process + 1) - women.first(process) + 31) / 32;
  }
  /// Not atomic: one worker sets all bits of a man.
  KOKKOS_FUNCTION void set(std::uint64_t man, std::uint64_t woman) const {
    std::uint32_t const process = women.home_of(woman);
    std::uint64_t const bit = woman - women.first(process);
    words(begin(process) + man * row_words(process) + bit / 32) |= 1u << bit % 32;
  }
};

/// Sets the bits of the women that each own man prefers to his partner.
template <class Preferences, class Partners, class Memory>
struct MarkPreferredByOwn {
  Preferences men;
  Partners partner_of;
  BitTiles<Memory> preferred;

  KOKKOS_FUNCTION void operator()(std::size_t man) const {
    auto const partner = static_cast<std::size_t>(partner_of(man));
    for (std::size_t rank = 0; rank < men.extent(1) && men(man, rank) != partner; ++rank) {
      preferred.set(man, men(man, rank));
    }
  }
};

/// A bit per pair of a man of any process and a woman of this one: a row of bits per man.
template <class Memory>
struct BitsOfAllMen {
  Kokkos::View<std::uint32_t*, Memory> words;
  std::uint64_t row_words;

  KOKKOS_FUNCTION bool test(std::uint64_t man, std::uint64_t woman) const {
    return (words(man * row_words + woman / 32) >> woman % 32 & 1u) != 0;
  }
};

/// The partner of each own woman. BlockingMen reads no others.
template <class Memory>
struct PartnersOfOwn {
  Kokkos::View<std::uint32_t*, Memory> man_of;  ///< of all women
  std::uint64_t first;

  KOKKOS_FUNCTION std::uint32_t operator()(std::size_t woman) const {
    return man_of(first + woman);
  }
};

/// Sends each process the tile with its women. Returns the bits of all men with the own women.
template <class Memory>
BitsOfAllMen<Memory> exchange_marks(Communicator const& communicator, Sides<Memory> const& sides,
                                    BitTiles<Memory> const& own) {
  std::uint32_t const process = communicator.process();
  std::uint64_t const row_words = own.row_words(process);
  BitsOfAllMen<Memory> const all{
      Kokkos::View<std::uint32_t*, Memory>("taper::stable_marriage::preferred_by_all",
                                           sides.n() * row_words),
      row_words};
  distributed::Messages messages(communicator, distributed::longest_message);
  for (std::uint32_t other = 0; other < communicator.processes(); ++other) {
    std::uint32_t* const to = all.words.data() + sides.men.first(other) * row_words;
    std::uint32_t const* const from = own.words.data() + own.begin(other);
    std::uint64_t const words = own.begin(other + 1) - own.begin(other);
    if (other == process) {
      std::copy_n(from, words, to);
      continue;
    }
    std::uint64_t const men = sides.men.first(other + 1) - sides.men.first(other);
    messages.receive(other, to, men * row_words * sizeof(std::uint32_t));
    messages.send(other, from, words * sizeof(std::uint32_t));
  }
  messages.wait();
  return all;
}

/// Gathers the partner of each man of all processes.
///
/// Throws: CollectiveError if it is no perfect matching.
template <class Exec, class Memory, class Partners>
auto gather_partners(std::string const& function, Communicator const& communicator,
                     Exec const& where, Sides<Memory> const& sides, Partners const& partner_of) {
  using Id = typename Partners::non_const_value_type;
  Kokkos::View<Id*, Memory> const own("taper::stable_marriage::own_partners", partner_of.extent(0));
  for (std::size_t man = 0; man < own.extent(0); ++man) {
    own(man) = partner_of(man);  // the caller's View may have a stride
  }
  auto const all = distributed::gather_blocks(communicator, sides.men, own);
  auto const bad = find_bad_partner(where, all);
  communicator.require(!bad, function + ": partner_of is no perfect matching: the partner of man " +
                                 std::to_string(bad.value_or(0)) +
                                 " is out of range or the partner of an earlier man");
  return all;
}

/// Makes the functor that finds the blocking pairs of an own woman. It numbers the own women from
/// 0.
template <class Exec, class Preferences, class Partners>
auto find_blocking_men(std::string const& function, Communicator const& communicator,
                       Exec const& where, Shard<Preferences> const& shard,
                       Partners const& partner_of) {
  using Memory = typename Exec::memory_space;
  auto const sides =
      require_sides(function, communicator, shard, partners_problem(shard, partner_of));
  auto const partners = gather_partners(function, communicator, where, sides, partner_of);
  BitTiles<Memory> const preferred(sides.women, shard.men.extent(0));
  Kokkos::parallel_for(
      "taper::stable_marriage::mark_preferred_by_own",
      preferences::PersonRange<Exec>(where, 0, shard.men.extent(0)),
      MarkPreferredByOwn<Preferences, Partners, Memory>{shard.men, partner_of, preferred});
  where.fence("taper::stable_marriage: wait for the marks of the own men");
  auto const marks = exchange_marks(communicator, sides, preferred);
  PartnersOfOwn<Memory> const man_of{invert(where, partners),
                                     sides.women.first(communicator.process())};
  return BlockingMen<Preferences, PartnersOfOwn<Memory>, BitsOfAllMen<Memory>>{shard.women, man_of,
                                                                               marks};
}

}  // namespace detail

/// Finds the first row of all processes that is no permutation; nothing if all are. `rows`: the
/// lists of one side in this process. All processes call it, and get the same result.
///
/// Equivalent to: find_bad_row() of one process, on the rows of all. Cost: as there, for `rows`.
/// Throws: CollectiveError if lists have different lengths.
template <HostExecutionSpace Exec, class Preferences>
std::optional<BadEntry> find_bad_row(Exec const& where, MPI_Comm communicator,
                                     Preferences const& rows) {
  std::string const function = "taper::stable_marriage::find_bad_row";
  detail::Communicator const processes(function, communicator);
  auto const counts = processes.gather(rows.extent(0));
  auto const blocks = distributed::make_blocks<Kokkos::HostSpace>(counts);
  std::uint64_t const columns = processes.largest_of(rows.extent(0) > 0 ? rows.extent(1) : 0);
  bool const fits = rows.extent(0) == 0 || rows.extent(1) == columns;
  processes.agree(function, fits ? std::string()
                                 : "a list here has " + std::to_string(rows.extent(1)) +
                                       " entries, and one elsewhere " + std::to_string(columns));
  auto const own = find_bad_row(where, rows);
  std::uint64_t const first =
      processes.least_of(own ? (blocks.first(processes.process()) + own->row) * columns + own->entry
                             : preferences::detail::none);
  return first == preferences::detail::none
             ? std::nullopt
             : std::optional(BadEntry{first / columns, first % columns});
}

/// Counts the blocking pairs of the whole instance; 0: the perfect matching `partner_of` is stable.
/// partner_of(i) is the woman of man i of this process. All processes call it, and get the same
/// result.
///
/// Equivalent to: count_blocking_pairs() for one process.
/// Requires: each row is a permutation, as find_bad_row() checks; shards lie in host memory.
/// Cost: for m men and w women of this process: O((m + w) n) work, n (m + w) / 8 + 8 n bytes, and
///   n m / 8 + 4 n bytes of messages.
/// Throws: CollectiveError if extents disagree or the matching is not perfect.
template <HostExecutionSpace Exec, class Preferences, class Partners>
std::uint64_t count_blocking_pairs(Exec const& where, MPI_Comm communicator,
                                   Shard<Preferences> const& shard, Partners const& partner_of) {
  std::string const function = "taper::stable_marriage::count_blocking_pairs";
  detail::Communicator const processes(function, communicator);
  Region const region(function);
  return processes.sum_of(detail::count_pairs(
      where, detail::find_blocking_men(function, processes, where, shard, partner_of)));
}

/// Finds the first `limit` blocking pairs of the whole instance, sorted by the woman's id, then by
/// the man's rank in her list. All processes call it with the same limit, and get the same result.
///
/// Equivalent to: find_blocking_pairs() of one process.
/// Requires, Throws: as count_blocking_pairs().
/// Cost: as count_blocking_pairs(), with up to three scans of the women's lists instead of one, and
///   8 bytes per pair and process.
template <HostExecutionSpace Exec, class Preferences, class Partners>
std::vector<BlockingPair> find_blocking_pairs(Exec const& where, MPI_Comm communicator,
                                              Shard<Preferences> const& shard,
                                              Partners const& partner_of, std::size_t limit) {
  std::string const function = "taper::stable_marriage::find_blocking_pairs";
  detail::Communicator const processes(function, communicator);
  Region const region(function);
  auto const finder = detail::find_blocking_men(function, processes, where, shard, partner_of);
  auto pairs = detail::find_pairs(where, finder, limit);
  for (auto& pair : pairs) {
    pair.woman += static_cast<std::uint32_t>(finder.man_of.first);
  }
  return distributed::gather_first(processes, pairs, limit);
}

}  // namespace taper::stable_marriage
