// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What `taper tune` chooses, and how good it is: pure functions of measured times. A time that is
// no positive finite number counts as not measured.
namespace taper::app {

bool is_time(double seconds);

/// The times of two alternatives at one size.
struct Crossing {
  std::uint64_t size = 0;
  double first_seconds = 0;
  double second_seconds = 0;
};

/// The size from which on the second alternative is taken, or PropagatorThresholds::never.
///
/// It minimises the worst regret over the crossings: the time of the alternative that is taken,
/// divided by the time of the better one. A smaller size is preferred only if its regret is less by
/// 5 %. Between two sizes with different winners, the answer is the size at which the times would
/// be equal if the logarithm of their quotient were linear in that of the size.
/// Crossings may come in any order. One of size 0, or without both times, does not count.
std::uint64_t second_wins_from(std::vector<Crossing> crossings);

/// The sizes for which the second alternative is taken: from `from` on, and less than `end`.
struct Window {
  std::uint64_t from = 0;
  std::uint64_t end = 0;
};

/// The same for a second alternative that may lose again at large sizes. An end is only set if it
/// makes the worst regret less by 5 %.
Window second_wins_within(std::vector<Crossing> crossings);

/// The time of a run on a number of threads.
struct ThreadTime {
  std::uint64_t threads = 1;
  double seconds = 0;
};

/// The number of threads beyond which the time no longer falls: the least one whose time is at most
/// 5 % above the least time. None if that is the largest number that was measured, or if a time is
/// missing.
std::optional<std::uint64_t> useful_threads(std::vector<ThreadTime> const& times);

/// One way to do something, and its time.
struct Way {
  std::string name;
  double seconds = 0;
};

/// The choice of one policy in one class of cases, and the ways that it could choose.
struct Check {
  std::string policy;
  std::string cases;
  double chosen_seconds = 0;
  std::vector<Way> ways;

  /// The fastest way; nullptr if no way has a time.
  Way const* better() const;
  /// The time of the chosen way over that of the better one; infinity if one was not measured.
  double ratio() const;
  /// Whether the ratio is above `limit`. A loss below min_loss_seconds does not count.
  bool is_above(double limit) const;
};

/// The largest Check::ratio() that `taper tune` accepts.
inline constexpr double max_ratio = 1.25;
/// Calls of a microsecond differ by this much: by the choosing itself, and by two looks at the clock.
inline constexpr double min_loss_seconds = 2e-6;

/// One line for each check that is above max_ratio.
std::vector<std::string> wrong_choices(std::vector<Check> const& checks);

/// The exit status of `taper tune`: 1 if a choice is wrong, else 0.
int tune_status(std::vector<Check> const& checks);

}  // namespace taper::app
