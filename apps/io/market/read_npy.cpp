// SPDX-License-Identifier: Apache-2.0
#include <io/market/numbered_lists.hpp>
#include <io/matrix/npy.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
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

template <class Number>
std::vector<IdTable> read_tables(Source& source, std::span<const std::string> titles, std::size_t n,
                                 Numbering& numbering) {
  std::vector<IdTable> tables;
  std::vector<Number> raw;
  std::vector<std::uint32_t> row;
  NpyData data(source, std::uint64_t{titles.size()} * n * n * sizeof(Number));
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
  data.end();
  return tables;
}

}  // namespace

std::vector<IdTable> read_npy(Source& source, std::span<const std::string> titles,
                              Numbering& numbering) {
  const NpyHeader header = read_npy_header(source);
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

}  // namespace taper::io
