// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/host_state.hpp>
#include <taper/marriage_propagator/parallel_phases.hpp>
#include <taper/marriage_propagator/shared_update_policy.hpp>
#include <taper/marriage_propagator/transfer_records.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

namespace taper::marriage_propagator::detail {

/// The parallel propagator: the domains in the execution space's memory, and the calls that work on
/// them.
///
/// Used by: Propagator, whose family of copies shares one. Its state belongs to the copy that used
/// it last, the owner. A call first receives the persons that are stale; after a change of owner
/// these are all. Calls of several threads exclude each other.
template <ExecutionSpace Exec, class Id>
class ParallelPropagator {
 public:
  using Memory = typename Exec::memory_space;
  using Candidates = Kokkos::View<CandidateWord<Id> const**, Kokkos::LayoutRight, Memory>;

  /// `serial_calls_follow`: whether serial calls are possible (hybrid). They need the missing
  /// values (HostState::missing) and NextValues, which calls then bring to the host.
  ParallelPropagator(Exec const& where, std::array<Candidates, 2> const& candidates, bool symmetric,
                     bool serial_calls_follow)
      : where_(where), n_(static_cast<std::uint32_t>(candidates[0].extent(0))),
        serial_calls_follow_(serial_calls_follow),
        candidates_(candidates), domains_{Domains<Memory>(name("parallel_men"), n_),
                                          Domains<Memory>(name("parallel_women"), n_)},
        missing_(rows_of_proposers(name("parallel_missing"), serial_calls_follow, symmetric)),
        rows_before_(rows_of_proposers(name("rows_before"), serial_calls_follow, symmetric)),
        record_words_(Record::head + words_for(n_) + (serial_calls_follow ? NextValues::size : 0)),
        control_(name("control")), host_control_(name("host_control")),
        improved_(name("parallel_improved"), n_),
        changed_flags_(name("changed_flags"), change_causes * 2 * n_),
        backlog_links_(raw(name("backlog_links")), n_),
        next_assigned_(raw(name("next_assigned")), 2 * n_),
        handoff_slots_(name("handoff_slots"), ParallelLimits<Exec>::handoff_slots),
        chains_(raw(name("chains")), n_), parked_(raw(name("parked")), n_),
        host_chains_(raw(name("host_chains")), n_),
        records_(raw(name("records")), most_records() * record_words_),
        host_records_(raw(name("host_records")), records_.extent(0)) {
    Kokkos::parallel_for(name("fill_full"), agents(), FillFull<Id>{sides()});
    for (auto const& rows : missing_) {
      Kokkos::deep_copy(where_, rows, Word{0});
    }
    if constexpr (is_gpu<Exec>) {
      reserve_scratch();
    }
    where_.fence(name("post: wait for the full domains"));
  }

  /// A number for a copy, to pass to propagate().
  std::uint64_t new_owner() {
    std::lock_guard const lock(mutex_);
    return ++owners_;
  }

  /// The work of a call.
  struct Cost {
    std::uint32_t rounds = 0;       ///< launches of phase 2
    std::uint64_t bytes_moved = 0;  ///< between host and device
  };

  /// One call for `state`, which has the number `owner`. `binds_partners`: Options::bind_partner.
  /// Sets state.failed if some domain becomes empty.
  /// Async: returns with the execution space instance fenced.
  Cost propagate(std::uint64_t owner, HostState<Id>& state, bool binds_partners) {
    std::lock_guard const lock(mutex_);
    cost_ = {};
    if (owner_ != owner) {
      state.stale.of(Side::men).add_all();
      state.stale.of(Side::women).add_all();
      Kokkos::deep_copy(where_, changed_flags_, std::uint8_t{0});
    }
    owner_ = owner;
    host_control_() = {};
    Kokkos::deep_copy(where_, control_, host_control_);
    send_changes(state);
    bool done = propose_and_prune(state, Side::men);
    if (done && state.symmetric) {
      done = propose_and_prune(state, Side::women);
    }
    if (done && binds_partners) {
      save_rows();
      Kokkos::parallel_for(name("bind_partners"), agents(), BindPartners<Id>{sides(), policy()});
      note_missing();
    }
    if (done) {
      done = receive_changes(state);
    }
    if (!done) {
      state.failed = true;
      owner_ = 0;
    }
    return cost_;
  }

