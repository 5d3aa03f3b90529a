// SPDX-License-Identifier: Apache-2.0
#include <io/text/error.hpp>
#include <io/text/source.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
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

void append_utf8(std::string& text, std::uint32_t code) {
  auto const byte = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
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
  at_ = size_ = 0;
  while (size_ == 0) {
    auto const count = next_bytes(buffer_.data(), buffer_.size());
    if (count == 0)
      return false;
    size_ = text_ ? end_lines_with_lf(buffer_.data(), count) : count;
  }
  return true;
}

std::size_t Source::next_bytes(char* to, std::size_t max_bytes) {
  if (descriptor_ < 0)
    return 0;
  if (!begun_) {
    begun_ = true;
    constexpr std::string_view magic = "\x1f\x8b";
    std::size_t size = 0;
    while (size < magic.size()) {
      std::size_t const more = read_file(to + size, max_bytes - size);
      if (more == 0)
        break;
      size += more;
    }
    if (!std::string_view(to, size).starts_with(magic))
      return size;
    gzip_ = std::make_unique<Gzip>(std::string_view(to, size));
  }
  return gzip_ ? inflate_file(to, max_bytes) : read_file(to, max_bytes);
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

std::size_t Source::inflate_file(char* to, std::size_t max_bytes) {
  z_stream& stream = gzip_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(max_bytes);
  auto const done = [&] { return max_bytes - stream.avail_out; };
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

std::string_view Source::head(std::size_t count) {
  auto const enough = std::min(count, buffer_.size());
  if (at_ == size_)
    fill();
  while (size_ - at_ < enough && size_ < buffer_.size()) {
    auto* const to = buffer_.data() + size_;
    auto const more = next_bytes(to, buffer_.size() - size_);
    if (more == 0)
      break;
    size_ += text_ ? end_lines_with_lf(to, more) : more;
  }
  return {buffer_.data() + at_, size_ - at_};
}

void Source::read_as_text() {
  if (text_)
    return;
  using namespace std::string_view_literals;
  constexpr auto utf8 = "\xef\xbb\xbf"sv, little = "\xff\xfe"sv, big = "\xfe\xff"sv;
  auto const begin = head(4);
  text_ = true;
  if (begin.starts_with("\xff\xfe\0\0"sv) || begin.starts_with("\0\0\xfe\xff"sv))
    throw InputError(name_, "is UTF-32, which is not read: save it as UTF-8");
  if (begin.starts_with(utf8))
    at_ += utf8.size();
  if (begin.starts_with(little) || begin.starts_with(big)) {
    at_ += little.size();
    decode_utf16(begin.starts_with(big));
  }
  size_ = at_ + end_lines_with_lf(buffer_.data() + at_, size_ - at_);
}

/// Turns CR LF and CR into LF, in place, and returns the number of bytes that are left.
std::size_t Source::end_lines_with_lf(char* bytes, std::size_t count) {
  if (count == 0 || (!after_carriage_return_ && std::memchr(bytes, '\r', count) == nullptr))
    return count;
  auto* to = bytes;
  for (auto const* from = bytes; from != bytes + count; ++from) {
    auto const c = *from;
    if (c != '\n' || !after_carriage_return_)
      *to++ = c == '\r' ? '\n' : c;
    after_carriage_return_ = c == '\r';
  }
  return static_cast<std::size_t>(to - bytes);
}

/// Reads the rest of the file, whole, and puts it into the buffer as UTF-8.
void Source::decode_utf16(bool big_endian) {
  std::string encoded;
  while (at_ < size_) {
    encoded.append(buffer_.data() + at_, size_ - at_);
    at_ = 0;
    size_ = next_bytes(buffer_.data(), buffer_.size());
  }
  auto const unit = [&](std::size_t at) {
    auto const first = static_cast<unsigned char>(encoded[at]);
    auto const second = static_cast<unsigned char>(encoded[at + 1]);
    return static_cast<std::uint32_t>(big_endian ? first << 8 | second : second << 8 | first);
  };
  auto const damaged = [&] { return InputError(name_, "is damaged: it is not valid UTF-16"); };
  std::string text;
  for (std::size_t at = 0; at < encoded.size(); at += 2) {
    if (at + 1 == encoded.size())
      throw damaged();
    auto code = unit(at);
    if (code >= 0xd800 && code < 0xe000) {  // one of two units
      at += 2;
      auto const low = at + 1 < encoded.size() ? unit(at) : 0;
      if (code >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
        throw damaged();
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(text, code);
  }
  buffer_.assign(text.begin(), text.end());
  at_ = 0;
  size_ = buffer_.size();
}

}  // namespace taper::io
