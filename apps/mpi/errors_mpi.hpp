// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "processes.hpp"

#include <support/config_error.hpp>

#include <taper/distributed/communicator.hpp>

namespace taper::app {

/// Runs what the processes do together. An error that one of them has alone ends all.
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
