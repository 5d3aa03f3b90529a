// SPDX-License-Identifier: Apache-2.0
#include "array_types.hpp"

#include <support/config_error.hpp>

#include <utility>

namespace py = pybind11;

namespace taper::python {

bool has_interpreter() {
  return Py_IsInitialized() != 0;
}

char const* const to_host_hint =
    "copy it to the host, as by array.get() of CuPy or tensor.cpu() of PyTorch";

Target require_target(py::object const& gpu, std::string const& name) {
  auto const found = gpu();
  if (found.is_none()) {
    throw app::ConfigError(name + ": the array is on a GPU, and this build of taper has no CUDA; " +
                           to_host_hint);
  }
  auto const [id, stream] = found.cast<std::pair<int, std::uintptr_t>>();
  return {id, stream};
}

char letter_of(dlpack::DataType const& type) {
  if (type.lanes != 1) {
    return 0;
  }
  switch (type.code) {
  case dlpack::signed_integer:
    return 'i';
  case dlpack::unsigned_integer:
    return 'u';
  case dlpack::floating:
    return 'f';
  case dlpack::boolean:
    return type.bits == 8 ? 'b' : '\0';
  default:
    return 0;
  }
}

std::string type_name(dlpack::DataType const& type) {
  return letter_of(type) + std::to_string(type.bits / 8);
}

dlpack::DataType type_of(std::string const& text, std::string const& name) {
  std::string const kinds = "iufb";
  auto const bytes = text.size() == 3 ? text[2] - '0' : 0;
  bool const fits = bytes > 0 && bytes <= 8 && kinds.find(text[1]) != kinds.npos &&
                    (text[0] == '<' || text[0] == '=' || (text[0] == '|' && bytes == 1));
  if (!fits) {
    throw app::ConfigError(name +
                           ": expected integers or real numbers in the order of bytes of "
                           "this machine, found the type '" +
                           text + "'");
  }
  auto const code = text[1] == 'i'   ? dlpack::signed_integer
                    : text[1] == 'u' ? dlpack::unsigned_integer
                    : text[1] == 'f' ? dlpack::floating
                                     : dlpack::boolean;
  return {code, static_cast<std::uint8_t>(8 * bytes), 1};
}

py::array numpy_array(DeviceArray const& array, std::vector<std::int64_t> const* strides,
                      void* data, py::handle base) {
  auto const bytes = static_cast<py::ssize_t>(array.entry_bytes());
  std::vector<py::ssize_t> const shape(array.shape.begin(), array.shape.end());
  // pybind11 must not find out the strides: before version 2.12 it looks for the size of an entry
  // where NumPy 2 has it not.
  auto byte_strides = row_strides(shape, bytes);
  for (std::size_t axis = 0; strides != nullptr && axis < shape.size(); ++axis) {
    byte_strides[axis] = (*strides)[axis] * bytes;
  }
  return {py::dtype(type_name(array.type)), shape, std::move(byte_strides), data, base};
}

}  // namespace taper::python
