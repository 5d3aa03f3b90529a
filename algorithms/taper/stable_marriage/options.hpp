// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>
#include <taper/machine_profile.hpp>
#include <taper/preferences/limits.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace taper::stable_marriage {

using preferences::max_people;
using preferences::rank_row_bytes;

// Sections, theorems and tables without a source are those of the Bamboo-SMP paper: Liu, Lee, Xia
// and Zhang, "A Stable Marriage Requires a Shared Residence with Low Contention and Mutual
// Complementarity".

/// How a free proposer is found, and what one proposal reads. The matching is always the same.
enum class Algorithm {
  /// A queue of free proposers with one proposal per turn. Reads the list and the rank matrix
  /// (Section II-B).
  gale_shapley,
  /// No queue: a displaced proposer goes on at once. Reads the list and the rank matrix (II-C).
  mcvitie_wilson,
  /// No queue. Receiver and rank lie at one position of the proposer's own row (IV-A). A hybrid run
  /// has them in two tables, whose loads are independent. Other runs use one word of a PRMatrix.
  locality_aware,
};

/// How concurrent proposals to one receiver are resolved. A serial schedule ignores it. The
/// tail of a hybrid run on a GPU always uses fetch_min.
enum class Contention {
  compare_exchange,  ///< retry until the offer is in or beaten: at worst O(n^3) (Theorem IX.2)
  fetch_min,         ///< one atomic operation per proposal: at worst O(n^2) (Theorem IX.3)
};

/// How proposals are distributed over workers.
enum class Schedule {
  serial,    ///< one worker, plain loads and stores
  parallel,  ///< all workers, one chain per free proposer, until the last chain retires
  /// Algorithm 2 as published: precheck, PRMatrix, parallel until one proposer is free. The host
  /// takes that one. Needs a Duo or shards, locality_aware and fetch_min. It takes no tail.
  bamboo,
  /// Taper's own: precheck, tiers or lazy ranks if they pay, parallel until the run tapers. Then
  /// the cheapest tail follows.
  hybrid,
};

/// The side that proposes. The matching is the best stable one for this side (Theorem IX.7).
enum class Proposer { men, women };

/// Where the tail of a hybrid run is executed.
enum class Tail {
  automatic,  ///< the tail policy decides by the machine profile
  device,
  host,  ///< needs a Duo
};

/// How a hybrid run on a host starts with *lazy ranks*: without a rank matrix. A receiver scans its
/// list for a rank only when a decision needs it. If the run turns out to be long, it goes on with
/// a rank matrix.
enum class LazyRanks {
  /// `columns` if at least half of all first choices are distinct, as with uniform lists. Otherwise
  /// `shortlists`, if n >= 6000 and the lists are not similar over their whole length.
  automatic,
  columns,     ///< a scan keeps the ranks of the lists' first columns (lazy_ranks/run.hpp)
  shortlists,  ///< the most popular proposers start; one bit per pair (shortlist_run.hpp)
  never,       ///< build the rank matrix first
};

/// How to solve. Experiments spell names and values as they are here.
///
/// `tiers` and `lazy_ranks` need a hybrid schedule whose tail the policy decides (`tail` automatic
/// and `tail_threshold` -1). `lazy_ranks` also needs locality_aware, fetch_min and a host backend.
/// Otherwise they have no effect.
struct Options {
  Algorithm algorithm = Algorithm::locality_aware;  ///< fewest memory accesses per proposal
  Contention contention = Contention::fetch_min;    ///< best worst case
  Schedule schedule = Schedule::hybrid;             ///< the fastest, or close to it, everywhere
  Proposer proposer = Proposer::men;                ///< as in the literature
  Tail tail = Tail::automatic;                      ///< host needs a Duo
  std::int64_t tail_threshold = -1;  ///< free proposers, from 0; -1: the tail policy decides
  bool count = false;                ///< fill the operation counts of the report; costs time
  bool queue = false;  ///< locality_aware with the queue of gale_shapley, if serial (Figure 3)
  bool tiers = true;   ///< look for tiers first; reads 64 lists if there are none
  LazyRanks lazy_ranks = LazyRanks::automatic;  ///< short runs on a host need few ranks
  /// Proposers that are worth one more host thread, from 1; none: the number of `machine`.
  std::optional<std::uint64_t> min_proposers_per_thread = std::nullopt;
  /// The most threads that propose in a hybrid run on a host, from 1; none: the limit of `machine`,
  /// else all. Tables are built on all threads, and shortlists are read on all.
  std::optional<std::uint64_t> max_threads = std::nullopt;
  MachineProfile const* machine = nullptr;  ///< must outlive the call; null: built-in costs
  /// If set to true, a solve on one place returns soon, with Report::status `stopped`. See solve().
  std::atomic<bool> const* stop = nullptr;
};

