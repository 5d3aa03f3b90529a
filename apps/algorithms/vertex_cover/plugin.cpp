// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "pictures.hpp"
#include "results.hpp"

#include <driver/algorithm.hpp>
#include <experiment/fields.hpp>

#include <taper/vertex_cover/fields.hpp>

#include <fmt/format.h>

#include <array>
#include <string>

namespace taper::app {
namespace {

namespace vc = vertex_cover;

void add_commands(Commands& commands) {
  commands.add(add_cover(commands.app, commands.runtime));
  commands.add(add_generate_graph(commands.group("generate")));
  commands.add(add_verify_cover(commands.group("verify")));
}

constexpr std::array pictures{
    PictureKind{"covers", "bars of the times per graph and solver", covers_picture},
    PictureKind{"nodes", "bars of the search nodes", cover_nodes_picture},
    PictureKind{"activities", "shares of the time, if counted", cover_activities_picture}};

/// The options of each mode of component search, in Markdown.
std::string presets_table() {
  constexpr std::array modes{vc::Mode::component_search, vc::Mode::published, vc::Mode::yamout};
  std::string table = "| key |";
  std::string line = "\n|---|";
  for (auto const mode : modes) {
    table += fmt::format(" `{}` |", to_string(mode));
    line += "---|";
  }
  table += line + "\n";
  for (auto const key : field_names<vc::ComponentSearchOptions>()) {
    table += fmt::format("| `{}` |", key);
    for (auto const mode : modes) {
      auto const options = component_search_options(mode);
      fields(options, [&](Field const& field, auto const& value) {
        if (field.name == key) {
          table += fmt::format(" {} |", detail::text_of(value));
        }
      });
    }
    table += "\n";
  }
  return table;
}

constexpr std::array tables{
    FieldTable{"vertex_cover.options", field_table<vc::Options>},
    FieldTable{"vertex_cover.modes", presets_table},
    FieldTable{"vertex_cover.component_search", field_table<vc::ComponentSearchOptions>},
    FieldTable{"vertex_cover.report", report_table<vc::Report>}};
constexpr Algorithm plugin{.name = "vertex_cover",
                           .results_format = CoverCase::format,
                           .add_commands = add_commands,
                           .read = read_cover_bench,
                           .summarize = summarize_covers,
                           .details = cover_details,
                           .pictures = pictures,
                           .tables = tables};

}  // namespace

Algorithm const& vertex_cover_plugin() {
  return plugin;
}

}  // namespace taper::app
