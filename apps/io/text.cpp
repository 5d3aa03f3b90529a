// SPDX-License-Identifier: Apache-2.0
#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace taper::io {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of Damerau and Levenshtein: swaps look two rows back.
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

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  std::optional<std::string> best;
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (std::string const& candidate : known) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= limit)
      continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < limit && distance < longer) {  // a distance of the whole word is no likeness
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const auto near = nearest(word, known);
  return near ? fmt::format(", did you mean {}?", in_quotes(*near)) : "";
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 60;
  std::size_t end = std::min(word.size(), longest);
  while (end > 0 && end < word.size() && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80)
    --end;  // not inside a character of UTF-8
  std::string text = "'";
  for (const char c : word.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text + (word.size() > end ? "...'" : "'");
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3)
    text.insert(end - 3, 1, ',');
  return text;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  constexpr std::array units{"KiB", "MiB", "GiB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would be shown as 1,024.0 of the smaller unit.
  for (; size >= 1023.95 && unit + 1 < units.size(); ++unit)
    size /= 1024;
  const auto tenths = static_cast<std::uint64_t>(size * 10 + 0.5);
  return fmt::format("{}.{} {}", grouped(tenths / 10), tenths % 10, units[unit]);
}

}  // namespace taper::io
