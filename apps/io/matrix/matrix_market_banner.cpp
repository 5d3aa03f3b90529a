// SPDX-License-Identifier: Apache-2.0
#include <io/matrix/matrix_market_banner.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace taper::io {
namespace {

bool starts_with_word(std::string_view line, std::string_view word) {
  return line.size() >= word.size() &&
         std::equal(word.begin(), word.end(), line.begin(),
                    [](char a, unsigned char b) { return a == std::tolower(b); });
}

std::string lower_field(Cursor& cursor) {
  cursor.skip_separators();
  std::string word(cursor.field());
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

/// "real, complex, integer or pattern".
std::string one_of(std::span<std::string_view const> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

bool is_matrix_market(std::string_view text) {
  return starts_with_word(text, "%%matrixmarket") || starts_with_word(text, "%matrixmarket");
}

MatrixMarketBanner read_matrix_market_banner(Cursor& cursor) {
  MatrixMarketBanner banner;
  banner.position = cursor.position();
  cursor.field();
  banner.object = lower_field(cursor);
  banner.layout = lower_field(cursor);
  banner.field = lower_field(cursor);
  banner.symmetry = lower_field(cursor);
  if (banner.field == "double") {
    banner.field = "real";
  }
  cursor.next_line();
  while (!cursor.at_end() && !cursor.has_field()) {
    cursor.next_line();
  }
  return banner;
}

void require_matrix_market_banner(Cursor const& cursor, MatrixMarketBanner const& banner,
                                  std::span<std::string_view const> layouts,
                                  std::span<std::string_view const> fields,
                                  std::span<std::string_view const> symmetries) {
  auto const is_one_of = [](std::span<std::string_view const> words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  if (banner.object != "matrix" || !is_one_of(layouts, banner.layout)) {
    cursor.fail(banner.position, fmt::format("expected 'matrix {}' in the banner, found '{} {}'",
                                             one_of(layouts), banner.object, banner.layout));
  }
  if (!is_one_of(fields, banner.field)) {
    cursor.fail(banner.position,
                fmt::format("expected {} as the third word of the banner, found {}", one_of(fields),
                            in_quotes(banner.field)));
  }
  if (!is_one_of(symmetries, banner.symmetry)) {
    cursor.fail(banner.position,
                fmt::format("expected {} as the fourth word of the banner, found {}",
                            one_of(symmetries), in_quotes(banner.symmetry)));
  }
}

}  // namespace taper::io
