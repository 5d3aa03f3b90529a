// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "options.hpp"

#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <experiment/profile.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace taper::app {
namespace {

struct MultiplyArguments {
  ProductArguments product;
  MatmulArguments engine;
  std::filesystem::path output;
  bool verify = false;
  std::string profile;
  int threads = 0;
};

/// Prints the result of the verification. Returns whether the product may be written.
bool check_on_stderr(Product& product) {
  auto const deviation = product.verify();
  if (!deviation) {
    print_message("unchecked the matrices contain NaN or infinity, so there is no residual\n");
    return true;
  }
  print_message("{}  {}\n", deviation->within() ? "verified" : "WRONG   ",
                describe(Operation::multiply, *deviation));
  return deviation->within();
}

/// The engine's name and its parts: "ForkJoin-IKJ (fork_join/ikj/64)".
std::string title_of(MatmulEngine const& engine) {
  auto const parts = describe(engine.options);
  return parts == engine.name ? parts : fmt::format("{} ({})", engine.name, parts);
}

int execute(MultiplyArguments const& arguments, Runtime& runtime) {
  auto engine = arguments.engine.resolve();
  auto const backend = require_backend(engine.backend);
  auto profile = find_profile(arguments.profile);
  auto terms = arguments.product.read();
  auto const summary =
      fmt::format("A {}, B {}, {}", io::extents(terms.a.rows(), terms.a.columns()),
                  io::extents(terms.b.rows(), terms.b.columns()), io::to_string(terms.a.scalar()));

  Output output(arguments.output);
  runtime.start(arguments.threads);
  reject_foreign_profile(profile);
  engine.options.machine = profile.machine();
  auto const product = load_product(std::move(terms));
  auto const [report, seconds] = product->run(backend, engine);
  print_message("matrices  {}\n", summary);
  print_message("engine    {} on {} in {}, {:.3g} GFLOP/s\n", title_of(engine), backend,
                format_seconds(seconds),
                seconds > 0 ? static_cast<double>(report.operations) / seconds / 1e9 : 0);
  if (arguments.verify && !check_on_stderr(*product)) {
    return 1;
  }

  io::write_matrix(output.stream(), product->result(), output_format(arguments.output));
  output.commit();
  return 0;
}

}  // namespace

Command add_multiply(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "multiply", "multiply two dense matrices in files: C = alpha A B + beta C");
  auto arguments = std::make_shared<MultiplyArguments>();
  arguments->product.add_options(*command);
  arguments->engine.add_options(*command);
  add_output(*command, arguments->output,
             "the file of the product: .mtx is a Matrix Market array, others are .npy; each also "
             "with .gz (default: '-', the standard output, as Matrix Market)");
  command->add_flag("--verify", arguments->verify,
                    "check the product by its scaled residual, with a few passes over the matrices "
                    "(exit status 1 if it is wrong)");
  add_profile(*command, arguments->profile);
  add_threads(*command, arguments->threads);
  command->footer("Example:\n"
                  "  taper generate matrix uniform 1000 500 -o a.npy\n"
                  "  taper generate matrix uniform 500 2000 --seed 2 -o b.npy\n"
                  "  taper multiply a.npy b.npy -o c.npy --verify");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
