// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/source.hpp>

#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taper::io {

/// A text in memory and a position in it, for readers of text formats.
///
/// A pass over the text costs about as much as reading the file: it makes no copies and uses no
/// streams. Lines are counted only for messages.
/// Used by: the readers of graphs, covers and Matrix Market files.
class Cursor {
 public:
  /// Takes the rest of `source` and its stop flag. If the flag is set, next_line() throws
  /// Interrupted.
  explicit Cursor(Source& source);
  Cursor(std::string name, std::string_view text);
  Cursor(Cursor const&) = delete;
  Cursor& operator=(Cursor const&) = delete;

  std::string const& name() const { return name_; }
  std::string const& extension() const { return extension_; }

  /// Sets the characters that separate the fields of a line: blanks, tabs, and those of `more`.
  void set_separators(std::string_view more = {});

  bool at_end() const { return at_ == end_; }
  /// The character here. Requires: !at_end(). The last character of the text is always a line feed.
  char peek() const { return *at_; }
  char const* position() const { return at_; }
  void go_to(char const* position) { at_ = position; }
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

  /// Skips separators, within the line.
  void skip_separators() {
    while (is_separator(*at_)) {
      ++at_;
    }
  }
  /// Goes to the start of the next line.
  void next_line();
  /// Skips empty lines and comments, up to the next field. Returns false at the end.
  bool skip_to_content() {
    while (!at_end() && !has_field()) {
      next_line();
    }
    return !at_end();
  }

  /// The rest of the line, without its end. Does not move.
  std::string_view line() const;
  /// The line, also what is before the position. Does not move.
  std::string_view whole_line() const;
  /// Returns the field here and goes past it.
  std::string_view field();
  /// Skips separators. Returns whether the line has another field; a comment sign, # or %, ends it.
  bool has_field() {
    skip_separators();
    return *at_ != '\n' && *at_ != '#' && *at_ != '%';
  }
  /// Returns the field here as a number and goes past it. If it is not all digits, or exceeds 64
  /// bits, returns nothing and does not move.
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    auto const [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{} || !(is_separator(*stop) || *stop == '\n')) {
      return std::nullopt;
    }
    at_ = stop;
    return value;
  }

  /// The line of a position, from 1. Cost: linear in the text before it.
  std::size_t line_of(char const* position) const;

  /// Throws InputError with the line of `position`.
  [[noreturn]] void fail(char const* position, std::string_view what) const;
  /// Throws InputError "expected WHAT, found 'the field here'".
  [[noreturn]] void fail_expecting(std::string_view what) const;

 private:
  bool is_separator(char c) const { return separator_[static_cast<unsigned char>(c)]; }

  void take(Source& source);

  std::string name_;
  std::string extension_;
  std::string text_;
  std::atomic<bool> const* stop_ = nullptr;
  std::array<bool, 256> separator_{};
  char const* at_ = nullptr;
  char const* end_ = nullptr;
};

}  // namespace taper::io
