// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"

#include <support/text.hpp>

#include <taper/machine_profile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <iterator>
#include <limits>
#include <utility>

namespace taper::app {

namespace {

/// The size between two crossings at which both alternatives take the same time: see
/// second_wins_from().
std::uint64_t size_of_equal_times(Crossing const& below, Crossing const& above) {
  auto const gain = [](Crossing const& crossing) {
    return std::log(crossing.first_seconds / crossing.second_seconds);
  };
  double const part = gain(below) / (gain(below) - gain(above));
  double const factor = static_cast<double>(above.size) / static_cast<double>(below.size);
  auto const size = static_cast<std::uint64_t>(
      std::llround(static_cast<double>(below.size) * std::pow(factor, part)));
  return std::clamp(size, below.size + 1, above.size);
}

constexpr auto never = PropagatorThresholds::never;

/// The worst quotient of the time of the alternative that is taken and of the better one.
double worst_regret(std::vector<Crossing> const& crossings, Window const& window) {
  double worst = 1;
  for (auto const& [size, first, second] : crossings) {
    double const taken = size >= window.from && size < window.end ? second : first;
    worst = std::max(worst, taken / std::min(first, second));
  }
  return worst;
}

/// Moves a limit, the size of a crossing, to where both times are equal, if the winner changes
/// between that crossing and the one before.
std::uint64_t between_sizes(std::vector<Crossing> const& crossings, std::uint64_t limit) {
  auto const above = std::ranges::find(crossings, limit, &Crossing::size);
  if (above == crossings.end() || above == crossings.begin()) {
    return limit;
  }
  auto const& below = *std::prev(above);
  auto const winner = [](Crossing const& crossing) {
    return crossing.first_seconds <=> crossing.second_seconds;
  };
  bool const changes = winner(below) != winner(*above) && winner(below) != 0 && winner(*above) != 0;
  return changes ? size_of_equal_times(below, *above) : limit;
}

Window best_window(std::vector<Crossing> crossings, bool may_end) {
  std::erase_if(crossings, [](Crossing const& crossing) {
    return crossing.size == 0 || !is_time(crossing.first_seconds) ||
           !is_time(crossing.second_seconds);
  });
  std::ranges::stable_sort(crossings, {}, &Crossing::size);
  std::vector<std::uint64_t> ends{never};
  for (Crossing const& crossing : crossings) {
    if (may_end) {
      ends.push_back(crossing.size);
    }
  }
  Window best{never, never};
  double least = worst_regret(crossings, best);
  for (auto const end : ends) {
    for (auto crossing = crossings.rbegin(); crossing != crossings.rend(); ++crossing) {
      Window const window{crossing->size, end};
      double const worst = worst_regret(crossings, window);
      if (window.from < end && worst < 0.95 * least) {
        best = window;
        least = worst;
      }
    }
  }
  return {between_sizes(crossings, best.from), between_sizes(crossings, best.end)};
}

}  // namespace

bool is_time(double seconds) {
  return std::isfinite(seconds) && seconds > 0;
}

std::uint64_t second_wins_from(std::vector<Crossing> crossings) {
  return best_window(std::move(crossings), false).from;
}

Window second_wins_within(std::vector<Crossing> crossings) {
  return best_window(std::move(crossings), true);
}

std::optional<std::uint64_t> useful_threads(std::vector<ThreadTime> const& times) {
  if (times.empty() || !std::ranges::all_of(times, is_time, &ThreadTime::seconds)) {
    return std::nullopt;
  }
  double const least = std::ranges::min(times, {}, &ThreadTime::seconds).seconds;
  std::uint64_t const most = std::ranges::max(times, {}, &ThreadTime::threads).threads;
  std::uint64_t useful = most;
  for (auto const& [threads, seconds] : times) {
    if (seconds <= 1.05 * least) {
      useful = std::min(useful, threads);
    }
  }
  return useful == most ? std::nullopt : std::optional(useful);
}

Way const* Check::better() const {
  Way const* best = nullptr;
  for (Way const& way : ways) {
    if (is_time(way.seconds) && (best == nullptr || way.seconds < best->seconds)) {
      best = &way;
    }
  }
  return best;
}

double Check::ratio() const {
  Way const* const best = better();
  return best != nullptr && is_time(chosen_seconds) ? chosen_seconds / best->seconds
                                                    : std::numeric_limits<double>::infinity();
}

bool Check::is_above(double limit) const {
  double const found = ratio();
  bool const counts =
      !std::isfinite(found) || chosen_seconds - better()->seconds >= min_loss_seconds;
  return found > limit && counts;
}

std::vector<std::string> wrong_choices(std::vector<Check> const& checks) {
  std::vector<std::string> lines;
  for (Check const& check : checks) {
    if (!check.is_above(max_ratio)) {
      continue;
    }
    double const ratio = check.ratio();
    auto const name = fmt::format("{}, {}", check.policy, check.cases);
    lines.push_back(std::isfinite(ratio)
                        ? fmt::format("{}: the chosen way takes {}, {} takes {}: {:.2f} times",
                                      name, format_seconds(check.chosen_seconds),
                                      check.better()->name, format_seconds(check.better()->seconds),
                                      ratio)
                        : fmt::format("{}: not measured", name));
  }
  return lines;
}

int tune_status(std::vector<Check> const& checks) {
  return wrong_choices(checks).empty() ? 0 : 1;
}

}  // namespace taper::app
