// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/clique_sat/clause_learning.hpp>
#include <taper/vertex_cover/clique_sat/clique_sat.hpp>
#include <taper/vertex_cover/clique_sat/variable_elimination.hpp>

#include <support/graph_oracles.hpp>
#include <vertex_cover/branch_and_reduce/expect_solved.hpp>
#include <vertex_cover/interrupts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace taper::vertex_cover;
using clique_sat::ClauseLearning;
using clique_sat::CliqueSat;
using clique_sat::complement;
using clique_sat::Literal;
using clique_sat::literal;
using clique_sat::value_of;
using clique_sat::variable_of;
using clique_sat::VariableElimination;
using taper::testing::has_edge;
using taper::testing::is_cover;
using taper::testing::minimum_size;
using taper::testing::never;
using taper::testing::random_graph;
using taper::testing::SmallGraph;
using taper::testing::to_bits;
using taper::testing::to_host_graph;

using Clauses = std::vector<std::vector<Literal>>;

bool is_true(Literal l, std::uint32_t values) {
  return ((values >> variable_of(l) & 1) != 0) == value_of(l);
}
bool satisfies(std::uint32_t values, Clauses const& clauses) {
  return std::all_of(clauses.begin(), clauses.end(), [&](std::vector<Literal> const& clause) {
    return std::any_of(clause.begin(), clause.end(), [&](Literal l) { return is_true(l, values); });
  });
}
bool satisfiable(std::uint32_t variables, Clauses const& clauses,
                 std::span<Literal const> assumptions = {}) {
  for (std::uint32_t values = 0; values < std::uint32_t{1} << variables; ++values) {
    if (satisfies(values, clauses) && std::all_of(assumptions.begin(), assumptions.end(),
                                                  [&](Literal l) { return is_true(l, values); })) {
      return true;
    }
  }
  return false;
}

/// Clauses of 1 to `longest` literals; no variable is twice in a clause.
Clauses random_clauses(std::uint32_t variables, std::size_t count, std::size_t longest,
                       std::mt19937_64& random) {
  Clauses clauses(count);
  for (auto& clause : clauses) {
    std::size_t const length = 1 + random() % std::min<std::size_t>(longest, variables);
    std::set<std::uint32_t> chosen;
    while (chosen.size() < length) {
      chosen.insert(static_cast<std::uint32_t>(random() % variables));
    }
    for (std::uint32_t const variable : chosen) {
      clause.push_back(literal(variable, random() % 2 == 0));
    }
  }
  return clauses;
}

/// Clauses of three literals that hidden values satisfy.
Clauses planted_clauses(std::uint32_t variables, std::size_t count, std::mt19937_64& random) {
  std::vector<bool> values(variables);
  std::generate(values.begin(), values.end(), [&] { return random() % 2 == 0; });
  Clauses clauses;
  while (clauses.size() < count) {
    std::set<std::uint32_t> chosen;
    while (chosen.size() < 3) {
      chosen.insert(static_cast<std::uint32_t>(random() % variables));
    }
    std::vector<Literal> clause;
    bool agrees = false;
    for (std::uint32_t const variable : chosen) {
      bool const value = random() % 2 == 0;
      agrees = agrees || value == values[variable];
      clause.push_back(literal(variable, value));
    }
    if (agrees) {
      clauses.push_back(std::move(clause));
    }
  }
  return clauses;
}

/// The pigeonhole principle with one pigeon too many: unsatisfiable, but some assignment satisfies
/// all clauses except one.
Clauses pigeons(std::uint32_t holes) {
  Clauses clauses;
  for (std::uint32_t pigeon = 0; pigeon <= holes; ++pigeon) {
    std::vector<Literal> somewhere;
    for (std::uint32_t hole = 0; hole < holes; ++hole) {
      somewhere.push_back(literal(pigeon * holes + hole));
      for (std::uint32_t other = 0; other < pigeon; ++other) {
        clauses.push_back(
            {literal(pigeon * holes + hole, false), literal(other * holes + hole, false)});
      }
    }
    clauses.push_back(std::move(somewhere));
  }
  return clauses;
}

ClauseLearning solver_of(std::uint32_t variables, Clauses const& clauses, Interrupt& interrupt) {
  ClauseLearning solver(interrupt);
  for (std::uint32_t variable = 0; variable < variables; ++variable) {
    solver.add_variable(variable % 2 == 0);
  }
  for (auto const& clause : clauses) {
    solver.add_clause(clause);
  }
  return solver;
}

