// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/prune.hpp>
#include <taper/marriage_propagator/serial.hpp>
#include <taper/marriage_propagator/tighten.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

namespace taper::marriage_propagator::detail {

/// What differs between backends in the parallel propagator.
template <ExecutionSpace Exec>
struct Chains {
  /// Values that a worker tests at once.
  static constexpr int lanes = is_gpu<Exec> ? 32 : 1;
  static constexpr int workers_a_team = is_gpu<Exec> ? 4 : 1;
  /// Looks that a worker takes before the waiting men are dealt anew, so that those whom missing values
  /// have freed get workers of their own: about fifty times what a launch costs.
  static constexpr std::uint64_t looks = is_gpu<Exec> ? 512 : 1 << 20;
};

/// What the workers of a call tell the host.
struct Control {
  std::uint32_t failed;
  std::uint32_t parked;
  std::uint32_t touched;
  std::uint32_t unused;
  AtomicWord dropped;
};

/// How many workers book what they do: atomics where two may meet, and flags where order does not matter.
template <class Id>
struct SharedBooks {
  Control* control;
  Chain* parked;
  std::uint8_t* improved_flags;  ///< of receivers
  std::uint8_t* touched;         ///< men, then women
  std::uint32_t* next_single;    ///< men, then women; the links of each worker's own list
  std::uint64_t looks;

  std::uint64_t looked = 0;
  AtomicWord dropped = 0;
  std::uint32_t single = nobody;  ///< head of this worker's list

  KOKKOS_FUNCTION static std::uint32_t slot(Side<Id> const& side, std::uint32_t person) {
    return side.people == People::men ? person : side.n + person;
  }

  KOKKOS_FUNCTION bool halts() {
    ++looked;
    return looked > looks || (looked % 16 == 0 && relaxed_load(control->failed) != 0);
  }
  KOKKOS_FUNCTION void park(Chain const& chain) const {
    parked[Kokkos::atomic_fetch_add(&control->parked, 1u)] = chain;
  }
  KOKKOS_FUNCTION void fail() const { Kokkos::atomic_store(&control->failed, 1u); }

  KOKKOS_FUNCTION Word lower(Word& offer, Word value) const {
    return Kokkos::atomic_fetch_min(&offer, value);
  }
  KOKKOS_FUNCTION Word take(Word& word, Word mask) const {
    return Kokkos::atomic_fetch_and(&word, ~mask) & mask;
  }
  KOKKOS_FUNCTION std::uint32_t subtract(std::uint32_t& count, std::uint32_t by) const {
    return Kokkos::atomic_fetch_sub(&count, by) - by;
  }
  KOKKOS_FUNCTION void lost(Side<Id> const& side, std::uint32_t person, std::uint32_t, Word,
                            std::uint32_t left) {
    stale_store(touched[slot(side, person)], std::uint8_t{1});
    if (left == 0) {
      fail();
    } else if (left == 1) {
      next_single[slot(side, person)] = single;
      single = slot(side, person);
    }
  }
  KOKKOS_FUNCTION void improved(Side<Id> const& receivers, std::uint32_t receiver, Word before,
                                Word now) {
    dropped += kept(before) - kept(now);
    stale_store(improved_flags[receiver], std::uint8_t{1});
    stale_store(touched[slot(receivers, receiver)], std::uint8_t{1});
  }
  KOKKOS_FUNCTION void moved(Side<Id> const& proposers, std::uint32_t proposer) const {
    stale_store(touched[slot(proposers, proposer)], std::uint8_t{1});
  }
};

/// A person's state on its way between host and execution space: three words, then the row.
struct Record {
  static constexpr std::uint32_t head = 3;

  KOKKOS_FUNCTION static constexpr Word pack(std::uint32_t slot, std::uint32_t count) {
    return Word{slot} << 32 | count;
  }
  KOKKOS_FUNCTION static constexpr std::uint32_t slot(Word word) {
    return static_cast<std::uint32_t>(word >> 32);
  }
  KOKKOS_FUNCTION static constexpr std::uint32_t count(Word word) {
    return static_cast<std::uint32_t>(word);
  }
};

/// Both sides, men first: a slot is a person of either.
template <class Id>
struct Sides {
  Side<Id> men;
  Side<Id> women;

