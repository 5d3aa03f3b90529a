// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/strings.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace taper::io {

/// Invalid input, or a file that cannot be read or written. The message is one line:
/// "FILE:LINE: what was expected, what was found". It is printable(), whatever names it has.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::string_view what) : std::runtime_error(printable(what)) {}

  InputError(std::string_view file, std::string_view what) : InputError(located(file, 0, what)) {}

  /// Lines count from 1; line 0 stands for "no line", as in a binary file.
  InputError(std::string_view file, std::size_t line, std::string_view what)
      : InputError(located(file, line, what)) {}

 private:
  static std::string located(std::string_view file, std::size_t line, std::string_view what) {
    std::string text(file);
    if (line > 0) {
      text.append(1, ':').append(std::to_string(line));
    }
    return text.append(": ").append(what);
  }
};

/// Reading ended early because the caller raised the stop flag.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(std::string_view file)
      : std::runtime_error(std::string(file).append(": interrupted before it was read")) {}
};

/// A file of valid pairs that are not a perfect matching: a person appears twice or has no partner.
class MatchingError : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace taper::io
