// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/runtime.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <utility>

// The processes of MPI that execute one command together. A build without MPI has one.

namespace taper::app {

/// This process and their number.
struct Processes {
  int own = 0;
  int count = 1;
};

/// Initialises MPI if mpirun has started this process. All but process 0 print nothing from then
/// on: an error that all have is printed once.
void join_processes(int& argc, char**& argv);

/// Finalises MPI if join_processes() has initialised it. All processes call it.
void leave_processes();

Processes processes();

/// The threads of a process, if the user has not chosen: its share of the cores of its machine, or
/// fewer if the launcher binds it to fewer. All processes call it. 0: the user's variables decide.
int threads_per_process();

/// Prints the exception that is handled now, and ends all processes with exit status 2. For an
/// error that the others do not have: they wait for this process.
[[noreturn]] void abort_processes();

/// Throws ConfigError in all processes if one has a problem, with the problem of the first such
/// process. All processes call it; an empty text is none.
void agree(std::string const& problem);

/// Runs `work`, which may fail in some processes: then all throw ConfigError. One process alone
/// throws what the work throws.
template <class Work>
void together(Work&& work) {
  if (processes().count == 1) {
    std::forward<Work>(work)();
    return;
  }
  std::string problem;
  try {
    std::forward<Work>(work)();
  } catch (std::bad_alloc const&) {
    problem = "not enough memory";
  } catch (std::exception const& error) {
    problem = error.what();
  }
  agree(problem);
}

/// Starts Kokkos in all processes. `threads`: of each; 0: what Kokkos' arguments say, else its share
/// of the cores.
inline void start_runtime(Runtime& runtime, int threads) {
  bool const shared = processes().count > 1 && threads == 0 && !runtime.has_threads_argument();
  int const share = shared ? threads_per_process() : threads;
  together([&] { runtime.start(share); });
}

/// Process 0 gives each of the others a command, in bytes that they know the meaning of. They take
/// one after another, and sleep meanwhile, until process 0 ends this.
void give_command(std::span<std::byte const> command);
void end_commands();
/// Returns false at the end.
bool take_command(std::span<std::byte> command);

/// In process 0: ends the commands when it does not give more, also after an error.
class CommandsToOthers {
 public:
  CommandsToOthers() = default;
  ~CommandsToOthers() { end_commands(); }
  CommandsToOthers(CommandsToOthers const&) = delete;
  CommandsToOthers& operator=(CommandsToOthers const&) = delete;
};

}  // namespace taper::app
