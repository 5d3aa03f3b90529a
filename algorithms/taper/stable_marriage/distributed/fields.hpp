// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/stable_marriage/distributed/report.hpp>

/// How files spell what processes sent: see taper/fields.hpp.
namespace taper::stable_marriage {

template <FieldsOf<RoundTraffic> Aggregate, class Visitor>
constexpr void fields(Aggregate& traffic, Visitor&& visit) {
  visit(Field{.name = "free", .help = "proposers that are free before the round"}, traffic.free);
  visit(Field{.name = "ranks",
              .help = "before the first round: ranks for proposers of another process"},
        traffic.ranks);
  visit(Field{.name = "offers", .help = "to receivers of another process"}, traffic.offers);
  visit(Field{.name = "news", .help = "receivers with a better offer, which all are told of"},
        traffic.news);
  visit(Field{.name = "candidates",
              .help = "one process finishes: what it got, free proposers and candidates"},
        traffic.candidates);
  visit(Field{.name = "bytes", .help = "that processes sent to each other", .unit = "bytes"},
        traffic.bytes);
}

}  // namespace taper::stable_marriage
