// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/standard/clause_learning.hpp>
#include <taper/vertex_cover/standard/clique_choice.hpp>
#include <taper/vertex_cover/standard/standard.hpp>
#include <taper/vertex_cover/standard/variable_elimination.hpp>

#include <support/graph_oracles.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
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
using standard::ClauseLearning;
using standard::CliqueChoice;
using standard::complement;
using standard::Literal;
using standard::literal;
using standard::value_of;
using standard::variable_of;
using standard::VariableElimination;
using taper::testing::has_edge;
using taper::testing::is_cover;
using taper::testing::minimum_cover;
using taper::testing::random_graph;
using taper::testing::SmallGraph;
using taper::testing::to_bits;
using taper::testing::to_host_graph;

using Clauses = std::vector<std::vector<Literal>>;

bool is_true(Literal l, std::uint32_t values) {
  return ((values >> variable_of(l) & 1) != 0) == value_of(l);
}
bool meets(std::uint32_t values, Clauses const& clauses) {
  return std::all_of(clauses.begin(), clauses.end(), [&](std::vector<Literal> const& clause) {
    return std::any_of(clause.begin(), clause.end(), [&](Literal l) { return is_true(l, values); });
  });
}
bool can_be_met(std::uint32_t variables, Clauses const& clauses,
                std::span<Literal const> assumptions = {}) {
  for (std::uint32_t values = 0; values < std::uint32_t{1} << variables; ++values) {
    if (meets(values, clauses) && std::all_of(assumptions.begin(), assumptions.end(),
                                              [&](Literal l) { return is_true(l, values); })) {
      return true;
    }
  }
  return false;
}

/// Different variables in each clause.
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

/// Three literals a clause, of which at least one agrees with values that nobody is told.
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

/// One pigeon too many: all clauses but one can be met.
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

ClauseLearning learner_of(std::uint32_t variables, Clauses const& clauses, Interrupt& interrupt) {
  ClauseLearning learner(interrupt);
  for (std::uint32_t variable = 0; variable < variables; ++variable) {
    learner.add_variable(variable % 2 == 0);
  }
  for (auto const& clause : clauses) {
    learner.add_clause(clause);
  }
  return learner;
}

std::uint32_t values_of(ClauseLearning const& learner, std::uint32_t variables) {
  std::uint32_t values = 0;
  for (std::uint32_t variable = 0; variable < variables; ++variable) {
    values |= std::uint32_t{learner.value(variable)} << variable;
  }
  return values;
}

TEST(ClauseOracle, KnowsByHand) {
  Literal const a = literal(0);
  Literal const b = literal(1);
  EXPECT_TRUE(can_be_met(2, {{a, b}, {complement(a), b}}));
  EXPECT_FALSE(can_be_met(2, {{a, b}, {complement(a), b}, {complement(b)}}));
  EXPECT_FALSE(can_be_met(2, {{a, b}}, std::vector{complement(a), complement(b)}));
  EXPECT_FALSE(can_be_met(6, pigeons(2)));
  EXPECT_FALSE(meets(0b00, {{a, b}}));
}

