// SPDX-License-Identifier: Apache-2.0
#include "match.hpp"
#include "processes.hpp"

#include <algorithms/hospitals_residents/fault_in_words.hpp>
#include <algorithms/hospitals_residents/market_solver.hpp>
#include <driver/output.hpp>
#include <support/config_error.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/market/assignment_summary.hpp>
#include <io/market/assignment_words.hpp>
#include <io/market/market_arrays.hpp>
#include <io/text/strings.hpp>
#include <taper/hospitals_residents/distributed/distributed.hpp>
#include <taper/hospitals_residents/distributed/verify.hpp>

#include <Kokkos_Core.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taper::app {

namespace hr = hospitals_residents;

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using HostIds = Kokkos::View<std::uint32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

template <class T>
hr::Constants<T, Kokkos::HostSpace> view_of(std::vector<T> const& values) {
  return hr::Constants<T, Kokkos::HostSpace>(values.data(), values.size());
}

hr::Shard<Kokkos::HostSpace> shard_of(io::MarketPart const& part) {
  return {view_of(part.own.offsets), view_of(part.own.hospitals), view_of(part.own.keys),
          view_of(part.own.seats)};
}

std::uint64_t sum_of(std::uint64_t own) {
  MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return own;
}

/// The values of all processes, one after another, in process 0.
std::vector<std::uint32_t> gather(std::vector<std::uint32_t> const& own, std::uint64_t all) {
  auto const count = static_cast<int>(own.size());
  std::vector<int> counts(static_cast<std::size_t>(processes().count));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> first(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), first.begin(), 0);
  std::vector<std::uint32_t> values(processes().own == 0 ? all : 0);
  MPI_Gatherv(own.data(), count, MPI_UINT32_T, values.data(), counts.data(), first.data(),
              MPI_UINT32_T, 0, MPI_COMM_WORLD);
  return values;
}

