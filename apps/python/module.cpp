// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"

#include <support/text.hpp>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace py = pybind11;

namespace {

/// Before 2.12, pybind11 looks for the size of an array's entries where NumPy 2 has something else.
/// Each result would be an array of equal entries.
void require_numpy_that_fits() {
  auto const version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (PYBIND11_VERSION_HEX < 0x020C0000 && std::stoi(version) >= 2) {
    throw py::import_error(
        "taper was built with a pybind11 before 2.12, which does not know NumPy " + version +
        ": build it with pybind11 2.12 or newer, or use NumPy 1");
  }
}

}  // namespace

/// Errors of input, options and solvers are taper.Error, which the Python package defines.
PYBIND11_MODULE(_core, module) {
  using namespace taper::python;

  module.attr("pybind11_version") = PYBIND11_VERSION_HEX;
  require_numpy_that_fits();
  static py::object const error = py::module_::import("taper._errors").attr("Error");
  error.inc_ref();  // outlives the interpreter
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (py::error_already_set const&) {
      throw;
    } catch (py::builtin_exception const&) {
      throw;
    } catch (std::bad_alloc const&) {
      PyErr_SetString(PyExc_MemoryError, "not enough memory");
    } catch (std::runtime_error const& what) {
      std::string const message(taper::app::without_function(what.what()));
      // Kokkos has an exception of its own for memory that is not there.
      bool const no_memory =
          message.starts_with("Kokkos ERROR") && message.find("failed to allocate") != message.npos;
      PyErr_SetString(no_memory ? PyExc_MemoryError : error.ptr(), message.c_str());
    }
  });
  bind_process(module);
  bind_offers(module);
  bind_arrays(module);
  bind_tables(module);
  bind_markets(module);
  bind_one_to_one(module);
  bind_lists(module);
  bind_graphs(module);
  bind_cliques(module);
  bind_matrices(module);
}
