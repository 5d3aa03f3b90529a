// SPDX-License-Identifier: Apache-2.0
//
// FlatZinc with the stable marriage constraint. An input that begins with '(' is the text of the
// constraint's arguments: it is read, or refused. Other inputs are the bytes of a small market:
// Gecode finds all its stable matchings that narrowed domains allow, by the trial of all matchings.
#include "kokkos.hpp"

#include <fzn/stable_matching.hpp>

#include <gecode/flatzinc.hh>
#include <gecode/flatzinc/registry.hh>
#include <gecode/search.hh>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fz = Gecode::FlatZinc;
namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
using taper::fuzz::Bytes;
using taper::fuzz::require;

mp::Options options;  // of the constraints of this input

/// As fzn-taper reads the constraint, without its annotations.
void post(fz::FlatZincSpace& space, fz::ConExpr const& constraint, fz::AST::Node*) {
  if (constraint.size() != 5) {
    throw fz::Error("taper_stable_matching", "expected 5 arguments");
  }
  taper::fzn::stable_matching(space, space.arg2intvarargs(constraint[0]),
                              space.arg2intvarargs(constraint[1]), space.arg2intargs(constraint[2]),
                              space.arg2intargs(constraint[3]), constraint[4]->getInt(), options);
}

std::unique_ptr<fz::FlatZincSpace> parse(std::string const& model) {
  static bool const registered = [] {
    fz::registry().add("taper_stable_matching", &post);
    return true;
  }();
  (void)registered;
  std::istringstream text(model);
  std::ostringstream errors;
  fz::Printer printer;
  Gecode::Rnd random(1);
  return std::unique_ptr<fz::FlatZincSpace>(fz::parse(text, printer, errors, nullptr, random));
}

/// A model with four variables a to d, and this text as the constraint's arguments.
void read_arguments(std::string_view text) {
  std::string const model = "array [1..4] of int: p = [1,2,2,1];\nvar 1..2: a;\nvar 1..2: b;\n"
                            "var 1..2: c;\nvar 0..3: d;\nconstraint taper_stable_matching" +
                            std::string(text) + ";\nsolve satisfy;\n";
  try {
    if (auto const space = parse(model)) {
      space->status();
    }
  } catch (fz::Error const&) {
  } catch (Gecode::Exception const&) {
  }
}

template <class Numbers>
std::string list_of(Numbers const& numbers) {
  std::string text = "[";
  for (auto const& number : numbers) {
    text += (text.size() > 1 ? "," : "") + number;
  }
  return text + "]";
}

/// The lists of one side in one array, counted from `base`.
std::string flat(oracle::Lists const& lists, std::size_t base) {
  std::vector<std::string> numbers;
  for (auto const& list : lists) {
    for (auto const id : list) {
      numbers.push_back(std::to_string(id + base));
    }
  }
  return list_of(numbers);
}

/// The places of people on their lists, men first, as the model's variables have them.
std::vector<std::size_t> places_of(oracle::Market const& market, oracle::Matching const& matching) {
  std::vector<std::size_t> places;
  for (std::size_t man = 0; man < market.size(); ++man) {
    places.push_back(oracle::rank_in(market.men[man], matching[man]));
  }
  for (std::size_t woman = 0; woman < market.size(); ++woman) {
    places.push_back(oracle::rank_in(market.women[woman], oracle::man_of(matching, woman)));
  }
  return places;
}

void solve(Bytes bytes) {
  auto const choice = bytes.next();
  std::size_t const n = 1 + choice % 4;
  std::size_t const base = choice / 4 % 2;
  options.symmetric = choice / 8 % 2 == 1;
  options.bind_partner = choice / 16 % 2 == 1;
  options.schedule = static_cast<mp::Schedule>(choice / 32 % 3);
  options.thresholds = mp::Thresholds{.free_people = 2, .modified_values = 4, .domain_size = 0};
  auto const market = taper::fuzz::market(n, bytes);

  std::string model;
  std::vector<std::string> names;
  std::vector<std::array<std::size_t, 2>> bounds;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    auto const narrowed = bytes.next();
    std::size_t const least = narrowed % 16 % n;
    bounds.push_back({least, n - 1 - narrowed / 16 % (n - least)});
    names.push_back("x" + std::to_string(i));
    model += "var " + std::to_string(bounds[i][0] + base) + ".." +
             std::to_string(bounds[i][1] + base) + ": " + names[i] + ";\n";
  }
  auto const women = names.begin() + static_cast<std::ptrdiff_t>(n);
  model += "constraint taper_stable_matching(" +
           list_of(std::vector<std::string>(names.begin(), women)) + "," +
           list_of(std::vector<std::string>(women, names.end())) + "," + flat(market.men, base) +
           "," + flat(market.women, base) + "," + std::to_string(base) + ");\nsolve satisfy;\n";

  std::vector<std::vector<std::size_t>> should;
  for (auto const& matching : oracle::stable_matchings_by_trial(market)) {
    auto const places = places_of(market, matching);
    bool fits = true;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      fits = fits && places[i] >= bounds[i][0] && places[i] <= bounds[i][1];
    }
    if (fits) {
      should.push_back(places);
    }
  }
  auto const space = parse(model);
  require(space != nullptr, "a right model is read");
  Gecode::branch(*space, space->iv, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_MIN());
  Gecode::DFS<fz::FlatZincSpace> search(space.get());
  std::vector<std::vector<std::size_t>> found;
  while (std::unique_ptr<fz::FlatZincSpace> const solution{search.next()}) {
    auto& places = found.emplace_back();
    for (int i = 0; i < static_cast<int>(2 * n); ++i) {
      places.push_back(static_cast<std::size_t>(solution->iv[i].val()) - base);
    }
  }
  std::sort(found.begin(), found.end());
  std::sort(should.begin(), should.end());
  require(found == should, "Gecode finds all stable matchings that the domains allow");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = taper::fuzz::text_of(data, size);
  options = {};
  // Arguments end before a semicolon, and with it the part of Gecode's reader that is tested.
  text.starts_with('(') ? read_arguments(text.substr(0, text.find(';'))) : solve(Bytes(data, size));
  return 0;
}
