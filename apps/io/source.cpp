// SPDX-License-Identifier: Apache-2.0
#include <io/error.hpp>
#include <io/source.hpp>

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <utility>

namespace taper::io {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Source::Source(std::filesystem::path const& path, std::atomic<bool> const* stop)
    : name_(path == "-" ? "standard input" : path.string()), stop_(stop), buffer_(buffer_bytes) {
  if (path != "-") {
    auto bare = path.filename();
    if (lower(bare.extension().string()) == ".gz")
      bare = bare.stem();
    stem_ = bare.stem().string();
    extension_ = lower(bare.extension().string());
  }
  errno = 0;
  // A duplicate, since gzclose() closes what it was given.
  file_ = path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb");
  require_not_stopped();
  if (file_ == nullptr)
    throw InputError(name_,
                     std::string("cannot be opened: ") + std::strerror(errno ? errno : ENOMEM));
  gzbuffer(file_, static_cast<unsigned>(buffer_bytes));
}

Source::Source(std::string name, std::string_view bytes)
    : name_(std::move(name)), buffer_(bytes.begin(), bytes.end()), size_(bytes.size()) {}

Source::~Source() {
  if (file_ != nullptr)
    gzclose(file_);
}

void Source::require_not_stopped() const {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed))
    throw Interrupted(name_);
}

bool Source::fill() {
  if (file_ == nullptr)
    return false;
  errno = 0;
  const int count = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  require_not_stopped();  // a signal ends a read as an error would
  int status = Z_OK;
  gzerror(file_, &status);
  if (status == Z_ERRNO)
    throw InputError(name_, std::string("cannot be read: ") + std::strerror(errno));
  // Where the data end too early, zlib first hands over what it has: that comes out with the last
  // of it.
  if (status == Z_BUF_ERROR && count <= 0)
    throw InputError(name_, "the compressed data are cut short");
  if (count < 0)
    throw InputError(name_, "the compressed data are damaged");
  at_ = 0;
  size_ = static_cast<std::size_t>(count);
  return count > 0;
}

std::size_t Source::read(char* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count && (at_ < size_ || fill())) {
    const std::size_t part = std::min(count - done, size_ - at_);
    std::memcpy(to + done, buffer_.data() + at_, part);
    at_ += part;
    done += part;
  }
  return done;
}

void Source::skip_byte_order_mark() {
  if (buffered().starts_with("\xef\xbb\xbf"))
    at_ += 3;
}

}  // namespace taper::io
