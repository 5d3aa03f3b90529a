// SPDX-License-Identifier: Apache-2.0
//
// Times the search for stable matchings in Gecode with five models: the propagator, the propagator
// with Options::symmetric, the decomposition of configs/minizinc, the same reified by a variable
// that becomes true after posting, and the weaker decomposition that is the definition:
//   perf_stable_matching [--n=100] [--seconds=60] [--benchmark_filter=propagator/all]
// Names read model/what/n. A time covers posting and searching, but not the generation of the
// lists. Each solution is checked outside the timed part. A run longer than --seconds is stopped
// and reported as an error.
#include "../benchmarks.hpp"
#include <fzn/decomposition.hpp>
#include <fzn/stable_matching.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>
#include <gecode/int.hh>
#include <gecode/minimodel.hh>
#include <gecode/search.hh>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
using Host = Kokkos::DefaultHostExecutionSpace;

enum class Model { propagator, symmetric, decomposition, reified, definition };

constexpr std::string_view name_of(Model model) {
  return model == Model::propagator      ? "propagator"
         : model == Model::symmetric     ? "symmetric"
         : model == Model::decomposition ? "decomposition"
         : model == Model::reified       ? "reified"
                                         : "definition";
}

/// The lists of both sides, and the place of each person on the lists of the other side.
struct Market {
  int n;
  std::vector<int> lists[2];
  std::vector<int> places[2];

  explicit Market(int people) : n(people) {
    std::size_t const size = static_cast<std::size_t>(n);
    using Table = sm::Table<std::uint16_t, Kokkos::HostSpace>;
    Table const tables[] = {Table("perf::men", size, size), Table("perf::women", size, size)};
    sm::generate(Host{}, sm::Workload{.family = sm::Family::uniform, .n = size}, tables[0],
                 tables[1]);
    for (int side = 0; side < 2; ++side) {
      lists[side].assign(tables[side].data(), tables[side].data() + size * size);
      places[side].resize(size * size);
      for (int i = 0; i < n * n; ++i) {
        places[side][index(i / n, lists[side][static_cast<std::size_t>(i)])] = i % n;
      }
    }
  }
  std::size_t index(int person, int other) const {
    return static_cast<std::size_t>(person) * static_cast<std::size_t>(n) +
           static_cast<std::size_t>(other);
  }
};

class Matching : public Gecode::Space {
 public:
  Matching(Market const& market, Model model)
      : men(*this, market.n, 0, market.n - 1), women(*this, market.n, 0, market.n - 1) {
    Gecode::IntArgs const pm(market.lists[0]);
    Gecode::IntArgs const pw(market.lists[1]);
    if (model == Model::definition) {
      define(market);
    } else if (model == Model::decomposition || model == Model::reified) {
      Gecode::BoolVar const holds(*this, model == Model::reified ? 0 : 1, 1);
      taper::fzn::decompose_stable_matching(*this, men, women, pm, pw, 0, holds);
      Gecode::rel(*this, holds, Gecode::IRT_EQ, 1);
    } else {
      taper::fzn::stable_matching(*this, men, women, pm, pw, 0,
                                  {.symmetric = model == Model::symmetric});
    }
    Gecode::branch(*this, men, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_MIN());
  }
  Matching(Matching& from) : Space(from) {
    men.update(*this, from.men);
    women.update(*this, from.women);
  }
  Gecode::Space* copy() override { return new Matching(*this); }

  bool is_stable(Market const& market) const {
    for (int man = 0; man < market.n; ++man) {
      for (int place = 0; place < men[man].val(); ++place) {
        int const woman = market.lists[0][market.index(man, place)];
        if (market.places[1][market.index(woman, man)] < women[woman].val()) {
          return false;
        }
      }
      int const wife = market.lists[0][market.index(man, men[man].val())];
      if (market.places[1][market.index(wife, man)] != women[wife].val()) {
        return false;
      }
    }
    return true;
  }

