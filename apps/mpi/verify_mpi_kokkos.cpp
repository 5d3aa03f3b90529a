// SPDX-License-Identifier: Apache-2.0
#include "parts_mpi.hpp"

#include <algorithms/hospitals_residents/fault_in_words.hpp>
#include <algorithms/hospitals_residents/market_solver.hpp>

#include <io/market/assignment_summary.hpp>
#include <io/market/assignment_words.hpp>
#include <io/text/error.hpp>
#include <taper/hospitals_residents/distributed/verify.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace taper::app {

namespace hr = hospitals_residents;

namespace {

/// Numbers to reduce. They are signed, since MPICH 4.0.2 compares unsigned integers as if they were
/// signed.
using Words = std::vector<std::int64_t>;

/// Replaces each word by the result over all processes. MPI counts in int, so many words take
/// several operations.
void reduce(Words& words, MPI_Op operation) {
  constexpr std::size_t most = std::size_t{1} << 27;
  for (std::size_t done = 0; done < words.size(); done += most) {
    auto const now = static_cast<int>(std::min(words.size() - done, most));
    MPI_Allreduce(MPI_IN_PLACE, words.data() + done, now, MPI_INT64_T, operation, MPI_COMM_WORLD);
  }
}

/// The residents of this process, and the hospital of each.
struct Assigned {
  io::SparseMarket const& own;
  std::uint64_t first_resident;
  std::vector<std::uint32_t> hospital_of;

  bool has(std::uint32_t resident) const {
    return resident >= first_resident && resident - first_resident < hospital_of.size();
  }
  std::uint32_t local(std::uint32_t resident) const {
    return resident - static_cast<std::uint32_t>(first_resident);
  }
};

/// The id in the whole market of the first resident of this process.
std::uint64_t first_resident_of(Part const& part) {
  std::uint64_t before = 0;
  std::uint64_t const own = part.own.first.count;
  MPI_Exscan(&own, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return processes().own == 0 ? 0 : before;
}

/// A resident of any process whose hospital is not in its list: the first in the file of the
/// matching. `order`: the residents in the order of the file, in process 0.
std::optional<std::uint32_t> first_unlisted(Assigned const& assigned,
                                            std::vector<std::uint32_t> const& order,
                                            std::size_t residents) {
  std::vector<std::uint32_t> place_of(processes().own == 0 ? residents : 0);
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    place_of[order[place]] = place;
  }
  auto const places = scatter(place_of, assigned.hospital_of.size());
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  Words first{none};
  for (std::uint32_t resident = 0; resident < assigned.hospital_of.size(); ++resident) {
    auto const hospital = assigned.hospital_of[resident];
    if (hospital != hr::unassigned && !io::entry_of(assigned.own, resident, hospital)) {
      auto const id = static_cast<std::int64_t>(assigned.first_resident + resident);
      first[0] = std::min(first[0], std::int64_t{places[resident]} << 32 | id);
    }
  }
  reduce(first, MPI_MIN);
  return first[0] == none ? std::nullopt : std::optional(static_cast<std::uint32_t>(first[0]));
}

/// Four words per pair: the resident's choice of the hospital, the hospital that it holds, its
/// choice of that, and its key at the hospital. -1: there is none. Each process fills in the words
/// of its own residents; the maximum over all processes is the result.
Words opinions_of_residents(Assigned const& assigned, std::vector<hr::BlockingPair> const& pairs) {
  Words words;
  for (auto const& [resident, hospital] : pairs) {
    std::int64_t choice = -1, held = -1, held_choice = -1, key = -1;
    if (assigned.has(resident)) {
      auto const r = assigned.local(resident);
      auto const entry = *io::entry_of(assigned.own, r, hospital);
      choice = assigned.own.tier(r, entry);
      key = assigned.own.keys[entry];
      if (auto const has = assigned.hospital_of[r]; has != hr::unassigned) {
        held = has;
        held_choice = assigned.own.tier(r, *io::entry_of(assigned.own, r, has));
      }
    }
    words.insert(words.end(), {choice, held, held_choice, key});
  }
  reduce(words, MPI_MAX);
  return words;
}

/// The residents that the hospitals of some pairs hold. Each hospital has a slot.
struct Held {
  std::unordered_map<std::uint32_t, std::size_t> slot_of;
  Words filled;     ///< per slot: the number of residents
  Words worst_key;  ///< per slot: the worst key of a resident
  Words worst;      ///< per slot: the first resident with this key
};
Held residents_of_hospitals(Assigned const& assigned, std::vector<hr::BlockingPair> const& pairs) {
  Held held;
  for (auto const& pair : pairs) {
    held.slot_of.try_emplace(pair.hospital, held.slot_of.size());
  }
  std::size_t const slots = held.slot_of.size();
  held.filled.assign(slots, 0);
  held.worst_key.assign(slots, -1);
  held.worst.assign(slots, std::numeric_limits<std::int64_t>::max());
  auto const for_residents = [&](auto const& use) {
    for (std::uint32_t resident = 0; resident < assigned.hospital_of.size(); ++resident) {
      auto const found = held.slot_of.find(assigned.hospital_of[resident]);
      if (found != held.slot_of.end()) {
        use(resident, found->second,
            std::int64_t{assigned.own.keys[*io::entry_of(assigned.own, resident, found->first)]});
      }
    }
  };
  for_residents([&](std::uint32_t, std::size_t slot, std::int64_t key) {
    ++held.filled[slot];
    held.worst_key[slot] = std::max(held.worst_key[slot], key);
  });
  reduce(held.filled, MPI_SUM);
  reduce(held.worst_key, MPI_MAX);
  for_residents([&](std::uint32_t resident, std::size_t slot, std::int64_t key) {
    if (key == held.worst_key[slot]) {
      auto const id = static_cast<std::int64_t>(assigned.first_resident + resident);
      held.worst[slot] = std::min(held.worst[slot], id);
    }
  });
  reduce(held.worst, MPI_MIN);
  return held;
}

/// The facts with which process 0 proves that pairs are blocking.
std::vector<io::BlockingPairFacts> facts_of_pairs(Assigned const& assigned,
                                                  std::vector<hr::BlockingPair> const& pairs) {
  auto const opinions = opinions_of_residents(assigned, pairs);
  auto const held = residents_of_hospitals(assigned, pairs);
  auto const id = [](std::int64_t word) { return static_cast<std::uint32_t>(word); };
  std::vector<io::BlockingPairFacts> facts;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto const slot = held.slot_of.at(pairs[i].hospital);
    auto const* const own = &opinions[4 * i];
    facts.push_back({.resident = pairs[i].resident,
                     .hospital = pairs[i].hospital,
                     .choice = id(own[0]),
                     .held = own[1] < 0 ? hr::unassigned : id(own[1]),
                     .held_choice = id(own[2]),
                     .key = id(own[3]),
                     .filled = id(held.filled[slot]),
                     .worst = id(held.worst[slot]),
                     .worst_key = id(held.worst_key[slot])});
  }
  return facts;
}

