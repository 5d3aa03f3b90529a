// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
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

/// Runs `work`, which may fail in some processes: then all throw ConfigError.
template <class Work>
void together(Work&& work) {
  std::string problem;
  try {
    std::forward<Work>(work)();
  } catch (std::exception const& error) {
    problem = error.what();
  }
  agree(problem);
}

}  // namespace taper::app
