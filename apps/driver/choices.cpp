// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"

#include <support/text.hpp>

#include <taper/machine_profile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

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

}  // namespace

bool is_time(double seconds) {
  return std::isfinite(seconds) && seconds > 0;
}

std::uint64_t second_wins_from(std::vector<Crossing> crossings) {
  std::erase_if(crossings, [](Crossing const& crossing) {
    return crossing.size == 0 || !is_time(crossing.first_seconds) ||
           !is_time(crossing.second_seconds);
  });
  std::ranges::stable_sort(crossings, {}, &Crossing::size);
  auto const regret = [&](std::uint64_t from) {
    double worst = 1;
    for (Crossing const& crossing : crossings) {
      double const taken = crossing.size < from ? crossing.first_seconds : crossing.second_seconds;
      worst = std::max(worst, taken / std::min(crossing.first_seconds, crossing.second_seconds));
    }
    return worst;
  };
  std::uint64_t best = PropagatorThresholds::never;
  double least = regret(best);
  for (auto crossing = crossings.rbegin(); crossing != crossings.rend(); ++crossing) {
    if (double const worst = regret(crossing->size); worst < 0.95 * least) {
      best = crossing->size;
      least = worst;
    }
  }
  auto const above = std::ranges::find(crossings, best, &Crossing::size);
  if (above == crossings.end() || above == crossings.begin()) {
    return best;
  }
  auto const& below = *std::prev(above);
  bool const changes =
      below.first_seconds < below.second_seconds && above->second_seconds < above->first_seconds;
  return changes ? size_of_equal_times(below, *above) : best;
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
