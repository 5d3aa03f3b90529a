// SPDX-License-Identifier: Apache-2.0
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace taper::io {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the dynamic programming table: a swap needs the row before the last.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, std::span<std::string_view const> known) {
  auto const lowered = lower(word);
  std::string_view best;
  auto limit = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (auto const candidate : known) {
    auto const longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= limit) {
      continue;
    }
    auto const distance = edit_distance(lowered, lower(candidate));
    if (distance < limit && distance < longer) {  // at `longer`, no character agrees
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<std::string_view const> known) {
  auto const near = nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean {}?", in_quotes(near));
}

std::string did_you_mean(std::string_view word, std::span<std::string const> known) {
  return did_you_mean(word, std::vector<std::string_view>(known.begin(), known.end()));
}

bool begins_as_number(std::string_view word) {
  auto const at = word.find_first_not_of("+-.");
  return at != std::string_view::npos && word[at] >= '0' && word[at] <= '9';
}

std::size_t utf8_length(std::string_view text) {
  auto const byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  auto const first = byte(0);
  if (first < 0x80) {
    return text.empty() ? 0 : 1;
  }
  std::size_t const length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  // The second byte reveals overlong forms, surrogates and code points above U+10FFFF.
  auto const least = first == 0xe0 ? 0xa0u : first == 0xf0 ? 0x90u : 0x80u;
  auto const most = first == 0xed ? 0x9fu : first == 0xf4 ? 0x8fu : 0xbfu;
  if (byte(1) < least || byte(1) > most) {
    return 0;
  }
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) {
      return 0;
    }
  }
  return length;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    auto const length = utf8_length(text.substr(at));
    if (length == 0) {
      break;
    }
    at += length;
  }
  return at;
}

namespace {

/// The whole characters in the first `longest` bytes of `text`, printable, with "..." if truncated.
std::string printable_prefix(std::string_view text, std::size_t longest) {
  std::string shown;
  std::size_t at = 0;
  while (at < text.size()) {
    auto const length = std::max<std::size_t>(utf8_length(text.substr(at)), 1);
    if (at + length > longest) {
      return shown + "...";
    }
    auto const character = text.substr(at, length);
    auto const byte = static_cast<unsigned char>(character.front());
    if (byte < 0x20 || byte == 0x7f || (length == 1 && byte >= 0x80)) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += character;
    }
    at += length;
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view text) {
  return printable_prefix(text, text.size());
}

std::string in_quotes(std::string_view word) {
  return std::string(1, '\'').append(printable_prefix(word, 60)).append(1, '\'');
}

std::string_view json_reason(std::string_view message) {
  auto const end = message.find("] ");
  return message.starts_with("[json.exception") && end != std::string_view::npos
             ? message.substr(end + 2)
             : message;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos && !text.starts_with(' ') &&
      !text.ends_with(' ')) {
    return std::string(text);
  }
  std::string field = "\"";
  for (auto const c : text) {
    field.append(c == '"' ? 2 : 1, c);
  }
  return field + '"';
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3)
    text.insert(end - 3, 1, ',');
  return text;
}

std::string ordinal(std::uint64_t number) {
  auto const teens = number / 10 % 10 == 1;
  auto const last = number % 10;
  return grouped(number) + (teens || last == 0 || last > 3 ? "th"
                            : last == 1                    ? "st"
                            : last == 2                    ? "nd"
                                                           : "rd");
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  constexpr std::array units{"KiB", "MiB", "GiB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would round to 1,024.0 of the smaller unit.
  for (; size >= 1023.95 && unit + 1 < units.size(); ++unit)
    size /= 1024;
  const auto tenths = static_cast<std::uint64_t>(size * 10 + 0.5);
  return fmt::format("{}.{} {}", grouped(tenths / 10), tenths % 10, units[unit]);
}

}  // namespace taper::io
