// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/hospitals_residents/distributed/report.hpp>

/// The names in result files of what processes sent: see taper/fields.hpp.
namespace taper::hospitals_residents {

template <FieldsOf<RoundTraffic> Aggregate, class Visitor>
constexpr void fields(Aggregate& traffic, Visitor&& visit) {
  visit(Field{.name = "asking", .help = "proposals, to agents of any process"}, traffic.asking);
  visit(Field{.name = "offers", .help = "proposals to agents of another process"}, traffic.offers);
  visit(Field{.name = "rejections", .help = "rejections of proposers of another process"},
        traffic.rejections);
  visit(Field{.name = "limits", .help = "residents propose: hospitals with a new limit"},
        traffic.limits);
  visit(Field{.name = "bytes", .help = "bytes that processes sent to each other", .unit = "bytes"},
        traffic.bytes);
  visit(Field{.name = "entries",
              .help = "hospitals propose: entries that went to the processes of their hospitals"},
        traffic.entries);
}

}  // namespace taper::hospitals_residents
