// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/next_values.hpp>
#include <taper/marriage_propagator/shared_update_policy.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

// Records that carry persons between host and execution space, and the kernels that read and write
// them. Used by: ParallelPropagator.

/// A person's state in transfer: the words of the head, then the person's row.
///   word 0  agent, whether the row holds missing values, count
///   word 1  SideView::proposed
///   word 2  SideView::offer
///
/// If serial calls may follow, each record ends with room for NextValues, which proposers bring to
/// the host. A proposer may then come with two records: first one whose row holds its missing
/// values, then its state.
struct Record {
  static constexpr std::uint32_t head = 3;

  using Head = BitFields<Word, 32, 1, 31>;

  KOKKOS_FUNCTION static constexpr Word pack(std::uint32_t agent, std::uint32_t count) {
    return Head::pack(agent, 0u, count);
  }
  KOKKOS_FUNCTION static constexpr Word pack_missing(std::uint32_t agent) {
    return Head::pack(agent, 1u, 0u);
  }
  KOKKOS_FUNCTION static constexpr std::uint32_t agent(Word word) {
    return static_cast<std::uint32_t>(Head::get<0>(word));
  }
  KOKKOS_FUNCTION static constexpr std::uint32_t count(Word word) {
    return static_cast<std::uint32_t>(Head::get<2>(word));
  }
  KOKKOS_FUNCTION static constexpr bool is_missing(Word word) { return Head::get<1>(word) != 0; }
};

/// Rows of missing values (HostState::missing). Null for a side that does not propose, and if no
/// serial calls follow.
struct MissingRows {
  Word* men = nullptr;
  Word* women = nullptr;

  template <class Id>
  KOKKOS_FUNCTION Word* of(SideView<Id> const& view, std::uint32_t person) const {
    Word* const rows = view.side == Side::men ? men : women;
    return rows == nullptr ? nullptr : rows + std::uint64_t{person} * view.words();
  }
};

/// Fills all domains and makes all persons free, as a propagator starts. One item per person.
template <class Id>
struct FillFull {
  Sides<Id> sides;

  KOKKOS_FUNCTION void operator()(std::uint32_t agent) const {
    SideView<Id> const& view = sides.of_agent(agent);
    std::uint32_t const person = sides.person(agent);
    for (std::uint32_t word = 0; word < view.words(); ++word) {
      view.rows(person, word) = bits_below(view.n, word);
    }
    view.count[person] = view.n;
    view.proposed[person] = 0;
    view.offer[person] = unengaged(view.n);
  }
};

/// Writes the persons that the host has sent. One item per word of a record.
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
    std::uint32_t const agent = Record::agent(record[0]);
    SideView<Id> const& view = sides.of_agent(agent);
    std::uint32_t const person = sides.person(agent);
    if (Record::is_missing(record[0])) {
      missing.of(view, person)[word] = record[Record::head + word];
      return;
    }
    view.rows(person, word) = record[Record::head + word];
    if (word == 0) {
      view.count[person] = Record::count(record[0]);
      view.proposed[person] = static_cast<std::uint32_t>(record[1]);
      view.offer[person] = record[2];
    }
  }
};

/// Adds the values that left a side's rows since `before` to its missing values. One item per word.
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

/// Packs the changed persons into records for the host, and clears their flags. One item per
/// person.
template <class Id>
struct Pack {
  Sides<Id> sides;
  SharedUpdatePolicy<Id> policy;
  MissingRows missing;
  std::uint32_t record_words;
  Word* records;

  KOKKOS_FUNCTION void operator()(std::uint32_t agent) const {
    bool changed_by[change_causes];
    for (std::uint32_t cause = 0; cause < change_causes; ++cause) {
      std::uint8_t& flag = policy.changed_flags[cause * 2 * sides.men.n + agent];
      changed_by[cause] = flag != 0;
      flag = 0;
    }
    bool const for_other_reasons = changed_by[static_cast<std::uint32_t>(ChangeCause::other)];
    if (!for_other_reasons && !changed_by[static_cast<std::uint32_t>(ChangeCause::offers)]) {
      return;
    }
    std::uint32_t const words = sides.men.words();
    SideView<Id> const& view = sides.of_agent(agent);
    std::uint32_t const person = sides.person(agent);
    Word const* const missing_row = missing.of(view, person);
    bool const has_two_records = for_other_reasons && missing_row != nullptr;
    Word* record = records + std::uint64_t{Kokkos::atomic_fetch_add(&policy.control->records,
                                                                    has_two_records ? 2u : 1u)} *
                                 record_words;
    if (has_two_records) {
      record[0] = Record::pack_missing(agent);
      for (std::uint32_t word = 0; word < words; ++word) {
        record[Record::head + word] = missing_row[word];
      }
      record += record_words;
    }
    record[0] = Record::pack(agent, view.count[person]);
    record[1] = view.proposed[person];
    record[2] = view.offer[person];
    for (std::uint32_t word = 0; word < words; ++word) {
      record[Record::head + word] = view.rows(person, word);
    }
    if (missing_row != nullptr) {
      NextValues const next_values =
          find_next_values(view, missing_row, person, view.proposed[person]);
      for (std::uint32_t i = 0; i < NextValues::size; ++i) {
        record[Record::head + words + i] = next_values.entries[i];
      }
    }
  }
};

}  // namespace taper::marriage_propagator::detail
