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

/// Observes whether the other threads of this process stay asleep. A kernel on an instance with one
/// thread wakes none of them; a kernel on any other instance does.
///
/// Kokkos Tools cannot tell the instances of a host backend apart. The system can: it counts how
/// often each thread has gone to sleep.
class Sleepers {
 public:
  /// False if idle threads spin, or if the system has no counts.
  static bool is_supported() {
    auto const* policy = std::getenv("OMP_WAIT_POLICY");
    return policy != nullptr && std::string_view(policy) == "passive" &&
           std::filesystem::exists("/proc/self/task");
  }

  /// Waits until the other threads sleep, for at most 2 s.
  Sleepers() {
    Counts before;
    for (int i = 0; i < 100 && (i == 0 || counts_ != before); ++i) {
      before = std::move(counts_);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      counts_ = count();
    }
  }

  /// True if another thread was woken since the construction.
  bool were_woken() const { return count() != counts_; }

  /// Waits until were_woken(), for at most 2 s. A woken thread is counted when it sleeps again,
  /// which takes a while on a busy machine.
  bool wait_until_woken() const {
    for (int i = 0; i < 100 && !were_woken(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return were_woken();
  }

 private:
  using Counts = std::map<std::string, std::uint64_t>;

  /// How often each thread except this one has gone to sleep.
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
