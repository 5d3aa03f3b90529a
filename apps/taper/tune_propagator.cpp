// SPDX-License-Identifier: Apache-2.0
//
// Calls of the stable marriage propagator, serial and parallel, by what they find.
#include "sampler.hpp"
#include "spaces.hpp"

#include <taper/large_view.hpp>
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

/// Propagators of one market, one for each schedule, that have had their first call.
template <class Space>
class Calls {
  using Memory = typename Space::memory_space;
  using Propagator = mp::Propagator<Space, Id>;

 public:
  Calls(std::uint32_t n, PropagatorThresholds const& thresholds)
      : thresholds_(thresholds), men_(allocate("taper::app::men", n)),
        women_(allocate("taper::app::women", n)) {
    sm::generate(Space{}, sm::Workload{.family = sm::Family::uniform, .n = n}, men_, women_);
    propagators_.reserve(schedules.size());
    for (auto const schedule : schedules) {
      propagators_.push_back(post(schedule));
      propagators_.back().propagate();
    }
  }

  /// Seconds of a first call, after `ask` has removed values.
  template <class Ask>
  double first(mp::Schedule schedule, Ask const& ask) const {
    auto fresh = post(schedule);
    ask(fresh);
    return seconds_of([&] { fresh.propagate(); });
  }
  /// Seconds of a later call, after `ask` has removed values.
  template <class Ask>
  double later(mp::Schedule schedule, Ask const& ask) {
    auto& propagator = propagators_[static_cast<std::size_t>(schedule)];
    propagator.save();
    ask(propagator);
    double const taken = seconds_of([&] { found_ = propagator.propagate().situation; });
    propagator.restore();
    return taken;
  }
  /// How the last such call found things.
  mp::Situation const& found() const { return found_; }

 private:
  /// In the order of the enumeration.
  static constexpr std::array schedules{mp::Schedule::serial, mp::Schedule::parallel,
                                        mp::Schedule::hybrid};

  static sm::Table<Id, Memory> allocate(std::string const& label, std::uint32_t n) {
    return allocate_large<sm::Table<Id, Memory>>(Space{}, label, n, n);
  }

  Propagator post(mp::Schedule schedule) const {
    sm::Instance<sm::ConstTable<Id, Memory>> const instance{men_, women_};
    return Propagator::post(Space{}, instance,
                            {.schedule = schedule, .thresholds = thresholds_, .levels = 4});
  }

  PropagatorThresholds thresholds_;
  sm::Table<Id, Memory> men_;
  sm::Table<Id, Memory> women_;
  std::vector<Propagator> propagators_;
  mp::Situation found_;
};

/// First calls, everybody free, by size.
template <class Space>
std::uint64_t domain_size(Sampler& sampler, std::string const& name, std::uint32_t largest) {
  Choice choice{name + ".propagator.domain_size", "serial", "parallel", {}};
  auto const nothing = [](auto&) {};
  for (std::uint32_t n = 256; n <= largest; n *= 2) {
    Calls<Space> const calls(n, {});
    choice.crossings.push_back(sampler.compare(
        std::uint64_t{n} * n, [&] { return calls.first(serial, nothing); },
        [&] { return calls.first(parallel, nothing); }));
  }
  return sampler.choose(std::move(choice));
}

/// Later calls, by the number of free people, and by the number of values that are gone.
template <class Space>
void sweep_changes(Sampler& sampler, std::string const& name, std::uint32_t n,
                   PropagatorThresholds& thresholds) {
  Calls<Space> calls(n, {});
  std::uint64_t seed = 0;
  auto const compare_after = [&](std::uint64_t size, auto const& ask) {
    return sampler.compare(
        size, [&] { return calls.later(serial, [&](auto& one) { ask(one, ++seed); }); },
        [&] { return calls.later(parallel, [&](auto& one) { ask(one, seed); }); });
  };
  Choice by_free{name + ".propagator.free_people", "serial", "parallel", {}};
  for (std::uint32_t men = 8; men <= n; men *= 4) {
    by_free.crossings.push_back(compare_after(
        men, [men](auto& one, std::uint64_t draw) { mp::remove_minima(one, men, draw); }));
  }
  thresholds.free_people = sampler.choose(std::move(by_free));

  Choice by_values{name + ".propagator.modified_values", "serial", "parallel", {}};
  for (std::uint32_t one_in = 256; one_in >= 4; one_in /= 4) {
    auto crossing = compare_after(
        0, [one_in](auto& one, std::uint64_t draw) { mp::remove_at_random(one, one_in, draw); });
    crossing.size = calls.found().modified_values;
    by_values.crossings.push_back(crossing);
  }
  thresholds.modified_values = sampler.choose(std::move(by_values));
}

/// The four classes of calls, each by all three schedules.
template <class Space>
void check(Sampler& sampler, std::string const& name, std::uint32_t n,
           PropagatorThresholds const& thresholds) {
  Calls<Space> calls(n, thresholds);
  std::uint64_t seed = 0;
  auto const put_down = [&](mp::Family family, auto const& seconds) {
    auto const by = sampler.by_turns({[&] { return seconds(serial, ++seed); },
                                      [&] { return seconds(parallel, seed); },
                                      [&] { return seconds(mp::Schedule::hybrid, seed); }});
    sampler.tuning.checks.push_back(
        {name + ".propagator " + std::string(to_string(family)), by[0], by[1], by[2]});
  };
  put_down(mp::Family::all_free, [&](mp::Schedule schedule, std::uint64_t) {
    return calls.first(schedule, [](auto&) {});
  });
  put_down(mp::Family::missing, [&](mp::Schedule schedule, std::uint64_t draw) {
    return calls.first(schedule, [&](auto& one) { mp::remove_at_random(one, 1024, draw); });
  });
  put_down(mp::Family::two_free, [&](mp::Schedule schedule, std::uint64_t draw) {
    return calls.later(schedule, [&](auto& one) { mp::remove_minima(one, 2, draw); });
  });
  put_down(mp::Family::none_free, [&](mp::Schedule schedule, std::uint64_t draw) {
    return calls.later(schedule, [&](auto& one) { mp::remove_between(one, 2, draw); });
  });
}

template <class Space>
void measure_propagator(Sampler& sampler, std::string const& name,
                        PropagatorThresholds& thresholds) {
  sampler.begin(name + ": the propagator");
  std::uint32_t const n = sampler.quick() ? 1024 : 2048;
  thresholds = {};
  auto const from = domain_size<Space>(sampler, name, n);
  if (from != PropagatorThresholds::never) {  // else the other two say it already
    thresholds.domain_size = from;
    sweep_changes<Space>(sampler, name, n, thresholds);
  }
  check<Space>(sampler, name, n, thresholds);
}

}  // namespace

void measure_host_propagator(Sampler& sampler) {
  measure_propagator<Kokkos::DefaultHostExecutionSpace>(sampler, "host",
                                                        sampler.tuning.machine.host.propagator);
}

void measure_device_propagator([[maybe_unused]] Sampler& sampler) {
  if constexpr (has_device) {
    measure_propagator<Kokkos::DefaultExecutionSpace>(sampler, "device",
                                                      sampler.tuning.machine.device.propagator);
  }
}

}  // namespace taper::app
