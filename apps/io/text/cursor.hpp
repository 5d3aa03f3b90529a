// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/source.hpp>

#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taper::io {

/// A whole text in memory and a place in it. A walk costs about what reading the file does: no
/// copies, no streams, and lines are counted only for a message.
class Cursor {
 public:
  /// Takes all that is left of `source`, and its flag: once that is raised, next_line() throws
  /// Interrupted.
  explicit Cursor(Source& source);
  Cursor(std::string name, std::string text);
  Cursor(Cursor const&) = delete;
  Cursor& operator=(Cursor const&) = delete;

  std::string const& name() const { return name_; }
  std::string const& extension() const { return extension_; }

  /// Blanks, tabs and carriage returns part the fields of a line, and these as well.
  void set_gaps(std::string_view more = {});

  bool at_end() const { return at_ == end_; }
  /// The character here; a line feed stands before the end in any case. Not at the end.
  char peek() const { return *at_; }
  char const* place() const { return at_; }
  void go_to(char const* place) { at_ = place; }
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

  /// Within the line.
  void skip_gaps() {
    while (is_gap(*at_)) {
      ++at_;
    }
  }
  /// Past the end of this line.
  void next_line();

  /// The line here, without its end; stays in place.
  std::string_view line() const;
  /// The field here, at least one character of it, and past it.
  std::string_view field();
  /// Skips gaps and is there another field? A comment sign ends the line.
  bool has_field() {
    skip_gaps();
    return *at_ != '\n' && *at_ != '#' && *at_ != '%';
  }
  /// The field here, a number of nothing but digits, and past it; in place where it is none.
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    auto const [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{} || !(is_gap(*stop) || *stop == '\n')) {
      return std::nullopt;
    }
    at_ = stop;
    return value;
  }

  /// From 1.
  std::size_t line_of(char const* place) const;

  /// InputError about the line of `place`.
  [[noreturn]] void fail(char const* place, std::string_view what) const;
  /// "expected WHAT, found 'the field here'".
  [[noreturn]] void fail_expecting(std::string_view what) const;

 private:
  bool is_gap(char c) const { return gap_[static_cast<unsigned char>(c)]; }

  void begin();

  std::string name_;
  std::string extension_;
  std::string text_;
  std::atomic<bool> const* stop_ = nullptr;
  std::array<bool, 256> gap_{};
  char const* at_ = nullptr;
  char const* end_ = nullptr;
};

}  // namespace taper::io
