// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <support/interrupt.hpp>
#include <support/message.hpp>
#include <support/text.hpp>

#include <io/text/atomic_file.hpp>
#include <io/text/strings.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

namespace taper::app {
namespace {

constexpr int error_status = 2;
constexpr char const* no_memory = "not enough memory";

/// An array, since it is used before constructors run and without memory.
std::array<char, 64> command_name{"taper"};
bool sigpipe_ended_the_program = true;  ///< before this program ignored it
bool exit_expected = false;

/// Opens the descriptors 0 to 2 that are closed. Each is opened for the direction that it is not
/// used for, so that using it fails as before.
void open_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      // The lowest free descriptor is this one. If /dev/null is missing, it stays closed.
      [[maybe_unused]] int const opened =
          open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

void ignore_write_signals() {
  struct sigaction pipe_action {};
  sigaction(SIGPIPE, nullptr, &pipe_action);
  sigpipe_ended_the_program = pipe_action.sa_handler != SIG_IGN;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Whether the standard output is a pipe or a socket without a reader.
bool reader_has_ended() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

[[noreturn]] void end_by_terminate() {
  if (std::current_exception() != nullptr) {
    report_current_exception();
  } else if (std::uncaught_exceptions() > 0) {
    // In a destructor, where the kind of the exception is not known; regions allocate their labels.
    report_error("cannot go on after an error, most likely not enough memory");
  } else {
    std::abort();
  }
  io::remove_temporary_files();
  _exit(error_status);
}

/// Before the constructors of global objects, which may run out of memory.
[[gnu::constructor(101)]] void set_terminate() {
  std::set_terminate(end_by_terminate);
}

/// For a library that calls exit(), such as an OpenMP that cannot start its threads. It has printed
/// its reason, but its exit status may mean something else here.
void end_by_exit(int status, void*) {
  if (status != 0 && !exit_expected) {
    io::remove_temporary_files();
    _exit(error_status);
  }
}

/// One line of printable characters.
std::string one_line(std::string_view what) {
  std::string line(what);
  line.erase(line.find_last_not_of('\n') + 1);
  std::ranges::replace(line, '\n', ' ');
  return io::printable(line);
}

}  // namespace

void prepare_process() {
  open_standard_descriptors();
  ignore_write_signals();
  static std::array<char, 1 << 16> buffer;
  if (isatty(STDOUT_FILENO) == 0) {
    std::setvbuf(stdout, buffer.data(), _IOFBF, buffer.size());
  }
  on_exit(end_by_exit, nullptr);
}

void name_command(std::string const& command) {
  command_name = {};
  command.copy(command_name.data(), command_name.size() - 1);
}

int finish_output(int status) {
  begin_answer(AnswerTo::stream);
  errno = 0;
  if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return status;
  }
  auto const* const reason = errno == 0 ? "" : std::strerror(errno);
  return report_error(std::string("cannot write to the standard output") +
                      (*reason == '\0' ? "" : ": ") + reason);
}

int report_error(std::string_view what) noexcept {
  if (sigpipe_ended_the_program && std::ferror(stdout) != 0 && reader_has_ended()) {
    end_by_signal(SIGPIPE);
  }
  try {
    print_message("{}: {}\n", command_name.data(), one_line(what));
  } catch (std::exception const&) {
    for (char const* part :
         {static_cast<char const*>(command_name.data()), ": ", no_memory, "\n"}) {
      std::fputs(part, stderr);
    }
  }
  return error_status;
}

int report_current_exception() noexcept {
  try {
    throw;
  } catch (std::bad_alloc const&) {
    return report_error(no_memory);
  } catch (std::exception const& error) {
    return report_error(without_function(error.what()));
  } catch (...) {
    return report_error("an unknown error");
  }
}

void expect_exit() {
  exit_expected = true;
}

}  // namespace taper::app
