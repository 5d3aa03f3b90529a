// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "processes.hpp"

#include <support/config_error.hpp>

#include <taper/distributed/communicator.hpp>

namespace taper::app {

/// Calls work(), which all processes do together, and returns its result.
///
/// Throws: ConfigError, which all processes have. An error of one process alone ends all processes,
/// since the others wait for this one.
template <class Work>
auto in_all(Work const& work) {
  try {
    return work();
  } catch (CollectiveError const& error) {
    throw ConfigError(error.what());
  } catch (ConfigError const&) {
    throw;  // all processes have it
  } catch (...) {
    abort_processes();
  }
}

}  // namespace taper::app
