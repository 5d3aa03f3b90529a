// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace taper::app {

using io::did_you_mean;

/// "a, b and c".
std::string enumerate(std::span<std::string_view const> words);

/// "1 pair", "2,000 pairs".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

/// "1st", "2nd", "3rd", "4th", "11th".
std::string ordinal(std::uint64_t number);

/// A decimal integer, whole, without '+', leading zeros or blanks; nothing otherwise.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A finite decimal number; nothing otherwise.
std::optional<double> parse_real(std::string_view text);

/// A duration to three digits in the unit that reads best: "412 ms", "3.81 s".
std::string format_seconds(double seconds);

/// Throws ConfigError where the standard output did not take all that was written to it.
void flush_standard_output();

}  // namespace taper::app
