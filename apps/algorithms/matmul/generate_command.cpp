// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "options.hpp"

#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <support/runtime.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <vector>

namespace taper::app {

namespace mm = matmul;

namespace {

struct GenerateArguments {
  std::string family;
  mm::Workload workload;
  std::string factor = "a";
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::string type = "float64";
  std::filesystem::path output;
  int threads = 0;
};

int execute(GenerateArguments const& arguments, Runtime& runtime) {
  auto const scalar = scalar_named(arguments.type);
  require_host_memory("a matrix's " + io::extents(arguments.rows, arguments.columns) + " entries",
                      io::matrix_bytes(scalar, arguments.rows, arguments.columns));
  Output output(arguments.output);
  runtime.start(arguments.threads);
  auto workload = arguments.workload;
  workload.family = *mm::parse<mm::Family>(arguments.family);
  auto const factor = arguments.factor == "b" ? mm::Factor::right : mm::Factor::left;
  auto const matrix = generate_matrix(workload, factor, scalar, arguments.rows, arguments.columns);
  io::write_matrix(output.stream(), matrix, output_format(arguments.output));
  output.commit();
  return 0;
}

}  // namespace

Command add_generate_matrix(CLI::App& generate, Runtime& runtime) {
  auto* command = generate.add_subcommand(
      "matrix", "write a matrix of a family; the same seed gives the same matrix");
  auto arguments = std::make_shared<GenerateArguments>();
  constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
  add_family(*command, arguments->family, names_of<mm::Family>())->required();
  add_positional(*command, "ROWS", arguments->rows, "their number")->check(integer_in(0, no_limit));
  add_positional(*command, "COLUMNS", arguments->columns, "their number")
      ->check(integer_in(0, no_limit));
  add_seed(*command, arguments->workload.seed, "seed of all random entries (default: 1)");
  add_checked(*command, "--factor", arguments->factor, one_of({"a", "b"}), "NAME",
              "the factor of a product, a or b: with one seed they have different entries, and "
              "those of ill_conditioned match (default: a)");
  auto* largest = add_checked(*command, "--largest", arguments->workload.largest,
                              integer_in(1, std::numeric_limits<std::uint32_t>::max()), "L",
                              "integers only: entries are from -L to L (default: 8)");
  auto* condition =
      add_checked(*command, "--condition", arguments->workload.condition, real_in(1, 1e30), "X",
                  "ill_conditioned only: the cancellation in the sums, 1 to 1e30 (default: 1e8)");
  add_scalar_type(*command, arguments->type, "float32 or float64 (default: float64)");
  add_output(*command, arguments->output,
             "the file: .mtx is a Matrix Market array, others are .npy; each also with .gz "
             "(default: '-', the standard output, as Matrix Market)");
  add_threads(*command, arguments->threads);
  command->footer("Example:\n"
                  "  taper generate matrix uniform 1000 500 --seed 7 -o a.npy\n"
                  "  taper generate matrix uniform 500 2000 --seed 7 --factor b -o b.npy");
  return {command, [arguments, largest, condition, &runtime] {
            require_only_for(largest, arguments->family, "integers");
            require_only_for(condition, arguments->family, "ill_conditioned");
            return execute(*arguments, runtime);
          }};
}

}  // namespace taper::app
