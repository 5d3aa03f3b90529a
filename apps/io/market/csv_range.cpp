// SPDX-License-Identifier: Apache-2.0
#include <io/market/csv_range.hpp>
#include <io/market/csv_table.hpp>
#include <io/market/mapped_file.hpp>
#include <io/text/error.hpp>
#include <io/text/source.hpp>

#include <algorithm>
#include <string_view>

namespace taper::io {
namespace {

/// Where the line after the one of this byte begins.
std::size_t next_line_after(std::string_view bytes, std::size_t at) {
  auto const end = bytes.find('\n', at);
  return end == std::string_view::npos ? bytes.size() : end + 1;
}

/// The number of bytes up to the end of the titles.
std::size_t bytes_of_titles(std::string const& name, std::string_view bytes) {
  constexpr std::size_t most = 1 << 20;
  Source source(name, bytes.substr(0, std::min(next_line_after(bytes, most), bytes.size())));
  source.read_as_text();
  CsvTable const titles(source);
  std::size_t end = 0;
  for (std::size_t line = 0; line < titles.line(); ++line) {
    end = next_line_after(bytes, end);
  }
  return end;
}

void require_plain_text(std::string const& name, std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) {
    throw InputError(name, "expected a table without compression: several processes read it");
  }
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    throw InputError(name, "expected UTF-8: several processes read it");
  }
}

void require_line_feeds(std::string const& name, std::string_view lines) {
  for (auto at = lines.find('\r'); at != lines.npos; at = lines.find('\r', at + 1)) {
    if (at + 1 < lines.size() && lines[at + 1] != '\n') {
      throw InputError(name,
                       "expected lines that end with LF or CR LF: several processes read them");
    }
  }
}

}  // namespace

CsvRange::CsvRange(std::filesystem::path const& path, std::uint64_t part, std::uint64_t parts)
    : name_(path.string()) {
  MappedFile const file(path);
  auto const bytes = file.bytes();
  require_plain_text(name_, bytes);
  auto const titles = bytes_of_titles(name_, bytes);
  auto const begin_of = [&](std::uint64_t range) {
    auto const at = titles + (bytes.size() - titles) * range / parts;
    return at == titles ? titles : next_line_after(bytes, at - 1);
  };
  auto const begin = begin_of(part);
  auto const lines = bytes.substr(begin, begin_of(part + 1) - begin);
  require_line_feeds(name_, bytes.substr(0, titles));
  require_line_feeds(name_, lines);
  text_.append(bytes.substr(0, titles)).append(lines);
  lines_ = static_cast<std::size_t>(std::ranges::count(lines, '\n'));
}

void CsvRange::read(CsvMarketReader& reader, std::size_t lines_before) const {
  Source source(name_, text_);
  source.read_as_text();
  reader.read(source, lines_before);
}

}  // namespace taper::io
