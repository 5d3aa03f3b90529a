// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "options.hpp"

#include <driver/cli_options.hpp>
#include <support/config_error.hpp>
#include <support/runtime.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <memory>

namespace taper::app {
namespace {

struct VerifyArguments {
  ProductArguments product;
  std::filesystem::path result;
};

int execute(VerifyArguments const& arguments, Runtime& runtime) {
  auto terms = arguments.product.read();
  auto const m = terms.a.rows(), n = terms.b.columns();
  auto const scalar = terms.a.scalar();
  auto file = io::read_matrix(arguments.result, scalar);
  auto& matrix = file.matrix;
  if (matrix.rows() != m || matrix.columns() != n) {
    fmt::print("not the product: {} is {}, the product is {}\n", arguments.result.string(),
               io::extents(matrix.rows(), matrix.columns()), io::extents(m, n));
    return 1;
  }
  matrix.convert(scalar);
  runtime.start(0);
  auto const product = load_product(std::move(terms));
  product->put(matrix);
  auto const deviation = product->verify();
  if (!deviation) {
    throw ConfigError("the matrices contain NaN or infinity, so there is no residual");
  }
  fmt::print("{}: {}\n", deviation->within() ? "the product" : "not the product",
             describe(Operation::multiply, *deviation));
  return deviation->within() ? 0 : 1;
}

}  // namespace

Command add_verify_product(CLI::App& verify, Runtime& runtime) {
  auto* command = verify.add_subcommand(
      "product", "check whether a matrix is the product of two others, up to rounding");
  auto arguments = std::make_shared<VerifyArguments>();
  arguments->product.add_options(*command);
  add_positional(*command, "RESULT", arguments->result,
                 "the matrix that should be alpha A B + beta C");
  command->footer(
      "Example:\n"
      "  taper multiply a.npy b.npy -o c.npy && taper verify product a.npy b.npy c.npy");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
