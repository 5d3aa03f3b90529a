// SPDX-License-Identifier: Apache-2.0
#include <io/market/zip_archive.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace taper::io {
namespace {

static_assert(std::endian::native == std::endian::little, "zip archives are little-endian");

using namespace std::string_view_literals;

constexpr auto directory_end = "PK\5\6"sv;        // 22 bytes, then a comment
constexpr auto large_directory_end = "PK\6\6"sv;  // with sizes of 64 bits
constexpr auto large_locator = "PK\6\7"sv;        // 20 bytes before directory_end
constexpr auto directory_entry = "PK\1\2"sv;
constexpr auto file_header = "PK\3\4"sv;

constexpr std::uint64_t directory_end_bytes = 22, locator_bytes = 20, entry_bytes = 46,
                        file_header_bytes = 30;
constexpr std::uint32_t is_large = std::numeric_limits<std::uint32_t>::max();

/// The bytes that raw deflate data stand for; empty if they are damaged or have another size.
std::string inflate_raw(std::string_view compressed, std::uint64_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string bytes;
  std::array<char, 1 << 16> piece;
  auto state = Z_OK;
  auto rest = compressed;
  while (state == Z_OK && bytes.size() <= size) {
    constexpr std::size_t most = 1 << 30;  // zlib counts in 32 bits
    if (stream.avail_in == 0) {
      auto const next = rest.substr(0, most);
      rest.remove_prefix(next.size());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next.data()));
      stream.avail_in = static_cast<uInt>(next.size());
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    bytes.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END && bytes.size() == size ? bytes : std::string();
}

std::uint32_t checksum_of(std::string_view bytes) {
  auto sum = crc32_z(0, nullptr, 0);
  return static_cast<std::uint32_t>(
      crc32_z(sum, reinterpret_cast<Bytef const*>(bytes.data()), bytes.size()));
}

}  // namespace

ZipArchive::ZipArchive(std::string name, std::string_view bytes)
    : name_(std::move(name)), bytes_(bytes) {
  read_directory();
}

bool ZipArchive::contains(std::string_view file) const {
  return std::ranges::find(entries_, file, &Entry::name) != entries_.end();
}

void ZipArchive::fail(std::string_view why) const {
  throw InputError(name_, fmt::format("the archive is damaged: {}", why));
}

std::string_view ZipArchive::bytes_at(std::uint64_t begin, std::uint64_t count) const {
  if (begin > bytes_.size() || count > bytes_.size() - begin) {
    fail("it is cut short");
  }
  return bytes_.substr(begin, count);
}

template <class Number>
Number ZipArchive::number_at(std::uint64_t begin) const {
  Number number;
  std::memcpy(&number, bytes_at(begin, sizeof(Number)).data(), sizeof(Number));
  return number;
}

void ZipArchive::read_directory() {
  auto const end = bytes_.rfind(directory_end);
  if (end == std::string_view::npos) {
    fail("it has no directory");
  }
  bytes_at(end, directory_end_bytes);
  std::uint64_t count = number_at<std::uint16_t>(end + 10);
  std::uint64_t begin = number_at<std::uint32_t>(end + 16);
  if (end >= locator_bytes && bytes_.substr(end - locator_bytes, 4) == large_locator) {
    auto const large = number_at<std::uint64_t>(end - locator_bytes + 8);
    if (bytes_at(large, 4) != large_directory_end) {
      fail("its directory is not where it should be");
    }
    count = number_at<std::uint64_t>(large + 32);
    begin = number_at<std::uint64_t>(large + 48);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    auto entry = read_entry(begin);
    begin += entry_bytes + number_at<std::uint16_t>(begin + 28) +
             number_at<std::uint16_t>(begin + 30) + number_at<std::uint16_t>(begin + 32);
    entries_.push_back(std::move(entry));
  }
}

ZipArchive::Entry ZipArchive::read_entry(std::uint64_t begin) const {
  if (bytes_at(begin, entry_bytes).substr(0, 4) != directory_entry) {
    fail("its directory has no entry where it should be");
  }
  Entry entry;
  entry.flags = number_at<std::uint16_t>(begin + 8);
  entry.method = number_at<std::uint16_t>(begin + 10);
  entry.checksum = number_at<std::uint32_t>(begin + 16);
  entry.compressed = number_at<std::uint32_t>(begin + 20);
  entry.size = number_at<std::uint32_t>(begin + 24);
  entry.header = number_at<std::uint32_t>(begin + 42);
  auto const name_bytes = number_at<std::uint16_t>(begin + 28);
  entry.name = bytes_at(begin + entry_bytes, name_bytes);
  read_large_sizes(
      entry, bytes_at(begin + entry_bytes + name_bytes, number_at<std::uint16_t>(begin + 30)));
  return entry;
}

/// Sizes that do not fit 32 bits are in an extra field, one after another.
void ZipArchive::read_large_sizes(Entry& entry, std::string_view extra) const {
  auto const take = [&]<class Number>(std::string_view& from, Number) {
    Number number;
    if (from.size() < sizeof(Number)) {
      fail("an entry of its directory is cut short");
    }
    std::memcpy(&number, from.data(), sizeof(Number));
    from.remove_prefix(sizeof(Number));
    return number;
  };
  while (!extra.empty()) {
    auto const kind = take(extra, std::uint16_t{});
    auto const bytes = take(extra, std::uint16_t{});
    auto field = extra.substr(0, bytes);
    extra.remove_prefix(field.size());
    if (kind != 1) {
      continue;
    }
    for (auto* const size : {&entry.size, &entry.compressed, &entry.header}) {
      if (*size == is_large) {
        *size = take(field, std::uint64_t{});
      }
    }
  }
}

ZipArchive::Entry const& ZipArchive::entry_of(std::string_view file) const {
  auto const entry = std::ranges::find(entries_, file, &Entry::name);
  if (entry == entries_.end()) {
    throw InputError(name_, fmt::format("expected a file {} in the archive", in_quotes(file)));
  }
  if ((entry->flags & 1) != 0 || (entry->method != 0 && entry->method != 8)) {
    throw InputError(fmt::format("{}/{}", name_, file),
                     "expected a file that is stored or deflated, and not encrypted");
  }
  return *entry;
}

/// The bytes in the archive, which may be compressed.
std::string_view ZipArchive::data_of(Entry const& entry) const {
  if (bytes_at(entry.header, file_header_bytes).substr(0, 4) != file_header) {
    fail("a file is not where the directory says");
  }
  auto const begin = entry.header + file_header_bytes +
                     number_at<std::uint16_t>(entry.header + 26) +
                     number_at<std::uint16_t>(entry.header + 28);
  return bytes_at(begin, entry.compressed);
}

std::string ZipArchive::bytes_of(std::string_view file) const {
  auto const& entry = entry_of(file);
  auto const data = data_of(entry);
  auto bytes = entry.method == 0 ? std::string(data) : inflate_raw(data, entry.size);
  if (bytes.size() != entry.size || checksum_of(bytes) != entry.checksum) {
    throw InputError(fmt::format("{}/{}", name_, file), "the compressed data are damaged");
  }
  return bytes;
}

std::string_view ZipArchive::stored_bytes_of(std::string_view file) const {
  auto const& entry = entry_of(file);
  if (entry.method != 0) {
    throw InputError(fmt::format("{}/{}", name_, file),
                     "expected an array without compression, as numpy.savez() writes it: several "
                     "processes read it");
  }
  return data_of(entry);
}

}  // namespace taper::io
