// SPDX-License-Identifier: Apache-2.0
#include "process_work.hpp"

#include <support/text.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

namespace taper::app {

std::string lines_of_work(std::span<vertex_cover::ProcessWork const> processes) {
  if (processes.empty()) {
    return {};
  }
  vertex_cover::ProcessWork sum;
  std::string nodes;
  for (auto const& work : processes) {
    nodes += (nodes.empty() ? "" : ", ") + io::grouped(work.nodes);
    sum.subproblems += work.subproblems;
    sum.messages += work.messages;
    sum.bytes += work.bytes;
  }
  return fmt::format("\nnodes     {} in the processes\ntraffic   {}, {} in all, {}", nodes,
                     counted(sum.subproblems, "subproblem", "subproblems"),
                     counted(sum.messages, "message", "messages"), io::human_bytes(sum.bytes));
}

}  // namespace taper::app
