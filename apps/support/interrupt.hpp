// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string_view>

// How `taper` ends by a signal. This file and interrupt.cpp are the whole policy; docs/signals.md
// describes it for users.
//
// SIGINT (Ctrl-C), SIGTERM (`timeout`) and SIGHUP (a closed terminal) request the end. More of them
// within a second are the same request, since `timeout` sends two. A third signal, more than a
// second after the first, ends the program at once. The request meets a command in one of three
// phases:
//   work    Nothing can be lost. The program ends at once by the signal, and writes nothing.
//   search  An Interrupt exists. The work stops early, and its best answer is written.
//   answer  begin_answer() was called. The answer is written whole, as without the signal.
// A thread of its own acts on the signals. The handler only passes them to it, since a handler may
// run in the middle of any code.

namespace taper::app {

/// Starts the thread that acts on signals. Call it once. SIGHUP stays ignored if it is: `nohup`
/// wants that. Throws std::system_error.
void watch_signals();

/// While an object exists, a request sets a flag, and the work that polls it keeps its results.
/// Afterwards the program is in the phase `answer`. At most one object exists at a time.
class Interrupt {
 public:
  /// Called half a second after a request if the work goes on, and again until it returns an exit
  /// status: it has saved the results so far, and the program ends. It runs on another thread, so
  /// it returns none while the results are in use.
  using Save = std::function<std::optional<int>()>;

  /// `line`: printed on stderr at the request. A literal with its line feed. Without `save` the
  /// work itself must end within a second.
  explicit Interrupt(std::string_view line = {}, Save save = {});
  ~Interrupt();
  Interrupt(Interrupt const&) = delete;
  Interrupt& operator=(Interrupt const&) = delete;

  static bool requested() { return requested_; }
  /// Requests the end, as a signal does. For programs that handle signals themselves.
  static void request() { requested_ = true; }
  /// The flag itself, for library options such as Options::stop.
  static std::atomic<bool> const& flag() { return requested_; }

 private:
  friend class SignalThread;
  inline static std::atomic<bool> requested_ = false;
};

/// Where an answer goes. A reader of a stream may stop reading: after a request, the program waits
/// for a second.
enum class AnswerTo { file, stream };

/// From now on the answer is written, so a request no longer ends the program. Call it before the
/// first byte. It does not return if a signal has ended the program already.
void begin_answer(AnswerTo to);

/// A child process that ends with this one; 0: none.
void set_child(pid_t child);

/// Ends the program by `signal`, with its default action, as if it had not been handled.
[[noreturn]] void end_by_signal(int signal);

}  // namespace taper::app
