// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/atomic_file.hpp>

#include <filesystem>
#include <optional>
#include <ostream>
#include <span>
#include <string>

namespace taper::app {

/// The destination of a command's answer: the file of -o, or the standard output. Create it before
/// the work, so that a path that cannot be written is reported first.
class Output {
 public:
  /// Throws ConfigError if `path` is one of `inputs`, which it would overwrite. Throws
  /// io::InputError if it cannot be written.
  explicit Output(std::filesystem::path const& path,
                  std::span<std::filesystem::path const> inputs = {});

  /// Get it when the answer is known: for a stream, this begins the answer.
  std::ostream& stream();

  /// Completes the file. Throws if a write has failed.
  void commit();

 private:
  std::optional<io::AtomicFile> file_;
};

/// Prints each note of a reader on stderr, as "note: TEXT".
void print_notes(std::span<std::string const> notes);

}  // namespace taper::app
