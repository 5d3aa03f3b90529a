// SPDX-License-Identifier: Apache-2.0
//
// A library that lets one operation of a program fail. It is preloaded (LD_PRELOAD), and for
// operations of Kokkos also loaded as a tool (KOKKOS_TOOLS_LIBS).
//   TAPER_FAULT        the kind of operation: memory, write, kokkos_memory or kernel
//   TAPER_FAULT_AT     the number of the operation that fails, from 1; 0: none
//   TAPER_FAULT_COUNT  a file for the number of operations of this kind
//   TAPER_FAULT_LOCALE a locale that is set before main(), as a program that uses Taper may do
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <clocale>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <stdexcept>
#include <string_view>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum class Kind { none, memory, write, kokkos_memory, kernel };

Kind kind = Kind::none;
std::uint64_t fail_at = 0;
std::atomic<std::uint64_t> count = 0;

/// Counts an operation. Returns whether it must fail.
bool fails(Kind operation) {
  return operation == kind && ++count == fail_at;
}

Kind kind_named(char const* name) {
  return std::strcmp(name, "memory") == 0          ? Kind::memory
         : std::strcmp(name, "write") == 0         ? Kind::write
         : std::strcmp(name, "kokkos_memory") == 0 ? Kind::kokkos_memory
         : std::strcmp(name, "kernel") == 0        ? Kind::kernel
                                                   : Kind::none;
}

[[gnu::constructor]] void begin() {
  if (auto const* locale = std::getenv("TAPER_FAULT_LOCALE")) {
    std::locale::global(std::locale(locale));
  }
  auto const* name = std::getenv("TAPER_FAULT");
  auto const* at = std::getenv("TAPER_FAULT_AT");
  fail_at = at == nullptr ? 0 : std::strtoull(at, nullptr, 10);
  kind = name == nullptr ? Kind::none : kind_named(name);
}

[[gnu::destructor]] void end() {
  kind = Kind::none;
  if (auto const* name = std::getenv("TAPER_FAULT_COUNT")) {
    if (auto* file = std::fopen(name, "w")) {
      std::fprintf(file, "%llu\n", static_cast<unsigned long long>(count));
      std::fclose(file);
    }
  }
}

template <class Function>
Function* next(char const* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_full() {
  bool const full = fails(Kind::write);
  if (full) {
    errno = ENOSPC;
  }
  return full;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  return fails(Kind::memory) ? (errno = ENOMEM, nullptr) : __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  return fails(Kind::memory) ? (errno = ENOMEM, nullptr) : __libc_calloc(number, size);
}
void* realloc(void* block, std::size_t size) {
  return fails(Kind::memory) ? (errno = ENOMEM, nullptr) : __libc_realloc(block, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return fails(Kind::memory) ? (errno = ENOMEM, nullptr) : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

ssize_t write(int descriptor, void const* bytes, std::size_t size) {
  static auto* const real = next<ssize_t(int, void const*, std::size_t)>("write");
  // Messages are not answers, and the pipe of the signals is no file.
  bool const file = descriptor > STDERR_FILENO && size > 1;
  return file && is_full() ? -1 : real(descriptor, bytes, size);
}
int fsync(int descriptor) {
  static auto* const real = next<int(int)>("fsync");
  return is_full() ? -1 : real(descriptor);
}
int linkat(int from_folder, char const* from, int to_folder, char const* to, int flags) {
  static auto* const real = next<int(int, char const*, int, char const*, int)>("linkat");
  return is_full() ? -1 : real(from_folder, from, to_folder, to, flags);
}
int rename(char const* from, char const* to) noexcept {
  static auto* const real = next<int(char const*, char const*)>("rename");
  return is_full() ? -1 : real(from, to);
}
int mkdir(char const* name, mode_t mode) noexcept {
  static auto* const real = next<int(char const*, mode_t)>("mkdir");
  return is_full() ? -1 : real(name, mode);
}
int open(char const* name, int flags, ...) {
  static auto* const real = next<int(char const*, int, ...)>("open");
  std::va_list arguments;
  va_start(arguments, flags);
  auto const mode = va_arg(arguments, mode_t);  // unused without O_CREAT or O_TMPFILE
  va_end(arguments);
  bool const creates = (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) != 0;
  return creates && is_full() ? -1 : real(name, flags, mode);
}

// Kokkos Tools. An exception here leaves Kokkos where a failed allocation or launch would.
void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {}
void kokkosp_finalize_library() {}

struct SpaceHandle {
  char name[64];
};

// Kokkos' own scratch memory is left out: if its growth fails, Kokkos::finalize() frees it twice.
void kokkosp_allocate_data(SpaceHandle const, char const* label, void const*, std::uint64_t) {
  if (!std::string_view(label).starts_with("Kokkos::") && fails(Kind::kokkos_memory)) {
    throw std::runtime_error("injected: an allocation of Kokkos failed");
  }
}

void begin_kernel() {
  if (fails(Kind::kernel)) {
    throw std::runtime_error("injected: a kernel was not launched");
  }
}
void kokkosp_begin_parallel_for(char const*, std::uint32_t, std::uint64_t*) {
  begin_kernel();
}
void kokkosp_begin_parallel_reduce(char const*, std::uint32_t, std::uint64_t*) {
  begin_kernel();
}
void kokkosp_begin_parallel_scan(char const*, std::uint32_t, std::uint64_t*) {
  begin_kernel();
}
void kokkosp_begin_deep_copy(SpaceHandle, char const*, void const*, SpaceHandle, char const*,
                             void const*, std::uint64_t) {
  begin_kernel();
}

}  // extern "C"
