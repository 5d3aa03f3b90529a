// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/status_line.hpp>

#include <taper/vertex_cover/options.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace taper::app {

/// While an object exists, a thread shows the progress of a search on stderr: nodes per second, the
/// best cover, the lower bound. If stderr is no terminal, there is no thread.
class SearchWatch {
 public:
  /// `forced`: the number of vertices in every cover that are not part of the search.
  SearchWatch(vertex_cover::Progress const& progress, std::uint64_t forced);
  ~SearchWatch();
  SearchWatch(SearchWatch const&) = delete;
  SearchWatch& operator=(SearchWatch const&) = delete;

 private:
  void run();

  vertex_cover::Progress const& progress_;
  std::uint64_t const forced_;
  StatusLine line_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

/// The text of the line: "0:12  1,234,567 nodes (98,765/s)  best 744  at least 740".
std::string search_status(double seconds, std::uint64_t nodes, double nodes_per_second,
                          std::uint64_t best, std::uint64_t lower_bound);

}  // namespace taper::app
