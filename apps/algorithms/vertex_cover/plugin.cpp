// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"
#include "commands.hpp"
#include "pictures.hpp"
#include "results.hpp"

#include <driver/algorithm.hpp>
#include <experiment/fields.hpp>

#include <taper/vertex_cover/fields.hpp>

#include <array>

namespace taper::app {
namespace {

namespace vc = vertex_cover;

void add_commands(Commands& commands) {
  commands.add(add_cover(commands.app, commands.runtime));
  commands.add(add_generate_graph(commands.group("generate")));
  commands.add(add_verify_cover(commands.group("verify")));
}

constexpr std::array pictures{
    PictureKind{"covers", "bars of the times per graph and solver", covers_picture}};
constexpr std::array tables{
    FieldTable{"vertex_cover.options", field_table<vc::Options>},
    FieldTable{"vertex_cover.component_search", field_table<vc::ComponentSearchOptions>},
    FieldTable{"vertex_cover.report", report_table<vc::Report>}};
constexpr Algorithm plugin{.name = "vertex_cover",
                           .results_format = CoverCase::format,
                           .add_commands = add_commands,
                           .read = read_cover_bench,
                           .summarize = summarize_covers,
                           .pictures = pictures,
                           .tables = tables};

}  // namespace

Algorithm const& vertex_cover_plugin() {
  return plugin;
}

}  // namespace taper::app
