// SPDX-License-Identifier: Apache-2.0
#include "processes.hpp"

#include <driver/process.hpp>
#include <support/config_error.hpp>

#include <taper/distributed/communicator.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace taper::app {
namespace {

constexpr int error_status = 2;

Processes joined;
int standard_error = -1;  ///< of a process that prints nothing: a copy of its descriptor

/// Whether a launcher of MPI has started this process. MPI_Init() would tell it for certain, but
/// takes a tenth of a second, in each call of the command.
bool is_started_by_launcher() {
  constexpr std::array variables{"PMI_SIZE", "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE"};
  return std::ranges::any_of(variables,
                             [](char const* name) { return std::getenv(name) != nullptr; });
}

void print_nothing() {
  standard_error = dup(STDERR_FILENO);
  int const nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

}  // namespace

void join_processes(int& argc, char**& argv) {
  if (!is_started_by_launcher()) {
    return;
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &joined.own);
  MPI_Comm_size(MPI_COMM_WORLD, &joined.count);
  if (joined.own != 0) {
    print_nothing();
  }
}

void leave_processes() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) {
    MPI_Finalize();
  }
}

Processes processes() {
  return joined;
}

int threads_per_process() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int neighbours = 1;
  MPI_Comm_size(machine, &neighbours);
  MPI_Comm_free(&machine);
  if (std::getenv("OMP_NUM_THREADS") != nullptr || std::getenv("KOKKOS_NUM_THREADS") != nullptr) {
    return 0;
  }
  cpu_set_t cores;
  int const bound = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
  auto const all = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::max(1, std::min(bound, all / neighbours));
}

void abort_processes() {
  if (standard_error >= 0) {
    dup2(standard_error, STDERR_FILENO);
  }
  report_current_exception();
  expect_exit();
  // MPICH's launcher ends all processes at once, and loses what it has not read yet.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  MPI_Abort(MPI_COMM_WORLD, error_status);
  std::abort();  // not reached
}

void agree(std::string const& problem) {
  // Signed, since MPICH 4.0.2 compares unsigned integers as if they were signed.
  int first = problem.empty() ? joined.count : joined.own;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == joined.count) {
    return;
  }
  std::string text = problem;
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, first, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, first, MPI_COMM_WORLD);
  throw ConfigError(first == 0 ? text : fmt::format("process {}: {}", first, text));
}

namespace {

/// Sends bytes from process 0 to all. A process that waits sleeps, unlike in MPI_Bcast().
void broadcast(void* bytes, std::size_t count) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(bytes, static_cast<int>(count), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  distributed::wait_for({&request, 1});
}

}  // namespace

void give_command(std::span<std::byte const> command) {
  std::uint64_t size = command.size();
  broadcast(&size, sizeof size);
  broadcast(const_cast<std::byte*>(command.data()), command.size());  // in process 0 MPI only reads
}

void end_commands() {
  if (joined.count == 1) {
    return;
  }
  std::uint64_t size = 0;
  broadcast(&size, sizeof size);
}

bool take_command(std::span<std::byte> command) {
  std::uint64_t size = 0;
  broadcast(&size, sizeof size);
  if (size > 0) {
    broadcast(command.data(), command.size());
  }
  return size > 0;
}

}  // namespace taper::app
