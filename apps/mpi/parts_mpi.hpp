// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "csv_mpi.hpp"
#include "deliver_mpi.hpp"
#include "errors_mpi.hpp"
#include "parts.hpp"
#include "processes.hpp"

#include <driver/output.hpp>
#include <support/config_error.hpp>
#include <support/runtime.hpp>

#include <io/market/market_parts.hpp>
#include <taper/hospitals_residents/distributed/scores.hpp>
#include <taper/hospitals_residents/distributed/shard.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

// What the commands over several processes share. All processes call each function that sends
// messages. Used by: the commands and experiments of this folder.

namespace taper::app {

using HostSpace = Kokkos::DefaultHostExecutionSpace;
using HostIds = Kokkos::View<std::uint32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// A View of the values, without a copy.
template <class T>
hospitals_residents::Constants<T, Kokkos::HostSpace> view_of(std::vector<T> const& values) {
  return hospitals_residents::Constants<T, Kokkos::HostSpace>(values.data(), values.size());
}

/// The part of this process. After set_keys() its keys are those of the whole market.
struct Part : io::MarketPart {
  hospitals_residents::OwnScores different = {};  ///< if the market has scores: its distinct ones
};

inline hospitals_residents::Shard<Kokkos::HostSpace> shard_of(Part const& part) {
  return {view_of(part.own.offsets), view_of(part.own.hospitals), view_of(part.own.keys),
          view_of(part.own.seats)};
}

/// The sum of the values of all processes.
inline std::uint64_t sum_of(std::uint64_t own) {
  MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return own;
}

/// In process 0: the number of values of each process, and the position of its first value.
struct Counts {
  std::vector<int> of, first;

  explicit Counts(std::size_t own) : of(static_cast<std::size_t>(processes().count)), first(of) {
    auto const count = static_cast<int>(own);
    MPI_Gather(&count, 1, MPI_INT, of.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::exclusive_scan(of.begin(), of.end(), first.begin(), 0);
  }
  std::size_t all() const { return static_cast<std::size_t>(first.back() + of.back()); }
};

/// Gathers the values of all processes in process 0, one after another. Others get an empty list.
inline std::vector<std::uint32_t> gather(std::vector<std::uint32_t> const& own) {
  Counts const counts(own.size());
  std::vector<std::uint32_t> values(processes().own == 0 ? counts.all() : 0);
  MPI_Gatherv(own.data(), static_cast<int>(own.size()), MPI_UINT32_T, values.data(),
              counts.of.data(), counts.first.data(), MPI_UINT32_T, 0, MPI_COMM_WORLD);
  return values;
}

/// Sends each process its part of the values of process 0. `count`: the values for this process.
/// The first values go to process 0, the next ones to process 1, and so on.
inline std::vector<std::uint32_t> scatter(std::vector<std::uint32_t> const& all,
                                          std::size_t count) {
  Counts const counts(count);
  std::vector<std::uint32_t> own(count);
  MPI_Scatterv(all.data(), counts.of.data(), counts.first.data(), MPI_UINT32_T, own.data(),
               static_cast<int>(count), MPI_UINT32_T, 0, MPI_COMM_WORLD);
  return own;
}

/// Reads the part of this process. A market with scores has no keys yet: see set_keys().
inline Part read_part(PartsRequest const& request) {
  auto const [own, count] = processes();
  auto const extension = request.market.extension();
  bool const is_csv = request.options.format == io::MarketFormat::csv ||
                      (request.options.format == io::MarketFormat::automatic &&
                       (extension == ".csv" || extension == ".tsv"));
  Part part;
  if (is_csv) {
    part = {read_csv_part(request.market, request.options)};
  }
  together([&] {
    if (!is_csv) {
      part = {io::read_market_part(request.market, static_cast<std::uint64_t>(own),
                                   static_cast<std::uint64_t>(count), request.options)};
    }
    if (std::max<std::uint64_t>(part.residents, part.own.second.count) >
        std::numeric_limits<std::int32_t>::max()) {
      throw ConfigError("over several processes a side has at most 2^31 - 1 agents");
    }
  });
  return part;
}

/// Gathers the names of all processes in process 0, one after another. Others get an empty list.
inline std::vector<std::string> gather_names(std::vector<std::string> const& own) {
  Communicator const communicator("taper", MPI_COMM_WORLD);
  PerProcess<char> to(communicator.processes());
  for (auto const& name : own) {
    append_name(to.front(), name);
  }
  std::vector<std::string> names;
  for (auto const& part : deliver(communicator, to)) {
    for (auto const name : names_in(part)) {
      names.emplace_back(name);
    }
  }
  return names;
}

/// The market without its lists, for names and counts. Residents' names and seats are in process 0
/// alone.
inline io::SparseMarket outline_of(Part const& part) {
  io::SparseMarket outline;
  outline.first = {part.own.first.title, gather_names(part.own.first.names), part.residents};
  outline.second = part.own.second;
  outline.seats = gather(part.own.seats);
  return outline;
}

/// Makes the keys of a market with scores. Requires a started Runtime.
inline void set_keys(Part& part) {
  if (!part.has_scores) {
    return;
  }
  part.own.keys.resize(part.scores.size());
  part.different = hospitals_residents::keys_of_scores(
      HostSpace(), MPI_COMM_WORLD, view_of(part.scores),
      HostIds(part.own.keys.data(), part.own.keys.size()), part.lowest_first);
  part.scores = {};
}

/// For reports of a market with scores: sets outline.scores to the scores that these keys stand
/// for, and replaces each key by the index of its score. Requires: all processes give the same
/// keys.
inline void name_scores(Part const& part, io::SparseMarket& outline,
                        std::vector<std::uint32_t*> const& keys) {
  if (!part.has_scores) {
    return;
  }
  std::vector<std::uint32_t> different;
  for (auto const* const key : keys) {
    different.push_back(*key);
  }
  hospitals_residents::detail::sort_different(different);
  std::vector<double> scores(std::max<std::size_t>(different.size(), 1),
                             -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < different.size(); ++i) {
    auto const& own = part.different.keys;
    auto const found = std::ranges::lower_bound(own, different[i]);
    if (found != own.end() && *found == different[i]) {
      scores[i] = part.different.scores[static_cast<std::size_t>(found - own.begin())];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, scores.data(), static_cast<int>(scores.size()), MPI_DOUBLE, MPI_MAX,
                MPI_COMM_WORLD);
  for (auto* const key : keys) {
    *key =
        static_cast<std::uint32_t>(std::ranges::lower_bound(different, *key) - different.begin());
  }
  outline.scores = std::move(scores);
}

/// In process 0: replaces the counts of each round by their sums over all processes.
template <class RoundTraffic>
void sum_traffic(std::vector<RoundTraffic>& traffic) {
  std::vector<std::uint64_t> counts;
  auto const for_counts = [&](auto const& use) {
    for (auto& round : traffic) {
      fields(round, [&](auto const&, std::uint64_t& count) { use(count); });
    }
  };
  for_counts([&](std::uint64_t count) { counts.push_back(count); });
  std::vector<std::uint64_t> sums(counts.size());
  MPI_Reduce(counts.data(), sums.data(), static_cast<int>(counts.size()), MPI_UINT64_T, MPI_SUM, 0,
             MPI_COMM_WORLD);
  auto sum = sums.begin();
  for_counts([&](std::uint64_t& count) { count = *sum++; });
}

}  // namespace taper::app
