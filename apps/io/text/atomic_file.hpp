// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/error.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

namespace taper::io {

/// N if `path` names descriptor N of this process: /dev/fd/N, /proc/self/fd/N, /dev/stdout or
/// /dev/stderr. Such a file is shared with the process that opened it, so it must not be replaced.
std::optional<int> own_descriptor(std::filesystem::path const& path);

/// Removes the temporary files of this process that have a name. Only for a sudden end of the
/// program: afterwards no AtomicFile can be made.
void remove_temporary_files() noexcept;

/// A file that appears whole or not at all. It writes to a temporary file in the same folder, and
/// commit() renames that file to the path.
///
/// A name that ends in ".gz" is compressed. Files that are not regular (/dev/null, a pipe) and
/// descriptors of this process (own_descriptor()) are written directly. Without commit() the
/// destructor removes the temporary file. So does the end of the process, if the file system
/// supports nameless files (O_TMPFILE) and /proc exists; else call remove_temporary_files().
/// Throws: InputError with the path and the reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path const& path);
  ~AtomicFile();
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;

  /// A buffered stream. commit() reports failed writes at the latest.
  std::ostream& stream();

  /// Whether the bytes are written directly, without a temporary file.
  bool direct() const;

  /// Flushes to the disk and renames. Nothing can be written afterwards. Throws: InputError.
  void commit();

 private:
  class Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace taper::io
