// SPDX-License-Identifier: Apache-2.0
//
// The only place where commands meet the templates of marriage_propagator: each backend is compiled
// here, once.
#include "config_error.hpp"
#include "propagator_problem.hpp"
#include "spaces.hpp"

#include <taper/large_view.hpp>
#include <taper/marriage_propagator/generate.hpp>
#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <taper/marriage_propagator/verify.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace taper::app {

namespace mp = marriage_propagator;
namespace sm = stable_marriage;

namespace {

using Id = std::uint16_t;

/// People a side up to whom brute force is quick.
constexpr std::size_t brute_force_n = 128;

template <class Propagator>
Domains domains_of(Propagator const& propagator, bool failed) {
  Domains domains;
  domains.failed = failed;
  domains.n = propagator.size();
  for (auto const side : {mp::People::men, mp::People::women}) {
    auto& words = domains.words[index_of(side)];
    for (std::uint32_t person = 0; !failed && person < propagator.size(); ++person) {
      auto const row = propagator.row(side, person);
      words.insert(words.end(), row.begin(), row.end());
    }
  }
  return domains;
}

template <class Space>
class SpaceProblem final : public PropagatorProblem {
  using Memory = typename Space::memory_space;
  using Table = sm::Table<Id, Memory>;
  using Propagator = mp::Propagator<Space, Id>;

 public:
  explicit SpaceProblem(sm::Workload const& workload)
      : men_(allocate("taper::app::men", workload.n)),
        women_(allocate("taper::app::women", workload.n)) {
    sm::generate(Space{}, workload, men_, women_);
    lists_.emplace(Propagator::post(Space{}, instance(),
                                    {.schedule = mp::Schedule::serial, .symmetric = true}));
    lists_->propagate();
  }

  PropagatorCall call(mp::Question const& question, mp::Options const& options) const override {
    auto propagator = Propagator::post(Space{}, instance(), options);
    if (question.family == mp::Family::search) {
      return search(propagator);
    }
    mp::ask(question, propagator, *lists_);
    auto const begun = std::chrono::steady_clock::now();
    auto const report = propagator.propagate();
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begun;
    return {domains_of(propagator, report.status == mp::Status::failed),
            taken.count(),
            report.schedule,
            report.situation,
            report.removed,
            report.rounds,
            report.bytes_moved,
            {}};
  }

  std::string fault_of(mp::Question const& question, mp::Options const& options,
                       Domains const& found) const override {
    if (!market_) {
      market_.emplace(instance());
    }
    mp::Rules const rules{options.symmetric, options.engage};
    std::optional<mp::PairSet> pairs;
    if (!found.failed) {
      pairs = mp::pairs_of(*market_, found);
      if (!pairs) {
        return "a man's domain and a woman's contradict each other";
      }
      if (mp::find_violation(*market_, *pairs, rules)) {
        return "a pair is left that the constraint forbids";
      }
    }
    if (question.family == mp::Family::all_free &&
        (found.failed || *pairs != mp::extended_lists(*market_, rules))) {
      return "the domains are not the extended Gale-Shapley lists";
    }
    if (question.family != mp::Family::search && market_->size() <= brute_force_n &&
        pairs != mp::greatest_fixpoint(*market_, asked(question, options), rules)) {
      return "the domains are not the greatest fixpoint";
    }
    auto serial = options;
    serial.schedule = mp::Schedule::serial;
    auto const where = difference(found, call(question, serial).domains);
    return where.empty() ? where : "not as the serial propagator leaves it: " + where;
  }

 private:
  static PropagatorCall search(Propagator& first) {
    auto second = first.exchanged();
    PropagatorCall sum;
    std::uint64_t trace = 0;
    mp::search(first, second, [&](Propagator& propagator) {
      auto const begun = std::chrono::steady_clock::now();
      auto const report = propagator.propagate();
      std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begun;
      sum.calls.push_back({taken.count(), report.schedule, report.situation, report.removed});
      sum.seconds += taken.count();
      sum.ran = std::max(sum.ran, report.schedule);
      sum.situation = report.situation;
      sum.removed += report.removed;
      sum.rounds += report.rounds;
      sum.bytes_moved += report.bytes_moved;
      std::uint64_t const numbers[] = {report.situation.free_people,
                                       report.situation.modified_values,
                                       report.situation.domain_size, report.removed};
      for (auto const number : numbers) {
        trace = scatter_bits(trace ^ number);
      }
    });
    sum.domains = domains_of(first, false);
    sum.domains.trace = trace;
    return sum;
  }

  static Table allocate(std::string const& label, std::size_t n) {
    return allocate_large<Table>(Space{}, label, n, n);
  }

  sm::Instance<sm::ConstTable<Id, Memory>> instance() const { return {men_, women_}; }

  /// The pairs that both sides have when the call begins.
  mp::PairSet asked(mp::Question const& question, mp::Options options) const {
    options.schedule = mp::Schedule::serial;
    auto propagator = Propagator::post(Space{}, instance(), options);
    mp::ask(question, propagator, *lists_);
    std::uint32_t const n = propagator.size();
    mp::PairSet pairs(n, false);
    for (std::uint32_t man = 0; man < n; ++man) {
      for (std::uint32_t value = 0; value < n; ++value) {
        std::uint32_t const woman = propagator.partner(mp::People::men, man, value);
        pairs.set(man, woman,
                  propagator.contains(mp::People::men, man, value) &&
                      propagator.contains(mp::People::women, woman,
                                          propagator.twin_value(mp::People::men, man, value)));
      }
    }
    return pairs;
  }

  Table men_;
  Table women_;
  std::optional<Propagator> lists_;  ///< the GS-lists, for what the exchanged constraint does
  mutable std::optional<mp::HostMarket> market_;  ///< made when first asked
};

}  // namespace

std::string difference(Domains const& found, Domains const& expected) {
  if (found.failed != expected.failed) {
    return found.failed ? "the call failed" : "the call did not fail";
  }
  for (auto const side : {mp::People::men, mp::People::women}) {
    auto const& mine = found.words[index_of(side)];
    auto const& other = expected.words[index_of(side)];
    auto const [here, there] = std::ranges::mismatch(mine, other);
    if (here != mine.end() || there != other.end()) {
      return (side == mp::People::men ? "man " : "woman ") +
             std::to_string((here - mine.begin()) / found.row_words()) + " has other values left";
    }
  }
  return found.trace == expected.trace ? "" : "the search went another way";
}

std::unique_ptr<PropagatorProblem> generate_propagator_problem(std::string_view backend,
                                                               sm::Workload const& workload) {
  std::unique_ptr<PropagatorProblem> problem;
  any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    if (name == backend) {
      problem = std::make_unique<SpaceProblem<Space>>(workload);
    }
    return name == backend;
  });
  if (!problem) {
    throw ConfigError("this build has no backend " + std::string(backend));
  }
  return problem;
}

}  // namespace taper::app
