// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/status_line.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace taper::app {

/// While an object exists, a thread shows the progress of a search on stderr: the time, nodes, nodes
/// per second, and what `found` returns, such as "  best 744  at least 740". If stderr is no
/// terminal, there is no thread.
/// Used by: the commands cover, clique and independent-set.
class SearchWatch {
 public:
  using Found = std::function<std::string()>;

  /// Both must outlive this object. `found` runs on the thread.
  SearchWatch(std::atomic<std::uint64_t> const& nodes, Found found);
  ~SearchWatch();
  SearchWatch(SearchWatch const&) = delete;
  SearchWatch& operator=(SearchWatch const&) = delete;

 private:
  void run();

  std::atomic<std::uint64_t> const& nodes_;
  Found const found_;
  StatusLine line_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace taper::app
