// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stable marriage constraint: front door and table of contents, in the
// order in which the data flows.

// What a caller chooses.
#include <taper/marriage_propagator/options.hpp>
// Bit rows with bounds, and offers.
#include <taper/marriage_propagator/domains.hpp>
// Preference lists, joined with the other side's inverse ones.
#include <taper/marriage_propagator/tables.hpp>
// Phase 1: what others have changed.
#include <taper/marriage_propagator/changes.hpp>
// Phase 2: free people propose.
#include <taper/marriage_propagator/tighten.hpp>
// Phase 3: what the proposals imply leaves the domains.
#include <taper/marriage_propagator/prune.hpp>
// What a solver sees, and the way back.
#include <taper/marriage_propagator/ledger.hpp>
#include <taper/marriage_propagator/spare_ledgers.hpp>
#include <taper/marriage_propagator/trail.hpp>
// The three phases on the calling thread.
#include <taper/marriage_propagator/serial.hpp>
// The three phases on an execution space: bookkeeping, transfer, kernels, and
// the call.
#include <taper/marriage_propagator/mailboxes.hpp>
#include <taper/marriage_propagator/phases.hpp>
#include <taper/marriage_propagator/records.hpp>
#include <taper/marriage_propagator/shared.hpp>
#include <taper/marriage_propagator/wide.hpp>

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace taper::marriage_propagator {

enum class Status {
  fixpoint,  ///< the domains are the greatest ones within what they were that
             ///< the constraint allows
  failed     ///< somebody has nobody left: the domains mean nothing until restore()
};

/// What a call did.
struct Report {
  Status status = Status::fixpoint;
  Schedule schedule = Schedule::serial;  ///< which propagator answered; never hybrid
  Situation situation;                   ///< how the call found things
  std::uint64_t removed = 0;             ///< pairs that have left since the last call,
                                         ///< others' removals included
  std::uint32_t rounds = 0;              ///< launches of phase 2
  std::uint64_t bytes_moved = 0;         ///< between memory spaces
};

/// The stable marriage constraint over the domains of n men and n women
/// (Travasci, Tardivo and Formisano, "GPU-Accelerated Propagation for the
/// Stable Marriage Constraint", CILC 2025; Unsworth and Prosser, "An n-ary
/// constraint for the stable marriage problem", 2005).
///
/// A value v of a person is the v-th best of the own list, 0 the best. The
/// propagator holds the domains. A solver tells it what others have removed
/// (remove, assign, keep), calls propagate(), and reads what else must go
/// (changed, row). save() and restore() follow the search.
///
/// The fixpoint is the greatest set of pairs (m, w) that satisfies, for all men
/// m and m' and women w:
///   where m likes w as much as his best remaining woman or better, she has
///   nobody left whom she likes less than m; and, with Options::engage, whoever
///   has one value left is the one value of that partner.
/// It does not depend on schedule, backend, thread count or the order of calls.
/// From full domains and without `engage` it is the MGS-lists, and with
/// `symmetric` the GS-lists.
///
/// Work: a call costs what it changes, and a word of 64 values for each row
/// that others have modified; no domain is searched for changes. The serial
/// propagator runs on the calling thread, whatever the execution space. Not for
/// two threads at a time; copies may be used by different threads.
template <ExecutionSpace Exec, class Id = std::uint16_t>
class Propagator {
  using Memory = typename Exec::memory_space;
  using Preferences = stable_marriage::ConstTable<Id, Memory>;

 public:
  /// All domains full, everybody free.
  ///
  /// Memory: 4 n^2 ids on the side of `where`, and as much again on the host where that is another
  ///   memory; the bit rows on both sides, and as long as calls may go to the execution space, room for
  ///   4 n rows on their way, 5 n or 6 n for hybrid, on both sides too; n^2 pairs of ids of address
  ///   space for the trail. No View is allocated later.
  /// Async:  returns with `where` fenced.
  /// Throws: taper::Error where a side is not n x n, n does not fit the ids, or a list is no
  ///   permutation (Options::check_lists).
  static Propagator post(Exec const& where, stable_marriage::Instance<Preferences> const& instance,
                         Options const& options = {}) {
    Region const region("taper::marriage_propagator::post");
    stable_marriage::detail::require_square("taper::marriage_propagator::post", instance);
    if (options.check_lists && instance.size() > 0) {
      detail::require_permutations(where, "men", instance.men);
      detail::require_permutations(where, "women", instance.women);
    }
    return Propagator(where, detail::build_tables(where, instance),
                      with_thresholds(where, options));
  }

  Propagator(Propagator&&) = default;
  Propagator& operator=(Propagator&&) = delete;
  ~Propagator() {
    if (ledger_) {
      spare_ledgers_->give(std::move(ledger_));
    }
  }

  /// Another one with domains as this one's, no save() open, and the same
  /// tables; what is pending here is pending there. The execution space's state
  /// is shared: whichever used it last need not send all its domains again.
  /// Cost: both sides' rows. Allocates only where no other of the family has been destroyed since; what
  /// a destroyed one had is kept for the next.
  Propagator copy() const {
    Propagator twin(where_, tables_, options_, wide_, spare_ledgers_);
    twin.ledger().copy_from(ledger());
    twin.size_before_ = size_before_;
    twin.propagated_ = propagated_;
    return twin;
  }

  /// Another constraint of the same market with the roles exchanged, as in the paper's models: its
  /// men are the women here. Domains full, everybody free, the same tables.
  Propagator exchanged() const {
    detail::Tables<Exec, Id> tables = tables_;
    std::swap(tables.wide[0], tables.wide[1]);
    std::swap(tables.host[0], tables.host[1]);
    std::swap(tables.alike[0], tables.alike[1]);
    return Propagator(where_, tables, options_);
  }

  std::uint32_t size() const { return ledger().n; }
  Options const& options() const { return options_; }

  // --- Domains ---

  bool contains(People side, std::uint32_t person, std::uint32_t value) const {
    return ledger().side(side).has(person, value);
  }
  std::uint32_t count(People side, std::uint32_t person) const {
    return ledger().domains[index_of(side)].count(person);
  }
  /// The domain as words of 64 values; bits from n on are 0.
  std::span<Word const> row(People side, std::uint32_t person) const {
    return {ledger().side(side).rows[person], words_for(size())};
  }
  /// n where there is none.
  std::uint32_t least(People side, std::uint32_t person) const {
    return detail::least_value(ledger().side(side), person);
  }
  std::uint32_t greatest(People side, std::uint32_t person) const {
    return detail::greatest_value(ledger().side(side), person);
  }
  /// Whom a value means.
  std::uint32_t partner(People side, std::uint32_t person, std::uint32_t value) const {
    return ledger().side(side).twin(person, value).person;
  }
  /// The value that means `partner`: what the person is to the partner, looked
  /// up the other way round.
  std::uint32_t twin_value(People side, std::uint32_t person, std::uint32_t value) const {
    return ledger().side(side).twin(person, value).value;
  }

  // --- The delta in: what others have removed. Cost: a word each; keep() and
  // assign(), a row. ---

  void remove(People side, std::uint32_t person, std::uint32_t value) {
    check("remove", side, person, value);
    ledger().remove(side, person, value / word_bits, bit_of(value));
  }
  /// All from `first` to `last`.
  void remove(People side, std::uint32_t person, std::uint32_t first, std::uint32_t last) {
    check("remove", side, person, first);
    check("remove", side, person, last);
    for (std::uint32_t word = first / word_bits; word <= last / word_bits; ++word) {
      ledger().remove(side, person, word, bits_below(last + 1, word) & ~bits_below(first, word));
    }
  }
  void assign(People side, std::uint32_t person, std::uint32_t value) {
    check("assign", side, person, value);
    for (std::uint32_t word = 0; word < words_for(size()); ++word) {
      ledger().remove(side, person, word, word == value / word_bits ? ~bit_of(value) : ~Word{0});
    }
  }
  /// Keeps of a domain what `values` has, a row of words of 64 values.
  void keep(People side, std::uint32_t person, std::span<Word const> values) {
    check("keep", side, person, 0);
    TAPER_REQUIRE(values.size() == words_for(size()),
                  "taper::marriage_propagator::keep: a row has " +
                      std::to_string(words_for(size())) + " words, not " +
                      std::to_string(values.size()));
    for (std::uint32_t word = 0; word < words_for(size()); ++word) {
      ledger().remove(side, person, word, ~values[word]);
    }
  }

  /// Whether anything has been removed since the last propagate().
  bool pending() const { return ledger().pending.values > 0; }

  // --- The constraint ---

  /// Equivalent to: the paper's queue of deltaMin, deltaMax, removeValue and inst (Algorithm 2),
  /// with
  ///   its two corrections, until it is empty.
  /// Async: returns with the execution space fenced where the parallel propagator answered.
  Report propagate() {
    Region const region("taper::marriage_propagator::propagate");
    detail::Ledger<Id>& state = ledger();
    Report report;
    report.situation = {state.free.size(),
                        state.pending.people.size(),
                        state.pending.values,
                        size_before_,
                        tables_.alike[0] && (tables_.alike[1] || !options_.symmetric),
                        size()};
    report.schedule = choose(report.situation);
    // What a call that failed has changed, restore() must know still, however often it is asked again.
    if (!state.failed) {
      state.changed.clear();
      state.release(People::men);
      state.release(People::women);
      if (report.schedule == Schedule::parallel) {
        auto const cost = wide_->propagate(owner_, state, options_.engage);
        report.rounds = cost.rounds;
        report.bytes_moved = cost.bytes_moved;
      } else {
        detail::Serial<Id>(state).propagate(options_.engage);
      }
    }
    if (state.failed) {
      report.status = Status::failed;
      return report;
    }
    propagated_ = true;
    report.removed = size_before_ - state.size;
    size_before_ = state.size;
    return report;
  }

  /// Whose domains the last propagate() has changed, beside what others had
  /// removed; maybe a few more.
  std::span<std::uint32_t const> changed(People side) const {
    return ledger().changed.of(side).people();
  }

  // --- The search ---

  /// Requires: the last propagate() came to a fixpoint, and nothing has been
  /// removed since.
  void save() {
    TAPER_REQUIRE(settled(), "taper::marriage_propagator::save: " + unsettled());
    ledger().trail.save();
  }

  /// The domains as they were at the last open save(), which it closes.
  /// Cost: what has been removed since.
  void restore() {
    ledger().restore();
    size_before_ = ledger().size;
  }

  /// save() calls that are open.
  std::uint32_t depth() const { return ledger().trail.depth(); }

 private:
  using Wide = detail::Wide<Exec, Id>;

  using SpareLedgers = detail::SpareLedgers<Id>;

  Propagator(Exec const& where, detail::Tables<Exec, Id> const& tables, Options const& options,
             std::shared_ptr<Wide> wide = nullptr,
             std::shared_ptr<SpareLedgers> spare_ledgers = std::make_shared<SpareLedgers>())
      : where_(where), tables_(tables), options_(options), wide_(std::move(wide)),
        spare_ledgers_(std::move(spare_ledgers)), ledger_(spare_ledgers_->take()) {
    if (!ledger_) {
      ledger_ = std::make_unique<detail::Ledger<Id>>(tables.host, options);
    }
    size_before_ = ledger_->size;
    if (!wide_ &&
        (options_.schedule == Schedule::parallel ||
         (options_.schedule == Schedule::hybrid && ever_parallel(*options_.thresholds)))) {
      wide_ = std::make_shared<Wide>(where, tables.wide, options_.symmetric,
                                     options_.schedule == Schedule::hybrid);
    }
    if (wide_) {
      owner_ = wide_->new_owner();
    }
  }

  detail::Ledger<Id>& ledger() { return *ledger_; }
  detail::Ledger<Id> const& ledger() const { return *ledger_; }

  bool settled() const {
    return !ledger().failed && ledger().pending.people.empty() && (propagated_ || ledger().n == 0);
  }
  std::string unsettled() const {
    return ledger().failed ? "the last call failed, and only restore() leads on"
           : propagated_   ? "values have been removed since the last propagate()"
                           : "propagate() has not come to a fixpoint yet";
  }

  void check(char const* function, People side, std::uint32_t person, std::uint32_t value) const {
    TAPER_REQUIRE(person < size() && value < size(),
                  std::string("taper::marriage_propagator::") + function + ": person " +
                      std::to_string(person) + " of the " + std::string(to_string(side)) +
                      ", value " + std::to_string(value) +
                      ": both must be below n = " + std::to_string(size()));
  }

  Schedule choose(Situation const& situation) const {
    if (options_.schedule != Schedule::hybrid) {
      return options_.schedule;
    }
    return choose_parallel(*options_.thresholds, situation) ? Schedule::parallel : Schedule::serial;
  }

  /// The options with thresholds, for which the machine's profile is read once.
  static Options with_thresholds(Exec const& where, Options options) {
    if (!options.thresholds) {
      MachineProfile const* machine = options.machine;
      options.thresholds = machine != nullptr
                               ? (is_gpu<Exec> ? machine->device : machine->host).propagator
                               : unmeasured_thresholds(
                                     is_gpu<Exec>, static_cast<std::uint64_t>(where.concurrency()));
    }
    options.machine = nullptr;
    return options;
  }

  Exec where_;
  detail::Tables<Exec, Id> tables_;
  Options options_;
  std::shared_ptr<Wide> wide_;
  std::uint64_t owner_ = 0;
  std::shared_ptr<SpareLedgers> spare_ledgers_;
  std::unique_ptr<detail::Ledger<Id>> ledger_;
  std::uint64_t size_before_ = 0;
  bool propagated_ = false;
};

}  // namespace taper::marriage_propagator
