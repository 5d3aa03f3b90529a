// SPDX-License-Identifier: Apache-2.0
#include "count.hpp"

#include <support/seconds_of.hpp>
#include <support/spaces.hpp>

#include <taper/tree_search/tree_search.hpp>

#include <string>
#include <type_traits>

namespace taper::app {

namespace ts = tree_search;

std::string missing_for_schedule(std::string_view backend, ts::Schedule schedule, int threads) {
  std::string missing;
  any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    if (name != backend) {
      return false;
    }
    auto const word = std::string(to_string(schedule));
    bool const forks = schedule == ts::Schedule::serial || schedule == ts::Schedule::tasks ||
                       schedule == ts::Schedule::pool;
    if (forks && !is_host_space<Space>) {
      missing =
          "schedule '" + word + "' needs a host backend; " + std::string(name) + " is a device";
    } else if (schedule == ts::Schedule::tasks && name != "openmp") {
      missing = "schedule 'tasks' needs the OpenMP backend; this is " + std::string(name);
    } else if (!can_have_threads<Space>(threads)) {
      missing = "backend " + std::string(name) + " cannot run on " + std::to_string(threads) +
                " threads here";
    }
    return true;
  });
  return missing;
}

TreeRun count_tree(std::string_view backend, int threads, ts::Tree const& tree,
                   ts::Options const& options) {
  TreeRun run;
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    auto const where = with_threads<Space>(threads);
    run.seconds = seconds_of([&] { run.report = ts::count(where, tree, options); });
  });
  return run;
}

}  // namespace taper::app
