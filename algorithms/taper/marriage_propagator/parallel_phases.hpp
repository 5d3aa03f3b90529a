// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/prune.hpp>
#include <taper/marriage_propagator/records.hpp>
#include <taper/marriage_propagator/shared.hpp>
#include <taper/marriage_propagator/tighten.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace taper::marriage_propagator::detail {

/// Phase 1: takes pending values out of both rows. One item a word of a record;
/// what two people have both taken out, the first to come takes from each row.
template <class Id>
struct MakeCoherent {
  Sides<Id> sides;
  std::uint32_t record_words;
  Word const* records;
  SharedBooks<Id> books;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const words = sides.men.words();
    Word const* const record = records + item / words * record_words;
    std::uint32_t const word = static_cast<std::uint32_t>(item % words);
    Word const values = record[Record::head + word];
    if (values == 0) {
      return;
    }
    std::uint32_t const slot = Record::slot(record[0]);
    std::uint32_t const person = sides.person(slot);
    SharedBooks<Id> mine = books;
    take(sides.of_slot(slot), mine, person, word, values);
    take_twins(sides.of_slot(slot), sides.facing_slot(slot), mine, person, word, values);
  }
};

/// Phase 2: one worker a free person, and where Mailboxes has it some who wait for one. On a host a
/// worker is a thread; on a GPU one that looks at nobody, where many are free, and else the lanes of
/// one.
template <ExecutionSpace Exec, class Id>
struct Follow {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Lane = std::conditional_t<is_gpu<Exec>, BlindLane, OneLane>;

  Tighten<Id> tighten;
  SharedBooks<Id> books;
  Chain const* chains;
  std::uint32_t count;

  KOKKOS_FUNCTION void operator()(std::uint64_t worker) const { follow(Lane{}, worker); }
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint32_t const worker =
        static_cast<std::uint32_t>(team.league_rank() * team.team_size() + team.team_rank());
    if (worker < Kokkos::max(count, books.mailboxes.workers)) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, VectorLanes<Exec>::width),
                           [&](std::uint32_t lane) { follow(VectorLanes<Exec>{lane}, worker); });
    }
  }

 private:
  template <class Lanes>
  KOKKOS_FUNCTION void follow(Lanes const& lanes, std::uint64_t worker) const {
    SharedBooks<Id> mine = books;
    mine.worker = static_cast<std::uint32_t>(worker);
    Chain chain{};
    bool has_chain = worker < count;
    if (has_chain) {
      chain = chains[worker];
    } else {
      has_chain = mine.receive(lanes, chain);
    }
    if (has_chain) {
      tighten(lanes, mine, chain);
    }
    lanes.once([&] {
      mine.close();
      return 0;
    });
  }
};

/// Phase 3 after few changes: one item a word of a receiver.
template <class Id>
struct Cut {
  Side<Id> proposers;
  Side<Id> receivers;
  SharedBooks<Id> books;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const receiver = static_cast<std::uint32_t>(item / receivers.words());
    if (books.improved_flags[receiver] != 0) {
      SharedBooks<Id> mine = books;
      mine.losses = Touch::by_offers;
      cut_word(receivers, proposers, mine, receiver,
               static_cast<std::uint32_t>(item % receivers.words()));
    }
  }
};

/// Phase 3 after many: one item a word of a proposer and the same of a
/// receiver.
template <class Id>
struct Sweep {
  Side<Id> proposers;
  Side<Id> receivers;
  SharedBooks<Id> books;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const person = static_cast<std::uint32_t>(item / receivers.words());
    std::uint32_t const word = static_cast<std::uint32_t>(item % receivers.words());
    SharedBooks<Id> mine = books;
    mine.losses = Touch::by_offers;
    sweep_word(proposers, receivers, mine, person, word);
    cut_own_word(receivers, mine, person, word);
  }
};

/// The paper's inst for all who have one value left, and all who come to it on
/// the way. Two workers may come to the same person; then the second finds
/// nothing to take.
template <class Id>
struct EngageSingles {
  Sides<Id> sides;
  SharedBooks<Id> books;

  KOKKOS_FUNCTION void operator()(std::uint32_t slot) const {
    // Others may be about to make it 1: then they engage this person themselves.
    if (relaxed_load(sides.of_slot(slot).count[sides.person(slot)]) != 1) {
      return;
    }
    SharedBooks<Id> mine = books;
    engage(sides.of_slot(slot), sides.facing_slot(slot), mine, sides.person(slot));
    while (mine.single != nobody) {
      std::uint32_t const single = mine.single;
      mine.single = mine.next_single[single];
      engage(sides.of_slot(single), sides.facing_slot(single), mine, sides.person(single));
    }
  }
};

}  // namespace taper::marriage_propagator::detail
