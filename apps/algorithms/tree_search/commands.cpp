// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include "count.hpp"
#include "experiment.hpp"

#include <driver/cli_fields.hpp>
#include <support/config_error.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <taper/tree_search/fields.hpp>

#include <fmt/format.h>

#include <memory>

namespace taper::app {

namespace ts = tree_search;

namespace {

/// The argument TREE, and the options that change fields of the tree.
struct TreeArguments {
  std::string name;
  FieldArguments<ts::Tree> changes;

  void add_options(CLI::App& command) {
    add_positional(command, "TREE", name,
                   fmt::format("a sample tree of the UTS benchmark: {}; other options change it",
                               fmt::join(sample_tree_names(), ", ")))
        ->check(one_of(sample_tree_names()));
    changes.add_options(command);
  }

  ts::Tree tree() const {
    auto found = ts::find_sample_tree(name)->tree;
    changes.apply_to(found);
    return found;
  }
};

struct CountArguments {
  TreeArguments tree;
  FieldArguments<ts::Options> options;
  std::string backend = "widest";
  int threads = 0;
};

int count(CountArguments const& arguments, Runtime& runtime) {
  auto const backend = require_backend(arguments.backend);
  ts::Options options;
  arguments.options.apply_to(options);
  runtime.start(arguments.threads);
  if (auto const missing = missing_for_schedule(backend, options.schedule, 0); !missing.empty()) {
    throw ConfigError(missing);
  }
  auto const [report, seconds] = count_tree(backend, 0, arguments.tree.tree(), options);
  print_message("search    {} on {}, {} in {}: {:.4g} million nodes per second\n",
                to_string(options.schedule), backend, counted(report.workers, "worker", "workers"),
                format_seconds(seconds), static_cast<double>(report.nodes) / seconds / 1e6);
  fmt::print("{} {} {}\n", report.nodes, report.leaves, report.depth);
  return 0;
}

struct VerifyArguments {
  TreeArguments tree;
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint32_t depth = 0;
};

int verify(VerifyArguments const& arguments, Runtime& runtime) {
  runtime.start(0);
  auto const report = count_tree(require_backend("host"), 0, arguments.tree.tree(),
                                 {.schedule = ts::Schedule::serial})
                          .report;
  bool const right = report.nodes == arguments.nodes && report.leaves == arguments.leaves &&
                     report.depth == arguments.depth;
  fmt::print("{}: a serial search counts {} nodes, {} leaves, depth {}\n",
             right ? "right" : "wrong", report.nodes, report.leaves, report.depth);
  return right ? 0 : 1;
}

}  // namespace

Command add_tree(CLI::App& app, Runtime& runtime) {
  auto* command =
      app.add_subcommand("tree", "count the nodes of an unbalanced tree: nodes, leaves, depth");
  auto arguments = std::make_shared<CountArguments>();
  arguments->tree.add_options(*command);
  arguments->options.add_options(*command);
  add_backend(*command, arguments->backend);
  add_threads(*command, arguments->threads);
  command->footer("Example:\n  taper tree T3 --schedule pool --threads 2");
  return {command, [arguments, &runtime] { return count(*arguments, runtime); }};
}

Command add_verify_tree(CLI::App& verify_group, Runtime& runtime) {
  auto* command = verify_group.add_subcommand(
      "tree", "check the numbers of nodes and leaves and the depth of a tree by a serial search");
  auto arguments = std::make_shared<VerifyArguments>();
  arguments->tree.add_options(*command);
  add_positional(*command, "NODES", arguments->nodes, "nodes of the tree, as `taper tree` prints");
  add_positional(*command, "LEAVES", arguments->leaves,
                 "nodes without children, the second number");
  add_positional(*command, "DEPTH", arguments->depth, "the greatest depth, the third number");
  command->footer("Example:\n  taper verify tree T3 $(taper tree T3)");
  return {command, [arguments, &runtime] { return verify(*arguments, runtime); }};
}

}  // namespace taper::app
