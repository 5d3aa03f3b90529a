// SPDX-License-Identifier: Apache-2.0
#include "config_error.hpp"
#include "picture.hpp"

#include <io/atomic_file.hpp>

#include <fmt/format.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace taper::app {
namespace {

/// A file without a name, gone when it is closed.
using Scratch = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Scratch make_scratch() {
  Scratch scratch(std::tmpfile(), std::fclose);
  if (!scratch) {
    throw ConfigError(fmt::format("no temporary file can be made: {}", std::strerror(errno)));
  }
  return scratch;
}

/// Calls use(bytes) for all of the file, piece by piece.
template <class Use>
void for_each_piece(Scratch const& scratch, Use const& use) {
  std::array<char, 1 << 16> buffer;
  std::rewind(scratch.get());
  while (auto const count = std::fread(buffer.data(), 1, buffer.size(), scratch.get())) {
    use(std::string_view(buffer.data(), count));
  }
}

/// Runs gnuplot from one file into another; what it has to say goes to the third. Returns its wait
/// status.
int run_gnuplot(Scratch const& script, Scratch const& picture, Scratch const& messages) {
  std::rewind(script.get());
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(script.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(picture.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(messages.get()), STDERR_FILENO);
  std::string program = "gnuplot";
  std::array<char*, 2> arguments{program.data(), nullptr};
  pid_t process = 0;
  auto const error =
      posix_spawnp(&process, program.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error == ENOENT) {
    throw ConfigError("gnuplot is not installed; on Debian and Ubuntu: apt install gnuplot-nox");
  }
  if (error != 0) {
    throw ConfigError(fmt::format("gnuplot cannot be started: {}", std::strerror(error)));
  }
  auto status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
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
  // A PNG is drawn at twice the size, to be sharp on today's screens.
  auto const scale = svg ? 1 : 2;
  auto const terminal = fmt::format(
      "set terminal {} size {},{} noenhanced font 'DejaVu Sans,{}' background rgb 'white'{}\n",
      svg ? "svg" : "pngcairo", scale * picture.width, scale * picture.height, svg ? 12 : 9,
      svg ? "" : " fontscale 2 linewidth 2 pointscale 2");

  auto const script = make_scratch();
  auto const drawn = make_scratch();
  auto const messages = make_scratch();
  fmt::print(script.get(), "{}{}", terminal, picture.script);
  auto const status = run_gnuplot(script, drawn, messages);
  std::size_t bytes = 0;
  for_each_piece(drawn, [&](std::string_view piece) {
    file.stream() << piece;
    bytes += piece.size();
  });
  if (status != 0 || bytes == 0) {
    std::string why;
    for_each_piece(messages, [&](std::string_view piece) { why += piece; });
    throw ConfigError(fmt::format("{}: gnuplot could not draw it: {}", output.string(),
                                  why.empty() ? fmt::format("its status is {}", status) : why));
  }
  file.commit();
}

}  // namespace taper::app
