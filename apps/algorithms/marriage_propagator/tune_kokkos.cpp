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

/// The lists of the experiments in configs/marriage_propagator.
constexpr sm::Workload groups_of_two(std::uint32_t n) {
  return {.family = sm::Family::random, .n = n, .group_size = 2};
}

/// Propagators of one market, one per schedule, after their first call.
template <class Space>
class Calls {
  using Memory = typename Space::memory_space;
  using Propagator = mp::Propagator<Space, Id>;

 public:
  Calls(sm::Workload const& workload, PropagatorThresholds const& thresholds)
      : thresholds_(thresholds), men_(allocate("taper::app::men", workload.n)),
        women_(allocate("taper::app::women", workload.n)) {
    sm::generate(Space{}, workload, men_, women_);
    propagators_.reserve(schedules.size());
    for (auto const schedule : schedules) {
      propagators_.push_back(post(schedule));
      propagators_.back().propagate();
    }
  }

  /// Seconds of a first call after prepare(propagator), which may remove values.
  template <class Prepare>
  double first(mp::Schedule schedule, Prepare const& prepare) const {
    auto fresh = post(schedule);
    prepare(fresh);
    return seconds_of([&] { fresh.propagate(); });
  }
  /// Seconds of a later call after prepare(propagator), which removes values. Then restores the
  /// propagator.
  template <class Prepare>
  double later(mp::Schedule schedule, Prepare const& prepare) {
    auto& propagator = propagators_[static_cast<std::size_t>(schedule)];
    propagator.save();
    prepare(propagator);
    double const seconds = seconds_of([&] { situation_ = propagator.propagate().situation; });
    propagator.restore();
    return seconds;
  }
  /// A propagator with the GS-lists: a second constraint with the roles exchanged would leave them.
  Propagator two_sided_lists() const {
    sm::Instance<sm::ConstTable<Id, Memory>> const instance{men_, women_};
    auto lists = Propagator::post(Space{}, instance, {.schedule = serial, .symmetric = true});
    lists.propagate();
    return lists;
  }
  /// The situation of the last later() call.
  mp::Situation const& situation() const { return situation_; }

 private:
  /// In the order of the enumerators.
  static constexpr std::array schedules{mp::Schedule::serial, mp::Schedule::parallel,
                                        mp::Schedule::hybrid};

  static sm::Table<Id, Memory> allocate(std::string const& label, std::size_t n) {
    return allocate_large<sm::Table<Id, Memory>>(Space{}, label, n, n);
  }

  Propagator post(mp::Schedule schedule) const {
    sm::Instance<sm::ConstTable<Id, Memory>> const instance{men_, women_};
    return Propagator::post(Space{}, instance,
                            {.schedule = schedule, .thresholds = thresholds_, .max_levels = 4});
  }

  PropagatorThresholds thresholds_;
  sm::Table<Id, Memory> men_;
  sm::Table<Id, Memory> women_;
  std::vector<Propagator> propagators_;
  mp::Situation situation_;
};

/// Measures first calls, in which all people are free, for different numbers of people per side.
template <class Space>
std::uint64_t free_people(Sampler& sampler, std::string const& name, std::uint32_t largest) {
  Choice choice{name + ".propagator.free_people", "serial", "parallel", {}};
  auto const nothing = [](auto&) {};
  for (std::uint32_t n = 256; n <= largest; n *= 2) {
    Calls<Space> const calls({.family = sm::Family::uniform, .n = n}, {});
    choice.crossings.push_back(sampler.compare(
        n, [&] { return calls.first(serial, nothing); },
        [&] { return calls.first(parallel, nothing); }));
  }
  return sampler.choose(std::move(choice));
}

/// Measures later calls without free people, by the propagator's estimate of the values to remove.
template <class Space>
std::uint64_t modified_values(Sampler& sampler, std::string const& name, std::uint32_t n) {
  Calls<Space> calls(groups_of_two(n), {});
  auto const lists = calls.two_sided_lists();
  Choice choice{name + ".propagator.modified_values", "serial", "parallel", {}};
  std::uint64_t seed = 0;
  for (std::uint32_t people = 2; people <= 2 * n; people *= 2) {
    auto const seconds = [&](mp::Schedule schedule, std::uint64_t draw) {
      return calls.later(schedule, [&](auto& one) { mp::keep_lists(one, lists, 0, people, draw); });
    };
    auto crossing = sampler.compare(
        0, [&] { return seconds(serial, ++seed); }, [&] { return seconds(parallel, seed); });
    crossing.size = mp::estimate(calls.situation()).values;
    choice.crossings.push_back(crossing);
  }
  return sampler.choose(std::move(choice));
}

/// Times each class of calls by all three schedules.
template <class Space>
void check(Sampler& sampler, std::string const& name, std::uint32_t n,
           PropagatorThresholds const& thresholds) {
  std::uint64_t seed = 0;
  for (auto const& workload :
       {sm::Workload{.family = sm::Family::uniform, .n = n}, groups_of_two(n)}) {
    Calls<Space> calls(workload, thresholds);
    auto const lists = calls.two_sided_lists();
    auto const record_check = [&](std::string const& what, auto const& seconds) {
      auto const by = sampler.interleaved_minimum(
          {[&] { return seconds(serial, ++seed); }, [&] { return seconds(parallel, seed); },
           [&] { return seconds(mp::Schedule::hybrid, seed); }});
      sampler.tuning.checks.push_back(
          {name + ".propagator " + what + ", " +
               (workload.family == sm::Family::uniform ? "uniform lists" : "groups of two"),
           by[0], by[1], by[2]});
    };
    record_check("all_free", [&](mp::Schedule schedule, std::uint64_t) {
      return calls.first(schedule, [](auto&) {});
    });
    record_check("missing", [&](mp::Schedule schedule, std::uint64_t draw) {
      return calls.first(schedule, [&](auto& one) { mp::remove_at_random(one, 1024, draw); });
    });
    record_check("two_free", [&](mp::Schedule schedule, std::uint64_t draw) {
      return calls.later(schedule, [&](auto& one) { mp::remove_minima(one, 2, draw); });
    });
    for (std::uint32_t const people : {2u, n / 8, n}) {
      record_check("none_free, " + std::to_string(people) + " narrowed",
                   [&](mp::Schedule schedule, std::uint64_t draw) {
                     return calls.later(
                         schedule, [&](auto& one) { mp::keep_lists(one, lists, 0, people, draw); });
                   });
    }
  }
}

template <class Space>
void measure_propagator(Sampler& sampler, std::string const& name,
                        PropagatorThresholds& thresholds) {
  sampler.begin(name + ": the propagator");
  std::uint32_t const n = sampler.quick() ? 1024 : 2048;
  // The threshold of the domain size is not measured: the estimate for free people contains the
  // size.
  thresholds = {.free_people = free_people<Space>(sampler, name, n),
                .modified_values = modified_values<Space>(sampler, name, n)};
  check<Space>(sampler, name, n, thresholds);
}

}  // namespace

void tune_propagator(Sampler& sampler) {
  auto& machine = sampler.tuning.machine;
  measure_propagator<Kokkos::DefaultHostExecutionSpace>(sampler, "host", machine.host.propagator);
  if constexpr (has_device) {
    measure_propagator<Kokkos::DefaultExecutionSpace>(sampler, "device", machine.device.propagator);
  }
}

std::size_t propagator_tune_steps() {
  return has_device ? 2 : 1;
}

}  // namespace taper::app
