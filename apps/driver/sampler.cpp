// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace taper::app {

namespace {

/// The sample at this part of the sorted ones, without interpolation.
double nearest_quantile(std::vector<double> const& sorted, double part) {
  return sorted[static_cast<std::size_t>(
      std::lround(part * static_cast<double>(sorted.size() - 1)))];
}

double to_four_digits(double value) {
  double const unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit)
                  : std::round(value / unit) * unit;
}

}  // namespace

double Sampler::measure(std::string const& key, Better better, Sample const& sample) {
  constexpr int tries = 5;
  int const repetitions = quick_ ? 5 : 11;
  std::vector<double> samples;
  for (int i = 0; i < repetitions; ++i) {
    double best = sample();
    for (int again = 1; again < tries; ++again) {
      double const other = sample();
      best = better == Better::less ? std::min(best, other) : std::max(best, other);
    }
    samples.push_back(best);
  }
  std::ranges::sort(samples);
  double const median = nearest_quantile(samples, 0.5);
  double const spread =
      (nearest_quantile(samples, 0.75) - nearest_quantile(samples, 0.25)) / 2 / median;
  tuning.measurements.push_back({key, to_four_digits(median), spread, repetitions});
  return tuning.measurements.back().median;
}

std::vector<double> Sampler::interleaved_minimum(std::vector<Sample> const& alternatives) const {
  constexpr int max_rounds = 101;
  int const min_rounds = quick_ ? 3 : 7;
  double const enough_seconds = (quick_ ? 0.02 : 0.1) * static_cast<double>(alternatives.size());
  std::vector<double> best(alternatives.size(), std::numeric_limits<double>::infinity());
  double spent = 0;
  for (int round = 0; round < min_rounds || (round < max_rounds && spent < enough_seconds);
       ++round) {
    for (std::size_t k = 0; k < alternatives.size(); ++k) {
      // There and back, so that no alternative always comes after one that empties the caches.
      std::size_t const i = round % 2 == 0 ? k : alternatives.size() - 1 - k;
      double const seconds = alternatives[i]();
      best[i] = std::min(best[i], seconds);
      spent += seconds;
    }
  }
  return best;
}

Crossing Sampler::compare(std::uint64_t size, Sample const& first, Sample const& second) const {
  auto const seconds = interleaved_minimum({first, second});
  return {size, seconds[0], seconds[1]};
}

Window Sampler::choose(Choice choice) {
  std::ranges::stable_sort(choice.crossings, {}, &Crossing::size);
  tuning.choices.push_back(std::move(choice));
  return tuning.choices.back().window();
}

namespace {

constexpr double none_yet = std::numeric_limits<double>::infinity();

Check empty_check(std::string policy, std::string cases, Sampler::NamedSamples const& ways) {
  Check check{std::move(policy), std::move(cases), none_yet, {}};
  for (auto const& [name, sample] : ways) {
    check.ways.push_back({name, none_yet});
  }
  return check;
}

/// Measures until measure_once() has made the check right, but at most eight times.
template <class MeasureOnce>
void measure_until_right(Check const& check, MeasureOnce const& measure_once) {
  constexpr int max_attempts = 8;
  constexpr double good_ratio = 1.1;
  for (int attempt = 0; attempt < max_attempts && check.is_above(good_ratio); ++attempt) {
    measure_once();
  }
}

void keep_least(double& least, double seconds) {
  least = std::min(least, seconds);
}

}  // namespace

void Sampler::check_name(std::string policy, std::string cases,
                         std::function<std::string()> const& chosen, NamedSamples const& ways) {
  auto check = empty_check(std::move(policy), std::move(cases), ways);
  std::vector<Sample> samples;
  for (auto const& [name, sample] : ways) {
    samples.push_back(sample);
  }
  measure_until_right(check, [&] {
    auto const seconds = interleaved_minimum(samples);
    auto const name = chosen();
    for (std::size_t i = 0; i < ways.size(); ++i) {
      keep_least(check.ways[i].seconds, seconds[i]);
      if (check.ways[i].name == name) {
        check.chosen_seconds = check.ways[i].seconds;
      }
    }
  });
  tuning.checks.push_back(std::move(check));
}

void Sampler::check_run(std::string policy, std::string cases, Sample const& chosen,
                        NamedSamples const& ways) {
  auto check = empty_check(std::move(policy), std::move(cases), ways);
  std::vector<Sample> samples{chosen};
  for (auto const& [name, sample] : ways) {
    samples.push_back(sample);
  }
  measure_until_right(check, [&] {
    auto const seconds = interleaved_minimum(samples);
    keep_least(check.chosen_seconds, seconds[0]);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      keep_least(check.ways[i].seconds, seconds[i + 1]);
    }
  });
  tuning.checks.push_back(std::move(check));
}

std::uint64_t Sweep::best() const {
  return thresholds[static_cast<std::size_t>(std::ranges::min_element(seconds) - seconds.begin())];
}

}  // namespace taper::app
