// SPDX-License-Identifier: Apache-2.0
#include <io/text/error.hpp>
#include <io/text/source.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <new>
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

/// The state of decompression, and the compressed bytes that were read.
struct Source::Gzip {
  z_stream stream = {};
  std::vector<char> raw;
  bool between_members = true;
  bool padded = false;  ///< zeros followed a member, so no further member may follow

  /// `begin`: the first bytes of the file.
  explicit Gzip(std::string_view begin) : raw(buffer_bytes) {
    constexpr int gzip_alone = 16;
    if (inflateInit2(&stream, MAX_WBITS + gzip_alone) != Z_OK)
      throw std::bad_alloc();
    std::copy(begin.begin(), begin.end(), raw.begin());
    set_input(begin.size());
  }
  ~Gzip() { inflateEnd(&stream); }
  Gzip(Gzip const&) = delete;
  Gzip& operator=(Gzip const&) = delete;

  /// Tells zlib that `raw` has this number of new bytes.
  void set_input(std::size_t bytes) {
    stream.next_in = reinterpret_cast<Bytef*>(raw.data());
    stream.avail_in = static_cast<uInt>(bytes);
  }
};

Source::Source(std::filesystem::path const& path, std::atomic<bool> const* stop)
    : name_(path == "-" ? "standard input" : path.string()), stop_(stop), owns_(path != "-"),
      buffer_(buffer_bytes) {
  if (path != "-") {
    auto bare = path.filename();
    if (lower(bare.extension().string()) == ".gz")
      bare = bare.stem();
    stem_ = bare.stem().string();
    extension_ = lower(bare.extension().string());
  }
  descriptor_ = owns_ ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  if (descriptor_ < 0) {
    int const problem = errno;
    require_not_stopped();
    throw InputError(name_, std::string("cannot be opened: ") + std::strerror(problem));
  }
}

Source::Source(std::string name, std::string_view bytes)
    : name_(std::move(name)), buffer_(bytes.begin(), bytes.end()), size_(bytes.size()) {}

Source::~Source() {
  if (owns_)
    close(descriptor_);
}

void Source::require_not_stopped() const {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed))
    throw Interrupted(name_);
}

bool Source::fill() {
  if (descriptor_ < 0)
    return false;
  at_ = size_ = 0;
  if (!begun_) {
    begun_ = true;
    constexpr std::string_view magic = "\x1f\x8b";
    while (size_ < magic.size()) {
      std::size_t const more = read_file(buffer_.data() + size_, buffer_.size() - size_);
      if (more == 0)
        break;
      size_ += more;
    }
    if (std::string_view(buffer_.data(), size_).starts_with(magic)) {
      gzip_ = std::make_unique<Gzip>(std::string_view(buffer_.data(), std::exchange(size_, 0)));
      size_ = inflate_file();
    }
  } else {
    size_ = gzip_ ? inflate_file() : read_file(buffer_.data(), buffer_.size());
  }
  return size_ > 0;
}

std::size_t Source::read_file(char* to, std::size_t max_bytes) {
  while (!at_end_) {
    require_not_stopped();
    ssize_t const count = ::read(descriptor_, to, max_bytes);
    int const problem = errno;
    require_not_stopped();  // a signal interrupts read() with an error
    // Remember the end: at a terminal each further call would wait for another end-of-file, and a
    // file may grow.
    at_end_ = count == 0;
    if (count > 0)
      return static_cast<std::size_t>(count);
    if (count < 0 && problem != EINTR)
      throw InputError(name_, std::string("cannot be read: ") + std::strerror(problem));
  }
  return 0;
}

std::size_t Source::inflate_file() {
  z_stream& stream = gzip_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(buffer_.data());
  stream.avail_out = static_cast<uInt>(buffer_.size());
  auto const done = [&] { return buffer_.size() - stream.avail_out; };
  while (stream.avail_out > 0) {
    if (stream.avail_in == 0) {
      gzip_->set_input(read_file(gzip_->raw.data(), gzip_->raw.size()));
      if (stream.avail_in == 0) {
        // Return the decompressed bytes first; the next call throws.
        if (!gzip_->between_members && done() == 0)
          throw InputError(name_, "the compressed data are cut short");
        break;
      }
    }
    if (gzip_->between_members) {
      // Members may follow one another, and zeros may follow the last (tape blocks).
      if (*stream.next_in == 0) {
        gzip_->padded = true;
        ++stream.next_in;
        --stream.avail_in;
        continue;
      }
      if (gzip_->padded || *stream.next_in != 0x1f) {
        if (done() > 0)
          break;
        throw InputError(
            name_, "expected the end of the file after the compressed data, found more bytes");
      }
      inflateReset(&stream);
      gzip_->between_members = false;
    }
    int const status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END)
      gzip_->between_members = true;
    else if (status == Z_MEM_ERROR)
      throw std::bad_alloc();
    else if (status != Z_OK && status != Z_BUF_ERROR)
      throw InputError(name_, "the compressed data are damaged");
  }
  return done();
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