 private:
  using Pinned = Kokkos::SharedHostPinnedSpace;
  using InTeam = ProposeInTeam<Exec, Id>;
  static constexpr int team_workers = ParallelLimits<Exec>::team_workers;
  using Items = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  using Agents = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>;

  static std::string name(char const* thing) {
    return std::string("taper::marriage_propagator::") + thing;
  }
  static auto raw(std::string const& label) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, label);
  }
  using RowsOfProposers = std::array<Kokkos::View<Word**, Kokkos::LayoutRight, Memory>, 2>;

  /// Rows for the sides that propose; without extent if they are not needed.
  RowsOfProposers rows_of_proposers(std::string const& label, bool are_needed,
                                    bool symmetric) const {
    auto const rows = [&](bool propose) {
      return typename RowsOfProposers::value_type(raw(label), are_needed && propose ? n_ : 0,
                                                  words_for(n_));
    };
    return {rows(true), rows(symmetric)};
  }
  /// Each person may be both stale and modified, and each proposer brings its missing values.
  std::size_t most_records() const {
    return 4 * std::size_t{n_} + missing_[0].extent(0) + missing_[1].extent(0);
  }
  /// Whether this side proposes and serial calls are possible.
  bool tracks_missing(std::size_t side) const { return missing_[side].extent(0) > 0; }

  /// Saves the proposers' rows before values leave them for other reasons than offers.
  void save_rows() const {
    for (std::size_t side = 0; side < 2; ++side) {
      if (tracks_missing(side)) {
        Kokkos::deep_copy(where_, rows_before_[side], domains_[side].rows);
      }
    }
  }
  /// Records as missing what left the proposers' rows since save_rows().
  void note_missing() const {
    for (std::size_t side = 0; side < 2; ++side) {
      if (tracks_missing(side)) {
        Kokkos::parallel_for(name("note_missing"), items(n_),
                             NoteMissing{rows_before_[side].data(), domains_[side].rows.data(),
                                         missing_[side].data()});
      }
    }
  }
  MissingRows missing() const {
    auto const rows = [&](std::size_t side) {
      return tracks_missing(side) ? missing_[side].data() : nullptr;
    };
    return {rows(0), rows(1)};
  }
  Items items(std::uint64_t rows) const { return {where_, 0, rows * words_for(n_)}; }
  Agents agents() const { return {where_, 0, 2 * n_}; }

  SideView<Id> view_of(Side side) const {
    return domains_[index_of(side)].template view<Id>(side, candidates_[index_of(side)]);
  }
  Sides<Id> sides() const { return {view_of(Side::men), view_of(Side::women)}; }
  SharedUpdatePolicy<Id> policy() const {
    return {control_.data(),       parked_.data(),        improved_.data(),
            changed_flags_.data(), next_assigned_.data(), {ParallelLimits<Exec>::max_steps}};
  }

  /// Makes Kokkos allocate its team scratch now, with a launch that does nothing. Otherwise a GPU
  /// backend allocates it at each launch of teams, even for 0 bytes, until some has been requested.
  void reserve_scratch() const {
    Kokkos::TeamPolicy<Exec> one_team(where_, 1, ParallelLimits<Exec>::workers_per_team,
                                      ParallelLimits<Exec>::lanes);
    one_team.set_scratch_size(1, Kokkos::PerTeam(sizeof(Word)));
    Kokkos::parallel_for(
        name("reserve_scratch"), one_team,
        ProposeKernel<Exec, Id>{{view_of(Side::men), view_of(Side::women), backlog_links_.data()},
                                policy(),
                                chains_.data(),
                                0});
  }

  /// Phase 1: sends the stale persons and the pending values, in one copy, and applies them with up
  /// to two kernels.
  void send_changes(HostState<Id>& state) {
    std::uint32_t const words = words_for(n_);
    std::uint64_t records = 0;
    auto const next_record = [&] { return &host_records_(records++ * record_words_); };
    for (Side const side : {Side::men, Side::women}) {
      SideView<Id> const view = state.view_of(side);
      std::uint32_t const base = side == Side::men ? 0 : n_;
      for (std::uint32_t const person : state.stale.of(side).persons()) {
        if (tracks_missing(index_of(side))) {
          Word* const record = next_record();
          record[0] = Record::pack_missing(base + person);
          std::copy_n(&state.missing[index_of(side)](person, 0), words, record + Record::head);
        }
        Word* const record = next_record();
        record[0] = Record::pack(base + person, view.count[person]);
        record[1] = view.proposed[person];
        record[2] = view.offer[person];
        std::copy_n(view.rows[person], words, record + Record::head);
      }
      state.stale.of(side).clear();
    }
    std::uint64_t const stale = records;
    for (Side const side : {Side::men, Side::women}) {
      std::uint32_t const base = side == Side::men ? 0 : n_;
      for (std::uint32_t const person : state.pending.persons.of(side).persons()) {
        Word* const record = next_record();
        record[0] = Record::pack(base + person, 0);
        std::copy_n(&state.pending.rows[index_of(side)](person, 0), words, record + Record::head);
      }
    }
    copy(records_, host_records_, records * record_words_);
    Word const* const pending = records_.data() + stale * record_words_;
    if (stale > 0) {
      Kokkos::parallel_for(name("unpack"), items(stale),
                           Unpack<Id>{sides(), missing(), record_words_, records_.data()});
    }
    if (records > stale) {
      save_rows();
      Kokkos::parallel_for(name("make_coherent"), items(records - stale),
                           MakeCoherent<Id>{sides(), record_words_, pending, policy()});
      note_missing();
    }
  }

  /// Phases 2 and 3 for one side. False if some domain becomes empty.
  bool propose_and_prune(HostState<Id>& state, Side proposing) {
    PersonList const& free = state.free.of(proposing);
    if (free.empty()) {
      return true;
    }
    for (std::uint32_t i = 0; i < free.size(); ++i) {
      host_chains_(i) = {free[i], state.view_of(proposing).proposed[free[i]]};
    }
    copy(chains_, host_chains_, free.size());
    Kokkos::deep_copy(where_, improved_, std::uint8_t{0});
    SideView<Id> const proposers = view_of(proposing);
    SideView<Id> const receivers = view_of(other(proposing));
    std::uint64_t ranks_dropped = 0;
    bool many_free = free.size() > few_free();
    for (std::uint32_t live = free.size(); live > 0;
         many_free = !is_gpu<Exec> && live > few_free()) {
      launch_proposals(
          {{proposers, receivers, backlog_links_.data()}, policy(), chains_.data(), live},
          many_free);
      ++cost_.rounds;
      Kokkos::deep_copy(where_, host_control_, control_);
      where_.fence(name("propagate: wait for the count of free proposers"));
      if (host_control_().failed != 0) {
        return false;
      }
      ranks_dropped += host_control_().ranks_dropped;
      live = host_control_().parked;
      std::swap(chains_, parked_);
      host_control_() = {};
      Kokkos::deep_copy(where_, control_, host_control_);
    }
    if (ranks_dropped < std::uint64_t{n_} * n_ / (is_gpu<Exec> ? 128 : 4)) {
      Kokkos::parallel_for(name("cut"), items(n_), Cut<Id>{proposers, receivers, policy()});
    } else {
      Kokkos::parallel_for(name("sweep"), items(n_), Sweep<Id>{proposers, receivers, policy()});
    }
    return true;
  }

  /// Up to how many free proposers count as few.
  std::uint32_t few_free() const {
    return is_gpu<Exec>
               ? ParallelLimits<Exec>::few_free
               : ParallelLimits<Exec>::few_free * static_cast<std::uint32_t>(concurrency(where_));
  }

  /// Launches phase 2. If many proposers are free: on a GPU each gets a thread, until few are left;
  /// on a host each makes one step, as in the serial propagator.
  void launch_proposals(ProposeKernel<Exec, Id> chains, bool many_free) const {
    using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
    using DynamicRange = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>,
                                             Kokkos::Schedule<Kokkos::Dynamic>>;
    if (many_free) {
      if (is_gpu<Exec>) {
        // One list has at most n steps; a worker goes on with the proposers that it displaces.
        chains.policy.stop = {.max_steps = 2 * std::uint64_t{n_},
                              .stop_at_retired = chains.count - few_free()};
      } else {
        chains.policy.stop = {.max_steps = 1};
      }
      Kokkos::parallel_for(name("propose_all"), Range(where_, 0, chains.count), chains);
    } else if constexpr (is_gpu<Exec>) {
      if (InTeam::scratch_bytes(n_, team_workers) <= RowTeams<Exec>::scratch_bytes) {
        return launch_in_team({chains.propose, chains.policy, chains.chains, chains.count});
      }
      constexpr std::uint32_t team_size = ParallelLimits<Exec>::workers_per_team;
      std::uint32_t const workers = std::max(chains.count, ParallelLimits<Exec>::handoff_slots);
      chains.policy.handoff = {handoff_slots_.data(), &control_.data()->idle,
                               ParallelLimits<Exec>::handoff_slots, workers};
      Kokkos::parallel_for(
          name("propose"),
          Kokkos::TeamPolicy<Exec>(where_, static_cast<int>((workers + team_size - 1) / team_size),
                                   static_cast<int>(team_size), ParallelLimits<Exec>::lanes),
          chains);
    } else {
      Kokkos::parallel_for(name("propose"), DynamicRange(where_, 0, chains.count), chains);
    }
  }

  /// Launches phase 2 with one team, which has scratch for all offers.
  void launch_in_team(InTeam const& kernel) const {
    constexpr unsigned lanes = team_workers * ParallelLimits<Exec>::lanes;
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<lanes, 1>> one_team(where_, 1, team_workers,
                                                                      ParallelLimits<Exec>::lanes);
    one_team.set_scratch_size(0, Kokkos::PerTeam(InTeam::scratch_bytes(n_, team_workers)));
    Kokkos::parallel_for(name("propose_in_team"), one_team, kernel);
  }

  /// Brings the changed persons to the host state. False if some domain became empty. The first
  /// copy has room for a few persons, so that most calls need only one fence.
  bool receive_changes(HostState<Id>& state) {
    constexpr std::uint64_t few = 128;
    std::uint64_t const first_copy = std::min<std::uint64_t>(few, 2 * n_);
    Kokkos::parallel_for(name("pack"), agents(),
                         Pack<Id>{sides(), policy(), missing(), record_words_, records_.data()});
    Kokkos::deep_copy(where_, host_control_, control_);
    copy(host_records_, records_, first_copy * record_words_);
    where_.fence(name("propagate: wait for the record count and the first records"));
    if (host_control_().failed != 0) {
      return false;
    }
    std::uint64_t const records = host_control_().records;
    if (records > first_copy) {
      copy(host_records_, records_, records * record_words_);
      where_.fence(name("propagate: wait for the remaining records"));
    }

    state.trail_pending();
    state.pending.clear();
    state.free.clear();
    state.assigned.clear();
    for (std::uint64_t i = 0; i < records; ++i) {
      prefetch_record(state, i, records);
      apply_record(state, &host_records_(i * record_words_));
    }
    if (is_gpu<Exec> && serial_calls_follow_) {
      state.prefetch_for_serial_call();
    }
    return true;
  }

  /// Prefetches a later record, which a GPU has written to memory, and the row of a nearer record.
  void prefetch_record(HostState<Id> const& state, std::uint64_t i, std::uint64_t records) const {
    constexpr std::uint64_t ahead = 4;
    constexpr std::uint32_t words_per_line = 8;
    if (i + 2 * ahead < records) {
      Word const* const record = &host_records_((i + 2 * ahead) * record_words_);
      for (std::uint32_t word = 0; word < record_words_; word += words_per_line) {
        prefetch(record + word);
      }
    }
    if (i + ahead < records) {
      std::uint32_t const agent = Record::agent(host_records_((i + ahead) * record_words_));
      SideView<Id> const view = state.view_of(agent < n_ ? Side::men : Side::women);
      for (std::uint32_t word = 0; word < view.words(); word += words_per_line) {
        prefetch(&view.rows(agent < n_ ? agent : agent - n_, word));
      }
    }
  }

  /// Writes one record to the host state, and adds what the men lost to the trail.
  void apply_record(HostState<Id>& state, Word const* record) const {
    std::uint32_t const agent = Record::agent(record[0]);
    Side const side = agent < n_ ? Side::men : Side::women;
    std::uint32_t const person = agent < n_ ? agent : agent - n_;
    SideView<Id> const view = state.view_of(side);
    if (Record::is_missing(record[0])) {
      std::copy_n(record + Record::head, view.words(), &state.missing[index_of(side)](person, 0));
      return;
    }
    if (side == Side::men) {
      for (std::uint32_t word = 0; state.trail.is_recording() && word < view.words(); ++word) {
        state.trail_values(person, word, view.rows(person, word) & ~record[Record::head + word]);
      }
      state.size += Record::count(record[0]);
      state.size -= view.count[person];
    }
    view.count[person] = Record::count(record[0]);
    view.proposed[person] = static_cast<std::uint32_t>(record[1]);
    view.offer[person] = record[2];
    std::copy_n(record + Record::head, view.words(), view.rows[person]);
    if (tracks_missing(index_of(side))) {
      std::copy_n(record + Record::head + view.words(), NextValues::size,
                  state.next_values[index_of(side)](person).entries);
    }
    state.changed.of(side).add(person);
  }

  /// Copies the first `entries` entries, and counts their bytes.
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
  bool serial_calls_follow_;
  std::array<Candidates, 2> candidates_;
  std::array<Domains<Memory>, 2> domains_;
  RowsOfProposers missing_;      ///< HostState::missing; without extent if no serial calls follow
  RowsOfProposers rows_before_;  ///< written by save_rows()
  std::uint32_t record_words_;
  Kokkos::View<CallControl, Memory> control_;
  Kokkos::View<CallControl, Pinned> host_control_;
  Kokkos::View<std::uint8_t*, Memory> improved_;
  Kokkos::View<std::uint8_t*, Memory> changed_flags_;
  Kokkos::View<std::uint32_t*, Memory> backlog_links_;
  Kokkos::View<std::uint32_t*, Memory> next_assigned_;
  Kokkos::View<AtomicWord*, Memory> handoff_slots_;
  Kokkos::View<Chain*, Memory> chains_;
  Kokkos::View<Chain*, Memory> parked_;
  Kokkos::View<Chain*, Pinned> host_chains_;
  Kokkos::View<Word*, Memory> records_;
  Kokkos::View<Word*, Pinned> host_records_;
  Cost cost_;
  std::mutex mutex_;
  /// The copy whose state this is; 0 after a failure. The first owner starts with full domains, as
  /// this does.
  std::uint64_t owner_ = 1;
  std::uint64_t owners_ = 0;  ///< numbers that new_owner() has given
};

}  // namespace taper::marriage_propagator::detail
