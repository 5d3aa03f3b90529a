// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

// The parts of the module taper._core, one per source file. Only the Python package in taper/ calls
// the module; it checks and converts arguments before.

namespace taper::python {

void bind_process(pybind11::module_& module);
void bind_offers(pybind11::module_& module);
void bind_arrays(pybind11::module_& module);
void bind_tables(pybind11::module_& module);
void bind_markets(pybind11::module_& module);
void bind_one_to_one(pybind11::module_& module);
void bind_lists(pybind11::module_& module);
void bind_graphs(pybind11::module_& module);
void bind_cliques(pybind11::module_& module);
void bind_matrices(pybind11::module_& module);

}  // namespace taper::python
