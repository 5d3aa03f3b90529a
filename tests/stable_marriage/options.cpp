// SPDX-License-Identifier: Apache-2.0
#include <taper/stable_marriage/options.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace {

using namespace taper::stable_marriage;

template <class E>
void expect_names_parse(std::initializer_list<E> values) {
  std::set<std::string_view> names;
  for (E const value : values) {
    EXPECT_EQ(parse<E>(to_string(value)), value);
    names.insert(to_string(value));
  }
  EXPECT_EQ(names.size(), values.size());
  EXPECT_EQ(parse<E>("no_such_name"), std::nullopt);
  EXPECT_EQ(parse<E>(""), std::nullopt);
}

TEST(Options, NamesParseToTheirValues) {
  expect_names_parse(
      {Algorithm::gale_shapley, Algorithm::mcvitie_wilson, Algorithm::locality_aware});
  expect_names_parse({Contention::compare_exchange, Contention::fetch_min});
  expect_names_parse({Schedule::serial, Schedule::parallel, Schedule::bamboo, Schedule::hybrid});
  expect_names_parse({Proposer::men, Proposer::women});
  expect_names_parse({Tail::automatic, Tail::device, Tail::host});
  expect_names_parse(
      {LazyRanks::automatic, LazyRanks::columns, LazyRanks::shortlists, LazyRanks::never});
}

/// Section V and Table I, row by row, then Taper's own engine. A serial engine has no contention to
/// resolve.
TEST(Options, EnginesAreThoseOfThePaperAndTaper) {
  using enum Algorithm;
  using enum Contention;
  using enum Schedule;
  using Backend = Engine::Backend;
  struct Row {
    std::string_view name;
    Algorithm algorithm;
    std::optional<Contention> contention;
    Schedule schedule;
    Backend backend;
  };
  std::vector<Row> const rows{
      {"GS-Seq-CPU", gale_shapley, std::nullopt, serial, Backend::host},
      {"MW-Seq-CPU", mcvitie_wilson, std::nullopt, serial, Backend::host},
      {"LA-Seq-CPU", locality_aware, std::nullopt, serial, Backend::host},
      {"GS-Par-CPU", gale_shapley, compare_exchange, parallel, Backend::host},
      {"MW-Par-CPU", mcvitie_wilson, compare_exchange, parallel, Backend::host},
      {"MW-Par-GPU-CAS", mcvitie_wilson, compare_exchange, parallel, Backend::device},
      {"MW-Par-GPU-MIN", mcvitie_wilson, fetch_min, parallel, Backend::device},
      {"LA-Par-GPU-CAS", locality_aware, compare_exchange, parallel, Backend::device},
      {"LA-Par-GPU-MIN", locality_aware, fetch_min, parallel, Backend::device},
      {"Bamboo-SMP", locality_aware, fetch_min, bamboo, Backend::widest},
      {"taper", locality_aware, fetch_min, hybrid, Backend::widest}};
  ASSERT_EQ(engines().size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row const& row = rows[i];
    Engine const& engine = engines()[i];
    SCOPED_TRACE(row.name);
    EXPECT_EQ(engine.name, row.name);
    EXPECT_EQ(engine.backend, row.backend);
    EXPECT_EQ(engine.options.algorithm, row.algorithm);
    EXPECT_EQ(engine.options.contention, row.contention.value_or(engine.options.contention));
    EXPECT_EQ(engine.options.schedule, row.schedule);
    EXPECT_EQ(engine.options.proposer, Proposer::men);
    EXPECT_EQ(engine.options.tail, Tail::automatic);
    EXPECT_EQ(engine.options.tail_threshold, -1);
    EXPECT_FALSE(engine.options.count);
  }
}

}  // namespace
