// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/shared.hpp>
#include <taper/marriage_propagator/window.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

/// A person's state on its way between host and execution space: three words,
/// then the row.
///
/// Where serial calls follow, each has room for a Window behind it, which a proposer brings to the host,
/// and a proposer may come twice: before his state a record whose row has the values that are missing.
struct Record {
  static constexpr std::uint32_t head = 3;

  using Head = Packed<Word, 32, 1, 31>;

  KOKKOS_FUNCTION static constexpr Word pack(std::uint32_t slot, std::uint32_t count) {
    return Head::pack(slot, 0u, count);
  }
  KOKKOS_FUNCTION static constexpr Word pack_missing(std::uint32_t slot) {
    return Head::pack(slot, 1u, 0u);
  }
  KOKKOS_FUNCTION static constexpr std::uint32_t slot(Word word) {
    return static_cast<std::uint32_t>(Head::get<0>(word));
  }
  KOKKOS_FUNCTION static constexpr std::uint32_t count(Word word) {
    return static_cast<std::uint32_t>(Head::get<2>(word));
  }
  KOKKOS_FUNCTION static constexpr bool is_missing(Word word) { return Head::get<1>(word) != 0; }
};

/// Rows of the values that proposers miss, as in Ledger::missing; null of a side that does not
/// propose, and where no serial calls follow.
struct MissingRows {
  Word* men = nullptr;
  Word* women = nullptr;

  template <class Id>
  KOKKOS_FUNCTION Word* of(Side<Id> const& side, std::uint32_t person) const {
    Word* const rows = side.people == People::men ? men : women;
    return rows == nullptr ? nullptr : rows + std::uint64_t{person} * side.words();
  }
};

/// Full domains, everybody free: how a propagator starts. One item a person.
template <class Id>
struct FillFull {
  Sides<Id> sides;

  KOKKOS_FUNCTION void operator()(std::uint32_t slot) const {
    Side<Id> const& side = sides.of_slot(slot);
    std::uint32_t const person = sides.person(slot);
    for (std::uint32_t word = 0; word < side.words(); ++word) {
      side.rows(person, word) = bits_below(side.n, word);
    }
    side.count[person] = side.n;
    side.first[person] = 0;
    side.offer[person] = open(side.n);
  }
};

/// Writes people as the host has them. One item a word of a record.
template <class Id>
struct Unpack {
  Sides<Id> sides;
  MissingRows missing;
  std::uint32_t record_words;
  Word const* records;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const words = sides.men.words();
    Word const* const record = records + item / words * record_words;
    std::uint32_t const word = static_cast<std::uint32_t>(item % words);
    std::uint32_t const slot = Record::slot(record[0]);
    Side<Id> const& side = sides.of_slot(slot);
    std::uint32_t const person = sides.person(slot);
    if (Record::is_missing(record[0])) {
      missing.of(side, person)[word] = record[Record::head + word];
      return;
    }
    side.rows(person, word) = record[Record::head + word];
    if (word == 0) {
      side.count[person] = Record::count(record[0]);
      side.first[person] = static_cast<std::uint32_t>(record[1]);
      side.offer[person] = record[2];
    }
  }
};

/// What has left a side's rows since `before` is missing. One item a word of a row.
struct NoteMissing {
  Word const* before;
  Word const* now;
  Word* missing;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    Word const gone = before[item] & ~now[item];
    if (gone != 0) {
      missing[item] |= gone;
    }
  }
};

/// Gathers whoever was touched, for the host.
template <class Id>
struct Pack {
  Sides<Id> sides;
  SharedBooks<Id> books;
  MissingRows missing;
  std::uint32_t record_words;
  Word* records;

  KOKKOS_FUNCTION void operator()(std::uint32_t slot) const {
    bool touched[touches];
    for (std::uint32_t how = 0; how < touches; ++how) {
      std::uint8_t& flag = books.touched[how * 2 * sides.men.n + slot];
      touched[how] = flag != 0;
      flag = 0;
    }
    bool const otherwise = touched[static_cast<std::uint32_t>(Touch::otherwise)];
    if (!otherwise && !touched[static_cast<std::uint32_t>(Touch::by_offers)]) {
      return;
    }
    std::uint32_t const words = sides.men.words();
    Side<Id> const& side = sides.of_slot(slot);
    std::uint32_t const person = sides.person(slot);
    Word const* const missed = missing.of(side, person);
    bool const twice = otherwise && missed != nullptr;
    Word* record = records + std::uint64_t{Kokkos::atomic_fetch_add(&books.control->touched,
                                                                    twice ? 2u : 1u)} *
                                 record_words;
    if (twice) {
      record[0] = Record::pack_missing(slot);
      for (std::uint32_t word = 0; word < words; ++word) {
        record[Record::head + word] = missed[word];
      }
      record += record_words;
    }
    record[0] = Record::pack(slot, side.count[person]);
    record[1] = side.first[person];
    record[2] = side.offer[person];
    for (std::uint32_t word = 0; word < words; ++word) {
      record[Record::head + word] = side.rows(person, word);
    }
    if (missed != nullptr) {
      Window const window = window_from(side, missed, person, side.first[person]);
      for (std::uint32_t i = 0; i < Window::size; ++i) {
        record[Record::head + words + i] = window.tries[i];
      }
    }
  }
};

}  // namespace taper::marriage_propagator::detail
