// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "status_line.hpp"

#include <taper/vertex_cover/options.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace taper::app {

/// While it lives, a thread that shows on stderr how far a search is: nodes a second, best cover,
/// lower bound. There is no thread where stderr is no terminal.
class SearchWatch {
 public:
  /// `forced`: vertices in every cover, which the search does not know of.
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
  bool over_ = false;
  std::thread thread_;
};

/// The line itself: "0:12  1,234,567 nodes (98,765/s)  best 744  at least 740".
std::string search_status(double seconds, std::uint64_t nodes, double nodes_per_second,
                          std::uint64_t best, std::uint64_t lower_bound);

}  // namespace taper::app
