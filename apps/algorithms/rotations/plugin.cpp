// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "pictures.hpp"
#include "results.hpp"

#include <driver/algorithm.hpp>
#include <experiment/fields.hpp>

#include <taper/roommates/fields.hpp>
#include <taper/rotations/fields.hpp>

#include <array>

// All stable matchings of a market, and stable roommates: both find rotations of preference lists.

namespace taper::app {
namespace {

void add_commands(Commands& commands) {
  commands.add(add_stable_matchings(commands.app));
  commands.add(add_roommates(commands.app));
  commands.add(add_verify_roommates(commands.group("verify")));
}

constexpr std::array pictures{
    PictureKind{"times", "time over the size of the market", rotation_times_picture}};
constexpr std::array tables{FieldTable{"rotations.market", field_table<RotationMarket>},
                            FieldTable{"rotations.options", field_table<RotationOptions>},
                            FieldTable{"rotations.report", report_table<rotations::Report>},
                            FieldTable{"rotations.costs", report_table<rotations::Costs>},
                            FieldTable{"roommates.report", report_table<roommates::Report>}};
constexpr Algorithm plugin{.name = "rotations",
                           .results_format = RotationCase::format,
                           .add_commands = add_commands,
                           .read = read_rotation_bench,
                           .summarize = summarize_rotations,
                           .pictures = pictures,
                           .tables = tables};

}  // namespace

Algorithm const& rotations_plugin() {
  return plugin;
}

}  // namespace taper::app
