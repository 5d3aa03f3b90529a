// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace taper::app {

/// The candidate that a mistyped word most likely meant, letter case aside; empty when none is
/// near.
std::string_view nearest(std::string_view word, std::span<std::string_view const> candidates);

/// "; did you mean 'sizes'?", or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, std::span<std::string_view const> candidates);

/// "a, b and c".
std::string enumerate(std::span<std::string_view const> words);

/// A decimal integer, whole, without '+', leading zeros or blanks; nothing otherwise.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A finite decimal number; nothing otherwise.
std::optional<double> parse_real(std::string_view text);

/// A duration to three digits in the unit that reads best: "412 ms", "3.81 s".
std::string format_seconds(double seconds);

/// Throws ConfigError where the standard output did not take all that was written to it.
void flush_standard_output();

}  // namespace taper::app
