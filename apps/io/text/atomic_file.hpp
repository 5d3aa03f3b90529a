// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/error.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

namespace taper::io {

/// N where `path` is a name of this process's descriptor N: /dev/fd/N, /proc/self/fd/N, /dev/stdout
/// or /dev/stderr. Whatever file that is, whoever opened it expects more in it than one answer.
std::optional<int> own_descriptor(std::filesystem::path const& path);

/// A file that appears whole or not at all: written beside its place, and renamed into it by
/// commit().
///
/// A name that ends in ".gz" is compressed. What is no regular file (/dev/null, a pipe), or is a
/// descriptor of this process (own_descriptor()), is written directly. Without a commit() the destructor removes what was written; so does the end of the
/// process, where the file system has nameless files. Throws: InputError with the path and the
/// reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path const& path);
  ~AtomicFile();
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;

  /// Buffered; a write that fails is reported by commit() at the latest.
  std::ostream& stream();

  /// Flushes to the disk and renames. Nothing can be written afterwards.
  void commit();

 private:
  class Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace taper::io
