// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fields.hpp>
#include <taper/hospitals_residents/distributed/report.hpp>

/// How files spell what processes sent: see taper/fields.hpp.
namespace taper::hospitals_residents {

template <FieldsOf<RoundTraffic> Aggregate, class Visitor>
constexpr void fields(Aggregate& traffic, Visitor&& visit) {
  visit(Field{.name = "asking", .help = "residents that asked, here or elsewhere"}, traffic.asking);
  visit(Field{.name = "offers", .help = "those that asked a hospital of another process"},
        traffic.offers);
  visit(Field{.name = "rejections",
              .help = "residents of other processes that lost a seat or got none"},
        traffic.rejections);
  visit(Field{.name = "limits", .help = "hospitals with a new limit"}, traffic.limits);
  visit(Field{.name = "bytes", .help = "that processes sent to each other", .unit = "bytes"},
        traffic.bytes);
}

}  // namespace taper::hospitals_residents
