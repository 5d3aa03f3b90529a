// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace taper::app {
namespace {

std::string clock_text(double seconds) {
  auto const whole = static_cast<long>(seconds);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::size_t total) : on_terminal_(isatty(STDERR_FILENO) == 1), total_(total) {}

Progress::~Progress() {
  clear();
}

void Progress::show(std::size_t done, std::string_view what) {
  auto const now = Clock::now();
  if (!on_terminal_ || now - last_shown_ < std::chrono::milliseconds(100)) {
    return;
  }
  last_shown_ = now;
  auto const elapsed = std::chrono::duration<double>(now - begun_).count();
  constexpr std::size_t bar_width = 20;
  auto const filled = total_ == 0 ? bar_width : bar_width * done / total_;
  auto line = fmt::format("[{}{}] {}/{}  {}", std::string(filled, '#'),
                          std::string(bar_width - filled, '.'), done, total_, clock_text(elapsed));
  if (done > 0 && done < total_) {
    auto const left = elapsed / static_cast<double>(done) * static_cast<double>(total_ - done);
    line += fmt::format(", about {} left", clock_text(left));
  }
  line += fmt::format("  {}", what);
  line.resize(std::min(line.size(), terminal_width() - 1));
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  visible_ = true;
}

void Progress::clear() {
  if (visible_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    visible_ = false;
  }
}

}  // namespace taper::app
