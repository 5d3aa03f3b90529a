// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taper::io {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word nearest to `word`, letter case aside; empty where none is near enough to have been
/// meant. Ties go to the first.
std::string_view nearest(std::string_view word, std::span<std::string_view const> known);

/// "; did you mean 'x'?" after a message about an unknown `word`, or nothing.
std::string did_you_mean(std::string_view word, std::span<std::string_view const> known);
std::string did_you_mean(std::string_view word, std::span<std::string const> known);

/// Whether a word begins as numbers do: signs and points, and then a digit.
bool begins_as_number(std::string_view word);

/// Bytes of the character that `text` begins with; 0 where it is empty, or begins with no UTF-8.
std::size_t utf8_length(std::string_view text);

/// Text with control bytes and what is no UTF-8 shown as \xNN: one line that a terminal can show.
std::string printable(std::string_view text);

/// 'word', printable, and cut where it is long.
std::string in_quotes(std::string_view word);

/// What the JSON library's message says behind its own name for the error, "[json.exception...] ".
std::string_view json_reason(std::string_view message);

/// A field of a CSV file (RFC 4180), in quotes where it must be.
std::string csv_field(std::string_view text);

/// 400000 as "400,000".
std::string grouped(std::uint64_t number);

/// Bytes as "17 B", "1.5 KiB", "22.9 GiB" or "1,192.1 GiB": GiB is the largest unit.
std::string human_bytes(std::uint64_t bytes);

}  // namespace taper::io
