// SPDX-License-Identifier: Apache-2.0
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
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// Arrays that other libraries offer by DLPack or __cuda_array_interface__, and arrays on a GPU that
// offer both.

namespace taper::python {
namespace {

namespace dl = dlpack;

/// Whether code of Python may run: not any more at the end of the process.
bool has_interpreter() {
  return Py_IsInitialized() != 0;
}

/// Keeps a Python object. It may be given up on any thread.
std::shared_ptr<void const> owner_of(py::object const& object) {
  return {static_cast<void const*>(object.inc_ref().ptr()), [](void const* kept) {
            if (has_interpreter()) {
              py::gil_scoped_acquire const gil;
              Py_DECREF(static_cast<PyObject*>(const_cast<void*>(kept)));
            }
          }};
}

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

// What a library offers ---------------------------------------------------------------------------

/// An array of any memory and layout.
struct Offer {
  DeviceArray array;
  std::optional<std::vector<std::int64_t>> strides;  ///< in entries; none: contiguous by rows
};

/// The GPU on which this module solves, as Python gives it: number and stream.
struct Target {
  int id = 0;
  std::uintptr_t stream = 0;
};

char const* const to_host_hint =
    "copy it to the host, as by array.get() of CuPy or tensor.cpu() of PyTorch";

/// `gpu`: a function that returns the number and the stream of the GPU, or None.
/// Throws ConfigError if there is none.
Target require_target(py::object const& gpu, std::string const& name) {
  auto const found = gpu();
  if (found.is_none()) {
    throw app::ConfigError(name + ": the array is on a GPU, and this build of taper has no CUDA; " +
                           to_host_hint);
  }
  auto const [id, stream] = found.cast<std::pair<int, std::uintptr_t>>();
  return {id, stream};
}

void require_here(int id, Target const& target, std::string const& name) {
  if (id != target.id) {
    throw app::ConfigError(name + ": the array is on GPU " + std::to_string(id) +
                           ", and taper runs on GPU " + std::to_string(target.id) +
                           "; move it there, or call taper.init(device=" + std::to_string(id) +
                           ") before all other calls");
  }
}

/// Throws ConfigError with the message of an exception of Python; other kinds, such as
/// KeyboardInterrupt, as they are.
[[noreturn]] void fail_offer(std::string const& name, std::string const& what,
                             py::error_already_set& error) {
  if (!error.matches(PyExc_Exception)) {
    throw error;
  }
  auto text = py::str(error.value()).cast<std::string>();
  throw app::ConfigError(name + ": " + what +
                         " of the array failed: " + text.substr(0, text.find('\n')));
}

/// The letter of NumPy for a type; 0: none.
char letter_of(dl::DataType const& type) {
  if (type.lanes != 1) {
    return 0;
  }
  switch (type.code) {
  case dl::signed_integer:
    return 'i';
  case dl::unsigned_integer:
    return 'u';
  case dl::floating:
    return 'f';
  case dl::boolean:
    return type.bits == 8 ? 'b' : '\0';
  default:
    return 0;
  }
}

std::string type_name(dl::DataType const& type) {
  return letter_of(type) + std::to_string(type.bits / 8);
}

/// Throws ConfigError unless entries of this type can be read in place.
void require_readable(DeviceArray const& array, std::string const& name) {
  auto const bytes = array.entry_bytes();
  bool const known = letter_of(array.type) != 0 && array.type.bits % 8 == 0 &&
                     (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
  if (!known) {
    throw app::ConfigError(name + ": expected integers or real numbers, found entries of type " +
                           std::to_string(array.type.code) + " of DLPack with " +
                           std::to_string(array.type.bits) + " bits");
  }
  if (reinterpret_cast<std::uintptr_t>(array.data) % bytes != 0) {
    throw app::ConfigError(name + ": expected entries at multiples of their size in memory");
  }
}

void require_contiguous(Offer const& offer, std::string const& name) {
  if (!offer.strides || offer.array.size() == 0) {
    return;
  }
  std::int64_t expected = 1;
  for (auto axis = offer.array.shape.size(); axis-- > 0;) {
    auto const extent = offer.array.shape[axis];
    if (extent != 1 && (*offer.strides)[axis] != expected) {
      throw app::ConfigError(
          name + ": expected an array that is contiguous by rows, found other strides; copy it, as "
                 "by cupy.ascontiguousarray(array) or tensor.contiguous()");
    }
    expected *= extent;
  }
}

// DLPack ------------------------------------------------------------------------------------------

/// Takes the tensor of a capsule, which then has been used.
template <class Managed>
Offer take(PyObject* capsule) {
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
  PyCapsule_SetName(capsule, Managed::used_name);
  std::shared_ptr<void const> owner(managed, [](Managed* taken) {
    if (taken->deleter != nullptr && has_interpreter()) {
      py::gil_scoped_acquire const gil;
      taken->deleter(taken);
    }
  });
  if constexpr (requires { managed->version; }) {
    if (managed->version.major > dl::Version{}.major) {
      throw app::ConfigError("expected version 1 of DLPack, found " +
                             std::to_string(managed->version.major));
    }
  }
  auto const& tensor = managed->tensor;
  Offer offer;
  auto const dimensions = static_cast<std::size_t>(tensor.dimensions);
  offer.array = {static_cast<char*>(tensor.data) + tensor.byte_offset,
                 tensor.device,
                 tensor.type,
                 {tensor.shape, tensor.shape + dimensions},
                 false,
                 std::move(owner)};
  if constexpr (requires { managed->flags; }) {
    offer.array.read_only = (managed->flags & dl::read_only_flag) != 0;
  }
  if (tensor.strides != nullptr) {
    offer.strides.emplace(tensor.strides, tensor.strides + dimensions);
  }
  return offer;
}

Offer take_capsule(py::object const& capsule, std::string const& name) {
  if (PyCapsule_IsValid(capsule.ptr(), dl::ManagedVersioned::name) != 0) {
    return take<dl::ManagedVersioned>(capsule.ptr());
  }
  if (PyCapsule_IsValid(capsule.ptr(), dl::Managed::name) != 0) {
    return take<dl::Managed>(capsule.ptr());
  }
  bool const used = PyCapsule_IsValid(capsule.ptr(), dl::Managed::used_name) != 0 ||
                    PyCapsule_IsValid(capsule.ptr(), dl::ManagedVersioned::used_name) != 0;
  throw app::ConfigError(
      name + ": expected a new capsule of __dlpack__(), found " +
      (used ? "one that was used already" : py::repr(capsule).cast<std::string>()));
}

/// Calls __dlpack__(). Libraries before version 1 of DLPack do not take `max_version`.
py::object call_dlpack(py::object const& object, std::string const& name,
                       std::optional<std::uintptr_t> stream) {
  py::dict arguments;
  if (stream) {
    arguments["stream"] = *stream;
  }
  py::dict versioned(**arguments);
  versioned["max_version"] = py::make_tuple(dl::Version{}.major, dl::Version{}.minor);
  auto const method = object.attr("__dlpack__");
  try {
    try {
      return method(**versioned);
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_TypeError)) {
        throw;
      }
    }
    return method(**arguments);
  } catch (py::error_already_set& error) {
    fail_offer(name, "__dlpack__()", error);
  }
}

dl::Device dlpack_device_of(py::object const& object, std::string const& name) {
  try {
    auto const [type, id] =
        py::tuple(object.attr("__dlpack_device__")()).cast<std::pair<int, int>>();
    return {type, id};
  } catch (py::error_already_set& error) {
    fail_offer(name, "__dlpack_device__()", error);
  } catch (py::cast_error const&) {
    throw app::ConfigError(name + ": expected two numbers from __dlpack_device__()");
  }
}

bool is_host(dl::Device const& device) {
  return device.type == dl::cpu || device.type == dl::cuda_host;
}

/// Libraries do not agree whether page-locked and managed memory have types of their own.
void require_device(DeviceArray const& array, dl::Device const& device, std::string const& name) {
  if (is_host(array.device) != is_host(device) ||
      (!is_host(device) && array.device.id != device.id)) {
    throw app::ConfigError(name + ": __dlpack_device__() and the capsule of __dlpack__() name "
                                  "different devices");
  }
}

/// The strides of an array that is contiguous by rows, in units of which an entry has `unit`.
template <class Number>
std::vector<Number> row_strides(std::vector<Number> const& shape, Number unit) {
  std::vector<Number> strides(shape.size());
  for (auto axis = shape.size(); axis-- > 0; unit *= shape[axis]) {
    strides[axis] = unit;
  }
  return strides;
}

/// A new array of NumPy, or one in the memory at `data`, which `base` keeps. pybind11 must not find
/// out the strides: before version 2.12 it looks for the size of an entry where NumPy 2 has it not.
py::array numpy_array(DeviceArray const& array, std::vector<std::int64_t> const* strides,
                      void* data = nullptr, py::handle base = {}) {
  auto const bytes = static_cast<py::ssize_t>(array.entry_bytes());
  std::vector<py::ssize_t> const shape(array.shape.begin(), array.shape.end());
  auto byte_strides = row_strides(shape, bytes);
  for (std::size_t axis = 0; strides != nullptr && axis < shape.size(); ++axis) {
    byte_strides[axis] = (*strides)[axis] * bytes;
  }
  return {py::dtype(type_name(array.type)), shape, std::move(byte_strides), data, base};
}

/// An array of NumPy in the memory of the offer, which it only reads.
py::object as_numpy(Offer const& offer) {
  auto const& array = offer.array;
  auto owner = std::make_unique<std::shared_ptr<void const>>(array.owner);
  py::capsule const base(
      owner.release(), [](void* kept) { delete static_cast<std::shared_ptr<void const>*>(kept); });
  auto const* const strides = offer.strides ? &*offer.strides : nullptr;
  py::array const view = numpy_array(array, strides, array.data, base);
  view.attr("setflags")(py::arg("write") = false);
  return view;
}

/// The array that an object offers by DLPack, in its memory: one of NumPy on the host, else a
/// DeviceArray whose entries are there. Throws ConfigError.
py::object take_dlpack(py::object const& object, std::string const& name, py::object const& gpu) {
  auto const device = dlpack_device_of(object, name);
  if (is_host(device)) {
    auto const offer = take_capsule(call_dlpack(object, name, std::nullopt), name);
    require_device(offer.array, device, name);
    require_readable(offer.array, name);
    return as_numpy(offer);
  }
  if (device.type != dl::cuda && device.type != dl::cuda_managed) {
    throw app::ConfigError(name + ": expected an array of the host or of a GPU with CUDA, found " +
                           "one on a device of type " + std::to_string(device.type) +
                           " of DLPack; copy it to the host");
  }
  auto const target = require_target(gpu, name);
  if (device.type == dl::cuda) {
    require_here(device.id, target, name);
  }
  auto const offer = take_capsule(call_dlpack(object, name, target.stream), name);
  require_device(offer.array, device, name);
  require_readable(offer.array, name);
  require_contiguous(offer, name);
  run({}, [stream = target.stream] { wait_for_stream(stream); });
  return py::cast(offer.array);
}

// __cuda_array_interface__ ------------------------------------------------------------------------

dl::DataType type_of(std::string const& text, std::string const& name) {
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
  auto const code = text[1] == 'i'   ? dl::signed_integer
                    : text[1] == 'u' ? dl::unsigned_integer
                    : text[1] == 'f' ? dl::floating
                                     : dl::boolean;
  return {code, static_cast<std::uint8_t>(8 * bytes), 1};
}

/// The array that a dict of the interface describes, and the stream to wait for, if any.
std::pair<Offer, std::optional<std::uintptr_t>> read_interface(py::dict const& about,
                                                               std::string const& name) {
  auto const get = [&](char const* key) {
    return about.contains(key) ? py::object(about[key]) : py::none();
  };
  if (!get("mask").is_none()) {
    throw app::ConfigError(name + ": expected an array without a mask");
  }
  Offer offer;
  auto& array = offer.array;
  auto const [pointer, read_only] = get("data").cast<std::pair<std::uintptr_t, bool>>();
  array.data = reinterpret_cast<void*>(pointer);
  array.read_only = read_only;
  array.type = type_of(get("typestr").cast<std::string>(), name);
  array.shape = get("shape").cast<std::vector<std::int64_t>>();
  if (auto const strides = get("strides"); !strides.is_none()) {
    offer.strides = strides.cast<std::vector<std::int64_t>>();  // in bytes
    if (offer.strides->size() != array.shape.size()) {
      throw py::cast_error("");
    }
    for (auto& stride : *offer.strides) {
      // Of no whole number of entries: not contiguous.
      auto const bytes = static_cast<std::int64_t>(array.entry_bytes());
      stride = stride % bytes == 0 ? stride / bytes : 0;
    }
  }
  auto const stream = get("stream");
  return {std::move(offer),
          stream.is_none() ? std::nullopt : std::optional(stream.cast<std::uintptr_t>())};
}

/// The same for the attribute __cuda_array_interface__ of an object.
py::object take_interface(py::object const& object, std::string const& name,
                          py::object const& gpu) {
  auto const target = require_target(gpu, name);
  std::optional<std::uintptr_t> stream;
  Offer offer;
  try {
    std::tie(offer, stream) =
        read_interface(py::dict(object.attr("__cuda_array_interface__")), name);
  } catch (py::error_already_set& error) {
    fail_offer(name, "__cuda_array_interface__", error);
  } catch (py::cast_error const&) {
    throw app::ConfigError(name + ": expected shape, typestr, data, strides and stream in "
                                  "__cuda_array_interface__, as version 3 describes them");
  }
  if (stream == std::uintptr_t{0}) {
    throw app::ConfigError(name + ": the stream in __cuda_array_interface__ is 0, which says not "
                                  "which one; expected 1 for the legacy default stream");
  }
  auto& array = offer.array;
  array.device = {dl::cuda, target.id};
  array.owner = owner_of(object);
  require_readable(array, name);
  require_contiguous(offer, name);
  if (array.size() > 0) {
    auto const id = gpu_of(array.data);
    if (!id) {
      throw app::ConfigError(name + ": the pointer in __cuda_array_interface__ is of no GPU");
    }
    require_here(*id, target, name);
  }
  if (stream) {
    run({}, [stream] { wait_for_stream(*stream); });
  }
  return py::cast(array);
}

// What a DeviceArray offers -----------------------------------------------------------------------

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

DeviceArray new_device_array(std::size_t size) {
  auto const memory = device_memory(size * sizeof(std::int32_t));
  return {memory.get(),
          {dl::cuda, gpu().id},
          {dl::signed_integer, 32, 1},
          {static_cast<std::int64_t>(size)},
          false,
          memory};
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
  module.def("take_dlpack", take_dlpack);
  module.def("take_interface", take_interface);
  module.def("to_device", to_device);
}

}  // namespace taper::python
