// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taper::io {

/// The smallest number of insertions, deletions, replacements and swaps of adjacent characters that
/// turn `a` into `b` (Damerau-Levenshtein distance, without overlapping edits).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word with the smallest edit distance to `word`, ignoring letter case; the first of
/// several. Empty if none is near enough.
std::string_view nearest(std::string_view word, std::span<std::string_view const> known);

/// "; did you mean 'x'?", to append to a message about an unknown `word`; empty if nearest() is.
std::string did_you_mean(std::string_view word, std::span<std::string_view const> known);
std::string did_you_mean(std::string_view word, std::span<std::string const> known);

/// Whether a word begins like a number: signs and points, if any, and then a digit.
bool begins_as_number(std::string_view word);

/// The length in bytes of the first character of `text`; 0 if it is empty or not valid UTF-8.
std::size_t utf8_length(std::string_view text);

/// The place of the first byte that begins no valid UTF-8 character; text.size() if there is none.
std::size_t find_invalid_utf8(std::string_view text);

/// The text with control bytes and invalid UTF-8 as \xNN: one line that a terminal can show.
std::string printable(std::string_view text);

/// 'word' in single quotes, printable, and truncated after 60 bytes.
std::string in_quotes(std::string_view word);

/// An error message of the JSON library without its prefix "[json.exception...] ".
std::string_view json_reason(std::string_view message);

/// A field of a CSV file (RFC 4180), in quotes if necessary.
std::string csv_field(std::string_view text);

/// 400000 as "400,000".
std::string grouped(std::uint64_t number);

/// An ordinal number: "1st", "2nd", "3rd", "4th", "11th".
std::string ordinal(std::uint64_t number);

/// A size as "17 B", "1.5 KiB", "22.9 GiB" or "1,192.1 GiB"; GiB is the largest unit.
std::string human_bytes(std::uint64_t bytes);

}  // namespace taper::io
