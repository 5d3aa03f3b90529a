// SPDX-License-Identifier: Apache-2.0
//
// For any bytes the readers of agents' lists return lists without a fault, with a name per agent, or
// throw an error of one line. The size of an input chooses between two sides and roommates.
#include "fuzz.hpp"

#include <io/agents/agent_lists.hpp>
#include <taper/roommates/verify.hpp>
#include <taper/rotations/market.hpp>

#include <string_view>

namespace {

using namespace taper::io;
using taper::fuzz::check_error;
using taper::fuzz::file_name;
using taper::fuzz::require;

void check_names(AgentLists const& agents) {
  require(agents.names.size() + 1 == agents.offsets.size(), "each agent has a name and a list");
}

void check_agents(std::string_view text) {
  if (text.size() % 2 == 0) {
    auto const [first, second] = parse_two_sides(file_name, text);
    check_names(first);
    check_names(second);
    taper::rotations::Market const market{first.view(), second.view()};
    require(!taper::rotations::find_fault(market), "a market has no fault");
  } else {
    auto const agents = parse_roommates(file_name, text);
    check_names(agents);
    require(!taper::roommates::find_fault(agents.view()), "roommates have no fault");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    check_agents(taper::fuzz::text_of(data, size));
  } catch (InputError const& error) {
    check_error(error);
  }
  return 0;
}