std::uint32_t values_of(ClauseLearning const& solver, std::uint32_t variables) {
  std::uint32_t values = 0;
  for (std::uint32_t variable = 0; variable < variables; ++variable) {
    values |= std::uint32_t{solver.value(variable)} << variable;
  }
  return values;
}

TEST(ClauseOracle, KnownAnswers) {
  Literal const a = literal(0);
  Literal const b = literal(1);
  EXPECT_TRUE(satisfiable(2, {{a, b}, {complement(a), b}}));
  EXPECT_FALSE(satisfiable(2, {{a, b}, {complement(a), b}, {complement(b)}}));
  EXPECT_FALSE(satisfiable(2, {{a, b}}, std::vector{complement(a), complement(b)}));
  EXPECT_FALSE(satisfiable(6, pigeons(2)));
  EXPECT_FALSE(satisfies(0b00, {{a, b}}));
}

TEST(ClauseLearning, AgreesWithTheOracleAndItsCoresAreUnsatisfiable) {
  std::mt19937_64 random(71);
  std::size_t unsatisfiable = 0;
  for (int repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    auto const variables = static_cast<std::uint32_t>(1 + random() % 10);
    Clauses clauses = random_clauses(variables, random() % (5 * variables), 3, random);
    ClauseLearning solver = solver_of(variables, clauses, never);
    // Several calls of one solver, with more clauses between them.
    for (int call = 0; call < 4; ++call) {
      std::vector<Literal> assumptions;
      for (std::uint32_t variable = 0; variable < variables; ++variable) {
        if (random() % 3 == 0) {
          assumptions.push_back(literal(variable, random() % 2 == 0));
        }
      }
      auto answer = ClauseLearning::Answer::unknown;
      while (answer == ClauseLearning::Answer::unknown) {
        answer = solver.solve(assumptions, 1 + random() % 2);
      }
      bool const possible = satisfiable(variables, clauses, assumptions);
      ASSERT_EQ(answer == ClauseLearning::Answer::satisfiable, possible);
      if (possible) {
        std::uint32_t const values = values_of(solver, variables);
        EXPECT_TRUE(satisfies(values, clauses));
        for (Literal const l : assumptions) {
          EXPECT_TRUE(is_true(l, values));
        }
      } else {
        ++unsatisfiable;
        EXPECT_FALSE(satisfiable(variables, clauses, solver.core()));
        for (Literal const l : solver.core()) {
          EXPECT_EQ(std::count(assumptions.begin(), assumptions.end(), l), 1);
        }
      }
      for (auto const& clause : random_clauses(variables, 2, 3, random)) {
        clauses.push_back(clause);
        solver.add_clause(clause);
      }
    }
  }
  EXPECT_GT(unsatisfiable, 1000u);
}

TEST(ClauseLearning, ContradictoryAssumptionsAreTheCore) {
  ClauseLearning solver = solver_of(2, {}, never);
  std::vector const both{literal(0), literal(1), literal(0, false)};
  EXPECT_EQ(solver.solve(both, 1), ClauseLearning::Answer::unsatisfiable);
  std::vector<Literal> core(solver.core().begin(), solver.core().end());
  std::sort(core.begin(), core.end());
  EXPECT_EQ(core, (std::vector{literal(0), literal(0, false)}));
}

/// The searches are long enough for several reductions of the learned clauses.
TEST(ClauseLearning, LongSearchesAreRight) {
  for (std::uint32_t const holes : {3u, 8u}) {
    ClauseLearning solver = solver_of(holes * (holes + 1), pigeons(holes), never);
    EXPECT_EQ(solver.solve({}, 10'000'000), ClauseLearning::Answer::unsatisfiable);
    EXPECT_TRUE(solver.core().empty());
    EXPECT_TRUE(holes < 8 || solver.conflicts() > 5000);
  }
  // An assumption per pigeon says that it is in some hole. The core has all of them.
  Clauses guarded = pigeons(8);
  std::vector<Literal> assumptions;
  for (auto& clause : guarded) {
    if (clause.size() > 2) {
      assumptions.push_back(literal(static_cast<std::uint32_t>(72 + assumptions.size())));
      clause.push_back(complement(assumptions.back()));
    }
  }
  ClauseLearning guarded_solver = solver_of(72 + 9, guarded, never);
  EXPECT_EQ(guarded_solver.solve(assumptions, 10'000'000), ClauseLearning::Answer::unsatisfiable);
  std::vector<Literal> core(guarded_solver.core().begin(), guarded_solver.core().end());
  std::sort(core.begin(), core.end());
  EXPECT_EQ(core, assumptions);
  EXPECT_GT(guarded_solver.conflicts(), 5000u);
  assumptions.pop_back();
  EXPECT_EQ(guarded_solver.solve(assumptions, 10'000'000), ClauseLearning::Answer::satisfiable);

  std::mt19937_64 random(72);
  Clauses const clauses = planted_clauses(150, 640, random);
  ClauseLearning solver = solver_of(150, clauses, never);
  ASSERT_EQ(solver.solve({}, 10'000'000), ClauseLearning::Answer::satisfiable);
  for (auto const& clause : clauses) {
    EXPECT_TRUE(std::any_of(clause.begin(), clause.end(), [&](Literal l) {
      return solver.value(variable_of(l)) == value_of(l);
    }));
  }
}

