// SPDX-License-Identifier: Apache-2.0
#include "parts_mpi.hpp"

#include <algorithms/hospitals_residents/fault_in_words.hpp>
#include <algorithms/hospitals_residents/market_solver.hpp>
#include <driver/output.hpp>
#include <support/message.hpp>
#include <support/text.hpp>

#include <io/market/assignment_summary.hpp>
#include <io/market/assignment_words.hpp>
#include <io/text/strings.hpp>
#include <taper/hospitals_residents/distributed/distributed.hpp>
#include <taper/hospitals_residents/distributed/verify.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace taper::app {

namespace hr = hospitals_residents;

namespace {

/// The summary of the whole matching, from those of the parts. It does not list the unassigned
/// residents.
io::AssignmentSummary summary_of_all(io::AssignmentSummary own) {
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

/// The keys in the report: one per hospital that holds a resident.
std::vector<std::uint32_t*> last_keys_of(io::AssignmentSummary& summary) {
  std::vector<std::uint32_t*> keys;
  for (auto& hospital : summary.hospitals) {
    if (hospital.last_key) {
      keys.push_back(&*hospital.last_key);
    }
  }
  return keys;
}

/// The facts that process 0 reports.
struct Outcome {
  io::SparseMarket const& outline;
  io::AssignmentSummary const& summary;
  hr::Options const& options;
  hr::Report const& report;
  double seconds;
  std::uint64_t bytes;
  std::string const& fault;
  std::uint64_t blocking_pairs;
};

/// The report for people.
void print_text_report(Outcome const& outcome) {
  auto const& [outline, summary, options, report, seconds, bytes, fault, blocking_pairs] = outcome;
  for (auto const& line : io::report_lines(outline, summary)) {
    print_message("{}\n", line);
  }
  std::string mechanism(to_string(options.mechanism));
  std::ranges::replace(mechanism, '_', ' ');
  print_message("engine    {} in {}, {} and {} in {}\n", mechanism,
                counted(static_cast<std::uint64_t>(processes().count), "process", "processes"),
                counted(report.proposals, "proposal", "proposals"),
                counted(report.rounds, "round", "rounds"), format_seconds(seconds));
  print_message("traffic   {} between the processes\n", io::human_bytes(bytes));
  print_message("{}\n", check_in_words(fault, blocking_pairs, options.mechanism));
}

/// The report for programs: that of one process, with `processes` instead of the backend.
void print_json_report(Outcome const& outcome, std::vector<std::string> const& notes) {
  auto json = io::report_json(outcome.outline, outcome.summary);
  json["processes"] = processes().count;
  json["ties"] = "broken";
  json["mechanism"] = to_string(outcome.options.mechanism);
  json["proposals"] = outcome.report.proposals;
  json["rounds"] = outcome.report.rounds;
  json["traffic_bytes"] = outcome.bytes;
  json["seconds"] = outcome.seconds;
  json["blocking_pairs"] = outcome.blocking_pairs;
  json["fault"] = outcome.fault;
  json["notes"] = notes;
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  print_message("{}\n", json.dump(2, ' ', false, replace));
}

int solve_and_write(Part& part, Output& output, io::MatchingFormat format,
                    hr::Options const& options, std::vector<std::string> const& notes,
                    bool as_json) {
  HostSpace const where;
  set_keys(part);
  std::vector<std::uint32_t> own(part.own.first.count);
  HostIds const hospital_of(own.data(), own.size());
  MPI_Barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  auto const report = hr::solve(where, MPI_COMM_WORLD, shard_of(part), hospital_of, options);
  double const seconds = MPI_Wtime() - start;
  auto const bad = hr::find_bad_assignment(where, MPI_COMM_WORLD, shard_of(part), hospital_of);
  auto const fault = bad ? fault_in_words(*bad) : std::string();
  auto const pairs =
      fault.empty() ? hr::find_blocking_pairs(where, MPI_COMM_WORLD, shard_of(part), hospital_of)
                    : hr::BlockingPairs{};
  std::uint64_t bytes = 0;
  for (auto const& round : report.traffic) {
    bytes += round.bytes;
  }
  bytes = sum_of(bytes);
  auto summary = summary_of_all(io::summarize_assignment(part.own, own));
  auto const all = gather(own);
  auto outline = outline_of(part);
  name_scores(part, outline, last_keys_of(summary));
  bool const must_be_stable = options.mechanism == hr::Mechanism::deferred_acceptance;
  bool const wrong = !fault.empty() || (must_be_stable && pairs.count > 0);
  if (processes().own == 0) {
    summary.unassigned.clear();
    for (std::uint32_t resident = 0; resident < all.size(); ++resident) {
      if (all[resident] == hr::unassigned) {
        summary.unassigned.push_back(resident);
      }
    }
    Outcome const outcome{outline, summary, options, report.market,
                          seconds, bytes,   fault,   pairs.count};
    as_json ? print_json_report(outcome, notes) : print_text_report(outcome);
  }
  if (wrong) {
    return 1;
  }
  together([&] {
    if (processes().own == 0) {
      io::write_matching(output.stream(), outline, all, format);
      output.commit();
    }
  });
  return 0;
}

int read_and_solve(PartsRequest const& request, hr::Options const& options,
                   std::filesystem::path const& path, io::MatchingFormat format, Runtime& runtime) {
  std::optional<Output> output;
  together([&] { output.emplace(processes().own == 0 ? path : "-"); });
  auto part = read_part(request);
  auto notes = part.own.notes;
  if (part.own.has_resident_ties()) {
    notes.push_back(resident_tie_note(part.own));
  }
  if (!request.json_report) {
    print_notes(notes);
  }
  start_runtime(runtime, request.threads);
  return solve_and_write(part, *output, format, options, notes, request.json_report);
}

}  // namespace

int match_parts(PartsRequest const& request, hr::Options const& options,
                std::filesystem::path const& output, io::MatchingFormat format, Runtime& runtime) {
  return in_all([&] { return read_and_solve(request, options, output, format, runtime); });
}

}  // namespace taper::app
