// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include "config_error.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iostream>
#include <utility>

namespace taper::app {
namespace {

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<std::string_view const> candidates) {
  std::string_view best;
  auto best_distance = std::max<std::size_t>(word.size() / 3, 2) + 1;
  for (auto const candidate : candidates) {
    auto const distance = io::edit_distance(lowered(word), lowered(candidate));
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<std::string_view const> candidates) {
  auto const best = nearest(word, candidates);
  return best.empty() ? std::string{} : fmt::format("; did you mean '{}'?", best);
}

std::string enumerate(std::span<std::string_view const> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  auto const digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.size() > 1 && digits.front() == '0') {
    return std::nullopt;
  }
  std::int64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string format_seconds(double seconds) {
  constexpr std::array<std::pair<double, char const*>, 4> units{
      {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  auto const unit = std::find_if(units.begin(), units.end() - 1, [&](auto const& candidate) {
    return seconds >= 0.9995 * candidate.first;
  });
  auto const value = seconds / unit->first;
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit->second);
}

void flush_standard_output() {
  std::cout.flush();
  if (!std::cout) {
    throw ConfigError("the standard output cannot be written");
  }
}

}  // namespace taper::app