  KOKKOS_FUNCTION Side<Id> const& of_slot(std::uint32_t slot) const {
    return slot < men.n ? men : women;
  }
  KOKKOS_FUNCTION Side<Id> const& facing_slot(std::uint32_t slot) const {
    return slot < men.n ? women : men;
  }
  KOKKOS_FUNCTION std::uint32_t person(std::uint32_t slot) const {
    return slot < men.n ? slot : slot - men.n;
  }
};

/// Writes people as the host has them. One item a word of a record.
template <class Id>
struct Unpack {
  Sides<Id> sides;
  Word const* records;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const words = sides.men.words();
    Word const* const record = records + item / words * (Record::head + words);
    std::uint32_t const word = static_cast<std::uint32_t>(item % words);
    std::uint32_t const slot = Record::slot(record[0]);
    Side<Id> const& side = sides.of_slot(slot);
    std::uint32_t const person = sides.person(slot);
    side.rows(person, word) = record[Record::head + word];
    if (word == 0) {
      side.count[person] = Record::count(record[0]);
      side.first[person] = static_cast<std::uint32_t>(record[1]);
      side.offer[person] = record[2];
    }
  }
};

/// Phase 1: takes pending values out of both rows. One item a word of a record; what two people have
/// both taken out, the first to come takes from each row.
template <class Id>
struct MakeCoherent {
  Sides<Id> sides;
  Word const* records;
  SharedBooks<Id> books;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const words = sides.men.words();
    Word const* const record = records + item / words * (Record::head + words);
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

/// Phase 2: one worker a free person. On a host a worker is a thread; on a GPU the lanes of one.
template <ExecutionSpace Exec, class Id>
struct Follow {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  Tighten<Id> tighten;
  SharedBooks<Id> books;
  Chain const* chains;
  std::uint32_t count;

  KOKKOS_FUNCTION void operator()(std::uint64_t worker) const { follow(OneLane{}, worker); }
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint32_t const worker =
        static_cast<std::uint32_t>(team.league_rank() * team.team_size() + team.team_rank());
    if (worker < count) {
      follow(VectorLanes<Member>{team, Chains<Exec>::lanes}, worker);
    }
  }

 private:
  template <class Lanes>
  KOKKOS_FUNCTION void follow(Lanes const& lanes, std::uint64_t worker) const {
    SharedBooks<Id> mine = books;
    tighten(lanes, mine, chains[worker]);
    lanes.once([&] {
      Kokkos::atomic_add(&mine.control->dropped, mine.dropped);
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
      cut_word(receivers, proposers, mine, receiver,
               static_cast<std::uint32_t>(item % receivers.words()));
    }
  }
};

/// Phase 3 after many: one item a word of a proposer and the same of a receiver.
template <class Id>
struct Sweep {
  Side<Id> proposers;
  Side<Id> receivers;
  SharedBooks<Id> books;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const person = static_cast<std::uint32_t>(item / receivers.words());
    std::uint32_t const word = static_cast<std::uint32_t>(item % receivers.words());
    SharedBooks<Id> mine = books;
    sweep_word(proposers, receivers, mine, person, word);
    cut_own_word(receivers, mine, person, word);
  }
};

/// The paper's inst for all who have one value left, and all who come to it on the way. Two workers may
/// come to the same person; then the second finds nothing to take.
template <class Id>
struct EngageSingles {
  Sides<Id> sides;
  SharedBooks<Id> books;

