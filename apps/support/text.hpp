// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/strings.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

using io::did_you_mean;
using io::ordinal;

/// A list in words: "a, b and c".
std::string enumerate(std::span<std::string_view const> words);

/// The end of a message about a word that is not `known`: the nearest of them, else all.
std::string expected_instead(std::string_view word, std::span<std::string_view const> known);

/// An error of the library without the C++ function that begins it, such as
/// "taper::vertex_cover::solve: ". Other messages are unchanged.
std::string_view without_function(std::string_view message);

/// A text per entry, such as names_in(engines, &Engine::name).
template <class Entries, class Text>
std::vector<std::string_view> names_in(Entries const& entries, Text const& text) {
  std::vector<std::string_view> names;
  for (auto const& entry : entries) {
    names.emplace_back(std::invoke(text, entry));
  }
  return names;
}

/// A number with its noun: "1 pair", "2,000 pairs".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

/// The name of a file in tables: without its folder, .gz and the extension before that.
std::string file_label(std::filesystem::path path);

/// The decimal integer that `text` is; none if it has a '+', leading zeros, blanks or other text.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// The finite decimal number that `text` is; none otherwise.
std::optional<double> parse_real(std::string_view text);

/// A duration with three digits in s, ms, us or ns: "412 ms", "3.81 s".
std::string format_seconds(double seconds);

/// Throws ConfigError if the standard output did not take all output, for example on a full disk.
void flush_standard_output();

}  // namespace taper::app
