// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/atomic_file.hpp>

#include <filesystem>
#include <optional>
#include <ostream>
#include <span>

namespace taper::app {

/// Where a command's answer goes: the file of -o, or the standard output. Made before the work: an
/// answer that cannot be written is to be known of before it is found.
class Output {
 public:
  /// Throws ConfigError where `path` is one of `inputs`, which it would overwrite, and
  /// io::InputError where it cannot be written.
  explicit Output(std::filesystem::path const& path,
                  std::span<std::filesystem::path const> inputs = {});

  std::ostream& stream();

  /// All is written. Throws where it did not arrive.
  void commit();

 private:
  std::optional<io::AtomicFile> file_;
};

}  // namespace taper::app
