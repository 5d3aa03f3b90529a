// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "pictures.hpp"
#include "results.hpp"

#include <driver/algorithm.hpp>
#include <experiment/fields.hpp>

#include <taper/clique/fields.hpp>

#include <array>

// Maximum cliques and independent sets. The latter use the solver of vertex_cover.

namespace taper::app {
namespace {

void add_commands(Commands& commands) {
  commands.add(add_clique(commands.app, commands.runtime));
  commands.add(add_independent_set(commands.app, commands.runtime));
  commands.add(add_verify_clique(commands.group("verify")));
  commands.add(add_verify_independent_set(commands.group("verify")));
}

constexpr std::array pictures{
    PictureKind{"cliques", "bars of the times per graph and engine", clique_times_picture}};
constexpr std::array tables{FieldTable{"clique.options", field_table<clique::Options>},
                            FieldTable{"clique.workload", field_table<clique::Workload>},
                            FieldTable{"clique.report", report_table<clique::Report>}};
constexpr Algorithm plugin{.name = "clique",
                           .results_format = CliqueCase::format,
                           .add_commands = add_commands,
                           .read = read_clique_bench,
                           .summarize = summarize_cliques,
                           .pictures = pictures,
                           .tables = tables};

}  // namespace

Algorithm const& clique_plugin() {
  return plugin;
}

}  // namespace taper::app
