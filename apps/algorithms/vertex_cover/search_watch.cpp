// SPDX-License-Identifier: Apache-2.0
#include "search_watch.hpp"

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <chrono>

namespace taper::app {

std::string search_status(double seconds, std::uint64_t nodes, double nodes_per_second,
                          std::uint64_t best, std::uint64_t lower_bound) {
  auto text = fmt::format("{}  {} nodes ({}/s)", clock_text(seconds), io::grouped(nodes),
                          io::grouped(static_cast<std::uint64_t>(nodes_per_second)));
  if (best != vertex_cover::Progress::unknown) {
    text += fmt::format("  best {}", io::grouped(best));
  }
  return text + fmt::format("  at least {}", io::grouped(lower_bound));
}

SearchWatch::SearchWatch(vertex_cover::Progress const& progress, std::uint64_t forced)
    : progress_(progress), forced_(forced) {
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
    auto const nodes = progress_.nodes.load(std::memory_order_relaxed);
    auto const best = progress_.best.load(std::memory_order_relaxed);
    auto const rate = static_cast<double>(nodes - last_nodes) /
                      std::chrono::duration<double>(now - last_time).count();
    line_.show(search_status(std::chrono::duration<double>(now - begun).count(), nodes, rate,
                             best == vertex_cover::Progress::unknown ? best : best + forced_,
                             progress_.lower_bound.load(std::memory_order_relaxed) + forced_));
    last_time = now;
    last_nodes = nodes;
  }
}

}  // namespace taper::app
