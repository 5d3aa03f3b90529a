// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"
#include "product.hpp"

#include <driver/cli_fields.hpp>

#include <taper/matmul/fields.hpp>

#include <CLI/App.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace taper::app {

/// Arguments of the commands that read a product: A, B, --c, --alpha, --beta and --type.
struct ProductArguments {
  std::filesystem::path a;
  std::filesystem::path b;
  std::filesystem::path c;
  double alpha = 1;
  double beta = 0;
  std::string type;

  void add_options(CLI::App& command);
  /// Reads the matrices and converts them to one type. Throws ConfigError if their extents or types
  /// do not match.
  ProductTerms read() const;

 private:
  CLI::Option* beta_option_ = nullptr;
};

/// Arguments that choose an engine: --engine, an option per field of matmul::Options, and --backend.
struct MatmulArguments {
  std::string engine = "automatic";
  FieldArguments<matmul::Options> parts;
  std::string backend;

  void add_options(CLI::App& command);
  /// The engine of --engine with the given parts replaced. Throws ConfigError for a part that it
  /// does not have.
  MatmulEngine resolve() const;
};

/// --type TYPE. An empty `type` stays empty without the option.
void add_scalar_type(CLI::App& command, std::string& type, std::string const& description);
/// The type with this name, float32 or float64.
io::Scalar scalar_named(std::string_view name);
/// The format of the file of -o: Matrix Market on the standard output, else by the extension.
io::MatrixFormat output_format(std::filesystem::path const& output);

}  // namespace taper::app
