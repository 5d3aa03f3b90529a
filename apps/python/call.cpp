// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include "solve.hpp"

#include <support/config_error.hpp>
#include <support/runtime.hpp>

#include <pybind11/pybind11.h>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace py = pybind11;

namespace taper::python {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds poll_period(20);
constexpr std::chrono::milliseconds tick_period(250);
constexpr std::chrono::milliseconds stop_patience(100);  ///< for work that is asked to end
constexpr double steps_of_short_work = 2e6;
constexpr int exit_status_of_interrupt = 130;

/// A call that the worker thread runs. The caller owns it. If the caller leaves before the end, the
/// worker owns it.
struct Task {
  std::function<void()> work;
  bool uses_kokkos = true;
  std::exception_ptr error;
  bool done = false;
  bool left = false;
};

/// The number of forks between the process that loaded this module and this one. It tells processes
/// apart, and costs less per call than a system call for the process's number.
std::atomic<unsigned> forks = 0;

[[maybe_unused]] int const counts_forks = pthread_atfork(nullptr, nullptr, [] { ++forks; });

/// The state of this process. A fork gets a new one, since it has no worker thread.
struct State {
  unsigned process = forks;
  std::timed_mutex kokkos;       ///< held during a call that uses Kokkos
  std::atomic<int> calls = 0;    ///< calls that run
  std::atomic<int> blocked = 0;  ///< of these: calls that wait for `kokkos` and ignore signals

  std::mutex mutex;                 ///< guards the members below
  std::condition_variable arrived;  ///< a task is there
  std::condition_variable ended;    ///< a task has ended
  std::deque<Task*> tasks;
  Task* running = nullptr;
  bool has_worker = false;

