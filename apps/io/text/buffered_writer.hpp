// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace taper::io {

/// Collects text and writes it to a stream in pieces of about 64 KiB, to save calls.
/// Used by: the writers of graphs and matrices.
class BufferedWriter {
 public:
  explicit BufferedWriter(std::ostream& out) : out_(out) {}
  ~BufferedWriter() { flush(); }
  BufferedWriter(BufferedWriter const&) = delete;
  BufferedWriter& operator=(BufferedWriter const&) = delete;

  void add(std::string_view text) {
    text_ += text;
    if (text_.size() >= std::size_t{1} << 16) {
      flush();
    }
  }
  /// Adds the shortest text that reads back as this number.
  template <class Number>
  void add_number(Number number) {
    std::array<char, 32> digits;
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    add({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }

 private:
  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  std::string text_;
};

}  // namespace taper::io
