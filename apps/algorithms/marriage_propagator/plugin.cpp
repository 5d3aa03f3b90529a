// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"
#include "results.hpp"
#include "tune.hpp"

#include <driver/algorithm.hpp>
#include <experiment/fields.hpp>

#include <taper/marriage_propagator/fields.hpp>

#include <array>

namespace taper::app {
namespace {

namespace mp = marriage_propagator;

Picture draw_classes(std::filesystem::path const& file, std::uint64_t) {
  return classes_picture(read_stored<PropagatorCase>(file));
}

template <XAxis x_axis>
Picture draw_lines(std::filesystem::path const& file, std::uint64_t) {
  return propagator_lines_picture(read_stored<PropagatorCase>(file), x_axis);
}

/// None: the constraint's command is the FlatZinc solver of apps/fzn.
void add_commands(Commands&) {}

constexpr std::array pictures{
    PictureKind{"classes", "the distribution of times per class of calls", draw_classes},
    PictureKind{"calls", "the time of each instance", draw_lines<XAxis::instances>},
    PictureKind{"modified", "time over the number of modified people", draw_lines<XAxis::modified>},
    PictureKind{"domain", "time over the total domain size", draw_lines<XAxis::total_domain>}};
constexpr std::array tables{
    FieldTable{"marriage_propagator.options", field_table<mp::Options>},
    FieldTable{"marriage_propagator.thresholds", field_table<mp::Thresholds>}};
constexpr Algorithm plugin{.name = "marriage_propagator",
                           .results_format = PropagatorCase::format,
                           .add_commands = add_commands,
                           .read = read_propagator_bench,
                           .summarize = summarize_propagations,
                           .pictures = pictures,
                           .tables = tables,
                           .tune = tune_propagator,
                           .tune_steps = propagator_tune_steps};

}  // namespace

Algorithm const& marriage_propagator_plugin() {
  return plugin;
}

}  // namespace taper::app
