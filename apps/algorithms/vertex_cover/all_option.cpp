// SPDX-License-Identifier: Apache-2.0
#include "all_option.hpp"

#include <driver/cli_options.hpp>
#include <support/message.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taper::app {

void AllArgument::add_option(CLI::App& command, std::string const& solutions) {
  add_checked(command, "--all", limit, integer_in(1, 1'000'000), "N",
              fmt::format("write all {}, one after another; if there are more than N, then N of "
                          "them",
                          solutions));
}

double AllArgument::time_left(double time_limit_s, double used_s) {
  constexpr double least = 0.001;
  return time_limit_s > 0 ? std::max(least, time_limit_s - used_s) : 0;
}

int AllArgument::write(FoundSets const& found, Writer const& writer, Output& output) const {
  auto const count = std::min(found.sets.size(), limit);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint8_t> marks(writer.vertices, 0);
    for (auto const v : found.sets[i]) {
      marks[v] = 1;
    }
    writer.complete(marks);
    if (auto const fault = writer.fault(marks); !fault.empty()) {
      print_message("WRONG     solution {}: {}\n", i + 1, fault);
      return 1;
    }
    if (i > 0) {
      output.stream() << '\n';
    }
    writer.write(output.stream(), marks);
  }
  output.commit();
  auto const listed = io::grouped(count);
  bool const more = found.sets.size() > limit;
  if (found.status == Status::stopped && !more) {
    print_message("listed    {}; a limit ended the search: there may be more\n", listed);
    return 1;
  }
  print_message("listed    {}\n", more ? listed + ", the limit: there are more" : "all: " + listed);
  return 0;
}

void add_heuristic(CLI::App& command, bool& heuristic, std::string const& solution) {
  command
      .add_flag("--heuristic", heuristic,
                fmt::format("for large graphs: reductions and local search alone, up to the time "
                            "limit, or until it finds no better {}; nothing is proved",
                            solution))
      ->excludes("--all");
}

void note_heuristic(bool heuristic, Status status) {
  if (heuristic) {
    print_message("heuristic {}\n",
                  status == Status::solved
                      ? "the reductions leave nothing open: this is proved"
                      : "local search, which proves nothing: a better one may exist");
  }
}

}  // namespace taper::app
