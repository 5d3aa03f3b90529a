// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include "config_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iostream>
#include <utility>

namespace taper::app {

std::string enumerate(std::span<std::string_view const> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string expected_instead(std::string_view word, std::span<std::string_view const> known) {
  auto const meant = did_you_mean(word, known);
  return meant.empty() ? "; expected one of " + enumerate(known) : meant;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", io::grouped(count), count == 1 ? one : many);
}

std::string_view without_function(std::string_view message) {
  auto const end = message.find(": ");
  bool const has_function = message.starts_with("taper::") && end != message.npos;
  return has_function ? message.substr(end + 2) : message;
}

std::string file_label(std::filesystem::path path) {
  path = path.filename();
  if (path.extension() == ".gz") {
    path = path.stem();
  }
  return path.stem().string();
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
    throw ConfigError("cannot write to the standard output");
  }
}

}  // namespace taper::app
