// SPDX-License-Identifier: Apache-2.0
#include <io/matrix/npy.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace taper::io {
namespace {

[[noreturn]] void refuse(Source const& source, std::string_view why) {
  throw InputError(source.name(), why);
}

std::string read_exactly(Source& source, std::size_t count) {
  std::string bytes(count, '\0');
  const std::size_t found = source.read(bytes.data(), count);
  if (found < count)
    refuse(source, fmt::format("the .npy header is cut short: expected {} bytes more, found {}",
                               count, found));
  return bytes;
}

/// The text after 'key': in the header, which is a Python dictionary.
std::string_view value_of(Source const& source, std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos)
    refuse(source, fmt::format("the .npy header has no '{}'", key));
  std::string_view value = header.substr(at + key.size() + 3);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

std::vector<std::uint64_t> parse_shape(Source const& source, std::string_view text) {
  std::vector<std::uint64_t> shape;
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos)
    refuse(source, "the .npy header has no valid shape");
  for (text = text.substr(1, close - 1);;) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.empty())
      return shape;
    std::uint64_t extent = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{})
      refuse(source, "the .npy header has no valid shape");
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
}

}  // namespace

NpyHeader read_npy_header(Source& source) {
  if (!source.buffered().starts_with(npy_magic))
    refuse(source, "expected a .npy file, which begins with \\x93NUMPY");
  const std::string start = read_exactly(source, npy_magic.size() + 2);
  const int version = start[npy_magic.size()];
  if (version < 1 || version > 3)
    refuse(source, fmt::format("expected .npy version 1 to 3, found {}", version));
  std::uint32_t length = 0;  // 2 bytes in version 1, 4 in later ones
  const std::string length_bytes = read_exactly(source, version == 1 ? 2 : 4);
  std::memcpy(&length, length_bytes.data(), length_bytes.size());
  constexpr std::uint32_t longest = 1 << 16;
  if (length > longest)
    refuse(source,
           fmt::format("expected a .npy header of at most {} bytes, found {}", longest, length));
  const std::string text = read_exactly(source, length);

  NpyHeader header;
  const std::string_view type = value_of(source, text, "descr");
  if (!type.starts_with('\''))
    refuse(source, "expected plain numbers, found records");
  header.type = type.substr(1, type.find('\'', 1) - 1);
  header.fortran_order = value_of(source, text, "fortran_order").starts_with("True");
  header.shape = parse_shape(source, value_of(source, text, "shape"));
  return header;
}

std::string npy_header(std::string_view type, std::span<std::uint64_t const> shape,
                       bool fortran_order) {
  auto text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", type,
                          fortran_order ? "True" : "False", fmt::join(shape, ", "),
                          shape.size() == 1 ? "," : "");
  // Magic, version and length take 10 bytes; the data must begin at a multiple of 64.
  constexpr std::size_t before = 10;
  text.append(63 - (before + text.size()) % 64, ' ').append(1, '\n');
  std::string header(npy_magic);
  header +=
      {'\x01', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

void NpyData::read(std::span<char> bytes) {
  auto const found = source_.read(bytes.data(), bytes.size());
  found_ += found;
  if (found < bytes.size()) {
    refuse(source_, fmt::format("the table is cut short: expected {} bytes of data, found {}",
                                grouped(expected_), grouped(found_)));
  }
}

void NpyData::end() {
  if (source_.peek() != Source::end) {
    refuse(source_, "expected the end of the file after the table, found more bytes");
  }
}

}  // namespace taper::io
