// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stable marriage constraint: front door and table of contents, in the order of the data flow.

// Options, and how hybrid chooses.
#include <taper/marriage_propagator/options.hpp>
// Domains as bit rows, and offers.
#include <taper/marriage_propagator/domains.hpp>
// Candidate tables: preference lists joined with the inverse lists of the other side.
#include <taper/marriage_propagator/tables.hpp>
// Phase 1: what the solver has changed.
#include <taper/marriage_propagator/change_lists.hpp>
// Phase 2: free proposers propose.
#include <taper/marriage_propagator/propose.hpp>
// Phase 3: remove from the domains what the proposals imply.
#include <taper/marriage_propagator/prune.hpp>
// The state that a solver sees, and the record by which restore() returns.
#include <taper/marriage_propagator/host_state.hpp>
#include <taper/marriage_propagator/state_pool.hpp>
#include <taper/marriage_propagator/trail.hpp>
// The three phases on the calling thread.
#include <taper/marriage_propagator/serial.hpp>
#include <taper/marriage_propagator/update_policy.hpp>
// The three phases on an execution space: hand-over of proposers, kernels, transfer, the call.
#include <taper/marriage_propagator/handoff.hpp>
#include <taper/marriage_propagator/parallel.hpp>
#include <taper/marriage_propagator/parallel_phases.hpp>
#include <taper/marriage_propagator/shared_update_policy.hpp>
#include <taper/marriage_propagator/transfer_records.hpp>
// The propagators as published: four matrices, Algorithm 2, Algorithm 3.
#include <taper/marriage_propagator/published/bounds.hpp>
#include <taper/marriage_propagator/published/kernels.hpp>
#include <taper/marriage_propagator/published/lists.hpp>
#include <taper/marriage_propagator/published/parallel.hpp>
#include <taper/marriage_propagator/published/serial.hpp>
#include <taper/marriage_propagator/published/variables.hpp>

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace taper::marriage_propagator {

/// The outcome of a call.
enum class Status {
  fixpoint,  ///< the domains are the greatest subsets of what they were that the constraint allows
  failed     ///< some domain is empty; all domains are meaningless until restore()
};

/// What a call did.
struct Report {
  Status status = Status::fixpoint;
  Schedule schedule = Schedule::serial;  ///< the propagator that answered; never hybrid
  Situation situation;                   ///< what the call found
  std::uint64_t removed = 0;             ///< pairs gone since the last call, also by the solver
  std::uint32_t rounds = 0;              ///< launches of phase 2; 0 if serial
  std::uint64_t bytes_moved = 0;         ///< bytes copied between host and device
};

/// The stable marriage constraint over the domains of n men and n women.
///
/// The propagator holds the domains. Value v of a person is the v-th best candidate of its list, 0
/// the best. A solver
///   1. reports its own removals: remove(), assign(), keep();
///   2. calls propagate();
///   3. reads what else must go: changed(), row();
///   4. calls save() before and restore() after a branch of its search.
///
/// The fixpoint is the greatest set of pairs that satisfies, for each man m and woman w:
///   - if m prefers w to his best remaining woman, or w is that woman, then w has no man left that
///     she likes less than m;
///   - with Options::bind_partner: if a person has one partner left, that partner has only this
///     person left.
/// With Options::symmetric the first condition also holds with the sides exchanged. The fixpoint
/// does not depend on schedule, backend, thread count or the order of calls. From full domains
/// without `bind_partner` it is the MGS-lists, and with `symmetric` the GS-lists.
///
/// Cost: a call costs as much as it changes, plus one row of n / 64 words per person that the
/// solver has modified. No domain is searched for changes. The serial propagator runs on the
/// calling thread, whatever the execution space.
/// Threads: one thread at a time per propagator. Copies may be used by different threads.
/// Source: Travasci, Tardivo and Formisano, "GPU-Accelerated Propagation for the Stable Marriage
/// Constraint", CILC 2025 ("the paper" in this folder); Unsworth and Prosser, "An n-ary constraint
/// for the stable marriage problem", 2005.
template <ExecutionSpace Exec, class Id = std::uint16_t>
class Propagator {
  using Memory = typename Exec::memory_space;
  using Preferences = preferences::ConstTable<Id, Memory>;

 public:
  /// Posts the constraint. All domains are full and all proposers free; call propagate() next.
  ///
  /// instance: the lists of both sides, n x n ids, row = person, best candidate first.
  /// Memory: 4 n^2 ids on the host, and as much in the memory of `where` if that is another one,
  ///   unless n is small and calls cannot be parallel; the bit rows of n^2 / 64 words per side in
  ///   both; room for 4 n rows in transfer in both if calls may be parallel (hybrid: 5 n, symmetric
  ///   hybrid: 6 n); address space for n^2 pairs of ids for the trail. A published engine has 4 n^2
  ///   ids more in the memory that it works in. No later call allocates a View.
  /// Async: returns with `where` fenced.
  /// Throws: taper::Error if a side is not n x n, if n does not fit Id, with Options::check_lists
  ///   if a list is not a permutation, or if the engine does not have what the options ask for.
  static Propagator post(Exec const& where, preferences::Instance<Preferences> const& instance,
                         Options const& options = {}) {
    Region const region("taper::marriage_propagator::post");
    preferences::require_square("taper::marriage_propagator::post", instance);
    require_published(options);
    if (options.check_lists && instance.size() > 0) {
      detail::require_permutations(where, "men", instance.men);
      detail::require_permutations(where, "women", instance.women);
    }
    std::uint64_t const n = instance.size();
    ThresholdsByLists const thresholds = thresholds_by_lists(where, options, n);
    bool const may_need_parallel =
        needs_parallel(options, thresholds[0], n) || needs_parallel(options, thresholds[1], n);
    Options without_profile = options;
    without_profile.machine = nullptr;  // it need not live longer
    return Propagator(where,
                      detail::build_tables(where, instance, options.engine, may_need_parallel),
                      without_profile, thresholds);
  }

  Propagator(Propagator&&) = default;
  Propagator& operator=(Propagator&&) = delete;
  ~Propagator() {
    if (state_) {
      state_pool_->put(std::move(state_));
    }
  }

  /// A propagator with the same domains and pending removals, without an open save(). It shares the
  /// tables and the state in the execution space. The copy that used that state last is cheapest to
  /// call; another one sends all its rows first.
  /// Cost: the rows of both sides. Allocates only if no other copy has been destroyed since; the
  /// copy takes over a destroyed one's memory.
  Propagator copy() const {
    Propagator result(where_, tables_, options_, thresholds_, parallel_, published_, state_pool_);
    result.host_state().copy_from(host_state());
    result.size_before_ = size_before_;
    result.propagated_ = propagated_;
    return result;
  }

  /// The constraint of the same market with the sides exchanged: its men are the women here. The
  /// paper's models post both. Domains full, all proposers free, the same tables.
  Propagator exchanged() const {
    return Propagator(where_, tables_.exchanged(), options_, thresholds_);
  }

  std::uint32_t size() const { return host_state().n; }
  Options const& options() const { return options_; }

  // --- Domains ---

  bool contains(Side side, std::uint32_t person, std::uint32_t value) const {
    return host_state().view_of(side).has(person, value);
  }
  std::uint32_t count(Side side, std::uint32_t person) const {
    return host_state().domains[index_of(side)].count(person);
  }
  /// The domain as words of 64 values; bits from n on are 0.
  std::span<Word const> row(Side side, std::uint32_t person) const {
    return {host_state().view_of(side).rows[person], words_for(size())};
  }
  /// The least value in the domain, the best candidate; n if it is empty.
  std::uint32_t least(Side side, std::uint32_t person) const {
    return detail::least_value(host_state().view_of(side), person);
  }
  /// The greatest value in the domain; n if it is empty.
  std::uint32_t greatest(Side side, std::uint32_t person) const {
    return detail::greatest_value(host_state().view_of(side), person);
  }
  /// The person on the other side that `value` stands for.
  std::uint32_t partner(Side side, std::uint32_t person, std::uint32_t value) const {
    return host_state().view_of(side).reverse(person, value).person;
  }
  /// The value of `person` on the list of partner(side, person, value).
  std::uint32_t reverse_value(Side side, std::uint32_t person, std::uint32_t value) const {
    return host_state().view_of(side).reverse(person, value).value;
  }

  // --- Removals by the solver. Each throws taper::Error if an index is out of range. Cost: one
  // word; assign() and keep(), one row. ---

  /// Removes one value. A value that is already gone is ignored.
  void remove(Side side, std::uint32_t person, std::uint32_t value) {
    check("remove", side, person, value);
    host_state().remove(side, person, value / word_bits, bit_of(value));
  }
  /// Removes the values from `first` to `last`, both included.
  void remove(Side side, std::uint32_t person, std::uint32_t first, std::uint32_t last) {
    check("remove", side, person, first);
    check("remove", side, person, last);
    for (std::uint32_t word = first / word_bits; word <= last / word_bits; ++word) {
      host_state().remove(side, person, word,
                          bits_below(last + 1, word) & ~bits_below(first, word));
    }
  }
  /// Removes all values but `value`.
  void assign(Side side, std::uint32_t person, std::uint32_t value) {
    check("assign", side, person, value);
    for (std::uint32_t word = 0; word < words_for(size()); ++word) {
      host_state().remove(side, person, word,
                          word == value / word_bits ? ~bit_of(value) : ~Word{0});
    }
  }
  /// Removes the values that are not in `values`, a row as row() returns it.
  /// Throws: taper::Error if its length is not that of a row.
  void keep(Side side, std::uint32_t person, std::span<Word const> values) {
    check("keep", side, person, 0);
    TAPER_REQUIRE(values.size() == words_for(size()),
                  "taper::marriage_propagator::keep: `values` must have " +
                      std::to_string(words_for(size())) + " words, as row() has, but has " +
                      std::to_string(values.size()));
    for (std::uint32_t word = 0; word < words_for(size()); ++word) {
      host_state().remove(side, person, word, ~values[word]);
    }
  }

  /// Whether the solver has removed a value since the last propagate().
  bool pending() const { return host_state().pending.values > 0; }

  // --- The constraint ---

  /// Reduces the domains to the fixpoint. After a failure it returns `failed` again until
  /// restore().
  ///
  /// Equivalent to: the paper's queue of deltaMin, deltaMax, removeValue and inst (Algorithm 2),
  /// with its two corrections, until it is empty. Engine::published_serial runs just that.
  /// Async: if the parallel propagator answered, returns with the execution space fenced.
  Report propagate() {
    Region const region("taper::marriage_propagator::propagate");
    detail::HostState<Id>& state = host_state();
    Report report;
    report.situation = {state.free.size(), state.pending.persons.size(), state.pending.values,
                        size_before_,      has_similar_lists(),          size()};
    report.schedule = choose(report.situation);
    // After a failure the list of changed persons stays, because restore() needs it.
    if (!state.failed) {
      state.changed.clear();
      if (options_.engine == Engine::taper) {
        propagate_by_taper(report);
      } else {
        propagate_as_published(report);
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

  /// The persons whose domains the last propagate() changed, each once, and possibly some more. The
  /// solver's own removals do not count.
  std::span<std::uint32_t const> changed(Side side) const {
    return host_state().changed.of(side).persons();
  }

  // --- The search ---

  /// Opens a level of the search, to which restore() returns. Cost: O(1).
  /// Throws: taper::Error if the domains are not at a fixpoint of propagate(), or if
  ///   Options::max_levels saves are open.
  void save() {
    TAPER_REQUIRE(settled(), "taper::marriage_propagator::save: " + unsettled());
    host_state().trail.save();
  }

  /// Restores the domains of the last open save(), and closes it.
  /// Cost: the pairs removed since then. A published engine adds n values per changed person after
  /// a failure.
  /// Throws: taper::Error if no save() is open.
  void restore() {
    host_state().restore();
    size_before_ = host_state().size;
  }

  /// How many save() calls are open.
  std::uint32_t depth() const { return host_state().trail.depth(); }

 private:
  using ParallelPropagator = detail::ParallelPropagator<Exec, Id>;
  using PublishedParallel = published::ParallelPropagator<Exec, Id>;
  using StatePool = detail::StatePool<Id>;
  /// The thresholds of hybrid for lists that are not similar, and for similar ones.
  using ThresholdsByLists = std::array<Thresholds, 2>;

  Propagator(Exec const& where, detail::Tables<Exec, Id> const& tables, Options const& options,
             ThresholdsByLists const& both_thresholds,
             std::shared_ptr<ParallelPropagator> parallel = nullptr,
             std::shared_ptr<PublishedParallel> published = nullptr,
             std::shared_ptr<StatePool> state_pool = std::make_shared<StatePool>())
      : where_(where), tables_(tables), options_(options), thresholds_(both_thresholds),
        parallel_(std::move(parallel)), published_(std::move(published)),
        state_pool_(std::move(state_pool)), state_(state_pool_->take()) {
    if (!state_) {
      state_ = std::make_unique<detail::HostState<Id>>(tables.host, options);
    }
    size_before_ = state_->size;
    if (!published_ && options_.engine == Engine::published_parallel) {
      published_ = std::make_shared<PublishedParallel>(where, tables.published_parallel);
    }
    if (!parallel_ && needs_parallel(options_, thresholds(), state_->n)) {
      parallel_ = std::make_shared<ParallelPropagator>(where, tables.parallel, options_.symmetric,
                                                       options_.schedule == Schedule::hybrid);
    }
    if (parallel_) {
      owner_ = parallel_->new_owner();
    }
  }

  void propagate_by_taper(Report& report) {
    detail::HostState<Id>& state = host_state();
    state.disengage_free(Side::men);
    state.disengage_free(Side::women);
    if (report.schedule == Schedule::parallel) {
      auto const cost = parallel_->propagate(owner_, state, options_.bind_partner);
      report.rounds = cost.rounds;
      report.bytes_moved = cost.bytes_moved;
    } else {
      detail::SerialPropagator<Id>(state).propagate(options_.bind_partner);
    }
  }

  void propagate_as_published(Report& report) {
    if (options_.engine == Engine::published_parallel) {
      auto const cost = published_->propagate(host_state(), !propagated_);
      report.rounds = cost.rounds;
      report.bytes_moved = cost.bytes_moved;
    } else {
      published::SerialPropagator<Id>(host_state(), tables_.published_serial, options_.bind_partner)
          .propagate(!propagated_);
    }
  }

  detail::HostState<Id>& host_state() { return *state_; }
  detail::HostState<Id> const& host_state() const { return *state_; }

  bool settled() const {
    return !host_state().failed && host_state().pending.persons.empty() &&
           (propagated_ || host_state().n == 0);
  }
  std::string unsettled() const {
    return host_state().failed ? "the last propagate() failed: call restore() first"
           : propagated_ ? "values have been removed since the last propagate(): call it first"
                         : "no fixpoint has been reached: call propagate() first";
  }

  void check(char const* function, Side side, std::uint32_t person, std::uint32_t value) const {
    TAPER_REQUIRE(person < size() && value < size(),
                  std::string("taper::marriage_propagator::") + function + ": person " +
                      std::to_string(person) + " of the " + std::string(to_string(side)) +
                      ", value " + std::to_string(value) +
                      ": both must be below n = " + std::to_string(size()));
  }

  /// Throws if a published engine does not have what the options ask for.
  static void require_published(Options const& options) {
    std::string const engine =
        "taper::marriage_propagator::post: the engine " + std::string(to_string(options.engine));
    TAPER_REQUIRE(options.engine == Engine::taper || !options.symmetric,
                  engine + " lets only the men propose: `symmetric` must be false");
    TAPER_REQUIRE(options.engine != Engine::published_parallel || !options.bind_partner,
                  engine + " has no inst: `bind_partner` must be false");
  }

  Schedule choose(Situation const& situation) const {
    if (options_.engine != Engine::taper) {
      return options_.engine == Engine::published_serial ? Schedule::serial : Schedule::parallel;
    }
    if (options_.schedule != Schedule::hybrid) {
      return options_.schedule;
    }
    return choose_parallel(thresholds(), situation) ? Schedule::parallel : Schedule::serial;
  }

  /// Whether the lists of all proposers are similar.
  bool has_similar_lists() const {
    return tables_.similar_lists[0] && (tables_.similar_lists[1] || !options_.symmetric);
  }
  Thresholds const& thresholds() const { return thresholds_[has_similar_lists() ? 1 : 0]; }

  /// Whether calls of Taper's engine may go to the execution space.
  static bool needs_parallel(Options const& options, Thresholds const& thresholds,
                             std::uint64_t n) {
    return options.engine == Engine::taper &&
           (options.schedule == Schedule::parallel ||
            (options.schedule == Schedule::hybrid && can_choose_parallel(thresholds, n)));
  }

  static ThresholdsByLists thresholds_by_lists(Exec const& where, Options const& options,
                                               std::uint64_t n) {
    constexpr bool gpu = is_gpu<Exec>;
    MachineProfile const* machine = options.machine;
    ExecutionCosts const* costs = machine == nullptr ? nullptr
                                  : gpu              ? &machine->device
                                                     : &machine->host;
    auto const of = [&](bool similar_lists) {
      return thresholds_for(options.thresholds, costs, gpu, concurrency(where), n, similar_lists);
    };
    return {of(false), of(true)};
  }

  Exec where_;
  detail::Tables<Exec, Id> tables_;
  Options options_;
  ThresholdsByLists thresholds_;
  std::shared_ptr<ParallelPropagator> parallel_;
  std::uint64_t owner_ = 0;  ///< this copy's number in parallel_
  std::shared_ptr<PublishedParallel> published_;
  std::shared_ptr<StatePool> state_pool_;
  std::unique_ptr<detail::HostState<Id>> state_;
  std::uint64_t size_before_ = 0;  ///< pairs left after the last call
  bool propagated_ = false;        ///< whether a call has reached a fixpoint
};

#ifdef TAPER_COMPILED  // Taper::compiled has the propagators in object code
extern template class Propagator<Kokkos::DefaultExecutionSpace, std::uint16_t>;
extern template class Propagator<Kokkos::DefaultExecutionSpace, std::uint32_t>;
extern template class detail::ParallelPropagator<Kokkos::DefaultExecutionSpace, std::uint16_t>;
extern template class detail::ParallelPropagator<Kokkos::DefaultExecutionSpace, std::uint32_t>;
extern template class published::ParallelPropagator<Kokkos::DefaultExecutionSpace, std::uint16_t>;
extern template class published::ParallelPropagator<Kokkos::DefaultExecutionSpace, std::uint32_t>;
#endif

}  // namespace taper::marriage_propagator
