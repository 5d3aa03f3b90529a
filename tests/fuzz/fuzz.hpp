// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

/// What the fuzz targets share. A target defines LLVMFuzzerTestOneInput(), which runs one input and
/// aborts if a promise is broken. libFuzzer calls it with inputs that it makes; replay.cpp calls it
/// with the seeds and with changed seeds.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace taper::fuzz {

/// Aborts if a promise does not hold. A fuzzer detects the abort.
inline void require(bool condition, char const* promise) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", promise);
    std::abort();
  }
}

/// The name that targets give to their inputs.
inline constexpr char const* file_name = "fuzz";

/// Requires an error to be one line with the file's name.
inline void check_error(std::exception const& error) {
  std::string_view const text = error.what();
  require(text.find('\n') == std::string_view::npos, "an error is one line");
  require(text.find(file_name) != std::string_view::npos, "an error names the file");
}

inline std::string_view text_of(std::uint8_t const* data, std::size_t size) {
  return {reinterpret_cast<char const*>(data), size};
}

/// The files of an input: one, or two that a form feed separates.
inline std::vector<std::string_view> files_in(std::string_view text) {
  auto const middle = text.find('\f');
  if (middle == std::string_view::npos) {
    return {text};
  }
  return {text.substr(0, middle), text.substr(middle + 1)};
}

/// The bytes of an input as small numbers. After the last byte come zeros.
class Bytes {
 public:
  Bytes(std::uint8_t const* data, std::size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t next() {
    if (rest_.empty()) {
      return 0;
    }
    std::uint8_t const byte = rest_.front();
    rest_ = rest_.subspan(1);
    return byte;
  }
  /// A number below `bound`, which is from 1 to 256.
  std::size_t below(std::size_t bound) { return next() % bound; }

 private:
  std::span<std::uint8_t const> rest_;
};

}  // namespace taper::fuzz