  KOKKOS_FUNCTION void operator()(std::uint32_t slot) const {
    if (sides.of_slot(slot).count[sides.person(slot)] != 1) {
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

/// Gathers whoever was touched, for the host.
template <class Id>
struct Pack {
  Sides<Id> sides;
  SharedBooks<Id> books;
  Word* records;

  KOKKOS_FUNCTION void operator()(std::uint32_t slot) const {
    if (books.touched[slot] == 0) {
      return;
    }
    books.touched[slot] = 0;
    std::uint32_t const words = sides.men.words();
    Side<Id> const& side = sides.of_slot(slot);
    std::uint32_t const person = sides.person(slot);
    Word* const record =
        records + std::uint64_t{Kokkos::atomic_fetch_add(&books.control->touched, 1u)} *
                      (Record::head + words);
    record[0] = Record::pack(slot, side.count[person]);
    record[1] = side.first[person];
    record[2] = side.offer[person];
    for (std::uint32_t word = 0; word < words; ++word) {
      record[Record::head + word] = side.rows(person, word);
    }
  }
};

/// The state where the parallel propagator works. It belongs to whichever propagator of a family of copies
/// used it last, and is brought up to date by the people whom it has not seen as they are. One call at a
/// time.
template <ExecutionSpace Exec, class Id>
class Wide {
 public:
  using Memory = typename Exec::memory_space;
  using Candidates = Kokkos::View<CandidateWord<Id> const**, Kokkos::LayoutRight, Memory>;

  Wide(Exec const& where, std::array<Candidates, 2> const& candidates)
      : where_(where), n_(static_cast<std::uint32_t>(candidates[0].extent(0))),
        candidates_(candidates), domains_{Domains<Memory>(name("wide_men"), n_),
                                          Domains<Memory>(name("wide_women"), n_)},
        control_(name("control")), host_control_(name("host_control")),
        improved_(name("wide_improved"), n_), touched_(name("touched"), 2 * n_),
        next_(raw(name("wide_next")), n_), next_single_(raw(name("next_single")), 2 * n_),
        waiting_(raw(name("waiting")), n_), parked_(raw(name("parked")), n_),
        host_waiting_(raw(name("host_waiting")), n_),
        records_(raw(name("records")), 4 * std::size_t{n_} * record_words()),
        host_records_(raw(name("host_records")), records_.extent(0)) {}

  std::uint64_t new_owner() {
    std::lock_guard const lock(mutex_);
    return ++owners_;
  }

  /// What a call took.
  struct Cost {
    std::uint32_t rounds = 0;
    std::uint64_t bytes_moved = 0;
  };

  /// One call for `ledger`, whose number is `owner`.
  /// Async: returns with the instance fenced.
  Cost propagate(std::uint64_t owner, Ledger<Id>& ledger, bool symmetric, bool engage) {
    std::lock_guard const lock(mutex_);
    cost_ = {};
    if (owner_ != owner) {
      ledger.stale.of(People::men).add_everyone();
      ledger.stale.of(People::women).add_everyone();
      Kokkos::deep_copy(where_, touched_, std::uint8_t{0});
    }
    owner_ = owner;
    host_control_() = {};
    Kokkos::deep_copy(where_, control_, host_control_);
    send_changes(ledger);
    bool done = pass(ledger, People::men);
    if (done && symmetric) {
      done = pass(ledger, People::women);
    }
    if (done && engage) {
      Kokkos::parallel_for(name("engage"), slots(), EngageSingles<Id>{sides(), books()});
    }
    if (done) {
      done = receive_changes(ledger);
    }
    if (!done) {
      ledger.failed = true;
      owner_ = 0;
    }
    return cost_;
  }

 private:
  using Pinned = Kokkos::SharedHostPinnedSpace;
  using Items = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  using Slots = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>;

  static std::string name(char const* thing) {
    return std::string("taper::marriage_propagator::") + thing;
  }
  static auto raw(std::string const& label) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, label);
  }
  std::size_t record_words() const { return Record::head + words_for(n_); }
  Items items(std::uint64_t rows) const { return {where_, 0, rows * words_for(n_)}; }
  Slots slots() const { return {where_, 0, 2 * n_}; }

  Side<Id> side(People people) const {
    return domains_[index_of(people)].template look<Id>(people, candidates_[index_of(people)]);
  }
  Sides<Id> sides() const { return {side(People::men), side(People::women)}; }
  SharedBooks<Id> books() const {
    return {control_.data(), parked_.data(),      improved_.data(),
            touched_.data(), next_single_.data(), Chains<Exec>::looks};
  }

  /// People whom this side has not seen as they are, and pending values: one copy, two kernels.
  void send_changes(Ledger<Id>& ledger) {
    std::uint32_t const words = words_for(n_);
    std::uint64_t records = 0;
    auto const next_record = [&] { return &host_records_(records++ * record_words()); };
    for (People const people : {People::men, People::women}) {
      Side<Id> const mine = ledger.side(people);
      std::uint32_t const base = people == People::men ? 0 : n_;
      for (std::uint32_t const person : ledger.stale.of(people).people()) {
        Word* const record = next_record();
        record[0] = Record::pack(base + person, mine.count[person]);
        record[1] = mine.first[person];
        record[2] = mine.offer[person];
        std::copy_n(mine.rows[person], words, record + Record::head);
      }
      ledger.stale.of(people).clear();
    }
    std::uint64_t const stale = records;
    for (People const people : {People::men, People::women}) {
      std::uint32_t const base = people == People::men ? 0 : n_;
      for (std::uint32_t const person : ledger.pending.people.of(people).people()) {
        Word* const record = next_record();
        record[0] = Record::pack(base + person, 0);
        std::copy_n(&ledger.pending.rows[index_of(people)](person, 0), words,
                    record + Record::head);
      }
    }
    copy(records_, host_records_, records * record_words());
    Word const* const pending = records_.data() + stale * record_words();
    if (stale > 0) {
      Kokkos::parallel_for(name("unpack"), items(stale), Unpack<Id>{sides(), records_.data()});
    }
    if (records > stale) {
      Kokkos::parallel_for(name("make_coherent"), items(records - stale),
                           MakeCoherent<Id>{sides(), pending, books()});
    }
  }

  /// Phases 2 and 3; false where somebody has nobody left.
  bool pass(Ledger<Id>& ledger, People proposing) {
    PeopleList const& free = ledger.free.of(proposing);
    if (free.empty()) {
      return true;
    }
    for (std::uint32_t i = 0; i < free.size(); ++i) {
      host_waiting_(i) = {free[i], ledger.side(proposing).first[free[i]]};
    }
    copy(waiting_, host_waiting_, free.size());
    Kokkos::deep_copy(where_, improved_, std::uint8_t{0});
    Side<Id> const proposers = side(proposing);
    Side<Id> const receivers = side(other(proposing));
    host_control_().dropped = 0;
    std::uint64_t dropped = 0;
    for (std::uint32_t live = free.size(); live > 0;) {
      follow({{proposers, receivers, next_.data()}, books(), waiting_.data(), live});
      ++cost_.rounds;
      Kokkos::deep_copy(where_, host_control_, control_);
      where_.fence(name("propagate: who is still free"));
      if (host_control_().failed != 0) {
        return false;
      }
      dropped += host_control_().dropped;
      live = host_control_().parked;
      std::swap(waiting_, parked_);
      host_control_() = {};
      Kokkos::deep_copy(where_, control_, host_control_);
    }
    if (dropped < std::uint64_t{n_} * n_ / (is_gpu<Exec> ? 128 : 4)) {
      Kokkos::parallel_for(name("cut"), items(n_), Cut<Id>{proposers, receivers, books()});
    } else {
      Kokkos::parallel_for(name("sweep"), items(n_), Sweep<Id>{proposers, receivers, books()});
    }
    return true;
  }

  void follow(Follow<Exec, Id> const& chains) const {
    if constexpr (is_gpu<Exec>) {
      constexpr int workers = Chains<Exec>::workers_a_team;
      Kokkos::parallel_for(
          name("follow"),
          Kokkos::TeamPolicy<Exec>(where_, static_cast<int>((chains.count + workers - 1) / workers),
                                   workers, Chains<Exec>::lanes),
          chains);
    } else {
      Kokkos::parallel_for(
          name("follow"),
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>,
                              Kokkos::Schedule<Kokkos::Dynamic>>(where_, 0, chains.count),
          chains);
    }
  }

  /// The ledger takes over whoever has changed; false where somebody has nobody left.
  bool receive_changes(Ledger<Id>& ledger) {
    constexpr std::uint64_t few = 128;
    std::uint64_t const first_copy = std::min<std::uint64_t>(few, 2 * n_);
    Kokkos::parallel_for(name("pack"), slots(), Pack<Id>{sides(), books(), records_.data()});
    Kokkos::deep_copy(where_, host_control_, control_);
    copy(host_records_, records_, first_copy * record_words());
    where_.fence(name("propagate: how many people have changed, and the first of them"));
    if (host_control_().failed != 0) {
      return false;
    }
    std::uint64_t const touched = host_control_().touched;
    if (touched > first_copy) {
      copy(host_records_, records_, touched * record_words());
      where_.fence(name("propagate: whoever has changed"));
    }

    if (ledger.trail.records()) {
      ledger.pending.for_each_word(People::men, [&](std::uint32_t man, std::uint32_t word,
                                                    Word taken) {
        for_each_value(taken, word, [&](std::uint32_t value) { ledger.trail.push(man, value); });
      });
    }
    ledger.pending.clear();
    ledger.free.clear();
    ledger.singles.clear();
    for (std::uint64_t i = 0; i < touched; ++i) {
      receive(ledger, &host_records_(i * record_words()));
    }
    return true;
  }

  void receive(Ledger<Id>& ledger, Word const* record) const {
    std::uint32_t const slot = Record::slot(record[0]);
    People const people = slot < n_ ? People::men : People::women;
    std::uint32_t const person = slot < n_ ? slot : slot - n_;
    Side<Id> const mine = ledger.side(people);
    if (people == People::men) {
      if (ledger.trail.records()) {
        for (std::uint32_t word = 0; word < mine.words(); ++word) {
          for_each_value(mine.rows(person, word) & ~record[Record::head + word], word,
                         [&](std::uint32_t value) { ledger.trail.push(person, value); });
        }
      }
      ledger.size += Record::count(record[0]);
      ledger.size -= mine.count[person];
    }
    mine.count[person] = Record::count(record[0]);
    mine.first[person] = static_cast<std::uint32_t>(record[1]);
    mine.offer[person] = record[2];
    std::copy_n(record + Record::head, mine.words(), mine.rows[person]);
    ledger.changed.of(people).add(person);
  }

  template <class To, class From>
  void copy(To const& to, From const& from, std::uint64_t entries) {
    if (entries > 0) {
      std::pair<std::uint64_t, std::uint64_t> const range{0, entries};
      Kokkos::deep_copy(where_, Kokkos::subview(to, range), Kokkos::subview(from, range));
      if constexpr (is_gpu<Exec>) {
        cost_.bytes_moved += entries * sizeof(typename To::value_type);
      }
    }
  }

  Exec where_;
  std::uint32_t n_;
  std::array<Candidates, 2> candidates_;
  std::array<Domains<Memory>, 2> domains_;
  Kokkos::View<Control, Memory> control_;
  Kokkos::View<Control, Pinned> host_control_;
  Kokkos::View<std::uint8_t*, Memory> improved_;
  Kokkos::View<std::uint8_t*, Memory> touched_;
  Kokkos::View<std::uint32_t*, Memory> next_;
  Kokkos::View<std::uint32_t*, Memory> next_single_;
  Kokkos::View<Chain*, Memory> waiting_;
  Kokkos::View<Chain*, Memory> parked_;
  Kokkos::View<Chain*, Pinned> host_waiting_;
  Kokkos::View<Word*, Memory> records_;
  Kokkos::View<Word*, Pinned> host_records_;
  Cost cost_;
  std::mutex mutex_;
  std::uint64_t owner_ = 0;
  std::uint64_t owners_ = 0;
};

}  // namespace taper::marriage_propagator::detail
