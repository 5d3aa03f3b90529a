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

/// The bytes of a file or, as "-", of the standard input; gzip is recognised by its content and
/// seen through. Throws: InputError where the file cannot be read, or its compressed data are
/// damaged, cut short or followed by something else; Interrupted, where it is to wait for more, once
/// `stop` is raised.
class Source {
 public:
  static constexpr int end = -1;

  explicit Source(std::filesystem::path const& path, std::atomic<bool> const* stop = nullptr);
  /// These bytes, as they are; messages call them `name`.
  Source(std::string name, std::string_view bytes);
  ~Source();
  Source(Source const&) = delete;
  Source& operator=(Source const&) = delete;

  /// For messages: the path, or "standard input".
  std::string const& name() const { return name_; }

  /// The caller's flag, or null.
  std::atomic<bool> const* stop() const { return stop_; }

  /// The path's last part without folder, ".gz" and extension; empty for the standard input.
  std::string const& stem() const { return stem_; }

  /// The extension in lower case, ".gz" aside; empty if there is none.
  std::string const& extension() const { return extension_; }

  /// The next byte, 0 to 255, or `end`.
  int get() {
    if (at_ == size_ && !fill())
      return end;
    const char c = buffer_[at_++];
    line_ += after_newline_;
    after_newline_ = c == '\n';
    return static_cast<unsigned char>(c);
  }

  /// The next byte, left in place.
  int peek() { return at_ == size_ && !fill() ? end : static_cast<unsigned char>(buffer_[at_]); }

  /// The line, from 1, of the byte that get() gave last.
  std::size_t line() const { return line_; }

  /// The bytes at hand, left in place: at least one, except at the end.
  std::string_view buffered() {
    if (at_ == size_)
      fill();
    return {buffer_.data() + at_, size_ - at_};
  }

  /// Passes over bytes of buffered(), which stays valid until more are asked for. Does not count
  /// lines.
  void skip(std::size_t count) { at_ += count; }

  /// Copies up to `count` bytes to `to` and returns how many there were. Does not count lines.
  std::size_t read(char* to, std::size_t count);

  /// Passes over a UTF-8 byte order mark. To be called before anything is taken.
  void skip_byte_order_mark();

 private:
  struct Gzip;

  bool fill();
  std::size_t read_file(char* to, std::size_t most);
  std::size_t inflate_file();
  void require_not_stopped() const;

  std::string name_;
  std::string stem_;
  std::string extension_;
  std::atomic<bool> const* stop_ = nullptr;
  bool owns_ = false;  ///< the descriptor
  int descriptor_ = -1;
  bool begun_ = false;
  bool at_end_ = false;
  std::unique_ptr<Gzip> gzip_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::size_t line_ = 1;
  bool after_newline_ = false;
};

}  // namespace taper::io
