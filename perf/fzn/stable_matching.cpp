// SPDX-License-Identifier: Apache-2.0
//
// Stable matchings in Gecode, by the propagator, also with Options::symmetric, by the decomposition of
// configs/minizinc, and by the weaker one that is the definition:
//   perf_stable_matching [--n=100] [--seconds=60] [--benchmark_filter=propagator/all]
// Names read model/what/n. A time is of posting and searching, and of making
// no lists; each solution is checked outside the clock. What takes more than --seconds is stopped,
// and reported as an error.
#include <fzn/stable_matching.hpp>
#include <support/benchmarks.hpp>
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

enum class Model { propagator, symmetric, decomposition, definition };

constexpr std::string_view name_of(Model model) {
  return model == Model::propagator      ? "propagator"
         : model == Model::symmetric     ? "symmetric"
         : model == Model::decomposition ? "decomposition"
                                         : "definition";
}

/// Lists of both sides, and the places of the other side's people on them.
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
    if (model == Model::decomposition || model == Model::definition) {
      decompose(market, model == Model::decomposition ? 1 : 0);
    } else {
      taper::fzn::stable_matching(*this, men, women, Gecode::IntArgs(market.lists[0]),
                                  Gecode::IntArgs(market.lists[1]), 0,
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
  /// For each pair: the man has her if and only if she has him; who has somebody no better than the
  /// other leaves that other somebody who is at least as good as him or her. So bounds alone come down to the GS-lists.
  ///
  /// `strict` 0 is how the definition has it: no pair of whom both have somebody worse. Weaker, since each
  /// clause then needs both to be fixed.
  void decompose(Market const& market, int strict) {
    int const n = market.n;
    // Whether a person's place is at most so many, for -1 to n - 1.
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
        int const his = market.places[0][market.index(man, woman)];
        int const hers = market.places[1][market.index(woman, man)];
        Gecode::BoolVar const pair(*this, 0, 1);
        Gecode::rel(*this, men[man], Gecode::IRT_EQ, his, pair);
        Gecode::rel(*this, women[woman], Gecode::IRT_EQ, hers, pair);
        Gecode::rel(*this, within(0, man, his - strict), Gecode::BOT_OR, within(1, woman, hers), 1);
        Gecode::rel(*this, within(0, man, his), Gecode::BOT_OR, within(1, woman, hers - strict), 1);
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
    std::unique_ptr<Gecode::Search::Stop> const stop(Gecode::Search::Stop::time(seconds * 1e3));
    options.stop = stop.get();
    auto const begun = std::chrono::steady_clock::now();
    std::chrono::steady_clock::duration checking{0};
    auto const root = std::make_unique<Matching>(market, model);
    Gecode::DFS<Matching> engine(root.get(), options);
    while (std::unique_ptr<Matching> const found{engine.next()}) {
      auto const checked = std::chrono::steady_clock::now();
      if (!found->is_stable(market)) {
        state.SkipWithError("a matching that is not stable");
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
      state.SkipWithError(("stopped, with matchings: " + std::to_string(matchings)).c_str());
      return;
    }
  }
  state.counters["matchings"] = matchings;
}

/// Takes `flag` NUMBER out of the arguments; `value` where it is not there, 0 where it is no number.
int take(std::string_view flag, int value, int& argc, char** argv) {
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
  int const n = take("--n=", 100, argc, argv);
  int const seconds = take("--seconds=", 60, argc, argv);
  if (n < 1 || n > 10'000 || seconds < 1) {
    std::fprintf(stderr, "perf_stable_matching: --n takes a number from 1 to 10000, --seconds one "
                         "from 1\n");
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (!taper::support::initialize_benchmarks(argc, argv)) {
    return 2;
  }
  for (bool const all : {false, true}) {
    for (Model const model :
         {Model::propagator, Model::symmetric, Model::decomposition, Model::definition}) {
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
