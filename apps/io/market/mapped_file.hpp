// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

namespace taper::io {

/// The bytes of a file, of which those are read that are looked at.
class MappedFile {
 public:
  explicit MappedFile(std::filesystem::path const& path) {
    auto const fail = [&] {
      throw InputError(path.string(), std::string("cannot be opened: ") + std::strerror(errno));
    };
    int const descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
      fail();
    }
    auto const size = lseek(descriptor, 0, SEEK_END);
    size_ = size > 0 ? static_cast<std::size_t>(size) : 0;
    data_ = size_ > 0 ? mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0) : nullptr;
    close(descriptor);
    if (data_ == MAP_FAILED) {
      fail();
    }
  }
  ~MappedFile() {
    if (size_ > 0) {
      munmap(data_, size_);
    }
  }
  MappedFile(MappedFile const&) = delete;
  MappedFile& operator=(MappedFile const&) = delete;

  std::string_view bytes() const { return {static_cast<char const*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace taper::io