/// Clauses of three literals. About 4.3 per variable are the hardest.
Clauses random_3sat(std::uint32_t variables, std::size_t count, std::mt19937_64& random) {
  Clauses clauses;
  while (clauses.size() < count) {
    auto clause = random_clauses(variables, 1, 3, random);
    if (clause[0].size() == 3) {
      clauses.push_back(std::move(clause[0]));
    }
  }
  return clauses;
}

/// Whether all assignments that satisfy the clauses satisfy each clause of the list.
bool implied(std::span<std::uint32_t const> list, std::uint32_t variables, Clauses const& clauses) {
  Clauses all;
  for (; !list.empty(); list = list.subspan(1 + list[0])) {
    auto const clause = list.subspan(1, list[0]);
    all.emplace_back(clause.begin(), clause.end());
  }
  for (std::uint32_t values = 0; values < std::uint32_t{1} << variables; ++values) {
    if (satisfies(values, clauses) && !satisfies(values, all)) {
      return false;
    }
  }
  return true;
}

TEST(ClauseLearning, ShortClausesThatItGivesAreImpliedAndHelpNoneToAWrongAnswer) {
  constexpr std::uint32_t variables = 14;
  std::mt19937_64 random(8);
  std::size_t given = 0;
  for (int i = 0; i < 100; ++i) {
    auto const clauses = random_3sat(variables, 50 + random() % 20, random);
    EXPECT_FALSE(
        implied(std::vector<std::uint32_t>{1, literal(0), 1, literal(0, false)}, variables, {}));
    std::vector<ClauseLearning> solvers(2, ClauseLearning(never));
    for (auto& solver : solvers) {
      for (std::uint32_t variable = 0; variable < variables; ++variable) {
        solver.add_variable(random() % 2 == 0, true, static_cast<double>(random() % 100) / 100);
      }
      for (auto const& clause : clauses) {
        solver.add_clause(clause);
      }
      solver.keep_short(4);
    }
    auto answer = ClauseLearning::Answer::unknown;
    for (std::size_t turn = 0; answer == ClauseLearning::Answer::unknown; ++turn) {
      answer = solvers[turn % 2].solve({}, 2);
      auto const list = solvers[turn % 2].take_short();
      EXPECT_TRUE(implied(list, variables, clauses));
      solvers[1 - turn % 2].add_implied(list);
      given += list.size();
    }
    EXPECT_EQ(answer == ClauseLearning::Answer::satisfiable, satisfiable(variables, clauses));
  }
  EXPECT_GT(given, 100u);
}

TEST(VariableElimination, KeepsSatisfiabilityAndExtendsEveryModel) {
  std::mt19937_64 random(73);
  std::size_t eliminated = 0;
  std::size_t unsatisfiable = 0;
  for (int repeat = 0; repeat < 4000 && !HasFailure(); ++repeat) {
    auto const variables = static_cast<std::uint32_t>(1 + random() % 10);
    Clauses const clauses = random_clauses(variables, random() % (4 * variables), 4, random);
    std::vector<std::uint8_t> frozen(variables);
    std::generate(frozen.begin(), frozen.end(), [&] { return random() % 4 == 0 ? 1 : 0; });
    VariableElimination const elimination(clauses, frozen, never);
    Clauses left;
    elimination.for_each_clause([&](std::vector<Literal> const& clause) {
      left.push_back(clause);
      for (Literal const l : clause) {
        EXPECT_FALSE(elimination.eliminated(variable_of(l)));
      }
    });
    bool const possible = satisfiable(variables, clauses);
    unsatisfiable += possible ? 0 : 1;
    // Every model of the remaining clauses extends to a model of all.
    for (std::uint32_t values = 0; values < std::uint32_t{1} << variables; ++values) {
      if (satisfies(values, left)) {
        std::vector<std::uint8_t> all(variables);
        for (std::uint32_t variable = 0; variable < variables; ++variable) {
          all[variable] = static_cast<std::uint8_t>(values >> variable & 1);
        }
        elimination.extend(all);
        std::uint32_t extended = 0;
        for (std::uint32_t variable = 0; variable < variables; ++variable) {
          extended |= std::uint32_t{all[variable]} << variable;
          if (!elimination.eliminated(variable)) {
            EXPECT_EQ(all[variable], values >> variable & 1);
          }
        }
        EXPECT_TRUE(satisfies(extended, clauses));
      }
    }
    EXPECT_EQ(satisfiable(variables, left), possible);
    for (std::uint32_t variable = 0; variable < variables; ++variable) {
      eliminated += elimination.eliminated(variable) ? 1u : 0u;
      EXPECT_FALSE(elimination.eliminated(variable) && frozen[variable] != 0);
    }
  }
  EXPECT_GT(eliminated, 4000u);
  EXPECT_GT(unsatisfiable, 200u);
}

