// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/rotations/options.hpp>
#include <taper/rotations/report.hpp>

/// How files and commands spell the options and the report: see taper/fields.hpp.
namespace taper::rotations {

template <FieldsOf<Options> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "objective", .help = "which of the stable matchings"}, options.objective);
  visit(Field{.name = "visit_limit",
              .help = "sex_equal: sets of rotations to visit at most; 0: no limit",
              .unit = "sets"},
        options.visit_limit);
}

template <FieldsOf<Costs> Aggregate, class Visitor>
constexpr void fields(Aggregate& costs, Visitor&& visit) {
  visit(Field{.name = "pairs", .help = "pairs of the matching"}, costs.pairs);
  visit(Field{.name = "men_ranks", .help = "sum of the ranks that men give their partners"},
        costs.men_ranks);
  visit(Field{.name = "women_ranks", .help = "sum of the ranks that women give theirs"},
        costs.women_ranks);
  visit(Field{.name = "egalitarian", .help = "sum of both"}, costs.egalitarian);
  visit(Field{.name = "sex_equality", .help = "difference of both"}, costs.sex_equality);
  visit(Field{.name = "regret", .help = "the worst of all these ranks; the best is 0"},
        costs.regret);
}

template <FieldsOf<Report> Aggregate, class Visitor>
constexpr void fields(Aggregate& report, Visitor&& visit) {
  visit(Field{.name = "men", .help = "agents of the first side"}, report.men);
  visit(Field{.name = "women", .help = "agents of the second side"}, report.women);
  visit(Field{.name = "pairs", .help = "pairs of each stable matching"}, report.pairs);
  visit(
      Field{.name = "one_sided", .help = "entries dropped since the other agent has no such entry"},
      report.one_sided);
  visit(Field{.name = "stable_pairs", .help = "pairs of at least one stable matching"},
        report.stable_pairs);
  visit(Field{.name = "rotations", .help = "rotations"}, report.rotations);
  visit(Field{.name = "edges", .help = "edges of the rotations' order, as it is stored"},
        report.edges);
}

}  // namespace taper::rotations
