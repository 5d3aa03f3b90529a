// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/machine_profile.hpp>
#include <taper/spelling.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace taper::stable_marriage {

/// The most people a side: three such numbers share a 64-bit word, and the tables of so many would
/// take 16 TiB each.
inline constexpr std::uint64_t max_people = (std::uint64_t{1} << 21) - 1;

/// How a free proposer is found and what one proposal reads.
enum class Algorithm {
  /// A queue of free proposers, one proposal a turn; preference list + rank matrix (paper, II-B).
  gale_shapley,
  /// No queue: the displaced proposer goes on at once; preference list + rank matrix (II-C).
  mcvitie_wilson,
  /// No queue; receiver and rank at one place of the proposer's own row (IV-A): in one word of a
  /// PRMatrix, of a hybrid run in two tables, whose loads do not wait for each other.
  locality_aware,
};

/// How concurrent proposals to one receiver are resolved. A sequential schedule uses neither; the
/// few chains of a hybrid run's tail on a GPU always take the minimum.
enum class Contention {
  compare_exchange,  ///< retry until the offer is in or beaten: O(n^3) operations at worst (Theorem
                     ///< IX.2)
  fetch_min,         ///< one operation a proposal: O(n^2) at worst (Theorem IX.3)
};

enum class Schedule {
  sequential,  ///< one worker, plain loads and stores
  parallel,    ///< every free proposer is a worker, to the end
  hybrid,  ///< precheck, then parallel until it tapers, then the tail where it is cheaper (IV-C)
};

/// The side that proposes; the matching is the best stable one for it (Theorem IX.7).
enum class Proposer { men, women };

/// Where the tail of a hybrid run goes. `automatic` asks the tail policy.
enum class Tail { automatic, device, host };

/// How a host's hybrid run begins without ranks.
enum class Courtship {
  /// `columns` where at least half of all first choices are distinct, as those of uniform lists are;
  /// else `shortlists`, unless lists are the same all along but for neighbours who change places.
  automatic,
  columns,     ///< receivers note the ranks of those who are likely to ask (courtship.hpp)
  shortlists,  ///< the most popular propose first, others may ask whoever would take them
               ///< (shortlist_run.hpp)
  never        ///< it begins with ranks
};

/// How to solve; spelled in YAML exactly as here, except what is a machine's own.
struct Options {
  Algorithm algorithm = Algorithm::locality_aware;
  Contention contention = Contention::fetch_min;
  Schedule schedule = Schedule::hybrid;
  Proposer proposer = Proposer::men;
  Tail tail = Tail::automatic;
  std::int64_t taper_live =
      -1;              ///< free proposers at which a hybrid run tapers; -1: the policy decides
  bool count = false;  ///< count acceptances, rejections and atomic operations too; costs time
  /// Let a hybrid run look whether the instance falls apart into tiers (tiers.hpp), unless
  /// `taper_live` or `tail` say how it shall taper.
  bool tiers = true;
  /// As with tiers, not where `taper_live` or `tail` say how the run shall taper; and with
  /// locality_aware and fetch_min alone.
  Courtship courtship = Courtship::automatic;
  /// Proposers, at least 1, that are worth one more worker of a host's wide part. None: those of
  /// `machine`.
  std::optional<std::uint64_t> people_a_worker = std::nullopt;
  /// What the policy goes by; must outlive the call. None: built-in answers.
  MachineProfile const* machine = nullptr;
};

/// The machine's share of a worker, unless the caller has said one.
inline std::uint64_t people_a_worker(Options const& options) {
  return options.people_a_worker.value_or(
      options.machine != nullptr ? options.machine->people_a_worker : 4096);
}

constexpr auto spellings(Algorithm) {
  return std::array{Spelling{"gale_shapley", Algorithm::gale_shapley},
                    Spelling{"mcvitie_wilson", Algorithm::mcvitie_wilson},
                    Spelling{"locality_aware", Algorithm::locality_aware}};
}

constexpr auto spellings(Contention) {
  return std::array{Spelling{"compare_exchange", Contention::compare_exchange},
                    Spelling{"fetch_min", Contention::fetch_min}};
}

constexpr auto spellings(Schedule) {
  return std::array{Spelling{"sequential", Schedule::sequential},
                    Spelling{"parallel", Schedule::parallel}, Spelling{"hybrid", Schedule::hybrid}};
}

constexpr auto spellings(Proposer) {
  return std::array{Spelling{"men", Proposer::men}, Spelling{"women", Proposer::women}};
}

constexpr auto spellings(Tail) {
  return std::array{Spelling{"automatic", Tail::automatic}, Spelling{"device", Tail::device},
                    Spelling{"host", Tail::host}};
}

