// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/roommates/report.hpp>

/// How files and commands spell the report: see taper/fields.hpp.
namespace taper::roommates {

template <FieldsOf<Report> Aggregate, class Visitor>
constexpr void fields(Aggregate& report, Visitor&& visit) {
  visit(Field{.name = "agents", .help = "agents of the instance"}, report.agents);
  visit(Field{.name = "pairs", .help = "pairs of the stable matching; 0 if there is none"},
        report.pairs);
  visit(Field{.name = "unmatched", .help = "agents without a partner in every stable matching"},
        report.unmatched);
  visit(Field{.name = "odd_parties",
              .help = "odd parties of three or more agents; with one, no matching is stable"},
        report.odd_parties);
  visit(
      Field{.name = "one_sided", .help = "entries dropped since the other agent has no such entry"},
      report.one_sided);
  visit(Field{.name = "proposals", .help = "proposals of phase 1"}, report.proposals);
  visit(Field{.name = "rotations", .help = "rotations that phase 2 eliminated"}, report.rotations);
}

}  // namespace taper::roommates