/// The summary of the whole matching, from those of the parts. The unassigned are left out.
io::AssignmentSummary sum_of(io::AssignmentSummary own) {
  own.assigned = sum_of(own.assigned);
  own.seats = sum_of(own.seats);
  auto choices = static_cast<std::int64_t>(own.by_choice.size());
  MPI_Allreduce(MPI_IN_PLACE, &choices, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  own.by_choice.resize(static_cast<std::size_t>(choices));
  MPI_Allreduce(MPI_IN_PLACE, own.by_choice.data(), static_cast<int>(choices), MPI_UINT64_T,
                MPI_SUM, MPI_COMM_WORLD);
  double sum = 0;
  for (std::size_t choice = 0; choice < own.by_choice.size(); ++choice) {
    sum += static_cast<double>((choice + 1) * own.by_choice[choice]);
  }
  own.mean_choice = own.assigned > 0 ? sum / static_cast<double>(own.assigned) : 0;
  std::vector<std::int64_t> filled;
  std::vector<std::int64_t> last;
  for (auto const& hospital : own.hospitals) {
    filled.push_back(hospital.filled);
    last.push_back(hospital.last_key ? std::int64_t{*hospital.last_key} : -1);
  }
  auto const count = static_cast<int>(filled.size());
  MPI_Allreduce(MPI_IN_PLACE, filled.data(), count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, last.data(), count, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  for (std::size_t id = 0; id < filled.size(); ++id) {
    own.hospitals[id].filled = static_cast<std::uint32_t>(filled[id]);
    own.hospitals[id].last_key =
        last[id] < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(last[id]));
  }
  return own;
}

/// The market without its lists, for names and counts. `seats`: of all hospitals.
io::SparseMarket outline_of(io::MarketPart const& part, std::vector<std::uint32_t> seats) {
  io::SparseMarket outline;
  outline.first = {part.own.first.title, {}, part.residents};
  outline.second = {part.own.second.title, {}, part.own.second.count};
  outline.seats = std::move(seats);
  return outline;
}

void print_report(io::SparseMarket const& outline, io::AssignmentSummary const& summary,
                  hr::Options const& options, hr::DistributedReport const& report, double seconds,
                  std::uint64_t bytes) {
  for (auto const& line : io::report_lines(outline, summary)) {
    if (!line.ends_with("--report json")) {  // an option of one process
      print_message("{}\n", line);
    }
  }
  std::string mechanism(to_string(options.mechanism));
  std::ranges::replace(mechanism, '_', ' ');
  print_message("engine    {} in {}, {} and {} in {}\n", mechanism,
                counted(static_cast<std::uint64_t>(processes().count), "process", "processes"),
                counted(report.market.proposals, "proposal", "proposals"),
                counted(report.market.rounds, "round", "rounds"), format_seconds(seconds));
  print_message("traffic   {} between the processes\n", io::human_bytes(bytes));
}

int solve_and_write(PartsRequest const& request, io::MarketPart const& part, Output& output,
                    hr::Options const& options) {
  std::vector<std::uint32_t> own(part.own.first.count);
  HostIds const hospital_of(own.data(), own.size());
  MPI_Barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  auto const report = hr::solve(Space(), MPI_COMM_WORLD, shard_of(part), hospital_of, options);
  double const seconds = MPI_Wtime() - start;
  auto const bad = hr::find_bad_assignment(Space(), MPI_COMM_WORLD, shard_of(part), hospital_of);
  auto const fault = bad ? fault_in_words(*bad) : std::string();
  auto const pairs =
      fault.empty() ? hr::find_blocking_pairs(Space(), MPI_COMM_WORLD, shard_of(part), hospital_of)
                    : hr::BlockingPairs{};
  std::uint64_t bytes = 0;
  for (auto const& round : report.traffic) {
    bytes += round.bytes;
  }
  bytes = sum_of(bytes);
  auto summary = sum_of(io::summarize_assignment(part.own, own));
  auto const all = gather(own, part.residents);
  auto const outline = outline_of(part, gather(part.own.seats, part.own.second.count));
  bool const must_be_stable = options.mechanism == hr::Mechanism::deferred_acceptance;
  bool const wrong = !fault.empty() || (must_be_stable && pairs.count > 0);
  if (processes().own == 0) {
    summary.unassigned.clear();
    for (std::uint32_t resident = 0; resident < all.size(); ++resident) {
      if (all[resident] == hr::unassigned) {
        summary.unassigned.push_back(resident);
      }
    }
    print_report(outline, summary, options, report, seconds, bytes);
    print_message("{}\n", check_in_words(fault, pairs.count, options.mechanism));
  }
  if (wrong) {
    return 1;
  }
  together([&] {
    if (processes().own == 0) {
      io::write_matching(output.stream(), outline, all, request.format);
      output.commit();
    }
  });
  return 0;
}

}  // namespace

int match_parts(PartsRequest const& request, hr::Options const& options, Runtime& runtime) {
  auto const [own, count] = processes();
  std::optional<Output> output;
  io::MarketPart part;
  together([&] { output.emplace(own == 0 ? request.output : "-"); });
  together([&] {
    part = io::read_market_part(request.folder, static_cast<std::uint64_t>(own),
                                static_cast<std::uint64_t>(count));
    if (std::max<std::uint64_t>(part.residents, part.own.second.count) >
        std::numeric_limits<std::int32_t>::max()) {
      throw ConfigError("over several processes a side has at most 2^31 - 1 agents");
    }
  });
  print_notes(part.own.notes);
  if (part.own.has_resident_ties()) {
    print_message("note: {}\n", resident_tie_note(part.own));
  }
  int const share = threads_per_process();
  bool const chosen = request.threads > 0 || runtime.has_threads_argument();
  together([&] { runtime.start(chosen ? request.threads : share); });
  try {
    return solve_and_write(request, part, *output, options);
  } catch (hr::CollectiveError const& error) {
    throw ConfigError(error.what());
  } catch (ConfigError const&) {
    throw;  // all processes have it
  } catch (...) {
    abort_processes();
  }
}

}  // namespace taper::app