/// The number of proposers that repays one more thread in the parallel part on a host: the
/// option's, else that of the machine profile, else 4096.
inline std::uint64_t min_proposers_per_thread(Options const& options) {
  return options.min_proposers_per_thread.value_or(
      options.machine != nullptr ? options.machine->min_proposers_per_thread : 4096);
}

/// The most threads for a hybrid run on a host with lists of this kind and n agents per side: the
/// option's number, else the limit of the machine profile. None: no limit.
inline std::optional<std::uint64_t> max_threads(Options const& options, ListKind lists,
                                                std::uint64_t n) {
  if (options.max_threads || options.machine == nullptr) {
    return options.max_threads;
  }
  return options.machine->thread_limit(lists, n);
}

constexpr auto enum_names(Algorithm) {
  return std::array{EnumName{"gale_shapley", Algorithm::gale_shapley},
                    EnumName{"mcvitie_wilson", Algorithm::mcvitie_wilson},
                    EnumName{"locality_aware", Algorithm::locality_aware}};
}

constexpr auto enum_names(Contention) {
  return std::array{EnumName{"compare_exchange", Contention::compare_exchange},
                    EnumName{"fetch_min", Contention::fetch_min}};
}

constexpr auto enum_names(Schedule) {
  return std::array{EnumName{"serial", Schedule::serial}, EnumName{"parallel", Schedule::parallel},
                    EnumName{"bamboo", Schedule::bamboo}, EnumName{"hybrid", Schedule::hybrid}};
}

constexpr auto enum_names(Proposer) {
  return std::array{EnumName{"men", Proposer::men}, EnumName{"women", Proposer::women}};
}

constexpr auto enum_names(Tail) {
  return std::array{EnumName{"automatic", Tail::automatic}, EnumName{"device", Tail::device},
                    EnumName{"host", Tail::host}};
}

constexpr auto enum_names(LazyRanks) {
  return std::array{
      EnumName{"automatic", LazyRanks::automatic}, EnumName{"columns", LazyRanks::columns},
      EnumName{"shortlists", LazyRanks::shortlists}, EnumName{"never", LazyRanks::never}};
}

/// Whether the tail policy decides when and where a hybrid run tapers. Such a run may also end by
/// tiers or lazy ranks.
constexpr bool policy_decides_tail(Options const& options) {
  return options.schedule == Schedule::hybrid && options.tail_threshold < 0 &&
         options.tail == Tail::automatic;
}

using taper::names;
using taper::parse;
using taper::to_string;

/// True if runs of this schedule begin with the precheck: they end at once if all first choices are
/// distinct (Section IV-C2).
constexpr bool has_precheck(Schedule schedule) {
  return schedule == Schedule::bamboo || schedule == Schedule::hybrid;
}

/// A named combination of options: an implementation of the paper (Section V and Table I), or
/// Taper's own.
struct Engine {
  enum class Backend {
    host,    ///< a CPU backend
    device,  ///< a GPU backend
    widest,  ///< a GPU together with the host if this build has one, otherwise the host
  };
  std::string_view name;
  Options options;
  Backend backend;
};

