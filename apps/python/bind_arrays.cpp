// SPDX-License-Identifier: Apache-2.0
#include "array_types.hpp"
#include "bind.hpp"
#include "call.hpp"
#include "convert.hpp"
#include "device.hpp"
#include "device_array.hpp"

#include <support/config_error.hpp>
#include <support/runtime.hpp>

#include <io/text/strings.hpp>

#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Arrays on a GPU, which offer their memory by DLPack and __cuda_array_interface__.

namespace taper::python {
namespace {

namespace dl = dlpack;

/// Memory of the device. To free it waits for the device, during which other threads of Python run.
std::shared_ptr<void> device_memory(std::size_t bytes) {
  auto memory = allocate_on_device(bytes);
  auto* const data = memory.get();
  return {data, [memory = std::move(memory)](void*) mutable {
            if (has_interpreter() && PyGILState_Check() == 1) {
              py::gil_scoped_release const released;
              memory.reset();
            } else {
              memory.reset();
            }
          }};
}

/// A tensor for a consumer, with what it points to.
template <class Managed>
struct Exported {
  DeviceArray array;
  std::vector<std::int64_t> strides;
  Managed managed;
};

/// A capsule with the array, which calls the deleter unless a consumer takes the tensor.
template <class Managed>
py::object capsule_of(DeviceArray const& array) {
  auto exported = std::make_unique<Exported<Managed>>(
      Exported<Managed>{array, row_strides(array.shape, std::int64_t{1}), {}});
  auto& managed = exported->managed;
  managed.tensor = {exported->array.data,
                    array.device,
                    static_cast<std::int32_t>(array.shape.size()),
                    array.type,
                    exported->array.shape.data(),
                    exported->strides.data(),
                    0};
  if constexpr (requires { managed.flags; }) {
    managed.flags = array.read_only ? dl::read_only_flag : 0;
  }
  managed.context = exported.get();
  managed.deleter = [](Managed* given) { delete static_cast<Exported<Managed>*>(given->context); };
  auto* const capsule = PyCapsule_New(&managed, Managed::name, [](PyObject* unused) {
    if (PyCapsule_IsValid(unused, Managed::name) != 0) {
      auto* const given = static_cast<Managed*>(PyCapsule_GetPointer(unused, Managed::name));
      given->deleter(given);
    }
  });
  if (capsule == nullptr) {
    throw py::error_already_set();
  }
  (void)exported.release();  // the capsule's
  return py::reinterpret_steal<py::object>(capsule);
}

/// The entries are complete when a call returns, so no stream has to wait.
py::object to_dlpack(DeviceArray const& array, py::object const& /*stream*/,
                     py::object const& max_version, py::object const& dl_device,
                     py::object const& copy) {
  bool const elsewhere =
      !dl_device.is_none() && dl_device.cast<std::pair<int, int>>() !=
                                  std::pair<int, int>(array.device.type, array.device.id);
  if (elsewhere || (!copy.is_none() && copy.cast<bool>())) {
    throw py::buffer_error("a DeviceArray gives its own memory alone, without a copy");
  }
  bool const versioned = !max_version.is_none() && py::tuple(max_version)[0].cast<int>() >= 1;
  if (array.read_only && !versioned) {
    throw py::buffer_error("a read-only array needs version 1 of DLPack");
  }
  return versioned ? capsule_of<dl::ManagedVersioned>(array) : capsule_of<dl::Managed>(array);
}

std::string typestr_of(DeviceArray const& array) {
  return (array.entry_bytes() == 1 ? "|" : "<") + type_name(array.type);
}

py::dict to_interface(DeviceArray const& array) {
  py::dict about;
  about["version"] = 3;
  about["shape"] = py::tuple(py::cast(array.shape));
  about["typestr"] = typestr_of(array);
  auto const pointer = array.size() == 0 ? 0 : reinterpret_cast<std::uintptr_t>(array.data);
  about["data"] = py::make_tuple(pointer, array.read_only);
  about["strides"] = py::none();
  about["stream"] = py::none();  // the entries are complete
  return about;
}

std::string shown(DeviceArray const& array) {
  auto const about =
      py::make_tuple(py::dtype(type_name(array.type)), py::tuple(py::cast(array.shape)));
  return py::str("DeviceArray({}, shape {}, on GPU {})")
      .format(about[0], about[1], array.device.id)
      .cast<std::string>();
}

/// A copy in host memory.
py::object get(py::object const& self) {
  auto const& array = self.cast<DeviceArray const&>();
  auto copy = numpy_array(array, nullptr);
  run({.steps = static_cast<double>(array.size())},
      [from = array.data, to = copy.mutable_data(), bytes = array.bytes(),
       kept = keep(self, copy)] { copy_to_host(from, to, bytes); });
  return copy;
}

/// A copy of a contiguous array on the GPU.
DeviceArray to_device(py::array const& array, py::object const& gpu) {
  auto const target = require_target(gpu, "array");
  DeviceArray copy;
  copy.device = {dl::cuda, target.id};
  copy.type = type_of(py::str(array.dtype().attr("str")).cast<std::string>(), "array");
  copy.shape.assign(array.shape(), array.shape() + array.ndim());
  auto memory = device_memory(copy.bytes());
  copy.data = memory.get();
  copy.owner = memory;
  run({.steps = static_cast<double>(copy.size())}, [from = array.data(), copy, kept = keep(array)] {
    copy_to_device(from, copy.data, copy.bytes());
  });
  return copy;
}

py::object gpu_or_none() {
  if (!has_gpu()) {
    return py::none();
  }
  start();
  auto const found = gpu();
  return py::make_tuple(found.id, found.stream);
}

}  // namespace

std::string_view require_device_backend(std::string const& request) {
  auto const backend = app::require_backend(request);
  auto const device = app::require_backend("widest");
  if (backend != device) {
    throw app::ConfigError("expected backend " + std::string(device) +
                           ", since the arrays are on a GPU, found " + io::in_quotes(backend) +
                           "; leave out backend and engine, or " + to_host_hint);
  }
  return backend;
}

DeviceArray new_device_array(std::vector<std::int64_t> shape, dl::DataType type) {
  DeviceArray array{nullptr, {dl::cuda, gpu().id}, type, std::move(shape), false, nullptr};
  auto const memory = device_memory(array.bytes());
  array.data = memory.get();
  array.owner = memory;
  return array;
}

DeviceArray new_device_array(std::size_t size) {
  return new_device_array({static_cast<std::int64_t>(size)}, {dl::signed_integer, 32, 1});
}

void require_writable(DeviceArray const& array, std::string const& name) {
  if (array.read_only) {
    throw app::ConfigError(name + ": expected an array that may be written, found a read-only one");
  }
}

void bind_arrays(py::module_& module) {
  using py::arg;
  py::class_<DeviceArray>(module, "DeviceArray", R"(An array on a GPU.

cupy.asarray(array) and torch.from_dlpack(array) take it without a copy, as do all libraries that
know DLPack or __cuda_array_interface__. array.get() copies it to the host, as an array of NumPy.)")
      .def_property_readonly("shape",
                             [](DeviceArray const& a) { return py::tuple(py::cast(a.shape)); })
      .def_property_readonly("dtype",
                             [](DeviceArray const& a) { return py::dtype(type_name(a.type)); })
      .def_property_readonly("ndim", [](DeviceArray const& a) { return a.shape.size(); })
      .def_property_readonly("size", &DeviceArray::size)
      .def_property_readonly("nbytes", &DeviceArray::bytes)
      .def_property_readonly("device", [](DeviceArray const& a) { return a.device.id; })
      .def_property_readonly("__cuda_array_interface__", to_interface)
      .def("__dlpack_device__",
           [](DeviceArray const& a) { return py::make_tuple(a.device.type, a.device.id); })
      .def("__dlpack__", to_dlpack, py::kw_only(), arg("stream") = py::none(),
           arg("max_version") = py::none(), arg("dl_device") = py::none(), arg("copy") = py::none())
      .def("__len__",
           [](DeviceArray const& a) {
             if (a.shape.empty()) {
               throw py::type_error("an array without dimensions has no length");
             }
             return a.shape.front();
           })
      .def("__repr__", shown)
      .def("__reduce__",
           [](py::object const& self) {
             auto const load = py::module_::import("taper._arrays").attr("to_device");
             return py::make_tuple(load, py::make_tuple(self.attr("get")()));
           })
      .def("__array__",
           [](DeviceArray const&, py::args const&, py::kwargs const&) -> py::object {
             throw py::type_error(
                 "a DeviceArray is on a GPU: array.get() copies it to the host, and "
                 "cupy.asarray(array) or torch.from_dlpack(array) takes it there");
           })
      .def("get", get, "A copy in host memory, an array of NumPy.");
  module.def("gpu", gpu_or_none);
  module.def("to_device", to_device);
}

}  // namespace taper::python
