// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <driver/cli_options.hpp>
#include <support/config_error.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace taper::app {

namespace mm = matmul;

namespace {

constexpr double max_factor = 1e300;

std::string extents_of(io::DenseMatrix const& matrix) {
  return io::extents(matrix.rows(), matrix.columns());
}

}  // namespace

void add_scalar_type(CLI::App& command, std::string& type, std::string const& description) {
  add_checked(command, "--type", type, one_of({"float32", "float64"}), "TYPE", description);
}

io::Scalar scalar_named(std::string_view name) {
  return name == "float32" ? io::Scalar::float32 : io::Scalar::float64;
}

io::MatrixFormat output_format(std::filesystem::path const& output) {
  return is_standard_output(output) ? io::MatrixFormat::matrix_market
                                    : io::matrix_format_by_extension(output);
}

void ProductArguments::add_options(CLI::App& command) {
  add_positional(command, "A", a,
                 "a .npy or Matrix Market file, also with gzip; '-' is the standard input");
  add_positional(command, "B", b, "a second one, with as many rows as A has columns");
  add_checked(command, "--alpha", alpha, real_in(-max_factor, max_factor), "X",
              "the factor of A B (default: 1)");
  beta_option_ = add_checked(command, "--beta", beta, real_in(-max_factor, max_factor), "X",
                             "the factor of C (default: 1 with --c, else 0)");
  command.add_option("--c", c, "the matrix C that is added")->type_name("FILE");
  add_scalar_type(
      command, type,
      "float32 or float64: convert all matrices to it (default: the type of the .npy files; "
      "float64 for Matrix Market files)");
}

ProductTerms ProductArguments::read() const {
  if (c.empty() && beta_option_->count() > 0 && beta != 0) {
    throw ConfigError("--beta needs --c, the matrix C");
  }
  ProductTerms terms;
  terms.alpha = alpha;
  terms.beta = c.empty() ? 0 : beta_option_->count() > 0 ? beta : 1;
  auto scalar = type.empty() ? std::nullopt : std::optional(scalar_named(type));
  std::string first;  // the first .npy file, which sets the type
  std::vector<io::DenseMatrix*> read;
  auto const add = [&](std::filesystem::path const& path, io::DenseMatrix& matrix) {
    auto file = io::read_matrix(path, scalar.value_or(io::Scalar::float64));
    matrix = std::move(file.matrix);
    read.push_back(&matrix);
    if (file.format == io::MatrixFormat::matrix_market || !type.empty()) {
      return;
    }
    if (scalar && *scalar != matrix.scalar()) {
      throw ConfigError(
          fmt::format("{} holds {}, {} holds {}; convert with --type float32 or float64", first,
                      io::to_string(*scalar), path.string(), io::to_string(matrix.scalar())));
    }
    scalar = matrix.scalar();
    first = path.string();
  };
  if ((a == "-") + (b == "-") + (c == "-") > 1) {
    throw ConfigError("only one of the matrices can be the standard input");
  }
  add(a, terms.a);
  add(b, terms.b);
  if (!c.empty()) {
    add(c, terms.c);
  }
  if (terms.a.columns() != terms.b.rows()) {
    throw ConfigError(fmt::format("{} is {}, {} is {}: expected as many rows in the second as the "
                                  "{} columns of the first, found {}",
                                  a.string(), extents_of(terms.a), b.string(), extents_of(terms.b),
                                  io::grouped(terms.a.columns()), io::grouped(terms.b.rows())));
  }
  if (!c.empty() && (terms.c.rows() != terms.a.rows() || terms.c.columns() != terms.b.columns())) {
    throw ConfigError(fmt::format("{} is {}; the product is {}", c.string(), extents_of(terms.c),
                                  io::extents(terms.a.rows(), terms.b.columns())));
  }
  for (auto* matrix : read) {
    matrix->convert(scalar.value_or(io::Scalar::float64));
  }
  require_host_memory("the product's " + io::extents(terms.a.rows(), terms.b.columns()) +
                          " entries",
                      io::matrix_bytes(terms.a.scalar(), terms.a.rows(), terms.b.columns()));
  return terms;
}

void MatmulArguments::add_options(CLI::App& command) {
  command
      .add_option("--engine", engine,
                  fmt::format("the engine (default: automatic): {}",
                              fmt::join(matmul_engine_names(), ", ")))
      ->check(CLI::Validator(
          [](std::string const& name) -> std::string {
            try {
              matmul_engine(name);
              return {};
            } catch (ConfigError const& error) {
              return error.what();
            }
          },
          ""))
      ->type_name("NAME");
  parts.add_options(command, {"explicit_simd"});  // it is for additions
  add_backend(command, backend, "the engine's");
}

MatmulEngine MatmulArguments::resolve() const {
  auto resolved = matmul_engine(engine);
  auto const own = resolved.options.engine;
  for (auto const field : parts.given()) {
    if (!reads_field(Operation::multiply, own, field)) {
      throw ConfigError(fmt::format("{}: the engine '{}' has no such option", parts.flag_of(field),
                                    to_string(own)));
    }
  }
  parts.apply_to(resolved.options);
  if (!backend.empty()) {
    resolved.backend = backend;
  }
  return resolved;
}

}  // namespace taper::app
