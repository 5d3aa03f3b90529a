// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matmul_engine.hpp"
#include "product.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace taper::app {

/// A, B, --c, --alpha, --beta and --type of the commands about a product.
struct ProductArguments {
  std::filesystem::path a;
  std::filesystem::path b;
  std::filesystem::path c;
  double alpha = 1;
  double beta = 0;
  std::string type;

  void add_options(CLI::App& command);
  /// The files' matrices, all of one type, with extents that fit.
  ProductTerms read() const;

 private:
  CLI::Option* given_beta_ = nullptr;
};

/// --engine, or what it consists of.
struct MatmulArguments {
  std::string engine = "automatic";
  std::string kernel;
  std::string scheduler;
  std::int64_t threshold = 0;
  std::int64_t block = 0;
  std::string backend;

  void add_options(CLI::App& command);
  /// The engine named, with each choice that was given put in.
  MatmulEngine resolve() const;
};

/// --type NAME of the commands that write or read matrices; "" is none.
void add_scalar_type(CLI::App& command, std::string& type, std::string const& description);
io::Scalar scalar_named(std::string_view name);

}  // namespace taper::app
