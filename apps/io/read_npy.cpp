// SPDX-License-Identifier: Apache-2.0
#include <io/error.hpp>
#include <io/numbered.hpp>
#include <io/text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

namespace taper::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the tables are read as they lie in the file");

struct Header {
  std::string type; ///< NumPy's descr, as "<u2"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

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

/// What follows 'key': in the header, a Python dictionary.
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
    refuse(source, "the .npy header has no shape that could be read");
  for (text = text.substr(1, close - 1);;) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.empty())
      return shape;
    std::uint64_t extent = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{})
      refuse(source, "the .npy header has no shape that could be read");
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
}

Header read_header(Source& source) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (!source.buffered().starts_with(magic))
    refuse(source, "this is no .npy file: its first bytes are not \\x93NUMPY");
  const std::string start = read_exactly(source, magic.size() + 2);
  const int version = start[magic.size()];
  if (version < 1 || version > 3)
    refuse(source, fmt::format("expected .npy version 1 to 3, found {}", version));
  std::uint32_t length = 0; // of 2 bytes in version 1, of 4 since
  const std::string length_bytes = read_exactly(source, version == 1 ? 2 : 4);
  std::memcpy(&length, length_bytes.data(), length_bytes.size());
  constexpr std::uint32_t longest = 1 << 16;
  if (length > longest)
    refuse(source, fmt::format("a .npy header of {} bytes holds no plain table", length));
  const std::string text = read_exactly(source, length);

  Header header;
  const std::string_view type = value_of(source, text, "descr");
  if (!type.starts_with('\''))
    refuse(source, "expected a table of whole numbers, found records");
  header.type = type.substr(1, type.find('\'', 1) - 1);
  header.fortran_order = value_of(source, text, "fortran_order").starts_with("True");
  header.shape = parse_shape(source, value_of(source, text, "shape"));
  return header;
}

/// n, of a file with as many tables as there should be.
std::size_t size_of(Source const& source, Header const& header, std::size_t tables) {
  auto const& shape = header.shape;
  const auto found = fmt::format("shape ({})", fmt::join(shape, ", "));
  if (shape.size() == 2 && tables == 2)
    refuse(source,
           fmt::format("expected both tables, shape (2, n, n), or a second file, found {}", found));
  if (shape.size() == 3 && tables == 1)
    refuse(source, fmt::format("expected one table in each of two files, found {}", found));
  if (shape.size() != tables + 1 || (tables == 2 && shape[0] != 2))
    refuse(source,
           fmt::format("expected shape {}, found {}", tables == 1 ? "(n, n)" : "(2, n, n)", found));
  const std::uint64_t rows = shape[tables - 1];
  if (rows != shape[tables])
    refuse(source,
           fmt::format("expected a square table, found {}: unequal sides and incomplete lists "
                       "are not supported yet",
                       found));
  return rows;
}

class Data {
public:
  Data(Source& source, std::uint64_t expected) : source_(source), expected_(expected) {}

  void read(std::span<char> row) {
    const std::size_t found = source_.read(row.data(), row.size());
    found_ += found;
    if (found < row.size())
      refuse(source_, fmt::format("the table is cut short: expected {} bytes of data, found {}",
                                  grouped(expected_), grouped(found_)));
  }

private:
  Source& source_;
  std::uint64_t expected_;
  std::uint64_t found_ = 0;
};

template <class Number>
std::vector<IdTable> read_tables(Source& source, std::span<const std::string> titles, std::size_t n,
                                 Numbering& numbering) {
  std::vector<IdTable> tables;
  std::vector<Number> raw;
  std::vector<std::uint32_t> row;
  Data data(source, std::uint64_t{titles.size()} * n * n * sizeof(Number));
  for (std::string const& title : titles) {
    TableBuilder table(source.name(), title, n, numbering);
    raw.resize(n);
    row.resize(n);
    while (!table.complete()) {
      data.read({reinterpret_cast<char*>(raw.data()), n * sizeof(Number)});
      for (std::size_t entry = 0; entry < n; ++entry) {
        if (std::cmp_less(raw[entry], 0) ||
            std::cmp_greater_equal(raw[entry], std::numeric_limits<std::uint32_t>::max()))
          table.reject(0, entry, std::to_string(raw[entry]));
        row[entry] = static_cast<std::uint32_t>(raw[entry]);
      }
      table.add(row, 0);
    }
    tables.push_back(table.take());
  }
  if (source.peek() != Source::end)
    refuse(source, "expected the end of the file after the table, found more bytes");
  return tables;
}

} // namespace

std::vector<IdTable> read_npy(Source& source, std::span<const std::string> titles,
                              Numbering& numbering) {
  const Header header = read_header(source);
  if (header.fortran_order)
    refuse(source, "expected a table in C order, found Fortran order: save "
                   "numpy.ascontiguousarray(table)");
  const std::size_t n = size_of(source, header, titles.size());
  const std::string_view type = header.type;
  if (type.size() == 3 && type[0] == '>' && (type[1] == 'i' || type[1] == 'u'))
    refuse(source, fmt::format("expected little-endian numbers, found dtype '{}': save "
                               "table.astype('<{}')",
                               type, type.substr(1)));
  const auto read_as = [&]<class Number>(Number) {
    return read_tables<Number>(source, titles, n, numbering);
  };
  if (type == "|u1" || type == "<u1")
    return read_as(std::uint8_t{});
  if (type == "|i1" || type == "<i1")
    return read_as(std::int8_t{});
  if (type == "<u2")
    return read_as(std::uint16_t{});
  if (type == "<i2")
    return read_as(std::int16_t{});
  if (type == "<u4")
    return read_as(std::uint32_t{});
  if (type == "<i4")
    return read_as(std::int32_t{});
  if (type == "<u8")
    return read_as(std::uint64_t{});
  if (type == "<i8")
    return read_as(std::int64_t{});
  refuse(source,
         fmt::format("expected whole numbers of 8 to 64 bits, found dtype {}", in_quotes(type)));
}

} // namespace taper::io
