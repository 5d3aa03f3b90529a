// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run_cases.hpp"
#include "settings.hpp"

#include <taper/machine_profile.hpp>

#include <utility>

namespace taper::app {

/// An experiment, read from its configuration and ready to run. Used by: `taper run`.
class Experiment {
 public:
  virtual ~Experiment() = default;

  virtual Settings& settings() = 0;
  /// Sets the measured costs that scheduling decisions read. They must outlive the experiment.
  /// nullptr: built-in costs.
  virtual void use_machine(MachineProfile const* machine) = 0;
  /// Runs and verifies all cases, writes the result files and prints the table: run_cases().
  /// Requires a started Runtime. Returns the exit status.
  virtual int run(bool resume) = 0;
};

/// The Experiment of a Bench class. `Spec` holds the configuration, checked and with all defaults.
/// The Bench has a static drop_unavailable(Spec&): it drops the engines and instances that this
/// machine or build lacks, or throws ConfigError.
template <class Spec, class BenchOfSpec>
class BenchExperiment final : public Experiment {
 public:
  explicit BenchExperiment(Spec spec) : spec_(std::move(spec)) {}

  Settings& settings() override { return spec_; }

  void use_machine([[maybe_unused]] MachineProfile const* machine) override {
    if constexpr (requires { spec_.engines.front().options.machine; }) {
      for (auto& engine : spec_.engines) {
        engine.options.machine = machine;
      }
    }
  }

  int run(bool resume) override {
    BenchOfSpec::drop_unavailable(spec_);
    BenchOfSpec bench(spec_);
    return run_cases(spec_, bench, resume);
  }

 private:
  Spec spec_;
};

}  // namespace taper::app
