// SPDX-License-Identifier: Apache-2.0
//
// Times calls of the stable marriage propagator, serial and parallel, in different situations.
#include "tune.hpp"

#include <support/spaces.hpp>

#include <taper/huge_pages.hpp>
#include <taper/marriage_propagator/generate.hpp>
#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taper::app {

namespace sm = stable_marriage;
namespace mp = marriage_propagator;

namespace {

using Id = std::uint16_t;
constexpr auto serial = mp::Schedule::serial;
constexpr auto parallel = mp::Schedule::parallel;

/// The two kinds of lists that hybrid tells apart, as in the experiments of
/// configs/marriage_propagator.
struct Kind {
  char const* name;
  bool similar_lists;
  sm::Workload workload;

  sm::Workload of_size(std::uint32_t n) const {
    auto sized = workload;
    sized.n = n;
    return sized;
  }
};
constexpr std::array kinds{
    Kind{"uniform lists", false, {.family = sm::Family::uniform}},
    Kind{"groups of two", true, {.family = sm::Family::random, .group_size = 2}}};

/// The sizes with thresholds of their own, and the sizes between them at which hybrid is checked.
std::vector<std::uint32_t> tuned_sizes(bool quick) {
  return quick ? std::vector<std::uint32_t>{512, 1024, 2048}
               : std::vector<std::uint32_t>{512, 1024, 2048, 4096};
}
std::vector<std::uint32_t> checked_sizes(bool quick) {
  return quick ? std::vector<std::uint32_t>{700, 1500}
               : std::vector<std::uint32_t>{500, 700, 1500, 3000};
}

/// Propagators of one market, one per schedule.
template <class Space>
class Calls {
  using Memory = typename Space::memory_space;
  using Propagator = mp::Propagator<Space, Id>;

 public:
  Calls(sm::Workload const& workload, MachineProfile const* machine)
      : machine_(machine), men_(allocate("taper::app::men", workload.n)),
        women_(allocate("taper::app::women", workload.n)) {
    sm::generate(Space{}, workload, men_, women_);
  }

  /// Seconds of a first call after prepare(propagator), which may remove values.
  template <class Prepare>
  double first(mp::Schedule schedule, Prepare const& prepare) {
    auto fresh = post({.schedule = schedule, .machine = machine_, .max_levels = 4});
    prepare(fresh);
    return seconds_of([&] { report_ = fresh.propagate(); });
  }
  /// Seconds of a later call after prepare(propagator), which removes values. Then restores the
  /// propagator.
  template <class Prepare>
  double later(mp::Schedule schedule, Prepare const& prepare) {
    auto& propagator = after_first_call(schedule);
    propagator.save();
    prepare(propagator);
    double const seconds = seconds_of([&] { report_ = propagator.propagate(); });
    propagator.restore();
    return seconds;
  }
  /// A propagator with the GS-lists: a second constraint with the roles exchanged would leave them.
  Propagator two_sided_lists() const {
    auto lists = post({.schedule = serial, .symmetric = true});
    lists.propagate();
    return lists;
  }
  /// The report of the last call.
  mp::Report const& report() const { return report_; }

 private:
  static sm::Table<Id, Memory> allocate(std::string const& label, std::size_t n) {
    return allocate_large<sm::Table<Id, Memory>>(Space{}, label, n, n);
  }

  Propagator post(mp::Options const& options) const {
    sm::Instance<sm::ConstTable<Id, Memory>> const instance{men_, women_};
    return Propagator::post(Space{}, instance, options);
  }

  Propagator& after_first_call(mp::Schedule schedule) {
    auto& propagator = propagators_[static_cast<std::size_t>(schedule)];
    if (!propagator) {
      propagator.emplace(post({.schedule = schedule, .machine = machine_, .max_levels = 4}));
      propagator->propagate();
    }
    return *propagator;
  }

