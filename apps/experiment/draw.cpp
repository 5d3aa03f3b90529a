// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <support/config_error.hpp>
#include <support/interrupt.hpp>

#include <io/text/atomic_file.hpp>

#include <fmt/format.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace taper::app {
namespace {

/// A temporary file without a name. Closing it deletes it.
using TemporaryFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

TemporaryFile make_temporary_file() {
  TemporaryFile file(std::tmpfile(), std::fclose);
  if (!file) {
    throw ConfigError(fmt::format("cannot create a temporary file: {}", std::strerror(errno)));
  }
  return file;
}

/// Calls use(bytes) for consecutive pieces of the whole file.
template <class Use>
void for_each_piece(TemporaryFile const& file, Use const& use) {
  std::array<char, 1 << 16> buffer;
  std::rewind(file.get());
  while (auto const count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    use(std::string_view(buffer.data(), count));
  }
}

/// For a child process: the signals that this process ignores end it.
posix_spawnattr_t default_signals() {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  sigaddset(&signals, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  return attributes;
}

/// Runs gnuplot with `script` as input. Its standard output goes to `picture`, its standard error
/// to `messages`. Returns its wait status.
int run_gnuplot(TemporaryFile const& script, TemporaryFile const& picture,
                TemporaryFile const& messages) {
  std::rewind(script.get());
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(script.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(picture.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(messages.get()), STDERR_FILENO);
  std::string program = "gnuplot";
  std::array<char*, 2> arguments{program.data(), nullptr};
  pid_t process = 0;
  auto const signals = default_signals();
  auto const error =
      posix_spawnp(&process, program.c_str(), &files, &signals, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error == ENOENT) {
    throw ConfigError("gnuplot is not installed; on Debian and Ubuntu: apt install gnuplot-nox");
  }
  if (error != 0) {
    throw ConfigError(fmt::format("cannot start gnuplot: {}", std::strerror(error)));
  }
  set_child(process);
  auto status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  set_child(0);
  return status;
}

/// The file that gnuplot's `terminal` makes of the picture. `name`: of the file, for errors.
std::string drawn(Picture const& picture, std::string const& terminal, std::string const& name) {
  auto const script = make_temporary_file();
  auto const output = make_temporary_file();
  auto const messages = make_temporary_file();
  fmt::print(script.get(), "{}{}", terminal, picture.script);
  auto const status = run_gnuplot(script, output, messages);
  std::string bytes;
  for_each_piece(output, [&](std::string_view piece) { bytes += piece; });
  if (status != 0 || bytes.empty()) {
    std::string reason;
    for_each_piece(messages, [&](std::string_view piece) { reason += piece; });
    throw ConfigError(
        fmt::format("{}: gnuplot failed: {}", name,
                    reason.empty() ? fmt::format("its wait status is {}", status) : reason));
  }
  return bytes;
}

/// A PNG has twice the size in pixels, to be sharp on screens with a high resolution. Its letters are
/// measured in points of 4/3 pixels, those of an SVG in pixels.
std::string terminal(Picture const& picture, bool svg) {
  auto const scale = svg ? 1 : 2;
  return fmt::format(
      "set terminal {} size {},{} noenhanced font 'DejaVu Sans,12' background rgb 'white'{}\n",
      svg ? "svg" : "pngcairo", scale * picture.width, scale * picture.height,
      svg ? "" : " fontscale 1.5 linewidth 2 pointscale 2");
}

}  // namespace

void draw(Picture const& picture, std::filesystem::path const& output) {
  auto const extension = output.extension().string();
  auto const svg = extension == ".svg";
  if (!svg && extension != ".png") {
    throw ConfigError(
        fmt::format("{}: expected a name that ends in .svg or .png", output.string()));
  }
  io::AtomicFile file(output);
  auto const bytes = drawn(picture, terminal(picture, svg), output.string());
  begin_answer(file.direct() ? AnswerTo::stream : AnswerTo::file);
  file.stream() << bytes;
  file.commit();
}

std::string draw_svg(Picture const& picture, std::string const& name) {
  return drawn(picture, terminal(picture, true), name);
}

}  // namespace taper::app
