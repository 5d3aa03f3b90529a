// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/source.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// What stands before the numbers of a .npy file.
struct NpyHeader {
  std::string type;  ///< NumPy's descr, as "<u2"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

constexpr std::string_view npy_magic = "\x93NUMPY";

/// Of versions 1 to 3. Throws InputError where there is none, or it is damaged, or what follows are
/// no plain numbers.
NpyHeader read_npy_header(Source& source);

/// Reads the numbers that follow, piece by piece. Throws InputError where they are cut short.
class NpyData {
 public:
  /// `expected`: bytes in all.
  NpyData(Source& source, std::uint64_t expected) : source_(source), expected_(expected) {}

  void read(std::span<char> bytes);
  /// Throws InputError where there is more.
  void end();

 private:
  Source& source_;
  std::uint64_t expected_;
  std::uint64_t found_ = 0;
};

}  // namespace taper::io
