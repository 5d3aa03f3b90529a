// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/stable_marriage/distributed/report.hpp>

/// The names in result files of what processes sent: see taper/fields.hpp.
namespace taper::stable_marriage {

template <FieldsOf<RoundTraffic> Aggregate, class Visitor>
constexpr void fields(Aggregate& traffic, Visitor&& visit) {
  visit(Field{.name = "free", .help = "proposers that are free before the round"}, traffic.free);
  visit(Field{.name = "ranks",
              .help = "before the first round: ranks sent to the processes of their proposers"},
        traffic.ranks);
  visit(Field{.name = "offers", .help = "offers to receivers of another process"}, traffic.offers);
  visit(Field{.name = "news", .help = "receivers whose better offer is sent to all processes"},
        traffic.news);
  visit(Field{.name = "candidates",
              .help = "if one process finishes: free proposers and candidates sent to it"},
        traffic.candidates);
  visit(Field{.name = "bytes", .help = "bytes that processes sent to each other", .unit = "bytes"},
        traffic.bytes);
}

}  // namespace taper::stable_marriage