/// A partition into cliques, greedy in a random order.
std::vector<Vertex> random_partition(SmallGraph const& graph, std::mt19937_64& random) {
  std::vector<Vertex> order(graph.size());
  for (Vertex v = 0; v < order.size(); ++v) {
    order[v] = v;
  }
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Vertex> clique_of(graph.size());
  std::vector<std::vector<Vertex>> cliques;
  for (Vertex const v : order) {
    auto const extended = std::find_if(cliques.begin(), cliques.end(), [&](auto const& clique) {
      return random() % 4 != 0 && std::all_of(clique.begin(), clique.end(),
                                              [&](Vertex u) { return has_edge(graph, u, v); });
    });
    auto const number = static_cast<Vertex>(extended - cliques.begin());
    if (extended == cliques.end()) {
      cliques.emplace_back();
    }
    cliques[number].push_back(v);
    clique_of[v] = number;
  }
  return clique_of;
}

TEST(CliqueSat, FindsTheMinimumFromAnyPartition) {
  std::mt19937_64 random(74);
  for (int repeat = 0; repeat < 4000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(14, random);
    auto const host = to_host_graph(graph);
    auto const minimum = minimum_size(graph);
    auto const n = static_cast<std::uint32_t>(graph.size());
    std::vector<std::uint8_t> const all_in_cover(n, 1);
    CliqueSat solver(host, random_partition(graph, random), all_in_cover, never);
    std::uint32_t lower = 0;
    for (bool ended = false; !ended;) {
      ended = solver.run(n + 1, 0, 1 + random() % 3);
      EXPECT_LE(lower, solver.lower_bound());
      lower = solver.lower_bound();
      EXPECT_LE(lower, minimum);
      EXPECT_GE(solver.cover_size(), minimum);
      EXPECT_TRUE(is_cover(graph, to_bits(solver.cover())));
      EXPECT_EQ(std::popcount(to_bits(solver.cover())), static_cast<int>(solver.cover_size()));
    }
    EXPECT_EQ(solver.cover_size(), minimum);

    // With a limit and a size that is enough.
    std::uint32_t const limit = static_cast<std::uint32_t>(random() % (n + 2));
    std::uint32_t const enough = static_cast<std::uint32_t>(random() % (n + 1));
    CliqueSat goal(host, random_partition(graph, random), all_in_cover, never);
    EXPECT_TRUE(goal.run(limit, enough, 1'000'000));
    EXPECT_TRUE(goal.lower_bound() >= std::min(limit, goal.cover_size()) ||
                goal.cover_size() <= enough);
    EXPECT_LE(goal.lower_bound(), minimum);
    EXPECT_TRUE(is_cover(graph, to_bits(goal.cover())));
  }
}

