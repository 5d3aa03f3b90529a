// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"
#include "call.hpp"
#include "convert.hpp"
#include "search.hpp"

#include <driver/algorithm.hpp>
#include <experiment/experiment.hpp>
#include <experiment/profile.hpp>
#include <support/interrupt.hpp>
#include <support/runtime.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// The process: start and end, what this build has, and experiments.

namespace taper::python {
namespace {

py::dict info() {
  start();
  py::dict about;
  for (auto const& [key, value] : app::provenance()) {
    about[py::str(key)] = value;
  }
  py::list backends;
  for (auto const& backend : app::describe_backends()) {
    backends.append(py::make_tuple(std::string(backend.name), backend.description,
                                   app::free_memory_of(backend.name)));
  }
  about["backends"] = backends;
  return about;
}

/// The algorithm that the key `algorithm` of an experiment names; else the first.
app::Algorithm const& algorithm_of(app::Node const& root) {
  auto const key = root.find("algorithm");
  auto const known = app::names_in(app::algorithms(), &app::Algorithm::name);
  return *app::algorithms()[key ? key->choice(known) : 0];
}

/// Starts Kokkos with this number of threads; 0: any. Throws ConfigError if it runs with another.
void start_with(int threads) {
  if (threads > 0 && !has_started()) {
    start(threads, -1);
  }
  start();
  for (auto const& [key, value] : app::provenance()) {
    if (threads > 0 && key == "host_threads" && value != std::to_string(threads)) {
      throw app::ConfigError("threads: expected " + value +
                             ", with which Kokkos has started in this process, found " +
                             std::to_string(threads));
    }
  }
}

/// The cases that are done, and how many there are.
auto numbers_of_run(app::RunProgress const& progress) {
  return std::tuple(progress.done.load(std::memory_order_relaxed),
                    progress.cases.load(std::memory_order_relaxed));
}

/// Runs an experiment from a text in YAML or JSON. Returns the folder of its results and the exit
/// status of `taper run`.
std::pair<std::string, int> run_experiment(std::string const& text, std::string const& file,
                                           std::vector<std::string> const& settings, bool resume,
                                           py::object const& progress) {
  auto profile = std::make_shared<app::ProfileInUse>(app::find_profile({}));
  auto const root = app::Node::parse(text, file, settings);
  std::shared_ptr<app::Experiment> const experiment = algorithm_of(root).read(root);
  auto& common = experiment->settings();
  start_with(common.threads);
  app::reject_foreign_profile(*profile);
  common.profile = profile->stored ? &*profile->stored : nullptr;
  experiment->use_machine(profile->machine());
  auto const shared = std::make_shared<Shared<app::RunProgress>>();
  common.progress = &shared->progress;
  auto const status =
      call({.steps = 1e18,
            .stop = app::Interrupt::request,
            .tick = ticker(progress, shared, numbers_of_run)},
           [experiment, profile, resume, shared] { return experiment->run(resume); });
  return {common.output.string(), status};
}

}  // namespace

void bind_process(py::module_& module) {
  module.def("init", [](int threads, int device) { start(threads, device); });
  module.def("finish", finish);
  module.def("info", info);
  module.def("run_experiment", run_experiment);
}

}  // namespace taper::python
