// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace taper::io {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word nearest to `word`, if any is near enough to have been meant. Ties go to the
/// first.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known);

/// ", did you mean 'x'?" after a message about an unknown `word`, or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// 'word', with control bytes shown as \xNN and a long word cut, so that a message stays one line.
std::string in_quotes(std::string_view word);

/// 400000 as "400,000".
std::string grouped(std::uint64_t number);

/// Bytes as "17 B", "1.5 KiB", "22.9 GiB" or "1,192.1 GiB": GiB is the largest unit.
std::string human_bytes(std::uint64_t bytes);

} // namespace taper::io
