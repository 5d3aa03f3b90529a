// SPDX-License-Identifier: Apache-2.0
#include <io/text/atomic_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
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

/// The names of the temporary files of this process that have one.
struct TemporaryNames {
  std::mutex mutex;
  std::set<std::string> paths;

  void add(std::string const& path) {
    std::lock_guard const lock(mutex);
    paths.insert(path);
  }
  void remove(std::string const& path) {
    std::lock_guard const lock(mutex);
    paths.erase(path);
  }
};

TemporaryNames& temporary_names() {
  static auto* const names = new TemporaryNames;  // never destroyed: a signal may end the exit
  return *names;
}

/// A file name that no other process uses, not even one of another machine. It is short, since the
/// target's name may have the greatest length that the file system allows.
std::string unused_name() {
  std::uint64_t random = 0;
  if (getentropy(&random, sizeof random) != 0)
    random =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  return fmt::format(".taper.{:016x}.tmp", random);
}

/// Whether a nameless file can get a name later. linkat() needs /proc for that.
bool can_name(int descriptor) {
  return access(fmt::format("/proc/self/fd/{}", descriptor).c_str(), F_OK) == 0;
}

}  // namespace

void remove_temporary_files() noexcept {
  auto& names = temporary_names();
  // Never unlocked: this process creates no further file. If a thread holds the lock, it does not
  // for long; it may be the calling one, which then is in the middle of an error.
  for (int attempt = 0; !names.mutex.try_lock(); ++attempt) {
    if (attempt == 100)
      return;
    usleep(1000);
  }
  for (auto const& path : names.paths)
    unlink(path.c_str());
}

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
    if (file_ == nullptr) {
      close(descriptor_);
      fail(ENOMEM);
    }
    gzbuffer(file_, static_cast<unsigned>(buffer_.size()));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  ~Sink() override {
    if (file_ != nullptr)
      gzclose(file_);
  }

  std::ostream& stream() { return stream_; }

  bool direct() const { return direct_; }

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
    if (error_ == 0 && !direct_ && temporary_.path().empty())
      link_to_name(duplicate);
    close(duplicate);
    if (error_ != 0)
      fail(error_);
    if (direct_)
      return;
    if (std::rename(temporary_.path().c_str(), target_.c_str()) != 0)
      fail(errno);
    temporary_.release();
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
  /// The name of a temporary file, if it has one. Deletes the file unless release() was called.
  class TemporaryName {
   public:
    TemporaryName() = default;
    ~TemporaryName() {
      if (!path_.empty()) {
        unlink(path_.c_str());
        release();
      }
    }
    TemporaryName(TemporaryName const&) = delete;
    TemporaryName& operator=(TemporaryName const&) = delete;

    /// Call it before the file exists, so that no signal comes in between.
    void set(std::string path) {
      temporary_names().add(path);
      path_ = std::move(path);
    }
    void release() {
      temporary_names().remove(path_);
      path_.clear();
    }
    std::string const& path() const { return path_; }

   private:
    std::string path_;
  };

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
    folder_ = target_.has_parent_path() ? target_.parent_path().string() : ".";
    descriptor_ = ::open(folder_.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 && !can_name(descriptor_))
      close(std::exchange(descriptor_, -1));
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
    while (error_ == 0) {
      temporary_.set(folder_ + "/" + unused_name());
      if (create(temporary_.path().c_str()))
        return;
      if (errno != EEXIST)
        error_ = errno;
      temporary_.release();
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
  std::string folder_;       // of the target
  TemporaryName temporary_;  // empty while the file is nameless, and after the rename
  bool direct_ = false;      // written directly, without a temporary file
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

bool AtomicFile::direct() const {
  return sink_->direct();
}

void AtomicFile::commit() {
  sink_->commit();
}

}  // namespace taper::io
