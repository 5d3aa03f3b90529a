// SPDX-License-Identifier: Apache-2.0
//
// Compiles the templates of marriage_propagator, once per backend.
#include "problem.hpp"

#include <support/seconds_of.hpp>
#include <support/spaces.hpp>

#include <taper/huge_pages.hpp>
#include <taper/marriage_propagator/generate.hpp>
#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <taper/marriage_propagator/verify.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace taper::app {

namespace mp = marriage_propagator;
namespace sm = stable_marriage;

namespace {

using Id = std::uint16_t;

/// The largest number of people per side for which brute force is quick.
constexpr std::size_t max_brute_force_n = 128;

template <class Propagator>
Domains domains_of(Propagator const& propagator, bool failed) {
  Domains domains;
  domains.failed = failed;
  domains.n = propagator.size();
  for (auto const side : {mp::Side::men, mp::Side::women}) {
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

  PropagatorCall call(mp::CallSpec const& spec, mp::Options const& options) const override {
    auto propagator = Propagator::post(Space{}, instance(), options);
    if (spec.family == mp::Family::search) {
      return search(propagator);
    }
    mp::prepare_call(spec, propagator, *lists_);
    mp::Report report;
    double const seconds = seconds_of([&] { report = propagator.propagate(); });
    return {domains_of(propagator, report.status == mp::Status::failed),
            seconds,
            report.schedule,
            report.situation,
            report.removed,
            report.rounds,
            report.bytes_moved,
            {}};
  }

  std::string fault_of(mp::CallSpec const& spec, mp::Options const& options,
                       Domains const& found) const override {
    if (!market_) {
      market_.emplace(instance());
    }
    mp::Rules const rules{options.symmetric, options.bind_partner};
    std::optional<mp::PairSet> pairs;
    if (!found.failed) {
      pairs = mp::pairs_of(*market_, found);
      if (!pairs) {
        return "the domains of a man and a woman contradict each other";
      }
      if (mp::find_violation(*market_, *pairs, rules)) {
        return "a pair is left that the constraint forbids";
      }
    }
    if (spec.family == mp::Family::all_free &&
        (found.failed || *pairs != mp::extended_lists(*market_, rules))) {
      return "the domains are not the extended Gale-Shapley lists";
    }
    if (spec.family != mp::Family::search && market_->size() <= max_brute_force_n &&
        pairs != mp::greatest_fixpoint(*market_, initial_pairs(spec, options), rules)) {
      return "the domains are not the greatest fixpoint";
    }
    auto const serial = taper_serial(options);
    auto const where = difference(found, call(spec, serial).domains);
    return where.empty() ? where : "differs from the serial propagator: " + where;
  }

 private:
  static PropagatorCall search(Propagator& first) {
    auto second = first.exchanged();
    PropagatorCall sum;
    std::uint64_t trace = 0;
    mp::search(first, second, [&](Propagator& propagator) {
      mp::Report report;
      double const seconds = seconds_of([&] { report = propagator.propagate(); });
      sum.calls.push_back({seconds, report.schedule, report.situation, report.removed});
      sum.seconds += seconds;
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

  /// The options of Taper's serial propagator with the same fixpoint.
  static mp::Options taper_serial(mp::Options options) {
    options.engine = mp::Engine::taper;
    options.schedule = mp::Schedule::serial;
    return options;
  }

  static Table allocate(std::string const& label, std::size_t n) {
    return allocate_large<Table>(Space{}, label, n, n);
  }

  sm::Instance<sm::ConstTable<Id, Memory>> instance() const { return {men_, women_}; }

  /// The pairs that both sides' domains have before the call.
  mp::PairSet initial_pairs(mp::CallSpec const& spec, mp::Options const& options) const {
    auto propagator = Propagator::post(Space{}, instance(), taper_serial(options));
    mp::prepare_call(spec, propagator, *lists_);
    std::uint32_t const n = propagator.size();
    mp::PairSet pairs(n, false);
    for (std::uint32_t man = 0; man < n; ++man) {
      for (std::uint32_t value = 0; value < n; ++value) {
        std::uint32_t const woman = propagator.partner(mp::Side::men, man, value);
        pairs.set(man, woman,
                  propagator.contains(mp::Side::men, man, value) &&
                      propagator.contains(mp::Side::women, woman,
                                          propagator.reverse_value(mp::Side::men, man, value)));
      }
    }
    return pairs;
  }

  Table men_;
  Table women_;
  std::optional<Propagator> lists_;               ///< has left the GS-lists, for prepare_call()
  mutable std::optional<mp::HostMarket> market_;  ///< made by the first check
};

}  // namespace

std::string difference(Domains const& found, Domains const& expected) {
  if (found.failed != expected.failed) {
    return found.failed ? "the call failed" : "the call did not fail";
  }
  for (auto const side : {mp::Side::men, mp::Side::women}) {
    auto const& mine = found.words[index_of(side)];
    auto const& other = expected.words[index_of(side)];
    auto const [here, there] = std::ranges::mismatch(mine, other);
    if (here != mine.end() || there != other.end()) {
      return (side == mp::Side::men ? "man " : "woman ") +
             std::to_string((here - mine.begin()) / found.row_words()) + " has other values left";
    }
  }
  return found.trace == expected.trace ? "" : "the search went another way";
}

std::unique_ptr<PropagatorProblem> generate_propagator_problem(std::string_view backend,
                                                               sm::Workload const& workload) {
  std::unique_ptr<PropagatorProblem> problem;
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    problem = std::make_unique<SpaceProblem<Space>>(workload);
  });
  return problem;
}

}  // namespace taper::app
