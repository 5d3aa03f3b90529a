// SPDX-License-Identifier: Apache-2.0
//
// For any bytes the readers of experiments return a configuration that can be written as JSON, or
// throw an error of one line. A stable marriage experiment that was written reads back as the same.
#include "fuzz.hpp"

#include <algorithms/clique/experiment.hpp>
#include <algorithms/marriage_propagator/experiment.hpp>
#include <algorithms/matmul/experiment.hpp>
#include <algorithms/rotations/experiment.hpp>
#include <algorithms/stable_marriage/experiment.hpp>
#include <algorithms/tree_search/experiment.hpp>
#include <algorithms/vertex_cover/experiment.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>

namespace {

using namespace taper::app;
using taper::fuzz::check_error;
using taper::fuzz::file_name;
using taper::fuzz::require;

constexpr std::array<std::string_view, 7> algorithms{
    "stable_marriage", "marriage_propagator", "vertex_cover", "matmul", "rotations",
    "clique",          "tree_search"};

void check_marriage_experiment(Node const& root) {
  auto const text = to_json(read_marriage_experiment(root)).dump();
  auto const again = to_json(read_marriage_experiment(Node::parse(text, file_name))).dump();
  require(text == again, "a stable marriage experiment is read back");
}

void check_experiment(std::string const& text) {
  auto const root = Node::parse(text, file_name);
  auto const key = root.find("algorithm");
  switch (key ? key->choice(algorithms) : 0) {
  case 0:
    return check_marriage_experiment(root);
  case 1:
    return (void)to_json(read_propagator_experiment(root)).dump();
  case 2:
    return (void)to_json(read_cover_experiment(root)).dump();
  case 3:
    return (void)to_json(read_matmul_experiment(root)).dump();
  case 4:
    return (void)to_json(read_rotation_experiment(root)).dump();
  case 5:
    return (void)to_json(read_clique_experiment(root)).dump();
  default:
    return (void)to_json(read_tree_experiment(root)).dump();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    check_experiment(std::string(taper::fuzz::text_of(data, size)));
  } catch (ConfigError const& error) {
    check_error(error);
  }
  return 0;
}
