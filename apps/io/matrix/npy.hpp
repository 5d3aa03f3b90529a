// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/source.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

// The NumPy format .npy. Used by: the readers of matrices and of markets.

/// The header of a .npy file.
struct NpyHeader {
  std::string type;  ///< NumPy's descr, such as "<u2"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

constexpr std::string_view npy_magic = "\x93NUMPY";

/// Reads a header of version 1 to 3. Throws: InputError if it is missing or damaged, or if the data
/// are not plain numbers.
NpyHeader read_npy_header(Source& source);

/// The header of a .npy file of version 1, with data of NumPy's `type` behind it.
std::string npy_header(std::string_view type, std::span<std::uint64_t const> shape,
                       bool fortran_order = false);

/// Reads the data after the header, piece by piece.
class NpyData {
 public:
  /// `expected` is the size of all data in bytes.
  NpyData(Source& source, std::uint64_t expected) : source_(source), expected_(expected) {}

  /// Fills `bytes` with the next data. Throws: InputError if they are cut short.
  void read(std::span<char> bytes);
  /// Throws InputError unless all bytes of the file have been read.
  void end();

 private:
  Source& source_;
  std::uint64_t expected_;
  std::uint64_t found_ = 0;
};

}  // namespace taper::io