constexpr auto spellings(Courtship) {
  return std::array{
      Spelling{"automatic", Courtship::automatic}, Spelling{"columns", Courtship::columns},
      Spelling{"shortlists", Courtship::shortlists}, Spelling{"never", Courtship::never}};
}

/// Whether a run is a hybrid one that tapers as the policy decides, and may so end in other ways.
constexpr bool leaves_it_to_the_policy(Options const& options) {
  return options.schedule == Schedule::hybrid && options.taper_live < 0 &&
         options.tail == Tail::automatic;
}

using taper::names;
using taper::parse;
using taper::to_string;

/// One of the paper's implementations (Section V and Table I), as the options it stands for.
struct Engine {
  /// host: a CPU backend; device: a GPU backend; widest: a GPU with the host beside it where there
  /// is one, else the host alone.
  enum class Backend { host, device, widest };
  std::string_view name;
  Options options;
  Backend backend;
};

namespace detail {
using enum Algorithm;
using enum Contention;
using enum Schedule;
inline constexpr std::array engines{
    Engine{"GS-Seq-CPU", {gale_shapley, compare_exchange, sequential}, Engine::Backend::host},
    Engine{"MW-Seq-CPU", {mcvitie_wilson, compare_exchange, sequential}, Engine::Backend::host},
    Engine{"LA-Seq-CPU", {locality_aware, compare_exchange, sequential}, Engine::Backend::host},
    Engine{"GS-Par-CPU", {gale_shapley, compare_exchange, parallel}, Engine::Backend::host},
    Engine{"MW-Par-CPU", {mcvitie_wilson, compare_exchange, parallel}, Engine::Backend::host},
    Engine{"MW-Par-GPU-CAS", {mcvitie_wilson, compare_exchange, parallel}, Engine::Backend::device},
    Engine{"MW-Par-GPU-MIN", {mcvitie_wilson, fetch_min, parallel}, Engine::Backend::device},
    Engine{"LA-Par-GPU-CAS", {locality_aware, compare_exchange, parallel}, Engine::Backend::device},
    Engine{"LA-Par-GPU-MIN", {locality_aware, fetch_min, parallel}, Engine::Backend::device},
    Engine{"Bamboo-SMP", {locality_aware, fetch_min, hybrid}, Engine::Backend::widest}};
}  // namespace detail

/// The paper's names, each with its combination of options and the kind of backend it names.
constexpr std::span<const Engine> paper_engines() {
  return detail::engines;
}

/// Of each proposer, the candidates that a GPU's tail gathers from where he stands.
inline constexpr std::uint32_t next_candidates = 128;

/// Rows of the tables of ranks that solve allocates are padded to so many bytes.
inline constexpr std::uint64_t rank_row_bytes = 128;

/// Bytes that solve allocates in the memory of the wide side, beside the instance's own 2 n^2 ids,
/// at its peak.
/// A pair: the rank matrix (an id); the PRMatrix where the algorithm may build it: of a hybrid run
/// the ranks alone (an id), since the lists have the receivers, else both in one word (two ids).
/// With 16-bit ids a hybrid run and its instance so take 8 bytes a pair, and 6 where it ends
/// without a PRMatrix.
/// A person: an offer (8), a bar (an id), two places in the frontier (8 each), and in a hybrid run
/// on a GPU the next 128 candidates (two ids each) and where they begin (4).
constexpr std::uint64_t footprint_bytes(std::uint64_t n, Options const& options) {
  std::uint64_t const id = n <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
  std::uint64_t const row = (n * id + rank_row_bytes - 1) / rank_row_bytes * rank_row_bytes;
  bool const hybrid = options.schedule == Schedule::hybrid;
  bool const pairs = options.algorithm == Algorithm::locality_aware;
  std::uint64_t const packed = pairs && !hybrid ? n * n * 2 * id : 0;
  return n * row * (pairs && hybrid ? 2 : 1) + packed +
         n * (8 + id + 2 * 8 + (hybrid ? next_candidates * 2 * id + 4 : 0));
}

/// Bytes that each of so many devices allocates at its peak where they share an instance of n,
/// beside its part of the instance, 2 n^2 ids over `shards`. A pair of its people: two ids, as
/// above. A person of the whole instance: an offer and what an exchange makes of it (8 each), a bar
/// (an id), on the first device what the tail takes: two places in its frontier (8 each) and the
/// candidates; a person of its own: two places in the frontier.
constexpr std::uint64_t footprint_bytes_a_shard(std::uint64_t n, std::uint32_t shards) {
  std::uint64_t const id = n <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
  std::uint64_t const row = (n * id + rank_row_bytes - 1) / rank_row_bytes * rank_row_bytes;
  std::uint64_t const own = (n + shards - 1) / shards;
  return own * (2 * row + 2 * 8) + n * (2 * 8 + id + 2 * 8 + next_candidates * 2 * id + 4);
}

}  // namespace taper::stable_marriage
