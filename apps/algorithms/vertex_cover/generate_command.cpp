// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "problem.hpp"

#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <support/config_error.hpp>

#include <io/graph/write.hpp>
#include <taper/vertex_cover/family.hpp>

#include <fmt/format.h>

#include <memory>
#include <string_view>

namespace taper::app {

namespace vc = vertex_cover;

namespace {

struct GenerateArguments {
  std::string family;
  vc::Workload workload;
  std::filesystem::path output;
};

/// Throws ConfigError if the degree is too large. The families that draw edges at random would
/// silently generate a complete graph.
void require_room(CLI::Option const& degree, std::string_view family,
                  vc::Workload const& workload) {
  auto const draws = family == "gnp" || family == "geometric" || family == "power_law";
  if (degree.count() > 0 && draws && workload.degree > 0 &&
      workload.degree >= static_cast<double>(workload.n)) {
    throw ConfigError(fmt::format("--degree: expected less than the {} vertices, found {}",
                                  workload.n, workload.degree));
  }
}

int execute(GenerateArguments const& arguments) {
  auto workload = arguments.workload;
  workload.family = *vc::parse<vc::Family>(arguments.family);
  require_generation_memory(workload);
  Output output(arguments.output);
  io::write_graph(output.stream(), generate_graph(workload), io::graph_format_of(arguments.output));
  output.commit();
  return 0;
}

}  // namespace

Command add_generate_graph(CLI::App& generate) {
  auto* command = generate.add_subcommand(
      "graph", "write a graph of a family; the same seed gives the same graph");
  auto arguments = std::make_shared<GenerateArguments>();
  auto& workload = arguments->workload;
  add_family(*command, arguments->family, names_of<vc::Family>())->required();
  constexpr auto max_vertices = static_cast<std::int64_t>(io::max_vertices);
  add_positional(*command, "N", workload.n, "vertices")->check(integer_in(0, max_vertices));
  add_seed(*command, workload.seed, "seed of all random choices (default: 1)");
  auto* degree = add_checked(*command, "--degree", workload.degree, real_in(0, 4294967294.0), "D",
                             "mean degree, exact for random_regular; not for grid (default: 3)");
  auto* cover = add_checked(
      *command, "--cover", workload.cover, integer_in(0, max_vertices), "K",
      "planted_cover only, required: the size of a minimum vertex cover, at most N / 2");
  auto* component_size = add_checked(*command, "--component-size", workload.component_size,
                                     integer_in(1, max_vertices), "C",
                                     "many_components only: vertices per component (default: 10)");
  add_output(*command, arguments->output,
             "the file: .clq or .col, .mtx, .graph, .txt, else PACE .gr; each also with .gz "
             "(default: the standard output)");
  command->footer("Example:\n"
                  "  taper generate graph power_law 100000 --degree 6 --seed 7 -o graph.gr.gz");
  return {command, [arguments, degree, cover, component_size] {
            require_only_for(cover, arguments->family, "planted_cover");
            require_only_for(component_size, arguments->family, "many_components");
            if (cover->count() == 0 && arguments->family == "planted_cover") {
              throw ConfigError("the family 'planted_cover' needs --cover");
            }
            if (degree->count() > 0 && arguments->family == "grid") {
              throw ConfigError("--degree: the family 'grid' has no such option");
            }
            require_room(*degree, arguments->family, arguments->workload);
            return execute(*arguments);
          }};
}

}  // namespace taper::app
