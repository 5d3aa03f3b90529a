// SPDX-License-Identifier: Apache-2.0
#include "clique.hpp"
#include "cover.hpp"
#include "experiment.hpp"
#include "lists.hpp"
#include "parts.hpp"
#include "processes.hpp"

#include <algorithms/hospitals_residents/solve.hpp>
#include <support/config_error.hpp>

#include <exception>
#include <memory>

namespace taper::app {

void join_processes(int&, char**&) {}
void leave_processes() {}
Processes processes() {
  return {};
}
int threads_per_process() {
  return 0;
}
void abort_processes() {
  std::terminate();
}
void agree(std::string const& problem) {
  if (!problem.empty()) {
    throw ConfigError(problem);
  }
}
int match_parts(PartsRequest const&, hospitals_residents::Options const&,
                std::filesystem::path const&, io::MatchingFormat, Runtime&) {
  throw ConfigError("this build has no MPI");
}
int verify_parts(PartsRequest const&, PartsCheck const&, Runtime&) {
  throw ConfigError("this build has no MPI");
}

SolvedClique solve_clique_together(clique::HostGraph const&, clique::Options const&) {
  throw ConfigError("this build has no MPI");
}
SolvedCover solve_cover_together(CoverProblem const&, vertex_cover::Options const&) {
  throw ConfigError("this build has no MPI");
}
void give_command(std::span<std::byte const>) {}
void end_commands() {}
bool take_command(std::span<std::byte>) {
  return false;
}
std::unique_ptr<LoadedMarket> generate_market_parts(int, hospitals_residents::Workload const&) {
  throw ConfigError("this build has no MPI");
}
void serve_market_parts() {}
std::unique_ptr<ProblemInParts> generate_lists(stable_marriage::Workload const&) {
  throw ConfigError("this build has no MPI");
}
ListsRead load_lists(std::span<std::filesystem::path const>, io::MarketReadOptions const&) {
  throw ConfigError("this build has no MPI");
}
std::unique_ptr<ProblemInParts> loaded_lists() {
  throw ConfigError("this build has no MPI");
}
void serve_lists() {}

}  // namespace taper::app
