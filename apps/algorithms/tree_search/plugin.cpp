// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "pictures.hpp"
#include "results.hpp"

#include <driver/algorithm.hpp>
#include <experiment/fields.hpp>

#include <taper/tree_search/fields.hpp>

#include <array>

namespace taper::app {
namespace {

namespace ts = tree_search;

void add_commands(Commands& commands) {
  commands.add(add_tree(commands.app, commands.runtime));
  commands.add(add_verify_tree(commands.group("verify"), commands.runtime));
}

constexpr std::array pictures{PictureKind{"rates", "nodes per second over workers", rates_picture}};
constexpr std::array tables{FieldTable{"tree_search.tree", field_table<ts::Tree>},
                            FieldTable{"tree_search.options", field_table<ts::Options>},
                            FieldTable{"tree_search.report", report_table<ts::Report>}};
constexpr Algorithm plugin{.name = "tree_search",
                           .results_format = TreeCase::format,
                           .add_commands = add_commands,
                           .read = read_tree_bench,
                           .summarize = summarize_trees,
                           .pictures = pictures,
                           .tables = tables};

}  // namespace

Algorithm const& tree_search_plugin() {
  return plugin;
}

}  // namespace taper::app