 private:
  /// For each pair: the man has the woman if and only if she has him, and not both have a worse
  /// partner. That is weaker than the decomposition, since each clause needs both to be fixed.
  void define(Market const& market) {
    int const n = market.n;
    // Per person: whether its place is at most p, for p from -1 to n - 1.
    Gecode::BoolVarArgs at_most[2];
    for (int side = 0; side < 2; ++side) {
      for (int person = 0; person < n; ++person) {
        at_most[side] << Gecode::BoolVar(*this, 0, 0);
        for (int place = 0; place < n; ++place) {
          at_most[side] << Gecode::expr(*this, (side == 0 ? men : women)[person] <= place);
        }
      }
    }
    auto const within = [&](int side, int person, int place) {
      return at_most[side][person * (n + 1) + place + 1];
    };
    for (int man = 0; man < n; ++man) {
      for (int woman = 0; woman < n; ++woman) {
        int const mans_place = market.places[0][market.index(man, woman)];
        int const womans_place = market.places[1][market.index(woman, man)];
        Gecode::BoolVar const pair(*this, 0, 1);
        Gecode::rel(*this, men[man], Gecode::IRT_EQ, mans_place, pair);
        Gecode::rel(*this, women[woman], Gecode::IRT_EQ, womans_place, pair);
        Gecode::rel(*this, within(0, man, mans_place), Gecode::BOT_OR,
                    within(1, woman, womans_place), 1);
      }
    }
  }

  Gecode::IntVarArray men;
  Gecode::IntVarArray women;
};

void search(benchmark::State& state, Model model, bool all, int n, double seconds) {
  Market const market(n);
  double matchings = 0;
  for ([[maybe_unused]] auto _ : state) {
    matchings = 0;
    Gecode::Search::Options options;
    std::unique_ptr<Gecode::Search::Stop> const stop(
        Gecode::Search::Stop::time(static_cast<unsigned long>(seconds * 1e3)));
    options.stop = stop.get();
    auto const begun = std::chrono::steady_clock::now();
    std::chrono::steady_clock::duration checking{0};
    auto const root = std::make_unique<Matching>(market, model);
    Gecode::DFS<Matching> engine(root.get(), options);
    while (std::unique_ptr<Matching> const found{engine.next()}) {
      auto const checked = std::chrono::steady_clock::now();
      if (!found->is_stable(market)) {
        state.SkipWithError("found a matching that is not stable");
        return;
      }
      ++matchings;
      checking += std::chrono::steady_clock::now() - checked;
      if (!all) {
        break;
      }
    }
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun - checking).count());
    if (engine.stopped() || matchings == 0) {
      state.SkipWithError(
          ("stopped at --seconds with " + std::to_string(matchings) + " matchings").c_str());
      return;
    }
  }
  state.counters["matchings"] = matchings;
}

/// Reads `flag`NUMBER from the arguments and removes it. `value` if it is absent, 0 if it is no
/// number.
int take_number(std::string_view flag, int value, int& argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (!argument.starts_with(flag)) {
      argv[kept++] = argv[i];
      continue;
    }
    auto const* const end = argument.data() + argument.size();
    auto const [stopped, error] = std::from_chars(argument.data() + flag.size(), end, value);
    if (error != std::errc{} || stopped != end) {
      value = 0;
    }
  }
  argc = kept;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  int const n = take_number("--n=", 100, argc, argv);
  int const seconds = take_number("--seconds=", 60, argc, argv);
  if (n < 1 || n > 10'000 || seconds < 1) {
    std::fprintf(stderr, "perf_stable_matching: --n needs a number from 1 to 10000, --seconds a "
                         "number from 1\n");
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (!taper::support::initialize_benchmarks(argc, argv)) {
    return 2;
  }
  for (bool const all : {false, true}) {
    for (Model const model : {Model::propagator, Model::symmetric, Model::decomposition,
                              Model::reified, Model::definition}) {
      std::string const name =
          std::string(name_of(model)) + (all ? "/all/" : "/first/") + std::to_string(n);
      benchmark::RegisterBenchmark(name.c_str(), search, model, all, n, seconds)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