namespace detail {
using enum Algorithm;
using enum Contention;
using enum Schedule;
inline constexpr std::array engines{
    Engine{"GS-Seq-CPU", {gale_shapley, compare_exchange, serial}, Engine::Backend::host},
    Engine{"MW-Seq-CPU", {mcvitie_wilson, compare_exchange, serial}, Engine::Backend::host},
    Engine{"LA-Seq-CPU", {locality_aware, compare_exchange, serial}, Engine::Backend::host},
    Engine{"GS-Par-CPU", {gale_shapley, compare_exchange, parallel}, Engine::Backend::host},
    Engine{"MW-Par-CPU", {mcvitie_wilson, compare_exchange, parallel}, Engine::Backend::host},
    Engine{"MW-Par-GPU-CAS", {mcvitie_wilson, compare_exchange, parallel}, Engine::Backend::device},
    Engine{"MW-Par-GPU-MIN", {mcvitie_wilson, fetch_min, parallel}, Engine::Backend::device},
    Engine{"LA-Par-GPU-CAS", {locality_aware, compare_exchange, parallel}, Engine::Backend::device},
    Engine{"LA-Par-GPU-MIN", {locality_aware, fetch_min, parallel}, Engine::Backend::device},
    Engine{"Bamboo-SMP", {locality_aware, fetch_min, bamboo}, Engine::Backend::widest},
    Engine{"taper", {locality_aware, fetch_min, hybrid}, Engine::Backend::widest}};
}  // namespace detail

/// The ten engines of the paper, then `taper`, the default.
constexpr std::span<const Engine> engines() {
  return detail::engines;
}

/// The number of *next candidates*: the candidates from its position on that the tail on a GPU
/// copies to a compact table, for each proposer.
inline constexpr std::uint32_t next_candidates_per_proposer = 128;

/// Bytes that solve() allocates at its peak in the memory of the device side, in addition to the
/// 2 n^2 ids of the instance.
///
/// Per pair: the rank matrix (one id), and with locality_aware the PRMatrix. A hybrid run stores
/// only its ranks (one id), since the lists have the receivers; other runs store both in one word
/// (two ids). With 16-bit ids a hybrid run and its instance thus take 8 bytes per pair, or 6 if
/// the run ends without a PRMatrix.
/// Per person: an offer (8), a rank limit (an id), and two entries of the frontier (8 each). A
/// hybrid run on a GPU adds 128 candidates (two ids each) and the position of the first (4).
/// A run with `bamboo` on a GPU whose last proposer goes to the host also needs a PRMatrix there, two
/// ids per pair.
constexpr std::uint64_t footprint_bytes(std::uint64_t n, Options const& options) {
  std::uint64_t const id = n <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
  std::uint64_t const row = (n * id + rank_row_bytes - 1) / rank_row_bytes * rank_row_bytes;
  bool const hybrid = options.schedule == Schedule::hybrid;
  bool const pairs = options.algorithm == Algorithm::locality_aware;
  std::uint64_t const packed = pairs && !hybrid ? n * n * 2 * id : 0;
  return n * row * (pairs && hybrid ? 2 : 1) + packed +
         n * (8 + id + 2 * 8 + (hybrid ? next_candidates_per_proposer * 2 * id + 4 : 0));
}

/// Bytes that each of `shards` devices allocates at its peak when they share an instance of n, in
/// addition to its 2 n^2 / shards ids of the instance.
///
/// Per pair of its rows: two ids, as above. Per person of the whole instance: an offer and its copy
/// for the exchange (8 each), a rank limit (an id), and on the first device the tail's two entries
/// of the frontier (8 each) and its candidates. Per person of its own rows: two entries of the
/// frontier (8 each).
/// With `bamboo`, per pair of its rows: three ids (ranks and PRMatrix). Per person of its own rows:
/// an offer and two entries of the frontier (8 each). On the first device, per person of the whole
/// instance: an offer (8) and a rank limit (an id).
constexpr std::uint64_t footprint_bytes_per_shard(std::uint64_t n, std::uint32_t shards,
                                                  Options const& options = {}) {
  std::uint64_t const id = n <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
  std::uint64_t const row = (n * id + rank_row_bytes - 1) / rank_row_bytes * rank_row_bytes;
  std::uint64_t const own = (n + shards - 1) / shards;
  if (options.schedule == Schedule::bamboo) {
    return own * (row + 2 * id * n + 3 * 8) + n * (8 + id);
  }
  return own * (2 * row + 2 * 8) +
         n * (2 * 8 + id + 2 * 8 + next_candidates_per_proposer * 2 * id + 4);
}

}  // namespace taper::stable_marriage
