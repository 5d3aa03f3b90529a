// SPDX-License-Identifier: Apache-2.0
#include "search_watch.hpp"

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace taper::app {

SearchWatch::SearchWatch(std::atomic<std::uint64_t> const& nodes, Found found)
    : nodes_(nodes), found_(std::move(found)) {
  if (line_.on_terminal()) {
    thread_ = std::thread([this] { run(); });
  }
}

SearchWatch::~SearchWatch() {
  {
    std::lock_guard const lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void SearchWatch::run() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds period(250);
  auto const begun = Clock::now();
  auto last_time = begun;
  std::uint64_t last_nodes = 0;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, period, [this] { return stopped_; })) {
    auto const now = Clock::now();
    auto const nodes = nodes_.load(std::memory_order_relaxed);
    auto const rate = static_cast<double>(nodes - last_nodes) /
                      std::chrono::duration<double>(now - last_time).count();
    line_.show(fmt::format(
        "{}  {} nodes ({}/s){}", clock_text(std::chrono::duration<double>(now - begun).count()),
        io::grouped(nodes), io::grouped(static_cast<std::uint64_t>(rate)), found_()));
    last_time = now;
    last_nodes = nodes;
  }
}

}  // namespace taper::app
