// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace taper::testing {

/// Whether the other threads of this process sleep as long as nobody has work for them: then a
/// kernel that runs on an instance of one thread wakes none, and any other kernel shows.
///
/// Kokkos Tools cannot tell a host backend's instances apart; the system can, by its count of how
/// often each thread has gone to sleep.
class Sleepers {
 public:
  /// Where waiting threads spin, nothing can be seen.
  static bool can_be_seen() {
    auto const* policy = std::getenv("OMP_WAIT_POLICY");
    return policy != nullptr && std::string_view(policy) == "passive" &&
           std::filesystem::exists("/proc/self/task");
  }

  /// Waits until they sleep, for seconds at most.
  Sleepers() {
    Counts before;
    for (int i = 0; i < 100 && (i == 0 || counts_ != before); ++i) {
      before = std::move(counts_);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      counts_ = count();
    }
  }

  /// Somebody was awake since.
  bool disturbed() const { return count() != counts_; }

  /// The same, but waits for it, for seconds at most: who was woken counts once he sleeps again, which
  /// on a busy machine takes a while.
  bool are_found_disturbed() const {
    for (int i = 0; i < 100 && !disturbed(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return disturbed();
  }

 private:
  using Counts = std::map<std::string, std::uint64_t>;

  /// Of each thread but this one, how often it has gone to sleep.
  static Counts count() {
    Counts counts;
    auto const self = std::to_string(gettid());
    for (auto const& task : std::filesystem::directory_iterator("/proc/self/task")) {
      auto const id = task.path().filename().string();
      std::ifstream status(task.path() / "status");
      for (std::string word; id != self && status >> word;) {
        if (word == "voluntary_ctxt_switches:") {
          status >> counts[id];
        }
      }
    }
    return counts;
  }

  Counts counts_;
};

}  // namespace taper::testing
