// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// Reads the bytes of a file, or of the standard input if the path is "-". Decompresses gzip, which
/// it recognises by the content. read_as_text() converts any text to UTF-8 with lines that end in
/// LF.
///
/// Used by: all readers of this folder, directly or through Cursor.
/// Throws: InputError if the file cannot be read, or its compressed data are damaged, cut short or
///   followed by other bytes. Interrupted if `*stop` is set when it needs more bytes.
class Source {
 public:
  static constexpr int end = -1;

  explicit Source(std::filesystem::path const& path, std::atomic<bool> const* stop = nullptr);
  /// Reads `bytes` as they are, without decompression; `name` is for messages.
  Source(std::string name, std::string_view bytes);
  ~Source();
  Source(Source const&) = delete;
  Source& operator=(Source const&) = delete;

  /// For messages: the path, or "standard input".
  std::string const& name() const { return name_; }

  /// The caller's stop flag, or null.
  std::atomic<bool> const* stop() const { return stop_; }

  /// The file name without ".gz" and extension; empty for the standard input.
  std::string const& stem() const { return stem_; }

  /// The extension before ".gz", in lower case; empty if there is none.
  std::string const& extension() const { return extension_; }

  /// Takes the next byte, 0 to 255, or returns `end`.
  int get() {
    if (at_ == size_ && !fill())
      return end;
    const char c = buffer_[at_++];
    line_ += after_newline_;
    after_newline_ = c == '\n';
    return static_cast<unsigned char>(c);
  }

  /// The next byte without taking it, or `end`.
  int peek() { return at_ == size_ && !fill() ? end : static_cast<unsigned char>(buffer_[at_]); }

  /// The line, from 1, of the byte that get() returned last.
  std::size_t line() const { return line_; }

  /// The buffered bytes, without taking them: at least one, except at the end.
  std::string_view buffered() {
    if (at_ == size_)
      fill();
    return {buffer_.data() + at_, size_ - at_};
  }

  /// Takes `count` bytes of buffered(), which stays valid until the buffer is refilled. Does not
  /// count lines.
  void skip(std::size_t count) { at_ += count; }

  /// Takes up to `count` bytes into `to` and returns their number, which is less only at the end.
  /// Does not count lines.
  std::size_t read(char* to, std::size_t count);

  /// The first bytes: at least `count`, unless the file is shorter. At most 1 MiB of a file.
  /// Requires: nothing was taken yet.
  std::string_view head(std::size_t count);

  /// Gives the rest of the file as UTF-8 whose lines end in LF. A byte order mark is dropped and
  /// says what is converted: UTF-8 or UTF-16. CR LF and CR become LF. A second call does nothing.
  ///
  /// Requires: nothing was taken yet.
  /// Throws: InputError for UTF-32, and for UTF-16 that is damaged.
  void read_as_text();

 private:
  struct Gzip;

  bool fill();
  std::size_t next_bytes(char* to, std::size_t max_bytes);
  std::size_t read_file(char* to, std::size_t max_bytes);
  std::size_t inflate_file(char* to, std::size_t max_bytes);
  std::size_t end_lines_with_lf(char* bytes, std::size_t count);
  void decode_utf16(bool big_endian);
  void require_not_stopped() const;

  std::string name_;
  std::string stem_;
  std::string extension_;
  std::atomic<bool> const* stop_ = nullptr;
  bool owns_ = false;  ///< whether the destructor closes the descriptor
  int descriptor_ = -1;
  bool begun_ = false;
  bool at_end_ = false;
  bool text_ = false;                   ///< read_as_text() was called
  bool after_carriage_return_ = false;  ///< CR was the last byte, and became LF
  std::unique_ptr<Gzip> gzip_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::size_t line_ = 1;
  bool after_newline_ = false;
};

}  // namespace taper::io
