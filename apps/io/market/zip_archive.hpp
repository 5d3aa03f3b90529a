// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// The files of a zip archive in memory, stored or deflated, as numpy.savez() and
/// savez_compressed() write them. Used by: read_market_arrays().
class ZipArchive {
 public:
  /// `name` is for messages. `bytes` must outlive the archive.
  /// Throws: InputError if the directory is damaged.
  ZipArchive(std::string name, std::string_view bytes);

  bool contains(std::string_view file) const;

  /// The bytes of a file. Throws: InputError if there is no such file, or if it is damaged,
  /// encrypted, or compressed in another way.
  std::string bytes_of(std::string_view file) const;

  /// The bytes of a file that is stored, in those of the archive. The checksum is not compared.
  /// Throws: as bytes_of(), also if the file is compressed.
  std::string_view stored_bytes_of(std::string_view file) const;

 private:
  struct Entry {
    std::string name;
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t checksum = 0;
    std::uint64_t compressed = 0;
    std::uint64_t size = 0;
    std::uint64_t header = 0;  ///< where the file's own header begins
  };

  [[noreturn]] void fail(std::string_view why) const;
  std::string_view bytes_at(std::uint64_t begin, std::uint64_t count) const;
  template <class Number>
  Number number_at(std::uint64_t begin) const;
  void read_directory();
  Entry const& entry_of(std::string_view file) const;
  std::string_view data_of(Entry const& entry) const;
  Entry read_entry(std::uint64_t begin) const;
  void read_large_sizes(Entry& entry, std::string_view extra) const;

  std::string name_;
  std::string_view bytes_;
  std::vector<Entry> entries_;
};

}  // namespace taper::io
