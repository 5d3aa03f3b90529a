// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/marriage_propagator/options.hpp>

// How files spell the options: see taper/fields.hpp.
namespace taper {

template <FieldsOf<PropagatorThresholds> Aggregate, class Visitor>
constexpr void fields(Aggregate& thresholds, Visitor&& visit) {
  visit(Field{.name = "free_people", .help = "free people with full domains", .unit = "people"},
        thresholds.free_people);
  visit(Field{.name = "modified_values",
              .help = "values to remove from the other side's domains",
              .unit = "values"},
        thresholds.modified_values);
  visit(Field{.name = "domain_size",
              .help = "values left on one side; below it a call is serial",
              .unit = "values"},
        thresholds.domain_size);
}

}  // namespace taper

namespace taper::marriage_propagator {

template <FieldsOf<Options> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "engine", .help = "Taper's propagators, or the paper's Algorithm 2 or 3"},
        options.engine);
  visit(Field{.name = "schedule", .help = "which of Taper's propagators answers a call"},
        options.schedule);
  visit(Field{.name = "symmetric", .help = "both sides propose: leaves the GS-lists"},
        options.symmetric);
  visit(Field{.name = "engage", .help = "bind the partner of a person with one value left"},
        options.bind_partner);
}

}  // namespace taper::marriage_propagator
