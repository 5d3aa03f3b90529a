// SPDX-License-Identifier: Apache-2.0
#include "config_error.hpp"
#include "picture.hpp"

#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace taper::app {
namespace {

bool on_path(std::string const& program) {
  auto const* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

void draw(Picture const& picture, std::filesystem::path const& output) {
  auto const extension = output.extension().string();
  auto const svg = extension == ".svg";
  if (!svg && extension != ".png") {
    throw ConfigError(
        fmt::format("{}: expected a name that ends in .svg or .png", output.string()));
  }
  if (!on_path("gnuplot")) {
    throw ConfigError("gnuplot is not installed; on Debian and Ubuntu: apt install gnuplot-nox");
  }
  auto part = output;
  part.replace_extension(".part" + extension);
  // A PNG is drawn at twice the size, to be sharp on today's screens.
  auto const scale = svg ? 1 : 2;
  auto const terminal = fmt::format(
      "set terminal {} size {},{} noenhanced font 'DejaVu Sans,{}' background rgb 'white'{}\n",
      svg ? "svg" : "pngcairo", scale * picture.width, scale * picture.height, svg ? 12 : 9,
      svg ? "" : " fontscale 2 linewidth 2 pointscale 2");

  auto* gnuplot = popen("gnuplot", "w");
  if (gnuplot == nullptr) {
    throw ConfigError("gnuplot cannot be started");
  }
  fmt::print(gnuplot, "{}set output {}\n{}", terminal, gnuplot_string(part.string()),
             picture.script);
  auto const status = pclose(gnuplot);
  std::error_code error;
  if (status != 0 || !std::filesystem::exists(part, error)) {
    std::filesystem::remove(part, error);
    throw ConfigError(fmt::format("{}: gnuplot could not draw it (its status is {})",
                                  output.string(),
                                  WIFEXITED(status) ? WEXITSTATUS(status) : status));
  }
  std::filesystem::rename(part, output, error);
  if (error) {
    throw ConfigError(fmt::format("{}: cannot be written: {}", output.string(), error.message()));
  }
}

}  // namespace taper::app
