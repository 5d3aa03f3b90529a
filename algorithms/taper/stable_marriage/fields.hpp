// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/report.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/report.hpp>

/// How files and commands spell the options and the report: see taper/fields.hpp.
namespace taper::stable_marriage {

template <FieldsOf<Options> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "algorithm", .help = "the published algorithm that orders the proposals"},
        options.algorithm);
  visit(
      Field{.name = "contention", .help = "how concurrent proposals to one receiver are resolved"},
      options.contention);
  visit(
      Field{
          .name = "schedule",
          .help =
              "one thread; all workers; as Bamboo-SMP; or all workers and then the cheapest tail"},
      options.schedule);
  visit(
      Field{.name = "proposer", .help = "the side that proposes and gets its best stable partners"},
      options.proposer);
  visit(Field{.name = "tail", .help = "where the tail of a hybrid run goes"}, options.tail);
  visit(Field{.name = "tail_threshold",
              .help = "switch to the tail when at most this many proposers are free; -1: automatic",
              .unit = "proposers",
              .min = -1,
              .max = max_people,
              .former = "taper_live"},
        options.tail_threshold);
  visit(Field{.name = "queue",
              .help = "let a serial locality_aware run take a queue's head after each proposal"},
        options.queue);
  visit(Field{.name = "tiers", .help = "let a hybrid run solve tiers one after another"},
        options.tiers);
  visit(Field{.name = "lazy_ranks",
              .help = "how a hybrid run on the host begins without a rank matrix",
              .former = "courtship"},
        options.lazy_ranks);
  visit(Field{.name = "min_proposers_per_thread",
              .help = "proposers that are worth one more host thread; none: the machine profile's",
              .unit = "proposers",
              .min = 1,
              .max = max_people,
              .former = "people_a_worker"},
        options.min_proposers_per_thread);
  visit(Field{.name = "max_threads",
              .help = "most threads of a hybrid run on a host; none: the machine profile's limit",
              .unit = "threads",
              .min = 1},
        options.max_threads);
}

template <FieldsOf<Report> Aggregate, class Visitor>
constexpr void fields(Aggregate& report, Visitor&& visit) {
  visit(Field{.name = "perfect_in_precheck",
              .help = "all first choices are distinct, and the precheck is the answer"},
        report.perfect);
  visit(Field{.name = "proposals", .help = "proposals: the sum of all partners' ranks, from 1"},
        report.proposals);
  visit(Field{.name = "acceptances", .help = "accepted proposals, if counted"}, report.acceptances);
  visit(Field{.name = "rejections", .help = "rejected proposals, if counted"}, report.rejections);
  visit(Field{.name = "atomic_operations", .help = "atomic operations on offers, if counted"},
        report.atomic_operations);
  visit(Field{.name = "failed_compare_exchanges",
              .help = "compare-exchanges that had to be repeated, if counted"},
        report.failed_compare_exchanges);
  visit(Field{.name = "compare_exchange_reads",
              .help = "plain loads before compare-exchanges, if counted"},
        report.compare_exchange_reads);
  visit(Field{.name = "taper_step", .help = "proposals before a hybrid run tapered"},
        report.taper_step);
  visit(Field{.name = "taper_live", .help = "free proposers when a hybrid run tapered"},
        report.taper_live);
  visit(Field{.name = "tiers",
              .help = "tiers that the instance fell apart into; 0: not solved by tiers"},
        report.tiers);
  visit(Field{.name = "threads",
              .help = "host threads that proposed at once; 0: a GPU, or no thread had to"},
        report.threads);
  visit(Field{.name = "rounds", .help = "exchanges of standing offers between devices"},
        report.rounds);
  visit(Field{.name = "tail_side", .help = "where the tail ran: device, host or none"},
        report.tail_side);
  visit(Field{.name = "migrations",
              .help = "each move of free proposers: from, to, live, bytes_moved"},
        report.migrations);
  visit(Field{.name = "bytes_moved",
              .help = "copied between memory spaces by migrations",
              .unit = "bytes",
              .former = "moved_bytes"},
        report.bytes_moved);
  visit(Field{.name = "copied_bytes",
              .help = "preference lists and matching copied to the device and back",
              .unit = "bytes"},
        report.copied_bytes);
}

}  // namespace taper::stable_marriage
