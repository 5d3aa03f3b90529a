// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The memory layout of DLPack, by which libraries hand arrays to each other, up to version 1.0.
// Distributions have no header of it, or one without versions and flags.
// Source: the DLPack specification, "C API"; the array API standard, "Data interchange".

namespace taper::python::dlpack {

enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

struct Device {
  std::int32_t type = cpu;
  std::int32_t id = 0;

  friend bool operator==(Device const&, Device const&) = default;
};

enum TypeCode : std::uint8_t {
  signed_integer = 0,
  unsigned_integer = 1,
  floating = 2,
  boolean = 6
};

struct DataType {
  std::uint8_t code = unsigned_integer;
  std::uint8_t bits = 8;
  std::uint16_t lanes = 1;

  friend bool operator==(DataType const&, DataType const&) = default;
};

struct Tensor {
  void* data = nullptr;
  Device device;
  std::int32_t dimensions = 0;
  DataType type;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  ///< in entries; null: contiguous by rows
  std::uint64_t byte_offset = 0;
};

/// The object of a capsule named "dltensor". A consumer that takes the tensor calls the deleter
/// once.
struct Managed {
  static constexpr char const* name = "dltensor";
  static constexpr char const* used_name = "used_dltensor";

  Tensor tensor;
  void* context = nullptr;
  void (*deleter)(Managed*) = nullptr;
};

struct Version {
  std::uint32_t major = 1;
  std::uint32_t minor = 0;
};

inline constexpr std::uint64_t read_only_flag = 1;

/// The same for "dltensor_versioned".
struct ManagedVersioned {
  static constexpr char const* name = "dltensor_versioned";
  static constexpr char const* used_name = "used_dltensor_versioned";

  Version version;
  void* context = nullptr;
  void (*deleter)(ManagedVersioned*) = nullptr;
  std::uint64_t flags = 0;
  Tensor tensor;
};

}  // namespace taper::python::dlpack