TEST(ClauseLearning, AnswersAsTrialDoesAndBlamesFewEnough) {
  Interrupt interrupt{Options{}};
  std::mt19937_64 random(71);
  std::size_t refused = 0;
  for (int repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    auto const variables = static_cast<std::uint32_t>(1 + random() % 10);
    Clauses clauses = random_clauses(variables, random() % (5 * variables), 3, random);
    ClauseLearning learner = learner_of(variables, clauses, interrupt);
    // Several questions to one learner, which is given more clauses in between.
    for (int question = 0; question < 4; ++question) {
      std::vector<Literal> assumptions;
      for (std::uint32_t variable = 0; variable < variables; ++variable) {
        if (random() % 3 == 0) {
          assumptions.push_back(literal(variable, random() % 2 == 0));
        }
      }
      auto answer = ClauseLearning::Answer::unknown;
      while (answer == ClauseLearning::Answer::unknown) {
        answer = learner.solve(assumptions, 1 + random() % 2);
      }
      bool const possible = can_be_met(variables, clauses, assumptions);
      ASSERT_EQ(answer == ClauseLearning::Answer::yes, possible);
      if (possible) {
        std::uint32_t const values = values_of(learner, variables);
        EXPECT_TRUE(meets(values, clauses));
        for (Literal const l : assumptions) {
          EXPECT_TRUE(is_true(l, values));
        }
      } else {
        ++refused;
        EXPECT_FALSE(can_be_met(variables, clauses, learner.core()));
        for (Literal const l : learner.core()) {
          EXPECT_EQ(std::count(assumptions.begin(), assumptions.end(), l), 1);
        }
      }
      for (auto const& clause : random_clauses(variables, 2, 3, random)) {
        clauses.push_back(clause);
        learner.add_clause(clause);
      }
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(ClauseLearning, ContradictoryAssumptionsBlameEachOther) {
  Interrupt interrupt{Options{}};
  ClauseLearning learner = learner_of(2, {}, interrupt);
  std::vector const both{literal(0), literal(1), literal(0, false)};
  EXPECT_EQ(learner.solve(both, 1), ClauseLearning::Answer::no);
  std::vector<Literal> core(learner.core().begin(), learner.core().end());
  std::sort(core.begin(), core.end());
  EXPECT_EQ(core, (std::vector{literal(0), literal(0, false)}));
}

/// Long enough for what has been learned to be sorted out more than once.
TEST(ClauseLearning, LongSearches) {
  Interrupt interrupt{Options{}};
  for (std::uint32_t const holes : {3, 8}) {
    ClauseLearning learner = learner_of(holes * (holes + 1), pigeons(holes), interrupt);
    EXPECT_EQ(learner.solve({}, 10'000'000), ClauseLearning::Answer::no);
    EXPECT_TRUE(learner.core().empty());
    EXPECT_TRUE(holes < 8 || learner.conflicts() > 5000);
  }
  // Each pigeon is somewhere if the assumption says so, and every one of them is to blame.
  Clauses guarded = pigeons(8);
  std::vector<Literal> assumptions;
  for (auto& clause : guarded) {
    if (clause.size() > 2) {
      assumptions.push_back(literal(static_cast<std::uint32_t>(72 + assumptions.size())));
      clause.push_back(complement(assumptions.back()));
    }
  }
  ClauseLearning guarding = learner_of(72 + 9, guarded, interrupt);
  EXPECT_EQ(guarding.solve(assumptions, 10'000'000), ClauseLearning::Answer::no);
  std::vector<Literal> core(guarding.core().begin(), guarding.core().end());
  std::sort(core.begin(), core.end());
  EXPECT_EQ(core, assumptions);
  EXPECT_GT(guarding.conflicts(), 5000u);
  assumptions.pop_back();
  EXPECT_EQ(guarding.solve(assumptions, 10'000'000), ClauseLearning::Answer::yes);

  std::mt19937_64 random(72);
  Clauses const clauses = planted_clauses(150, 640, random);
  ClauseLearning learner = learner_of(150, clauses, interrupt);
  ASSERT_EQ(learner.solve({}, 10'000'000), ClauseLearning::Answer::yes);
  for (auto const& clause : clauses) {
    EXPECT_TRUE(std::any_of(clause.begin(), clause.end(), [&](Literal l) {
      return learner.value(variable_of(l)) == value_of(l);
    }));
  }
}

TEST(VariableElimination, LeavesWhatCanBeMetIffTheWholeCan) {
  Interrupt interrupt{Options{}};
  std::mt19937_64 random(73);
  std::size_t gone = 0;
  std::size_t impossible = 0;
  for (int repeat = 0; repeat < 4000 && !HasFailure(); ++repeat) {
    auto const variables = static_cast<std::uint32_t>(1 + random() % 10);
    Clauses const clauses = random_clauses(variables, random() % (4 * variables), 4, random);
    std::vector<std::uint8_t> keep(variables);
    std::generate(keep.begin(), keep.end(), [&] { return random() % 4 == 0 ? 1 : 0; });
    VariableElimination const elimination(clauses, keep, interrupt);
    Clauses left;
    elimination.for_each_clause([&](std::vector<Literal> const& clause) {
      left.push_back(clause);
      for (Literal const l : clause) {
        EXPECT_FALSE(elimination.eliminated(variable_of(l)));
      }
    });
    bool const possible = can_be_met(variables, clauses);
    impossible += possible ? 0 : 1;
    // Whatever meets what is left can be extended, and what does not cannot.
    for (std::uint32_t values = 0; values < std::uint32_t{1} << variables; ++values) {
      if (meets(values, left)) {
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
        EXPECT_TRUE(meets(extended, clauses));
      }
    }
    EXPECT_EQ(can_be_met(variables, left), possible);
    for (std::uint32_t variable = 0; variable < variables; ++variable) {
      gone += elimination.eliminated(variable) ? 1 : 0;
      EXPECT_FALSE(elimination.eliminated(variable) && keep[variable] != 0);
    }
  }
  EXPECT_GT(gone, 4000u);
  EXPECT_GT(impossible, 200u);
}

/// Any partition into cliques: whom a random order puts together.
std::vector<Vertex> random_partition(SmallGraph const& graph, std::mt19937_64& random) {
  std::vector<Vertex> order(graph.size());
  for (Vertex v = 0; v < order.size(); ++v) {
    order[v] = v;
  }
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Vertex> clique_of(graph.size());
  std::vector<std::vector<Vertex>> cliques;
  for (Vertex const v : order) {
    auto const mine = std::find_if(cliques.begin(), cliques.end(), [&](auto const& clique) {
      return random() % 4 != 0 && std::all_of(clique.begin(), clique.end(),
                                              [&](Vertex u) { return has_edge(graph, u, v); });
    });
    auto const number = static_cast<Vertex>(mine - cliques.begin());
    if (mine == cliques.end()) {
      cliques.emplace_back();
    }
    cliques[number].push_back(v);
    clique_of[v] = number;
  }
  return clique_of;
}

TEST(CliqueChoice, ComesToTheMinimumFromAnyPartition) {
  Interrupt interrupt{Options{}};
  std::mt19937_64 random(74);
  for (int repeat = 0; repeat < 4000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(14, random);
    auto const host = to_host_graph(graph);
    auto const minimum = static_cast<std::uint32_t>(std::popcount(minimum_cover(graph)));
    auto const n = static_cast<std::uint32_t>(graph.size());
    std::vector<std::uint8_t> const everybody(n, 1);
    CliqueChoice choice(host, random_partition(graph, random), everybody, interrupt);
    std::uint32_t lower = 0;
    for (bool ended = false; !ended;) {
      ended = choice.run(n + 1, 0, 1 + random() % 3);
      EXPECT_LE(lower, choice.lower());
      lower = choice.lower();
      EXPECT_LE(lower, minimum);
      EXPECT_GE(choice.cover_size(), minimum);
      EXPECT_TRUE(is_cover(graph, to_bits(choice.cover())));
      EXPECT_EQ(std::popcount(to_bits(choice.cover())), static_cast<int>(choice.cover_size()));
    }
    EXPECT_EQ(choice.cover_size(), minimum);

    // Less is asked for.
    std::uint32_t const limit = static_cast<std::uint32_t>(random() % (n + 2));
    std::uint32_t const enough = static_cast<std::uint32_t>(random() % (n + 1));
    CliqueChoice goal(host, random_partition(graph, random), everybody, interrupt);
    EXPECT_TRUE(goal.run(limit, enough, 1'000'000));
    EXPECT_TRUE(goal.lower() >= std::min(limit, goal.cover_size()) || goal.cover_size() <= enough);
    EXPECT_LE(goal.lower(), minimum);
    EXPECT_TRUE(is_cover(graph, to_bits(goal.cover())));
  }
}

/// Whatever they are at when the caller has had enough is sound.
TEST(CliqueChoice, EndsWhenTheCallerHasHadEnough) {
  std::atomic<bool> stop{true};
  Options options;
  options.stop = &stop;
  Interrupt over(options);
  ASSERT_TRUE(over.over());
  std::mt19937_64 random(76);
  for (int repeat = 0; repeat < 300; ++repeat) {
    auto const clauses = random_clauses(8, 20, 3, random);
    VariableElimination const elimination(clauses, std::vector<std::uint8_t>(8, 0), over);
    Clauses left;
    elimination.for_each_clause([&](auto const& clause) { left.push_back(clause); });
    EXPECT_EQ(left, clauses);
    EXPECT_EQ(learner_of(8, pigeons(2), over).solve({}, 0), ClauseLearning::Answer::unknown);

    auto const graph = random_graph(14, random);
    std::vector<std::uint8_t> const everybody(graph.size(), 1);
    auto const host = to_host_graph(graph);
    CliqueChoice choice(host, random_partition(graph, random), everybody, over);
    auto const n = static_cast<std::uint32_t>(graph.size());
    bool const nothing_to_do = choice.lower() == n;
    EXPECT_EQ(choice.run(n + 1, 0, 1000), nothing_to_do);
    EXPECT_LE(choice.lower(), static_cast<std::uint32_t>(std::popcount(minimum_cover(graph))));
    EXPECT_EQ(choice.cover(), everybody);
  }
}

/// Karp's reduction: an edge for each variable, a clique for each clause, and each literal there beside its
/// complement. A cover has a vertex of each variable, all but one of each clause that can be met, and all of
/// the others.
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

/// With k below, at and above it too. Returns the report without.
Report expect_minimum(std::uint32_t variables, Clauses const& clauses, std::size_t broken) {
  HostGraph const graph = graph_of(variables, clauses);
  std::vector<std::uint8_t> in_cover(graph.vertices());
  Report const report = standard::solve(graph, in_cover, {});
  EXPECT_EQ(report.status, taper::Status::solved);
  EXPECT_EQ(report.cover_size, graph.vertices() - variables - clauses.size() + broken);
  EXPECT_EQ(report.lower_bound, report.cover_size);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(in_cover.begin(), in_cover.end(), 1)),
            report.cover_size);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (Vertex const u : graph.neighbours(v)) {
      EXPECT_TRUE(in_cover[v] == 1 || in_cover[u] == 1);
    }
  }
  auto const minimum = static_cast<std::int64_t>(report.cover_size);
  for (std::int64_t k = minimum - 1; k <= minimum + 1; ++k) {
    Options options;
    options.k = k;
    Report const answer = standard::solve(graph, in_cover, options);
    EXPECT_EQ(answer.status, taper::Status::solved) << "k = minimum + " << k - minimum;
    EXPECT_EQ(answer.found, k >= minimum) << "k = minimum + " << k - minimum;
    EXPECT_EQ(answer.found, answer.cover_size <= static_cast<std::uint64_t>(k));
    EXPECT_LE(answer.lower_bound, report.cover_size);
    EXPECT_TRUE(answer.found || answer.lower_bound > static_cast<std::uint64_t>(k));
  }
  return report;
}

/// Branch and reduce alone takes minutes for the larger of these, and longer.
TEST(CliqueChoice, SolvesGraphsOfConstraints) {
  std::mt19937_64 random(75);
  Clauses clauses = planted_clauses(200, 1041, random);
  EXPECT_GT(expect_minimum(200, clauses, 0).conflicts, 0u);
  // Three variables in all eight ways: whatever they are, it is one of these that cannot be met.
  for (std::uint32_t ways = 0; ways < 8; ++ways) {
    clauses.push_back(
        {literal(0, (ways & 1) != 0), literal(1, (ways & 2) != 0), literal(2, (ways & 4) != 0)});
  }
  EXPECT_GT(expect_minimum(200, clauses, 1).conflicts, 0u);
  expect_minimum(100, planted_clauses(100, 430, random), 0);
  expect_minimum(42, pigeons(6), 1);
}

}  // namespace
