// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/hospitals_residents/distributed/report.hpp>

/// How files spell what processes sent: see taper/fields.hpp.
namespace taper::hospitals_residents {

template <FieldsOf<RoundTraffic> Aggregate, class Visitor>
constexpr void fields(Aggregate& traffic, Visitor&& visit) {
  visit(Field{.name = "asking", .help = "proposals, to agents of any process"}, traffic.asking);
  visit(Field{.name = "offers", .help = "those to agents of another process"}, traffic.offers);
  visit(Field{.name = "rejections", .help = "those that another process was told of"},
        traffic.rejections);
  visit(Field{.name = "limits", .help = "residents propose: hospitals with a new limit"},
        traffic.limits);
  visit(Field{.name = "bytes", .help = "that processes sent to each other", .unit = "bytes"},
        traffic.bytes);
  visit(Field{.name = "entries",
              .help = "hospitals propose: entries that went to the processes of their hospitals"},
        traffic.entries);
}

}  // namespace taper::hospitals_residents
