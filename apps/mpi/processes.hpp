// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/runtime.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <utility>

// The processes of MPI that execute one command together. A build without MPI has one process.
// Used by: the driver, and all commands that work over processes.

namespace taper::app {

/// The number of this process, and the number of processes.
struct Processes {
  int own = 0;
  int count = 1;
};

/// Initialises MPI if mpirun has started this process. From then on only process 0 prints, so that
/// an error of all processes is printed once.
void join_processes(int& argc, char**& argv);

/// Finalises MPI if join_processes() has initialised it. All processes call it.
void leave_processes();

Processes processes();

/// The threads of this process, if the user has not chosen a number: its share of the cores of its
/// machine, or fewer if the launcher binds it to fewer cores. Returns 0 if an environment variable
/// decides. All processes call it.
int threads_per_process();

/// In a catch block: prints the exception, and ends all processes with exit status 2. For an error
/// of this process alone, since the others wait for it.
[[noreturn]] void abort_processes();

/// Throws: ConfigError in all processes if one has a problem, with the text of the first such
/// process. An empty text is no problem. All processes call it.
void agree(std::string const& problem);

/// Calls work(), which may throw in some processes. Then all processes throw ConfigError. A process
/// that runs alone throws the exception of `work`. All processes call it.
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

/// Starts Kokkos in all processes. `threads`: of each process; 0: as the arguments of Kokkos say,
/// else its share of the cores.
inline void start_runtime(Runtime& runtime, int threads) {
  bool const shared = processes().count > 1 && threads == 0 && !runtime.has_threads_argument();
  int const share = shared ? threads_per_process() : threads;
  together([&] { runtime.start(share); });
}

/// Called by process 0: sends a command to the other processes. Its bytes have a meaning that both
/// sides know.
void give_command(std::span<std::byte const> command);
/// Called by process 0: there are no more commands.
void end_commands();
/// Called by the other processes: waits for the next command; the process sleeps meanwhile. Returns
/// false if there is none any more.
bool take_command(std::span<std::byte> command);

/// In process 0: calls end_commands() at the end of a block, also after an error.
class CommandsToOthers {
 public:
  CommandsToOthers() = default;
  ~CommandsToOthers() { end_commands(); }
  CommandsToOthers(CommandsToOthers const&) = delete;
  CommandsToOthers& operator=(CommandsToOthers const&) = delete;
};

}  // namespace taper::app
