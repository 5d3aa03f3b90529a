// SPDX-License-Identifier: Apache-2.0
#include <taper/stable_marriage/options.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using namespace taper::stable_marriage;

template <class E>
void expect_spelled(std::initializer_list<E> values) {
  std::set<std::string_view> names;
  for (E const value : values) {
    EXPECT_EQ(parse<E>(to_string(value)), value);
    names.insert(to_string(value));
  }
  EXPECT_EQ(names.size(), values.size());
  EXPECT_EQ(parse<E>("no_such_name"), std::nullopt);
  EXPECT_EQ(parse<E>(""), std::nullopt);
}

TEST(Options, SpellingsComeBack) {
  expect_spelled({Algorithm::gale_shapley, Algorithm::mcvitie_wilson, Algorithm::locality_aware});
  expect_spelled({Contention::compare_exchange, Contention::fetch_min});
  expect_spelled({Schedule::sequential, Schedule::parallel, Schedule::hybrid});
  expect_spelled({Proposer::men, Proposer::women});
  expect_spelled({Tail::automatic, Tail::device, Tail::host});
}

TEST(Options, ThePapersTenEnginesAreDistinctCombinations) {
  EXPECT_EQ(paper_engines().size(), 10u);
  std::set<std::string_view> names;
  for (Engine const& engine : paper_engines()) {
    names.insert(engine.name);
    EXPECT_EQ(engine.options.schedule == Schedule::sequential,
              engine.name.find("-Seq-") != std::string::npos);
    EXPECT_EQ(engine.options.schedule == Schedule::parallel,
              engine.name.find("-Par-") != std::string::npos);
    EXPECT_EQ(engine.backend == Engine::Backend::host, engine.name.ends_with("-CPU"));
    if (engine.name.ends_with("-MIN")) {
      EXPECT_EQ(engine.options.contention, Contention::fetch_min);
    }
    if (engine.name.ends_with("-CAS")) {
      EXPECT_EQ(engine.options.contention, Contention::compare_exchange);
    }
  }
  EXPECT_EQ(names.size(), 10u);
}

}  // namespace
