// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <io/text/atomic_file.hpp>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace taper::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds same_request(1000);
constexpr std::chrono::milliseconds save_after(500);
constexpr std::chrono::milliseconds stream_patience(1000);
constexpr int tick_ms = 20;

enum class Phase { work, search, answer };

/// The state of the program as signals see it. A thread that ends the program keeps the mutex, so no
/// other thread begins an answer meanwhile.
struct State {
  std::mutex mutex;
  Phase phase = Phase::work;
  AnswerTo to = AnswerTo::file;
  Clock::time_point answer_began;
  Clock::time_point requested;  ///< the time of the first signal of the request
  int signal = 0;               ///< that signal
  int signals = 0;              ///< that have come since, with the first
  std::string_view line;
  Interrupt::Save save;
  pid_t child = 0;
};

State& state = *new State;  // never destroyed: the thread lives as long as the process

thread_local bool is_signal_thread = false;

/// The signals go through this pipe: from the handler, which may run on any thread, to the thread
/// that acts on them.
std::array<int, 2> signal_pipe{-1, -1};

void pass_on(int signal) {
  int const error = errno;
  auto const byte = static_cast<char>(signal);
  [[maybe_unused]] auto const written = write(signal_pipe[1], &byte, 1);
  errno = error;
}

void unblock(int signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

/// Prints on stderr, unless that would wait for a reader.
void tell(std::string_view line) {
  pollfd standard_error{STDERR_FILENO, POLLOUT, 0};
  if (poll(&standard_error, 1, 0) == 1 && (standard_error.revents & POLLOUT) != 0) {
    [[maybe_unused]] auto const written = write(STDERR_FILENO, line.data(), line.size());
  }
}

}  // namespace

void end_by_signal(int signal) {
  io::remove_temporary_files();
  std::signal(signal, SIG_DFL);
  unblock(signal);
  raise(signal);
  _exit(128 + signal);
}

/// The thread that waits for signals. All functions but run() require the mutex of the state.
class SignalThread {
 public:
  [[noreturn]] static void run() {
    is_signal_thread = true;
    for (;;) {
      // A request is watched until the program ends; before it, the thread sleeps.
      pollfd input{signal_pipe[0], POLLIN, 0};
      int const ready = poll(&input, 1, Interrupt::requested() ? tick_ms : -1);
      std::lock_guard const lock(state.mutex);
      char signal = 0;
      if (ready > 0 && read(signal_pipe[0], &signal, 1) == 1) {
        receive(signal);
      }
      if (Interrupt::requested()) {
        watch_request();
      }
    }
  }

 private:
  static void receive(int signal) {
    auto const now = Clock::now();
    if (Interrupt::requested()) {
      receive_again(signal, now - state.requested > same_request);
      return;
    }
    if (state.phase == Phase::work) {
      end(signal, "taper: interrupted; nothing was written\n");
    }
    state.requested = now;
    state.signal = signal;
    state.signals = 1;
    Interrupt::requested_ = true;
    if (state.phase == Phase::search) {
      tell(state.line);
    }
  }

  static void receive_again(int signal, bool late) {
    ++state.signals;
    if (late && state.signals > 2) {
      end(signal, "taper: ended at once by a third signal\n");
    }
    if (late) {
      tell("taper: the end was requested before; a third signal ends at once\n");
    }
  }

  static void watch_request() {
    auto const now = Clock::now();
    if (state.phase == Phase::search && state.save && now - state.requested > save_after) {
      save();
    }
    if (state.phase == Phase::answer && state.to == AnswerTo::stream &&
        now - std::max(state.requested, state.answer_began) > stream_patience) {
      end(state.signal, "taper: interrupted; the output is not read\n");
    }
  }

  static void save() {
    std::optional<int> status;
    try {
      status = state.save();
    } catch (std::exception const& error) {
      tell("taper: ");
      tell(error.what());
      tell("\n");
      status = 2;
    }
    if (status) {
      end_child();
      io::remove_temporary_files();
      _exit(*status);
    }
  }

  [[noreturn]] static void end(int signal, std::string_view line) {
    tell(line);
    end_child();
    end_by_signal(signal);
  }

  static void end_child() {
    if (state.child > 0) {
      kill(state.child, SIGTERM);
    }
  }
};

void watch_signals() {
  if (pipe2(signal_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  }
  std::thread(SignalThread::run).detach();
  struct sigaction action {};
  action.sa_handler = pass_on;
  action.sa_flags = SA_RESTART;  // a signal must not make a read or write fail
  for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // The shell ignores SIGINT for a command in the background; a signal that is sent to it counts.
    if (signal != SIGHUP || before.sa_handler != SIG_IGN) {
      sigaction(signal, &action, nullptr);
      unblock(signal);
    }
  }
}

Interrupt::Interrupt(std::string_view line, Save save) {
  std::lock_guard const lock(state.mutex);
  requested_ = false;
  state.phase = Phase::search;
  state.line = line;
  state.save = std::move(save);
}

Interrupt::~Interrupt() {
  begin_answer(AnswerTo::file);
  std::lock_guard const lock(state.mutex);
  state.save = {};
}

void begin_answer(AnswerTo to) {
  if (is_signal_thread) {
    return;  // it writes the answer in Save, and has the mutex
  }
  std::lock_guard const lock(state.mutex);
  state.phase = Phase::answer;
  state.to = to;
  state.answer_began = Clock::now();
}

void set_child(pid_t child) {
  std::lock_guard const lock(state.mutex);
  state.child = child;
}

}  // namespace taper::app
