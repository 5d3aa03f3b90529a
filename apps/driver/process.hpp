// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The conditions that the shell, the terminal and the machine set for the process.

namespace taper::app {

/// Prepares the process, before anything else runs. Afterwards
/// - the descriptors 0 to 2 are open, so that no file gets one of them and is mixed with messages;
/// - a write to a pipe without a reader, or above the limit of file sizes, fails with an error;
/// - output to a file or a pipe is written when it is complete, so that a signal cannot cut it;
/// - an error that cannot be thrown further ends the program as all errors do, with a line on
///   stderr and exit status 2. So does a library that calls exit(1) while a command runs.
void prepare_process();

/// The command, for messages: "taper match".
void name_command(std::string const& command);

/// Flushes the standard output, since a full disk is reported only then. Returns `status`, or the
/// exit status for an output that cannot be written. If the reader of a pipe has ended, the program
/// ends by SIGPIPE, as it would if the signal was not ignored.
int finish_output(int status);

/// Prints `command: what` on stderr, as one line of printable characters. Returns the exit status.
/// Without memory for the line, it prints a shorter one.
int report_error(std::string_view what) noexcept;

/// As report_error(), for the exception that is handled now.
int report_current_exception() noexcept;

/// Tells that main() returns: exit() is expected from now on.
void expect_exit();

}  // namespace taper::app
