// SPDX-License-Identifier: Apache-2.0
#include "array_types.hpp"
#include "bind.hpp"
#include "call.hpp"
#include "convert.hpp"
#include "device.hpp"
#include "device_array.hpp"

#include <support/config_error.hpp>

#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Arrays that other libraries offer by DLPack or __cuda_array_interface__.

namespace taper::python {
namespace {

namespace dl = dlpack;

/// Keeps a Python object. It may be given up on any thread.
std::shared_ptr<void const> owner_of(py::object const& object) {
  return {static_cast<void const*>(object.inc_ref().ptr()), [](void const* kept) {
            if (has_interpreter()) {
              py::gil_scoped_acquire const gil;
              Py_DECREF(static_cast<PyObject*>(const_cast<void*>(kept)));
            }
          }};
}

/// An array of any memory and layout.
struct Offer {
  DeviceArray array;
  std::optional<std::vector<std::int64_t>> strides;  ///< in entries; none: contiguous by rows
};

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

}  // namespace

void bind_offers(py::module_& module) {
  module.def("take_dlpack", take_dlpack);
  module.def("take_interface", take_interface);
}

}  // namespace taper::python