/// All three solvers notice the interrupt, and their results are sound.
TEST(CliqueSat, StopsAtAnInterruptWithSoundResults) {
  taper::testing::Stopped run;
  Interrupt& interrupt = run.interrupt;
  ASSERT_TRUE(interrupt.stopped());
  std::mt19937_64 random(76);
  for (int repeat = 0; repeat < 300; ++repeat) {
    auto const clauses = random_clauses(8, 20, 3, random);
    VariableElimination const elimination(clauses, std::vector<std::uint8_t>(8, 0), interrupt);
    Clauses left;
    elimination.for_each_clause([&](auto const& clause) { left.push_back(clause); });
    EXPECT_EQ(left, clauses);
    EXPECT_EQ(solver_of(8, pigeons(2), interrupt).solve({}, 0), ClauseLearning::Answer::unknown);

    auto const graph = random_graph(14, random);
    std::vector<std::uint8_t> const all_in_cover(graph.size(), 1);
    auto const host = to_host_graph(graph);
    CliqueSat solver(host, random_partition(graph, random), all_in_cover, interrupt);
    auto const n = static_cast<std::uint32_t>(graph.size());
    bool const nothing_to_do = solver.lower_bound() == n;
    EXPECT_EQ(solver.run(n + 1, 0, 1000), nothing_to_do);
    EXPECT_LE(solver.lower_bound(), minimum_size(graph));
    EXPECT_EQ(solver.cover(), all_in_cover);
  }
}

/// Karp's reduction: an edge per variable, a clique per clause, and an edge from each literal of a
/// clause to its complement. A minimum cover has one vertex per variable, all but one vertex of
/// each satisfied clause, and all vertices of each other clause.
HostGraph graph_of(std::uint32_t variables, Clauses const& clauses) {
  std::vector<Edge> edges;
  for (Literal l = 0; l < 2 * variables; l += 2) {
    edges.emplace_back(l, complement(l));
  }
  Vertex next = 2 * variables;
  for (auto const& clause : clauses) {
    for (std::size_t i = 0; i < clause.size(); ++i) {
      edges.emplace_back(next + i, complement(clause[i]));
      for (std::size_t j = 0; j < i; ++j) {
        edges.emplace_back(next + i, next + j);
      }
    }
    next += static_cast<Vertex>(clause.size());
  }
  return make_graph(next, edges).graph;
}

Report expect_minimum(std::uint32_t variables, Clauses const& clauses, std::size_t violated) {
  HostGraph const graph = graph_of(variables, clauses);
  return taper::testing::expect_solved(graph,
                                       graph.vertices() - variables - clauses.size() + violated);
}

// Two with different seeds, as in two processes, exchange clauses while they search.
TEST(CliqueSat, FindsTheMinimumWithClausesOfAnother) {
  constexpr std::uint32_t variables = 60;
  std::mt19937_64 random(76);
  std::size_t given = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    Clauses const clauses = random_3sat(variables, 260 + 5 * i, random);
    HostGraph const graph = graph_of(variables, clauses);
    auto const n = static_cast<std::uint32_t>(graph.vertices());
    std::vector<Vertex> clique_of;  // one per variable, one per clause
    for (Vertex v = 0; v < n; ++v) {
      clique_of.push_back(v < 2 * variables ? v / 2 : variables + (v - 2 * variables) / 3);
    }
    std::vector<std::uint8_t> const all(n, 1);
    CliqueSat alone(graph, clique_of, all, never);
    while (!alone.run(n, 0, 10'000)) {
    }
    CliqueSat first(graph, clique_of, all, never);
    CliqueSat second(graph, clique_of, all, never, 1);
    EXPECT_TRUE(first.take_clauses().empty());
    first.exchange_clauses();
    second.exchange_clauses();
    for (bool done = false; !done;) {
      done = first.run(n, 0, 40);
      second.add_clauses(first.take_clauses());
      done = done || second.run(n, 0, 40);
      auto const list = second.take_clauses();
      first.add_clauses(list);
      given += list.size();
    }
    EXPECT_EQ(std::min(first.cover_size(), second.cover_size()), alone.cover_size());
    EXPECT_EQ(std::max(first.lower_bound(), second.lower_bound()), alone.cover_size());
  }
  EXPECT_GT(given, 100u);
}

/// Branch and reduce alone takes minutes or longer for the larger of these graphs.
TEST(CliqueSat, SolvesGraphsThatEncodeConstraints) {
  std::mt19937_64 random(75);
  Clauses clauses = planted_clauses(200, 1041, random);
  EXPECT_GT(expect_minimum(200, clauses, 0).conflicts, 0u);
  // All eight clauses on three variables: every assignment violates exactly one of them.
  for (std::uint32_t signs = 0; signs < 8; ++signs) {
    clauses.push_back(
        {literal(0, (signs & 1) != 0), literal(1, (signs & 2) != 0), literal(2, (signs & 4) != 0)});
  }
  EXPECT_GT(expect_minimum(200, clauses, 1).conflicts, 0u);
  expect_minimum(100, planted_clauses(100, 430, random), 0);
  expect_minimum(42, pigeons(6), 1);
}

}  // namespace
