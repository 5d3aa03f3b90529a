// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dlpack.hpp"

#include <support/config_error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Arrays on a GPU, which Python's libraries hand over without a copy.

namespace taper::python {

/// An array on a GPU, contiguous by rows, with what keeps its memory. Copies share the memory.
struct DeviceArray {
  void* data = nullptr;
  dlpack::Device device;
  dlpack::DataType type;
  std::vector<std::int64_t> shape;
  bool read_only = false;
  std::shared_ptr<void const> owner;

  std::size_t entry_bytes() const { return type.bits / 8u; }
  std::size_t size() const {
    std::size_t entries = 1;
    for (auto const extent : shape) {
      entries *= static_cast<std::size_t>(extent);
    }
    return entries;
  }
  std::size_t bytes() const { return size() * entry_bytes(); }
};

/// The entries as numbers of type T, of the array's size. The package has checked their type.
template <class T>
std::span<T> entries_of(DeviceArray const& array) {
  if (array.entry_bytes() != sizeof(T)) {
    throw app::ConfigError("expected an array of " + std::to_string(8 * sizeof(T)) +
                           "-bit entries, found " + std::to_string(array.type.bits) + " bits");
  }
  return {static_cast<T*>(array.data), array.size()};
}

/// The backend that `request` means, which is that of the device. Throws ConfigError for another.
/// Requires start().
std::string_view require_device_backend(std::string const& request);

/// A new array on the GPU, with undefined entries. Requires start().
DeviceArray new_device_array(std::vector<std::int64_t> shape, dlpack::DataType type);

/// The same of one dimension, with int32 entries.
DeviceArray new_device_array(std::size_t size);

/// Throws ConfigError for an array that must not be written.
void require_writable(DeviceArray const& array, std::string const& name);

}  // namespace taper::python
