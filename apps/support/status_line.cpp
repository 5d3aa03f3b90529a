// SPDX-License-Identifier: Apache-2.0
#include "status_line.hpp"

#include "message.hpp"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace taper::app {
namespace {

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string clock_text(double seconds) {
  auto const whole = static_cast<long>(seconds);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

StatusLine::StatusLine() : on_terminal_(isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() {
  clear();
}

bool StatusLine::due() const {
  return on_terminal_ && Clock::now() - last_shown_ >= std::chrono::milliseconds(100);
}

void StatusLine::show(std::string line) {
  if (!due()) {
    return;
  }
  last_shown_ = Clock::now();
  line.resize(std::min(line.size(), terminal_width() - 1));
  print_message("\r\033[K{}", line);
  std::fflush(stderr);
  visible_ = true;
}

void StatusLine::clear() {
  if (visible_) {
    print_message("\r\033[K");
    std::fflush(stderr);
    visible_ = false;
  }
}

}  // namespace taper::app
