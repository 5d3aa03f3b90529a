// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/matrix/npy.hpp>
#include <io/text/error.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// The numbers of NumPy arrays of one dimension. Used by: the readers of markets as arrays.

namespace taper::io {

/// Appends the numbers of `piece`. `first`: the entry of the array that numbers[0] is. Throws:
/// InputError if a number does not fit.
template <class From, class To>
void append(std::string const& name, std::uint64_t first, std::vector<From> const& piece,
            std::vector<To>& numbers) {
  for (auto const number : piece) {
    auto fits = true;
    if constexpr (std::is_floating_point_v<From>) {
      fits = std::isfinite(number);
    } else if constexpr (!std::is_floating_point_v<To>) {
      fits = std::in_range<To>(number);
    }
    if (!fits) {
      throw InputError(name, fmt::format("entry {} is {}, which is out of range",
                                         first + numbers.size(), number));
    }
    numbers.push_back(static_cast<To>(number));
  }
}

inline constexpr std::size_t piece_entries = std::size_t{1} << 17;

/// Reads the data of an array of `From` piece by piece.
template <class From, class To>
std::vector<To> read_as(Source& source, std::uint64_t count) {
  std::vector<To> numbers;
  std::vector<From> piece;
  NpyData data(source, count * sizeof(From));
  while (numbers.size() < count) {
    piece.resize(std::min<std::uint64_t>(piece_entries, count - numbers.size()));
    data.read({reinterpret_cast<char*>(piece.data()), piece.size() * sizeof(From)});
    append(source.name(), 0, piece, numbers);
  }
  data.end();
  return numbers;
}

inline void require_one_dimension(std::string const& name, NpyHeader const& header) {
  if (header.shape.size() != 1) {
    throw InputError(
        name, fmt::format("expected an array of one dimension, found {}", header.shape.size()));
  }
}

/// Calls read(From{}) with the type of the numbers of an array of one dimension: whole numbers of 8
/// to 64 bits; for To = double also floating point. Throws: InputError if it is another array.
template <class To, class Read>
std::vector<To> read_by_type(std::string const& name, NpyHeader const& header, Read const& read) {
  require_one_dimension(name, header);
  std::string_view const type = header.type;
  auto const is = [&](std::string_view wanted) {
    return type.size() == 3 && (type[0] == '<' || (type[0] == '|' && type[2] == '1')) &&
           type.substr(1) == wanted;
  };
  if (is("u1")) {
    return read(std::uint8_t{});
  }
  if (is("i1")) {
    return read(std::int8_t{});
  }
  if (is("u2")) {
    return read(std::uint16_t{});
  }
  if (is("i2")) {
    return read(std::int16_t{});
  }
  if (is("u4")) {
    return read(std::uint32_t{});
  }
  if (is("i4")) {
    return read(std::int32_t{});
  }
  if (is("u8")) {
    return read(std::uint64_t{});
  }
  if (is("i8")) {
    return read(std::int64_t{});
  }
  if constexpr (std::is_floating_point_v<To>) {
    if (is("f4")) {
      return read(float{});
    }
    if (is("f8")) {
      return read(double{});
    }
  }
  throw InputError(name, fmt::format("expected little-endian {}, found dtype {}",
                                     std::is_floating_point_v<To> ? "numbers" : "whole numbers",
                                     in_quotes(type)));
}

}  // namespace taper::io