  std::unique_ptr<app::Runtime> runtime;  ///< if this module has started Kokkos
};

State* state = new State;                // never destroyed: the worker lives as long as the process
std::optional<unsigned> kokkos_process;  ///< the process that started Kokkos, or found it started
thread_local bool is_calling = false;

State& own_state() {
  if (state->process != forks) {
    state = new State;
  }
  return *state;
}

std::exception_ptr error_of(std::function<void()> const& work) noexcept {
  try {
    work();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// Runs tasks one after another.
[[noreturn]] void serve(State& own) {
  std::unique_lock lock(own.mutex);
  for (;;) {
    own.arrived.wait(lock, [&] { return !own.tasks.empty(); });
    Task* const task = own.running = own.tasks.front();
    own.tasks.pop_front();
    lock.unlock();
    std::exception_ptr error;
    if (task->uses_kokkos) {
      std::lock_guard const alone(own.kokkos);
      error = error_of(task->work);
    } else {
      error = error_of(task->work);
    }
    lock.lock();
    task->error = std::move(error);
    task->done = true;
    if (task->left) {
      lock.unlock();
      delete task;  // its work may need the GIL to end
      lock.lock();
    }
    own.running = nullptr;
    own.ended.notify_all();
  }
}

/// Whether signal handlers run on this thread: Python is started by the first thread of a process.
bool is_main_thread() {
  thread_local unsigned process = forks;
  thread_local bool is_main = gettid() == getpid();
  if (process != forks) {  // the thread that forks is the main one of the fork
    process = forks;
    is_main = gettid() == getpid();
  }
  return is_main;
}

/// Runs the signal handlers of Python, and `tick`. Throws what they raise.
void attend(std::function<void()> const& tick) {
  py::gil_scoped_acquire const gil;
  if (PyErr_CheckSignals() != 0) {
    throw py::error_already_set();
  }
  if (tick) {
    tick();
  }
}

/// Waits for the task without the GIL, and attends to signals. If these raise an exception, asks
/// the task to end, leaves it to the worker if it does not end soon, and throws.
void wait_for(State& own, std::unique_ptr<Task> task, CallOptions const& options) {
  std::unique_lock lock(own.mutex);
  auto next_tick = Clock::now() + tick_period;
  while (!own.ended.wait_for(lock, poll_period, [&] { return task->done; })) {
    lock.unlock();
    auto const ticks = options.tick && Clock::now() >= next_tick;
    if (ticks) {
      next_tick = Clock::now() + tick_period;
    }
    try {
      attend(ticks ? options.tick : nullptr);
    } catch (...) {
      lock.lock();
      if (options.stop) {
        options.stop();
        own.ended.wait_for(lock, stop_patience, [&] { return task->done; });
      }
      if (std::erase(own.tasks, task.get()) == 0 && !task->done) {
        task->left = true;
        (void)task.release();  // the worker's
      }
      throw;
    }
    lock.lock();
  }
  if (task->error) {
    std::rethrow_exception(task->error);
  }
}

/// Runs the work on this thread. Signals are attended to until it begins, if this is the main
/// thread.
void run_here(State& own, CallOptions const& options, std::function<void()> const& work) {
  std::unique_lock alone(own.kokkos, std::defer_lock);
  while (options.uses_kokkos && !alone.owns_lock()) {
    if (is_main_thread()) {
      if (!alone.try_lock_for(poll_period)) {
        attend({});
      }
    } else {
      ++own.blocked;
      alone
          .lock();  // for ever, if Python ends meanwhile: this thread must not ask for the GIL then
      --own.blocked;
    }
  }
  work();
}

/// Counts a call from before it gives the GIL away until it has it again.
class Counted {
 public:
  explicit Counted(State& own) : own_(own) { ++own_.calls; }
  ~Counted() { --own_.calls; }
  Counted(Counted const&) = delete;
  Counted& operator=(Counted const&) = delete;

 private:
  State& own_;
};

/// Marks this thread: a callback of a call cannot call again.
class Calling {
 public:
  Calling() {
    if (is_calling) {
      throw app::ConfigError("a progress callback or a signal handler cannot call taper");
    }
    is_calling = true;
  }
  ~Calling() { is_calling = false; }
  Calling(Calling const&) = delete;
  Calling& operator=(Calling const&) = delete;
};

}  // namespace

void start() {
  if (!kokkos_process) {
    start(-1, -1);
  }
  if (kokkos_process && *kokkos_process != forks) {
    throw app::ConfigError(
        "this process is a fork of one that has used taper, and a fork has no threads: use the "
        "start method 'spawn' of multiprocessing, or call taper in the children alone");
  }
  if (kokkos_has_ended()) {
    throw app::ConfigError("Kokkos has ended in this process, and cannot start again");
  }
}

void start(int threads, int device) {
  auto& own = own_state();
  auto const given = threads >= 0 || device >= 0;
  if (kokkos_process && given) {
    throw app::ConfigError("taper has started already: call taper.init() before all other calls");
  }
  if (!kokkos_process && kokkos_runs()) {
    if (given) {
      throw app::ConfigError("another module has started Kokkos, which takes no settings any more");
    }
    kokkos_process = forks;
  }
  if (kokkos_process || kokkos_has_ended()) {
    return;
  }
  std::vector<std::string> arguments;
  if (device >= 0) {
    arguments.push_back("--kokkos-device-id=" + std::to_string(device));
  }
  own.runtime = std::make_unique<app::Runtime>(std::move(arguments));
  own.runtime->start(std::max(threads, 0));
  kokkos_process = forks;
}

bool has_started() {
  return kokkos_process.has_value();
}

void require_threads(std::string_view backend, int threads) {
  if (!app::can_use_threads(backend, threads)) {
    throw app::ConfigError("backend " + std::string(backend) + " cannot run on " +
                           std::to_string(threads) + " threads here");
  }
}

void finish() {
  auto& own = own_state();
  {
    py::gil_scoped_release const released;
    auto const idle = [&] {
      std::lock_guard const lock(own.mutex);
      return own.running == nullptr && own.tasks.empty();
    };
    // Kokkos stays locked, so that no daemon thread calls it after its end. Python ends such
    // threads when they want the GIL, even within destructors. So all calls must return first,
    // except those that are blocked.
    bool locked = false;
    for (;;) {
      locked = locked || (idle() && own.kokkos.try_lock());
      if (locked && own.calls == own.blocked) {
        break;
      }
      std::this_thread::sleep_for(poll_period / 10);
      try {
        attend({});
      } catch (py::error_already_set const&) {  // a second Ctrl-C: the work is not waited for
        _exit(exit_status_of_interrupt);
      }
    }
  }
  if (kokkos_has_ended()) {
    (void)own.runtime.release();  // another module has ended it
  }
  own.runtime.reset();
}

void run(CallOptions const& options, std::function<void()> work) {
  Calling const calling;
  auto& own = own_state();
  Counted const counted(own);
  if (!options.tick && (options.steps < steps_of_short_work || !is_main_thread())) {
    py::gil_scoped_release const released;
    run_here(own, options, work);
    return;
  }
  auto task = std::make_unique<Task>();
  task->work = std::move(work);
  task->uses_kokkos = options.uses_kokkos;
  py::gil_scoped_release const released;
  {
    std::lock_guard const lock(own.mutex);
    if (!own.has_worker) {
      std::thread(serve, std::ref(own)).detach();
      own.has_worker = true;
    }
    own.tasks.push_back(task.get());
  }
  own.arrived.notify_one();
  wait_for(own, std::move(task), options);
}

}  // namespace taper::python