/// Checks and reports a matching whose residents have hospitals of their lists. Returns the exit
/// status.
int check(Part& part, io::SparseMarket& outline, Assigned& assigned, PartsCheck const& wanted) {
  HostSpace const where;
  set_keys(part);
  auto const shard = shard_of(part);
  HostIds const hospital_of(assigned.hospital_of.data(), assigned.hospital_of.size());
  if (auto const bad = hr::find_bad_assignment(where, MPI_COMM_WORLD, shard, hospital_of)) {
    fmt::print("not a matching: {}\n", fault_in_words(*bad));
    return 1;
  }
  auto const pairs =
      hr::find_blocking_pairs(where, MPI_COMM_WORLD, shard, hospital_of, wanted.limit,
                              wanted.stability, view_of(part.own.resident_tiers));
  auto const count = sum_of(static_cast<std::uint64_t>(
      std::ranges::count_if(assigned.hospital_of, [](auto id) { return id != hr::unassigned; })));
  auto facts = facts_of_pairs(assigned, pairs.first);
  std::vector<std::uint32_t*> keys;
  for (auto& pair : facts) {
    keys.insert(keys.end(), {&pair.key, &pair.worst_key});
  }
  name_scores(part, outline, keys);
  return processes().own == 0 ? print_check(outline, wanted.stability, count, pairs.count, facts)
                              : static_cast<int>(pairs.count > 0);
}

/// Returns whether each resident of the matching has a hospital of its list; if not, process 0
/// prints why. Throws: ConfigError in all processes if the matching does not belong to the market.
bool is_matching(io::UncheckedMatching const& matching, io::SparseMarket const& outline,
                 Assigned const& assigned) {
  auto const unlisted = first_unlisted(assigned, matching.order, outline.first.count);
  int right = 1;
  together([&] {
    try {
      if (processes().own == 0) {
        io::require_right(matching, outline, unlisted);
      }
    } catch (io::MatchingError const& error) {
      fmt::print("not a matching: {}\n", error.what());
      right = 0;
    }
  });
  MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return right != 0;
}

int read_and_check(PartsRequest const& request, PartsCheck const& wanted, Runtime& runtime) {
  auto part = read_part(request);
  print_notes(part.own.notes);
  auto outline = outline_of(part);
  io::UncheckedMatching matching;
  together([&] {
    if (processes().own == 0) {
      matching = io::read_unchecked_matching(wanted.matching, outline, wanted.format);
    }
  });
  Assigned assigned{part.own, first_resident_of(part),
                    scatter(matching.hospital_of, part.own.first.count)};
  if (!is_matching(matching, outline, assigned)) {
    return 1;
  }
  start_runtime(runtime, request.threads);
  return check(part, outline, assigned, wanted);
}

}  // namespace

int verify_parts(PartsRequest const& request, PartsCheck const& check, Runtime& runtime) {
  return in_all([&] { return read_and_check(request, check, runtime); });
}

}  // namespace taper::app
