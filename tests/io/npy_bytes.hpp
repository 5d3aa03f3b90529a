// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace taper::io {

/// Bytes as numpy.save() writes them, built from the format's specification and not by Taper's
/// writer.
inline std::string npy(std::string const& type, std::string const& shape, std::string const& data,
                       int version = 1, bool fortran = false) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (std::size_t i = 0, length = header.size(); i < (version == 1 ? 2u : 4u); ++i, length >>= 8)
    bytes += static_cast<char>(length & 0xff);
  return bytes + header + data;
}

template <class Number>
std::string raw(std::vector<Number> const& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

}  // namespace taper::io
