// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/ledger.hpp>
#include <taper/marriage_propagator/phases.hpp>
#include <taper/marriage_propagator/records.hpp>
#include <taper/marriage_propagator/shared.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

namespace taper::marriage_propagator::detail {

/// The state where the parallel propagator works. It belongs to whichever
/// propagator of a family of copies used it last, and is brought up to date by
/// the people whom it has not seen as they are. One call at a time.
template <ExecutionSpace Exec, class Id>
class Wide {
 public:
  using Memory = typename Exec::memory_space;
  using Candidates = Kokkos::View<CandidateWord<Id> const**, Kokkos::LayoutRight, Memory>;

  /// `serial_follows`: calls of the serial propagator may follow, which has to know what has gone
  /// for other reasons than offers, and finds whom to try next in windows.
  Wide(Exec const& where, std::array<Candidates, 2> const& candidates, bool symmetric,
       bool serial_follows)
      : where_(where), n_(static_cast<std::uint32_t>(candidates[0].extent(0))),
        serial_follows_(serial_follows),
        candidates_(candidates), domains_{Domains<Memory>(name("wide_men"), n_),
                                          Domains<Memory>(name("wide_women"), n_)},
        missing_(rows_of_proposers(name("wide_missing"), serial_follows, symmetric)),
        before_(rows_of_proposers(name("rows_before"), serial_follows, symmetric)),
        record_words_(Record::head + words_for(n_) + (serial_follows ? Window::size : 0)),
        control_(name("control")), host_control_(name("host_control")),
        improved_(name("wide_improved"), n_), touched_(name("touched"), touches * 2 * n_),
        next_(raw(name("wide_next")), n_), next_single_(raw(name("next_single")), 2 * n_),
        mailboxes_(name("mailboxes"), Chains<Exec>::waiting_workers),
        waiting_(raw(name("waiting")), n_), parked_(raw(name("parked")), n_),
        host_waiting_(raw(name("host_waiting")), n_),
        records_(raw(name("records")), most_records() * record_words_),
        host_records_(raw(name("host_records")), records_.extent(0)) {
    Kokkos::parallel_for(name("fill_full"), slots(), FillFull<Id>{sides()});
    for (auto const& rows : missing_) {
      Kokkos::deep_copy(where_, rows, Word{0});
    }
    if constexpr (is_gpu<Exec>) {
      reserve_scratch();
    }
    where_.fence(name("post: the domains are full"));
  }

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
  Cost propagate(std::uint64_t owner, Ledger<Id>& ledger, bool engage) {
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
    if (done && ledger.symmetric) {
      done = pass(ledger, People::women);
    }
    if (done && engage) {
      keep_rows();
      Kokkos::parallel_for(name("engage"), slots(), EngageSingles<Id>{sides(), books()});
      note_missing();
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
  using RowsOfProposers = std::array<Kokkos::View<Word**, Kokkos::LayoutRight, Memory>, 2>;

  RowsOfProposers rows_of_proposers(std::string const& label, bool are_needed,
                                    bool symmetric) const {
    auto const rows = [&](bool propose) {
      return typename RowsOfProposers::value_type(raw(label), are_needed && propose ? n_ : 0,
                                                  words_for(n_));
    };
    return {rows(true), rows(symmetric)};
  }
  /// Anybody may be stale and modified at once, and a proposer comes with what he misses.
  std::size_t most_records() const {
    return 4 * std::size_t{n_} + missing_[0].extent(0) + missing_[1].extent(0);
  }
  /// Whether this side proposes, and serial calls follow.
  bool feeds_serial_calls(std::size_t side) const { return missing_[side].extent(0) > 0; }

  /// Proposers' rows, as they are before values go for other reasons than offers.
  void keep_rows() const {
    for (std::size_t side = 0; side < 2; ++side) {
      if (feeds_serial_calls(side)) {
        Kokkos::deep_copy(where_, before_[side], domains_[side].rows);
      }
    }
  }
  /// What has gone since.
  void note_missing() const {
    for (std::size_t side = 0; side < 2; ++side) {
      if (feeds_serial_calls(side)) {
        Kokkos::parallel_for(
            name("note_missing"), items(n_),
            NoteMissing{before_[side].data(), domains_[side].rows.data(), missing_[side].data()});
      }
    }
  }
  MissingRows missing() const {
    auto const rows = [&](std::size_t side) {
      return feeds_serial_calls(side) ? missing_[side].data() : nullptr;
    };
    return {rows(0), rows(1)};
  }
  Items items(std::uint64_t rows) const { return {where_, 0, rows * words_for(n_)}; }
  Slots slots() const { return {where_, 0, 2 * n_}; }

  Side<Id> side(People people) const {
    return domains_[index_of(people)].template look<Id>(people, candidates_[index_of(people)]);
  }
  Sides<Id> sides() const { return {side(People::men), side(People::women)}; }
  SharedBooks<Id> books() const {
    return {control_.data(), parked_.data(),      improved_.data(),
            touched_.data(), next_single_.data(), {Chains<Exec>::looks}};
  }

  /// A GPU's backend of Kokkos allocates scratch at each launch of teams, if only of no bytes, until
  /// some has been asked for: here, by teams that have nobody to follow.
  void reserve_scratch() const {
    Kokkos::TeamPolicy<Exec> one_team(where_, 1, Chains<Exec>::workers_a_team, Chains<Exec>::lanes);
    one_team.set_scratch_size(1, Kokkos::PerTeam(sizeof(Word)));
    Kokkos::parallel_for(
        name("reserve_scratch"), one_team,
        Follow<Exec, Id>{
            {side(People::men), side(People::women), next_.data()}, books(), waiting_.data(), 0});
  }

  /// People whom this side has not seen as they are, and pending values: one
  /// copy, two kernels.
  void send_changes(Ledger<Id>& ledger) {
    std::uint32_t const words = words_for(n_);
    std::uint64_t records = 0;
    auto const next_record = [&] { return &host_records_(records++ * record_words_); };
    for (People const people : {People::men, People::women}) {
      Side<Id> const mine = ledger.side(people);
      std::uint32_t const base = people == People::men ? 0 : n_;
      for (std::uint32_t const person : ledger.stale.of(people).people()) {
        if (feeds_serial_calls(index_of(people))) {
          Word* const record = next_record();
          record[0] = Record::pack_missing(base + person);
          std::copy_n(&ledger.missing[index_of(people)](person, 0), words, record + Record::head);
        }
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
    copy(records_, host_records_, records * record_words_);
    Word const* const pending = records_.data() + stale * record_words_;
    if (stale > 0) {
      Kokkos::parallel_for(name("unpack"), items(stale),
                           Unpack<Id>{sides(), missing(), record_words_, records_.data()});
    }
    if (records > stale) {
      keep_rows();
      Kokkos::parallel_for(name("make_coherent"), items(records - stale),
                           MakeCoherent<Id>{sides(), record_words_, pending, books()});
      note_missing();
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
    std::uint64_t dropped = 0;
    bool wide = free.size() > few();
    for (std::uint32_t live = free.size(); live > 0; wide = !is_gpu<Exec> && live > few()) {
      follow({{proposers, receivers, next_.data()}, books(), waiting_.data(), live}, wide);
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

  /// More free people than this are many.
  std::uint32_t few() const {
    return is_gpu<Exec> ? Chains<Exec>::few
                        : Chains<Exec>::few * static_cast<std::uint32_t>(where_.concurrency());
  }

  /// `wide`: many are free. On a GPU they get a thread each, until few are left; on a host each has
  /// one look, as in the serial propagator.
  void follow(Follow<Exec, Id> chains, bool wide) const {
    using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
    using Dealt = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>,
                                      Kokkos::Schedule<Kokkos::Dynamic>>;
    if (wide) {
      if (is_gpu<Exec>) {
        // No list is longer; a worker goes on with whomever it displaces.
        chains.books.halt = {.looks = 2 * std::uint64_t{n_}, .retired = chains.count - few()};
      } else {
        chains.books.halt = {.looks = 1};
      }
      Kokkos::parallel_for(name("follow_all"), Range(where_, 0, chains.count), chains);
    } else if constexpr (is_gpu<Exec>) {
      constexpr std::uint32_t a_team = Chains<Exec>::workers_a_team;
      std::uint32_t const workers = std::max(chains.count, Chains<Exec>::waiting_workers);
      chains.books.mailboxes = {mailboxes_.data(), &control_.data()->idle,
                                Chains<Exec>::waiting_workers, workers};
      Kokkos::parallel_for(
          name("follow"),
          Kokkos::TeamPolicy<Exec>(where_, static_cast<int>((workers + a_team - 1) / a_team),
                                   static_cast<int>(a_team), Chains<Exec>::lanes),
          chains);
    } else {
      Kokkos::parallel_for(name("follow"), Dealt(where_, 0, chains.count), chains);
    }
  }

  /// The ledger takes over whoever has changed; false where somebody has nobody
  /// left.
  bool receive_changes(Ledger<Id>& ledger) {
    constexpr std::uint64_t few = 128;
    std::uint64_t const first_copy = std::min<std::uint64_t>(few, 2 * n_);
    Kokkos::parallel_for(name("pack"), slots(),
                         Pack<Id>{sides(), books(), missing(), record_words_, records_.data()});
    Kokkos::deep_copy(where_, host_control_, control_);
    copy(host_records_, records_, first_copy * record_words_);
    where_.fence(name("propagate: how many people have changed, and the first of them"));
    if (host_control_().failed != 0) {
      return false;
    }
    std::uint64_t const touched = host_control_().touched;
    if (touched > first_copy) {
      copy(host_records_, records_, touched * record_words_);
      where_.fence(name("propagate: whoever has changed"));
    }

    ledger.trail_pending();
    ledger.pending.clear();
    ledger.free.clear();
    ledger.singles.clear();
    for (std::uint64_t i = 0; i < touched; ++i) {
      expect(ledger, i, touched);
      receive(ledger, &host_records_(i * record_words_));
    }
    if (is_gpu<Exec> && serial_follows_) {
      ledger.expect_serial_call();
    }
    return true;
  }

  /// Asks for a record that comes soon, which a GPU has left in memory, and for the row of one that
  /// is here by then.
  void expect(Ledger<Id> const& ledger, std::uint64_t i, std::uint64_t touched) const {
    constexpr std::uint64_t ahead = 4;
    constexpr std::uint32_t words_a_line = 8;
    if (i + 2 * ahead < touched) {
      Word const* const record = &host_records_((i + 2 * ahead) * record_words_);
      for (std::uint32_t word = 0; word < record_words_; word += words_a_line) {
        prefetch(record + word);
      }
    }
    if (i + ahead < touched) {
      std::uint32_t const slot = Record::slot(host_records_((i + ahead) * record_words_));
      Side<Id> const mine = ledger.side(slot < n_ ? People::men : People::women);
      for (std::uint32_t word = 0; word < mine.words(); word += words_a_line) {
        prefetch(&mine.rows(slot < n_ ? slot : slot - n_, word));
      }
    }
  }

  void receive(Ledger<Id>& ledger, Word const* record) const {
    std::uint32_t const slot = Record::slot(record[0]);
    People const people = slot < n_ ? People::men : People::women;
    std::uint32_t const person = slot < n_ ? slot : slot - n_;
    Side<Id> const mine = ledger.side(people);
    if (Record::is_missing(record[0])) {
      std::copy_n(record + Record::head, mine.words(),
                  &ledger.missing[index_of(people)](person, 0));
      return;
    }
    if (people == People::men) {
      for (std::uint32_t word = 0; ledger.trail.records() && word < mine.words(); ++word) {
        ledger.trail_values(person, word, mine.rows(person, word) & ~record[Record::head + word]);
      }
      ledger.size += Record::count(record[0]);
      ledger.size -= mine.count[person];
    }
    mine.count[person] = Record::count(record[0]);
    mine.first[person] = static_cast<std::uint32_t>(record[1]);
    mine.offer[person] = record[2];
    std::copy_n(record + Record::head, mine.words(), mine.rows[person]);
    if (feeds_serial_calls(index_of(people))) {
      std::copy_n(record + Record::head + mine.words(), Window::size,
                  ledger.windows[index_of(people)](person).tries);
    }
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
  bool serial_follows_;
  std::array<Candidates, 2> candidates_;
  std::array<Domains<Memory>, 2> domains_;
  RowsOfProposers missing_;  ///< as Ledger::missing; of no extent where no serial calls follow
  RowsOfProposers before_;   ///< for note_missing()
  std::uint32_t record_words_;
  Kokkos::View<Control, Memory> control_;
  Kokkos::View<Control, Pinned> host_control_;
  Kokkos::View<std::uint8_t*, Memory> improved_;
  Kokkos::View<std::uint8_t*, Memory> touched_;
  Kokkos::View<std::uint32_t*, Memory> next_;
  Kokkos::View<std::uint32_t*, Memory> next_single_;
  Kokkos::View<AtomicWord*, Memory> mailboxes_;
  Kokkos::View<Chain*, Memory> waiting_;
  Kokkos::View<Chain*, Memory> parked_;
  Kokkos::View<Chain*, Pinned> host_waiting_;
  Kokkos::View<Word*, Memory> records_;
  Kokkos::View<Word*, Pinned> host_records_;
  Cost cost_;
  std::mutex mutex_;
  std::uint64_t owner_ = 1;  ///< the first owner starts with full domains, and so does this
  std::uint64_t owners_ = 0;
};

}  // namespace taper::marriage_propagator::detail
