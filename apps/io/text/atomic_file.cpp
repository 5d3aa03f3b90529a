// SPDX-License-Identifier: Apache-2.0
#include <io/text/atomic_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <streambuf>
#include <string>
#include <system_error>
#include <utility>

namespace taper::io {
namespace {

/// The file that `path` refers to after all links: commit() replaces that file and keeps the links.
std::filesystem::path resolve_links(std::filesystem::path const& path) {
  std::error_code error;
  auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

std::optional<int> own_descriptor(std::filesystem::path const& path) {
  auto const name = path.lexically_normal();
  if (name == "/dev/stdout")
    return STDOUT_FILENO;
  if (name == "/dev/stderr")
    return STDERR_FILENO;
  auto const number = name.filename().string();
  int descriptor = -1;
  const auto end = std::from_chars(number.data(), number.data() + number.size(), descriptor);
  const bool listed = name.parent_path() == "/dev/fd" || name.parent_path() == "/proc/self/fd";
  if (!listed || end.ec != std::errc{} || *end.ptr != '\0')
    return std::nullopt;
  return descriptor;
}

/// The file as a stream buffer over zlib. Without ".gz", zlib writes the bytes uncompressed.
class AtomicFile::Sink : public std::streambuf {
 public:
  explicit Sink(std::filesystem::path const& path)
      : path_(path), target_(resolve_links(path)), stream_(this) {
    open();
    // Level 1: higher levels hardly compress ids better and take many times as long.
    file_ = gzdopen(descriptor_, path_.extension() == ".gz" ? "wb1" : "wbT");
    if (file_ == nullptr)
      fail(ENOMEM);
    gzbuffer(file_, static_cast<unsigned>(buffer_.size()));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  ~Sink() override {
    if (file_ != nullptr)
      gzclose(file_);
    if (!temporary_.empty())
      unlink(temporary_.c_str());
  }

  std::ostream& stream() { return stream_; }

  void commit() {
    flush_buffer();
    // gzclose() writes the last bytes and closes the descriptor; fsync() needs one that stays open.
    const int duplicate = dup(descriptor_);
    const int closed = gzclose(std::exchange(file_, nullptr));
    if (closed != Z_OK && error_ == 0)
      error_ = errno != 0 ? errno : EIO;
    // A pipe or a device cannot be synchronised, and need not be.
    if (duplicate >= 0 && fsync(duplicate) != 0 && !direct_ && error_ == 0)
      error_ = errno;
    if (error_ == 0 && !direct_ && temporary_.empty())
      link_to_name(duplicate);
    close(duplicate);
    if (error_ != 0)
      fail(error_);
    if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0)
      fail(errno);
    temporary_.clear();
  }

 protected:
  int_type overflow(int_type c) override {
    if (!flush_buffer())
      return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof()))
      sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

  int sync() override { return flush_buffer() ? 0 : -1; }

 private:
  [[noreturn]] void fail(int error) const {
    throw InputError(path_.string(), std::string("cannot be written: ") + std::strerror(error));
  }

  void open() {
    if (const auto own = own_descriptor(path_)) {
      // Duplicate the descriptor instead of opening the file again: writing continues at its
      // offset.
      direct_ = true;
      descriptor_ = fcntl(*own, F_DUPFD_CLOEXEC, 0);
      if (descriptor_ < 0)
        fail(errno);
      return;
    }
    struct stat status {};
    const bool exists = stat(target_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
      fail(EISDIR);
    direct_ = exists && !S_ISREG(status.st_mode);
    if (direct_) {
      descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
      if (descriptor_ < 0)
        fail(errno);
      return;
    }
    // Nameless if the file system supports it: then a killed process leaves no file. In the same
    // folder, since rename() cannot cross file systems.
    const auto folder = target_.has_parent_path() ? target_.parent_path() : ".";
    descriptor_ = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
      claim_name([&](char const* name) {
        descriptor_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        return descriptor_ >= 0;
      });
    if (error_ != 0)
      fail(error_);
    // Keep the permissions of the old file. If that fails, those of a new file remain.
    if (exists && fchmod(descriptor_, status.st_mode & 07777) != 0)
      errno = 0;
  }

  /// Links the nameless file to a temporary name.
  void link_to_name(int descriptor) {
    const auto nameless = fmt::format("/proc/self/fd/{}", descriptor);
    claim_name([&](char const* name) {
      return linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    });
  }

  /// Calls `create` with names in the target's folder that no other process uses, until one
  /// succeeds. Sets temporary_ to that name, or error_.
  template <class Create>
  void claim_name(Create const& create) {
    for (int attempt = 0; error_ == 0; ++attempt) {
      auto name = target_;
      name.replace_filename(
          fmt::format(".{}.{}.{}.tmp", target_.filename().string(), getpid(), attempt));
      if (create(name.c_str())) {
        temporary_ = name;
        return;
      }
      if (errno != EEXIST)
        error_ = errno;
    }
  }

  bool flush_buffer() {
    const auto count = static_cast<unsigned>(pptr() - pbase());
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    if (file_ == nullptr || error_ != 0)
      return false;
    errno = 0;
    if (count > 0 && gzwrite(file_, pbase(), count) != static_cast<int>(count))
      error_ = errno != 0 ? errno : EIO;
    return error_ == 0;
  }

  std::filesystem::path path_;
  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty while the file is nameless, and after the rename
  bool direct_ = false;              // written directly, without a temporary file
  int descriptor_ = -1;
  gzFile_s* file_ = nullptr;
  int error_ = 0;  // errno of the first write that failed
  std::array<char, std::size_t{1} << 16> buffer_;
  std::ostream stream_;
};

AtomicFile::AtomicFile(std::filesystem::path const& path) : sink_(std::make_unique<Sink>(path)) {}

AtomicFile::~AtomicFile() = default;

std::ostream& AtomicFile::stream() {
  return sink_->stream();
}

void AtomicFile::commit() {
  sink_->commit();
}

}  // namespace taper::io
