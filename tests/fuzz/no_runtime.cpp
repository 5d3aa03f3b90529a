// SPDX-License-Identifier: Apache-2.0
//
// The readers' targets have no runtime: result files and profiles that they write do not say where
// they come from, no backend is there, no signal is handled, and each target is one process.
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/interrupt.hpp>
#include <support/runtime.hpp>

namespace taper::app {

std::optional<std::string_view> find_backend(std::string_view) {
  return std::nullopt;
}

std::string_view require_backend(std::string_view) {
  throw ConfigError("this program has no backend");
}

std::vector<std::pair<std::string, std::string>> provenance() {
  return {};
}

std::vector<std::string> kokkos_configuration() {
  return {};
}

void begin_answer(AnswerTo) {}

Processes processes() {
  return {};
}

}  // namespace taper::app
