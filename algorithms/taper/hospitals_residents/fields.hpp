// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/workload.hpp>
#include <taper/report.hpp>

#include <limits>

/// How files and commands spell the options, the report and the markets: see taper/fields.hpp.
namespace taper::hospitals_residents {

template <FieldsOf<Options> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  constexpr std::int64_t max_word = std::numeric_limits<std::uint32_t>::max();
  visit(Field{.name = "schedule",
              .help = "one worker; all workers; or all workers and then the chains of a tail"},
        options.schedule);
  visit(
      Field{.name = "proposer", .help = "the side that proposes and gets its best stable partners"},
      options.proposer);
  visit(Field{.name = "mechanism", .help = "what the hospitals' decisions follow"},
        options.mechanism);
  visit(Field{.name = "choices_per_round",
              .help = "parallel_mechanism: the choices that are equal for the hospitals",
              .min = 1,
              .max = max_word},
        options.choices_per_round);
  visit(Field{.name = "lottery", .help = "the order of residents with equal keys at a hospital"},
        options.lottery);
  visit(Field{.name = "seed", .help = "seed of the lottery"}, options.seed);
  visit(Field{.name = "wide", .help = "how residents propose while many are free"}, options.wide);
  visit(Field{.name = "tail", .help = "where the tail of a hybrid run goes"}, options.tail);
  visit(Field{.name = "tail_threshold",
              .help = "rounds end when at most this many residents are free; -1: automatic",
              .unit = "residents",
              .min = -1,
              .max = max_word},
        options.tail_threshold);
}

template <FieldsOf<Report> Aggregate, class Visitor>
constexpr void fields(Aggregate& report, Visitor&& visit) {
  visit(Field{.name = "assigned", .help = "residents with a hospital"}, report.assigned);
  visit(Field{.name = "proposals",
              .help = "what proposers asked in all; the same for every schedule"},
        report.proposals);
  visit(Field{.name = "rounds", .help = "rounds before the tail; 0: chains alone"}, report.rounds);
  visit(Field{.name = "migrations",
              .help = "each move of free residents: from, to, live, bytes_moved"},
        report.migrations);
}

template <FieldsOf<Workload> Aggregate, class Visitor>
constexpr void fields(Aggregate& workload, Visitor&& visit) {
  constexpr std::int64_t max_agents = std::numeric_limits<std::uint32_t>::max() - 1;
  visit(Field{.name = "family", .help = "how lists and keys are drawn"}, workload.family);
  visit(Field{.name = "residents", .help = "agents of the first side", .max = max_agents},
        workload.residents);
  visit(Field{.name = "hospitals", .help = "agents of the second side", .max = max_agents},
        workload.hospitals);
  visit(Field{.name = "list_length", .help = "hospitals per list", .max = max_agents},
        workload.list_length);
  visit(Field{.name = "seats", .help = "seats of all hospitals together", .max = max_agents},
        workload.seats);
  visit(Field{.name = "capacities", .help = "how the seats are divided"}, workload.capacities);
  visit(Field{.name = "key_classes",
              .help = "classes of equal keys at each hospital; 0: 2^32",
              .max = max_agents},
        workload.key_classes);
  visit(Field{.name = "skew",
              .help = "popularity: hospital i is drawn like i^-(1 - 1/skew)",
              .min = 1,
              .max = 64},
        workload.skew);
  visit(Field{.name = "reach",
              .help = "geographic: the farthest hospital",
              .unit = "hospitals",
              .max = max_agents / 2},
        workload.reach);
  visit(Field{.name = "strength",
              .help = "scores: the weight of the common part of scores",
              .max = 1},
        workload.strength);
  visit(Field{.name = "seed", .help = "seed of all random numbers"}, workload.seed);
}

}  // namespace taper::hospitals_residents
