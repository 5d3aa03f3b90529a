// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_results.hpp"
#include "picture.hpp"
#include "propagator_results.hpp"

namespace taper::app {

/// The distribution of an engine's times over all instances, as in the paper's Figure 2: boxes from
/// the lower to the upper quartile with the median in them and whiskers to the extremes, a panel
/// for each class.
Picture classes_picture(Stored<PropagatorCase> const& results);

/// What times are drawn against.
enum class Along {
  instances,     ///< as in the paper's Figure 3: each instance's own time, a panel for each class
  modified,      ///< Figure 4: people modified when nobody is free
  total_domain,  ///< Figure 5: values of both sides after the call before, where not all are free
};

/// A line for each engine; of the last two, medians over all instances, and bars from the fastest to
/// the slowest. Throws ConfigError where the results have no such class.
Picture propagator_lines_picture(Stored<PropagatorCase> const& results, Along along);

}  // namespace taper::app