  MachineProfile const* machine_;
  sm::Table<Id, Memory> men_;
  sm::Table<Id, Memory> women_;
  std::array<std::optional<Propagator>, 3> propagators_;  ///< in the order of the enumerators
  mp::Report report_;
};

/// Measures first calls, in which all people are free, for different numbers of people per side.
template <class Space>
std::uint64_t free_people(Sampler& sampler, std::string const& name, Kind const& kind) {
  Choice choice{name + ".propagator.free_people, " + kind.name, "serial", "parallel", {}};
  auto const nothing = [](auto&) {};
  for (std::uint32_t n = 256; n <= tuned_sizes(sampler.quick()).back(); n *= 2) {
    Calls<Space> calls(kind.of_size(n), nullptr);
    choice.crossings.push_back(sampler.compare(
        n, [&] { return calls.first(serial, nothing); },
        [&] { return calls.first(parallel, nothing); }));
  }
  return sampler.choose(std::move(choice)).from;
}

/// Measures later calls without free people, by the propagator's estimate of the values to remove.
template <class Space>
Window modified_values(Sampler& sampler, std::string const& name, Kind const& kind,
                       std::uint32_t n) {
  Calls<Space> calls(kind.of_size(n), nullptr);
  auto const lists = calls.two_sided_lists();
  Choice choice{name + ".propagator.modified_values, " + kind.name + ", n = " + std::to_string(n),
                "serial",
                "parallel",
                {},
                true};
  std::uint64_t seed = 0;
  for (std::uint32_t people = 8; people <= 2 * n; people *= people < n / 4 ? 4 : 2) {
    auto const seconds = [&](mp::Schedule schedule, std::uint64_t draw) {
      return calls.later(schedule, [&](auto& one) { mp::keep_lists(one, lists, 0, people, draw); });
    };
    auto crossing = sampler.compare(
        0, [&] { return seconds(serial, ++seed); }, [&] { return seconds(parallel, seed); });
    crossing.size = mp::estimate(calls.report().situation).values;
    choice.crossings.push_back(crossing);
  }
  return sampler.choose(std::move(choice));
}

/// Checks what hybrid chooses with the measured thresholds, in each class of calls.
template <class Space>
void check(Sampler& sampler, std::string const& name, Kind const& kind, std::uint32_t n) {
  Calls<Space> calls(kind.of_size(n), &sampler.tuning.machine);
  auto const lists = calls.two_sided_lists();
  std::uint64_t seed = 0;
  auto const check_class = [&](std::string const& what, auto const& seconds) {
    sampler.check_name(name + ".propagator", what + ", " + kind.name + ", n = " + std::to_string(n),
                       [&] {
                         seconds(mp::Schedule::hybrid, seed);
                         return std::string(to_string(calls.report().schedule));
                       },
                       {{"serial", [&] { return seconds(serial, ++seed); }},
                        {"parallel", [&] { return seconds(parallel, seed); }}});
  };
  check_class("all_free", [&](mp::Schedule schedule, std::uint64_t) {
    return calls.first(schedule, [](auto&) {});
  });
  check_class("missing", [&](mp::Schedule schedule, std::uint64_t draw) {
    return calls.first(schedule, [&](auto& one) { mp::remove_at_random(one, 1024, draw); });
  });
  check_class("two_free", [&](mp::Schedule schedule, std::uint64_t draw) {
    return calls.later(schedule, [&](auto& one) { mp::remove_minima(one, 2, draw); });
  });
  for (std::uint32_t const people : {2u, n / 8, n}) {
    check_class("none_free, " + std::to_string(people) + " narrowed", [&](mp::Schedule schedule,
                                                                          std::uint64_t draw) {
      return calls.later(schedule, [&](auto& one) { mp::keep_lists(one, lists, 0, people, draw); });
    });
  }
}

template <class Space>
void measure_propagator(Sampler& sampler, std::string const& name, ExecutionCosts& costs) {
  for (Kind const& kind : kinds) {
    sampler.begin(name + ": the propagator, " + kind.name);
    auto const free = free_people<Space>(sampler, name, kind);
    for (auto const n : tuned_sizes(sampler.quick())) {
      auto const [from, end] = modified_values<Space>(sampler, name, kind, n);
      // The threshold of the domain size is not measured: the estimate for free people contains
      // the size.
      costs.propagator.push_back(
          {kind.similar_lists,
           n,
           {.free_people = free, .modified_values = from, .modified_values_end = end}});
    }
    sampler.begin(name + ": checks of the propagator, " + kind.name);
    for (auto const n : checked_sizes(sampler.quick())) {
      check<Space>(sampler, name, kind, n);
    }
  }
}

}  // namespace

void tune_propagator(Sampler& sampler) {
  auto& machine = sampler.tuning.machine;
  measure_propagator<Kokkos::DefaultHostExecutionSpace>(sampler, "host", machine.host);
  if constexpr (has_device) {
    measure_propagator<Kokkos::DefaultExecutionSpace>(sampler, "device", machine.device);
  }
}

std::size_t propagator_tune_steps() {
  return 2 * kinds.size() * (has_device ? 2 : 1);
}

}  // namespace taper::app
