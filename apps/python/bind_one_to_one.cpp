// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"
#include "call.hpp"
#include "convert.hpp"

#include <algorithms/rotations/solve.hpp>

#include <taper/roommates/fields.hpp>
#include <taper/roommates/verify.hpp>
#include <taper/rotations/fields.hpp>
#include <taper/rotations/optimum.hpp>

#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

// All stable matchings of a one-to-one market, and stable roommates. Both need no Kokkos.

namespace taper::python {
namespace {

namespace rot = rotations;

using Offsets = Array<std::int64_t>;
using Ids = Array<std::int32_t>;

constexpr double steps_per_entry = 100;

/// The rotations of a market, and a walk through its stable matchings.
class Walk {
 public:
  explicit Walk(rot::RotationPoset poset) : poset_(std::move(poset)), matchings_(poset_) {}
  Walk(Walk const&) = delete;
  Walk& operator=(Walk const&) = delete;

  /// The partners of the first side in the next matching; None after the last.
  py::object next() {
    auto const partner_of = matchings_.next();
    return partner_of
               ? py::object(Ids(static_cast<py::ssize_t>(partner_of->size()), partner_of->data()))
               : py::none();
  }
  py::dict report() const { return to_python(rot::report_of(poset_)); }
  rot::RotationPoset const& poset() const { return poset_; }

 private:
  rot::RotationPoset poset_;
  rot::StableMatchings matchings_;
};

std::shared_ptr<Walk> walk(Offsets const& first_offsets, Ids const& first,
                           Offsets const& second_offsets, Ids const& second) {
  rot::Market const market{{span_of(first_offsets), span_of(first)},
                           {span_of(second_offsets), span_of(second)}};
  auto const steps = steps_per_entry * static_cast<double>(first.size());
  return call({.uses_kokkos = false, .steps = steps},
              [market, kept = keep(first_offsets, first, second_offsets, second)] {
                return std::make_shared<Walk>(app::solve_rotations(market));
              });
}

/// Returns the number, and whether it is exact.
py::tuple count(std::shared_ptr<Walk> const& walk, std::uint64_t limit) {
  auto const found =
      call_until_stopped({.uses_kokkos = false, .steps = 1e18}, [=](std::atomic<bool> const& stop) {
        return app::solve_count(walk->poset(), limit, &stop);
      });
  return py::make_tuple(found.matchings, found.exact);
}

/// Returns the partners of the first side, and the report: its costs, and whether it is proved.
py::tuple best(std::shared_ptr<Walk> const& walk, py::dict const& given) {
  rot::Options options;
  read_options(given, options);
  auto const optimum =
      call_until_stopped({.uses_kokkos = false, .steps = 1e18}, [=](std::atomic<bool> const& stop) {
        return app::solve_optimum(walk->poset(), with_stop(options, stop));
      });
  auto const costs = rot::costs_of(walk->poset(), optimum.partner_of_man);
  py::dict report = to_python(costs);
  report["proved"] = optimum.proved;
  return py::make_tuple(to_array(optimum.partner_of_man), report);
}

/// Returns the partners, or None if no matching is stable; the successors of the stable partition;
/// the report.
py::tuple solve_roommates(Offsets const& offsets, Ids const& ids) {
  preferences::Lists const lists{span_of(offsets), span_of(ids)};
  auto const steps = steps_per_entry * static_cast<double>(ids.size());
  auto const result =
      call_until_stopped({.uses_kokkos = false, .steps = steps},
                         [lists, kept = keep(offsets, ids)](std::atomic<bool> const& stop) {
                           return app::solve_roommates(lists, &stop);
                         });
  return py::make_tuple(result.solvable ? py::object(to_array(result.partner)) : py::none(),
                        to_array(result.successor), to_python(result.report));
}

}  // namespace

void bind_one_to_one(py::module_& module) {
  using py::arg;
  py::class_<Walk, std::shared_ptr<Walk>>(module, "Walk")
      .def("next", &Walk::next)
      .def("report", &Walk::report);
  module.def("walk", walk, arg("first_offsets").noconvert(), arg("first").noconvert(),
             arg("second_offsets").noconvert(), arg("second").noconvert());
  module.def("count", count);
  module.def("best", best);
  module.def("roommates", solve_roommates, arg("offsets").noconvert(), arg("ids").noconvert());
}

}  // namespace taper::python
