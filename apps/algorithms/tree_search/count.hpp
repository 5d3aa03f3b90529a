// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/tree_search/options.hpp>

#include <string>
#include <string_view>

namespace taper::app {

/// The report of one count of a tree, and its time.
struct TreeRun {
  tree_search::Report report;
  double seconds = 0;
};

/// The reason why `backend` cannot run this schedule on `threads` threads; empty if it can.
/// Requires a started Runtime.
std::string missing_for_schedule(std::string_view backend, tree_search::Schedule schedule,
                                 int threads);

/// Counts a tree on `backend`, one of backend_names(). `threads`: of a host backend; 0: all.
/// count_kokkos.cpp compiles it. Throws: taper::Error.
TreeRun count_tree(std::string_view backend, int threads, tree_search::Tree const& tree,
                   tree_search::Options const& options);

}  // namespace taper::app
