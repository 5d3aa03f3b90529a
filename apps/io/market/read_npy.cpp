// SPDX-License-Identifier: Apache-2.0
#include <io/market/lists_part.hpp>
#include <io/market/mapped_file.hpp>
#include <io/market/numbered_lists.hpp>
#include <io/matrix/npy.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace taper::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tables are read without conversion, and .npy tables are little-endian");

[[noreturn]] void refuse(Source const& source, std::string_view why) {
  throw InputError(source.name(), why);
}

/// n, from the shape. Throws: InputError if the file does not have `tables` square tables.
std::size_t size_of(Source const& source, NpyHeader const& header, std::size_t tables) {
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

/// Adds rows to `table` until it is complete. read(bytes) reads the bytes of the next row.
template <class Number, class Read>
void add_rows(TableBuilder& table, Read const& read) {
  std::vector<Number> raw(table.n());
  std::vector<std::uint32_t> row(table.n());
  while (!table.complete()) {
    read(std::span(reinterpret_cast<char*>(raw.data()), raw.size() * sizeof(Number)));
    for (std::size_t entry = 0; entry < raw.size(); ++entry) {
      if (std::cmp_less(raw[entry], 0) ||
          std::cmp_greater_equal(raw[entry], std::numeric_limits<std::uint32_t>::max()))
        table.reject(0, entry, std::to_string(raw[entry]));
      row[entry] = static_cast<std::uint32_t>(raw[entry]);
    }
    table.add(row, 0);
  }
}

template <class Number>
std::vector<IdTable> read_tables(Source& source, std::span<const std::string> titles, std::size_t n,
                                 Numbering& numbering) {
  std::vector<IdTable> tables;
  NpyData data(source, std::uint64_t{titles.size()} * n * n * sizeof(Number));
  for (std::string const& title : titles) {
    TableBuilder table(source.name(), title, n, numbering);
    add_rows<Number>(table, [&](std::span<char> bytes) { data.read(bytes); });
    tables.push_back(table.take());
  }
  data.end();
  return tables;
}

/// Calls read(Number{}, n) with the type of the file's numbers. Throws: InputError if the file does
/// not have `tables` square tables of whole numbers.
template <class Read>
auto read_by_header(Source const& source, NpyHeader const& header, std::size_t tables,
                    Read const& read) {
  if (header.fortran_order)
    refuse(source, "expected a table in C order, found Fortran order: save "
                   "numpy.ascontiguousarray(table)");
  const std::size_t n = size_of(source, header, tables);
  const std::string_view type = header.type;
  if (type.size() == 3 && type[0] == '>' && (type[1] == 'i' || type[1] == 'u'))
    refuse(source, fmt::format("expected little-endian numbers, found dtype '{}': save "
                               "table.astype('<{}')",
                               type, type.substr(1)));
  if (type == "|u1" || type == "<u1")
    return read(std::uint8_t{}, n);
  if (type == "|i1" || type == "<i1")
    return read(std::int8_t{}, n);
  if (type == "<u2")
    return read(std::uint16_t{}, n);
  if (type == "<i2")
    return read(std::int16_t{}, n);
  if (type == "<u4")
    return read(std::uint32_t{}, n);
  if (type == "<i4")
    return read(std::int32_t{}, n);
  if (type == "<u8")
    return read(std::uint64_t{}, n);
  if (type == "<i8")
    return read(std::int64_t{}, n);
  refuse(source,
         fmt::format("expected whole numbers of 8 to 64 bits, found dtype {}", in_quotes(type)));
}

/// The bytes of an array that is mapped to memory.
std::string_view data_of(Source& source, std::string_view head, std::string_view file) {
  std::size_t rest = 0;
  for (auto more = source.buffered(); !more.empty(); more = source.buffered()) {
    rest += more.size();
    source.skip(more.size());
  }
  return file.substr(head.size() - rest);
}

/// Reads the rows of part `part` of each table that the file has, and appends them to `part`.
void read_rows(std::filesystem::path const& path, std::span<const std::string> titles,
               Numbering& numbering, std::uint64_t number, std::uint64_t parts, ListsPart& part) {
  const MappedFile file(path);
  if (file.bytes().starts_with("\x1f\x8b"))
    throw InputError(path.string(),
                     "expected an array without compression: several processes read it");
  constexpr std::size_t longest_header = (1 << 16) + 12;
  const auto head = file.bytes().substr(0, longest_header);
  Source source(path.string(), head);
  const NpyHeader header = read_npy_header(source);
  read_by_header(source, header, titles.size(), [&]<class Number>(Number, std::size_t n) {
    const auto data = data_of(source, head, file.bytes());
    const auto expected = std::uint64_t{titles.size()} * n * n * sizeof(Number);
    if (n > data.size() || data.size() != expected)  // the product may overflow
      throw InputError(path.string(), fmt::format("expected {} bytes of numbers, found {}",
                                                  grouped(expected), grouped(data.size())));
    part.n.push_back(n);
    part.first = n * number / parts;
    const auto rows = n * (number + 1) / parts - part.first;
    for (std::size_t table = 0; table < titles.size(); ++table) {
      TableBuilder lists(path.string(), titles[table], n, numbering, part.first, rows);
      const char* next = data.data() + (table * n + part.first) * n * sizeof(Number);
      add_rows<Number>(lists, [&](std::span<char> bytes) {
        std::memcpy(bytes.data(), next, bytes.size());
        next += bytes.size();
      });
      part.sides.push_back(rows > 0 ? lists.take() : IdTable(0, n));
    }
  });
}

}  // namespace

std::vector<IdTable> read_npy(Source& source, std::span<const std::string> titles,
                              Numbering& numbering) {
  const NpyHeader header = read_npy_header(source);
  return read_by_header(source, header, titles.size(), [&]<class Number>(Number, std::size_t n) {
    return read_tables<Number>(source, titles, n, numbering);
  });
}

ListsPart read_lists_part(std::span<const std::filesystem::path> files, std::uint64_t part,
                          std::uint64_t parts, MarketReadOptions const& options) {
  static const std::array<std::string, 2> titles{"men", "women"};
  Numbering numbering(options.preferences, options.base);
  ListsPart read;
  const std::size_t per_file = 2 / files.size();
  for (std::size_t file = 0; file < files.size(); ++file)
    read_rows(files[file], std::span(titles).subspan(file * per_file, per_file), numbering, part,
              parts, read);
  if (read.n.front() != read.n.back())
    throw InputError(files.back().string(),
                     fmt::format("has {} lists, but {} has {}", grouped(read.n.back()),
                                 files.front().string(), grouped(read.n.front())));
  read.base_is_known = numbering.known();
  read.base = static_cast<int>(numbering.base());
  return read;
}

std::vector<std::string> base_notes(std::filesystem::path const& file, std::size_t n, int base,
                                    MarketReadOptions const& options) {
  Numbering numbering(options.preferences, options.base);
  if (n > 0 && !numbering.known())
    numbering.settle(base == 0 ? IdBase::zero : IdBase::one, {});
  return numbering.notes(file.string(), n);
}

}  // namespace taper::io
