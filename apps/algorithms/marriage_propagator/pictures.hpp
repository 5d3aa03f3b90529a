// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <experiment/case_results.hpp>
#include <experiment/picture.hpp>

namespace taper::app {

/// The distribution of each engine's times over all instances, as in the paper's Figure 2: a panel
/// per class. A box shows the quartiles and the median, its whiskers the extremes. Throws
/// ConfigError if there is no case.
Picture classes_picture(Stored<PropagatorCase> const& results);

/// The x axis of a picture of times.
enum class XAxis {
  instances,     ///< Figure 3 of the paper: the time of each instance, a panel per class
  modified,      ///< Figure 4: the number of modified people, in calls without free people
  total_domain,  ///< Figure 5: values of both sides after the previous call; not if all are free
};

/// A line per engine. With the last two axes, a point is the median over all instances, and its bar
/// goes from the fastest to the slowest. Throws ConfigError if the results have no such class.
Picture propagator_lines_picture(Stored<PropagatorCase> const& results, XAxis x_axis);

}  // namespace taper::app
