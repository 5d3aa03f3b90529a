// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device_array.hpp"
#include "dlpack.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// What the arrays that libraries offer and a DeviceArray have in common: types of entries, layouts,
// and the GPU.

namespace taper::python {

/// Whether Python code may run. False once the interpreter has ended; objects must then be leaked.
bool has_interpreter();

/// The GPU on which this module solves, as Python gives it: number and stream.
struct Target {
  int id = 0;
  std::uintptr_t stream = 0;
};

/// What to do with an array on a GPU that cannot be read there.
extern char const* const to_host_hint;

/// `gpu`: a function that returns the number and the stream of the GPU, or None.
/// Throws ConfigError if there is none.
Target require_target(pybind11::object const& gpu, std::string const& name);

/// NumPy's letter for a type, such as 'i'; 0 if NumPy has none.
char letter_of(dlpack::DataType const& type);

/// NumPy's name for a type, such as "i4": the letter and the bytes. Requires: letter_of(type) != 0.
std::string type_name(dlpack::DataType const& type);

/// The type that NumPy calls `text`, such as "<i4". Throws ConfigError for others than real numbers.
dlpack::DataType type_of(std::string const& text, std::string const& name);

/// The strides of an array that is contiguous by rows. `unit`: the stride between two neighbours of a
/// row, 1 for strides in entries, or the bytes of an entry.
template <class Number>
std::vector<Number> row_strides(std::vector<Number> const& shape, Number unit) {
  std::vector<Number> strides(shape.size());
  for (auto axis = shape.size(); axis-- > 0; unit *= shape[axis]) {
    strides[axis] = unit;
  }
  return strides;
}

/// A new array of NumPy, or one in the memory at `data`, which `base` keeps. `strides`: in entries;
/// null: contiguous by rows.
pybind11::array numpy_array(DeviceArray const& array, std::vector<std::int64_t> const* strides,
                            void* data = nullptr, pybind11::handle base = {});

}  // namespace taper::python
