// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"
#include "call.hpp"
#include "convert.hpp"
#include "device.hpp"
#include "device_array.hpp"

#include <algorithms/matmul/engine.hpp>
#include <algorithms/matmul/product.hpp>
#include <support/runtime.hpp>

#include <taper/matmul/fields.hpp>

#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Matrix products. Arrays may have any strides that are positive multiples of an entry.

namespace taper::python {
namespace {

namespace mm = matmul;

/// An array of this type in any layout, without conversion.
template <class T>
using Matrix = py::array_t<T, 0>;

template <class Entry, class T>
app::MatrixSpan<Entry> span_of_matrix(Matrix<T> const& array, Entry* data) {
  auto const stride = [&](py::ssize_t axis) {
    return static_cast<std::size_t>(array.strides(axis)) / sizeof(T);
  };
  return {data, static_cast<std::size_t>(array.shape(0)), static_cast<std::size_t>(array.shape(1)),
          stride(0), stride(1)};
}

app::MatmulEngine engine_of(std::string const& name, py::dict const& given,
                            std::string const& backend, int threads) {
  auto engine = app::matmul_engine(name);
  read_options(given, engine.options);
  for (auto const& [key, value] : given) {
    auto const field = key.cast<std::string>();
    if (!app::reads_field(app::Operation::multiply, engine.options.engine, field)) {
      throw app::ConfigError(field + ": the engine '" +
                             std::string(to_string(engine.options.engine)) +
                             "' has no such option");
    }
  }
  if (!backend.empty()) {
    engine.backend = backend;
  }
  engine.threads = threads;
  return engine;
}

/// C = alpha A B + beta C, in place. Returns the report, the seconds and the backend.
template <class T>
py::tuple multiply(Matrix<T> const& a, Matrix<T> const& b, Matrix<T>& c, double alpha, double beta,
                   std::string const& engine_name, py::dict const& given,
                   std::string const& backend_name, int threads) {
  start();
  auto const engine = engine_of(engine_name, given, backend_name, threads);
  auto const backend = app::require_backend(engine.backend);
  require_threads(backend, threads);
  auto const left = span_of_matrix(a, a.data());
  auto const right = span_of_matrix(b, b.data());
  auto const out = span_of_matrix(c, c.mutable_data());
  auto const steps = static_cast<double>(out.rows) * static_cast<double>(out.columns) *
                     static_cast<double>(left.columns);
  auto const ran = call_until_stopped(
      {.steps = steps}, [=, kept = keep(a, b, c)](std::atomic<bool> const& stop) {
        auto stoppable = engine;
        stoppable.options = with_stop(engine.options, stop);
        return app::multiply_in_place<T>(backend, stoppable, static_cast<T>(alpha), left, right,
                                         static_cast<T>(beta), out);
      });
  return py::make_tuple(to_python(ran.report), ran.seconds, std::string(backend));
}

// On the device -----------------------------------------------------------------------------------

template <class Entry>
app::MatrixSpan<Entry> span_of_matrix(DeviceArray const& array) {
  auto const columns = static_cast<std::size_t>(array.shape.at(1));
  return {entries_of<Entry>(array).data(), static_cast<std::size_t>(array.shape.at(0)), columns,
          columns, 1};
}

/// As multiply(), of matrices on the device of one type.
template <class T>
app::ProductRun multiply_there(std::string_view backend, app::MatmulEngine const& engine,
                               DeviceArray const& a, DeviceArray const& b, DeviceArray const& c,
                               double alpha, double beta) {
  return app::multiply_there<T>(backend, engine, static_cast<T>(alpha), span_of_matrix<T const>(a),
                                span_of_matrix<T const>(b), static_cast<T>(beta),
                                span_of_matrix<T>(c));
}

/// alpha A B + beta C of matrices on the device, in `out` or in a new array there. `c`: may be None.
/// The package has checked types and extents. Returns the product, the report, the seconds and the
/// backend.
py::tuple multiply_on_device(DeviceArray const& a, DeviceArray const& b,
                             std::optional<DeviceArray> const& c,
                             std::optional<DeviceArray> const& out, double alpha, double beta,
                             std::string const& engine_name, py::dict const& given,
                             std::string const& backend_name, int threads) {
  start();
  auto const engine = engine_of(engine_name, given, backend_name, threads);
  auto const backend = require_device_backend(engine.backend);
  require_threads(backend, threads);
  if (out) {
    require_writable(*out, "out");
  }
  auto const product = out ? *out : new_device_array({a.shape.at(0), b.shape.at(1)}, a.type);
  auto const steps = static_cast<double>(product.size()) * static_cast<double>(a.shape.at(1));
  auto const ran = call_until_stopped({.steps = steps}, [=](std::atomic<bool> const& stop) {
    auto stoppable = engine;
    stoppable.options = with_stop(engine.options, stop);
    if (c && beta != 0 && c->data != product.data) {
      copy_on_device(c->data, product.data, product.bytes());
    }
    return a.entry_bytes() == sizeof(float)
               ? multiply_there<float>(backend, stoppable, a, b, product, alpha, beta)
               : multiply_there<double>(backend, stoppable, a, b, product, alpha, beta);
  });
  return py::make_tuple(product, to_python(ran.report), ran.seconds, std::string(backend));
}

/// An array with a copy of the entries, by rows.
py::object array_of(io::DenseMatrix const& matrix) {
  return matrix.visit([&]<class T>(std::vector<T> const& entries) -> py::object {
    return py::array_t<T>({matrix.rows(), matrix.columns()}, entries.data());
  });
}

py::object generate_matrix(std::string const& family, std::size_t rows, std::size_t columns,
                           std::uint64_t seed, bool left, bool single, std::uint32_t largest,
                           double condition) {
  mm::Workload workload{.seed = seed, .largest = largest, .condition = condition};
  auto const named = mm::parse<mm::Family>(family);
  if (!named) {
    throw app::ConfigError("unknown family " + io::in_quotes(family) +
                           app::expected_instead(family, mm::names<mm::Family>()));
  }
  workload.family = *named;
  if (largest < 1 || !(condition >= 1 && condition <= 1e30)) {
    throw app::ConfigError("expected largest from 1, and a condition from 1 to 1e30");
  }
  auto const type = single ? io::Scalar::float32 : io::Scalar::float64;
  app::require_host_memory("the matrix's entries", io::matrix_bytes(type, rows, columns));
  start();
  auto const factor = left ? mm::Factor::left : mm::Factor::right;
  auto const steps = static_cast<double>(rows) * static_cast<double>(columns);
  return array_of(call({.steps = 10 * steps}, [=] {
    return app::generate_matrix(workload, factor, type, rows, columns);
  }));
}

template <class T>
void bind_type(py::module_& module) {
  using py::arg;
  module.def("multiply", multiply<T>, arg("a").noconvert(), arg("b").noconvert(),
             arg("c").noconvert(), arg("alpha"), arg("beta"), arg("engine"), arg("options"),
             arg("backend"), arg("threads"));
}

}  // namespace

void bind_matrices(py::module_& module) {
  bind_type<float>(module);
  bind_type<double>(module);
  module.def("multiply_on_device", multiply_on_device);
  module.def("generate_matrix", generate_matrix);
}

}  // namespace taper::python
