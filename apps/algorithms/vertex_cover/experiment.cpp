// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <taper/vertex_cover/fields.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace taper::app {

namespace vc = vertex_cover;

namespace {

constexpr auto max_n = static_cast<std::int64_t>(io::max_vertices);
constexpr std::int64_t max_integer = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t max_threads = 4096;
constexpr double max_seconds = 1e9;

/// Reads a mode. Throws ConfigError for a name of version 0.1, with the present one.
vc::Mode read_mode(Node const& node) {
  for (std::string_view const former : {"default", "paper"}) {
    if (node.is_word(former)) {
      node.fail(former_mode_message(former));
    }
  }
  return read_enum<vc::Mode>(node);
}

CoverSolver read_solver(Node const& node) {
  CoverSolver solver;
  auto& options = solver.options;
  auto const mode = node.is_map() ? node.find("mode") : std::optional<Node>(node);
  if (node.is_map()) {
    node.allow_only(
        keys_of<vc::Options, vc::ComponentSearchOptions>({"name", "backend", "threads"}));
  }
  if (mode) {
    options.mode = read_mode(*mode);
  }
  solver.name = to_string(options.mode);
  if (options.mode != vc::Mode::taper) {
    options.component_search = component_search_options(options.mode);
  }
  if (!node.is_map()) {
    return solver;
  }
  if (options.component_search) {
    if (auto const key = node.find("packing")) {
      key->fail("only the mode 'taper' has this key");
    }
    read_fields(node, *options.component_search);
  } else {
    read_fields(node, options);
    refuse_fields<vc::ComponentSearchOptions>(node, "the mode 'taper' does not have this key");
  }
  read_backend_and_name(node, solver);
  read_if_given(node, "threads", [&](Node const& key) {
    solver.threads = static_cast<int>(key.integer(1, max_threads));
  });
  return solver;
}

/// Reads "minimum", a number k, or a k relative to the graph's known minimum. Returns -1 for
/// "minimum".
std::int64_t read_question(Node const& node, std::optional<std::uint64_t> minimum) {
  auto const text = node.text();
  if (text == "minimum") {
    return -1;
  }
  if (text == "known" || text == "known-1" || text == "known+1") {
    if (!minimum) {
      node.fail(fmt::format("'{}' needs the graph's key 'minimum'", text));
    }
    auto const k = static_cast<std::int64_t>(*minimum) + (text.ends_with("-1")   ? -1
                                                          : text.ends_with("+1") ? 1
                                                                                 : 0);
    if (k < 0) {
      node.fail(fmt::format("'{}' is negative, since the minimum is 0", text));
    }
    return k;
  }
  if (!parse_integer(text)) {
    node.fail(fmt::format("expected 'minimum', a number k, or 'known-1', 'known' or 'known+1', "
                          "found '{}'",
                          text));
  }
  return node.integer(0, max_integer);
}

std::vector<std::int64_t> read_questions(Node const& node, std::optional<std::uint64_t> minimum) {
  std::vector<std::int64_t> questions;
  for (auto const& item : node.each()) {
    questions.push_back(read_question(item, minimum));
    if (std::ranges::count(questions, questions.back()) > 1) {
      item.fail(fmt::format("occurs twice: {}", question_label(questions.back())));
    }
  }
  return questions;
}

std::string family_label(vc::Workload const& workload) {
  auto label = fmt::format("{} {}", to_string(workload.family), workload.n);
  if (workload.family != vc::Family::grid) {
    label += fmt::format(" degree {}", workload.degree);
  }
  if (workload.family == vc::Family::planted_cover) {
    label += fmt::format(" cover {}", workload.cover);
  } else if (workload.family == vc::Family::many_components) {
    label += fmt::format(" parts {}", workload.component_size);
  }
  return label + fmt::format(" seed {}", workload.seed);
}

/// Reads a family: one generated graph per size and seed.
std::vector<GraphSpec> read_family(Node const& node) {
  GraphSpec spec;
  auto& workload = spec.workload;
  workload.family = read_enum<vc::Family>(node.require("family"));
  if (auto const key = node.find("degree")) {
    if (workload.family == vc::Family::grid) {
      key->fail("the family 'grid' has no such key");
    }
    workload.degree = key->real(0, static_cast<double>(max_n));
  }
  if (auto const key = find_of_family(node, "cover", workload.family, vc::Family::planted_cover)) {
    workload.cover = static_cast<std::size_t>(key->integer(0, max_n));
    spec.minimum = workload.cover;
  } else if (workload.family == vc::Family::planted_cover) {
    node.fail("the family 'planted_cover' needs the key 'cover'");
  }
  if (auto const key =
          find_of_family(node, "component_size", workload.family, vc::Family::many_components)) {
    workload.component_size = static_cast<std::size_t>(key->integer(1, max_n));
  }
  std::vector<std::uint64_t> seeds{1};
  if (auto const key = node.find("seeds")) {
    seeds = read_seeds(*key);
  }
  std::vector<GraphSpec> specs;
  for (auto const n : read_distinct_integers(node.require("n"), 0, max_n)) {
    for (auto const seed : seeds) {
      workload.n = static_cast<std::size_t>(n);
      workload.seed = seed;
      spec.name = family_label(workload);
      specs.push_back(spec);
    }
  }
  return specs;
}

/// Throws ConfigError if a graph with weights has a question or a solver without them.
void require_weighted_search(Node const& weights, GraphSpec const& spec,
                             CoverExperiment const& experiment) {
  if (spec.questions != std::vector<std::int64_t>{-1}) {
    weights.fail("with weights the only question is the minimum; give this graph 'k: minimum'");
  }
  for (auto const& solver : experiment.solvers) {
    if (spec.runs(solver.name) &&
        (solver.options.mode != vc::Mode::taper || !solver.options.packing)) {
      weights.fail(fmt::format("the solver '{}' does not take weights, only 'taper' does; name the "
                               "solvers of this graph in its key 'solvers'",
                               solver.name));
    }
  }
}

std::vector<GraphSpec> read_graph_entry(Node const& node, std::optional<Node> const& questions,
                                        CoverExperiment const& experiment) {
  GraphSpec spec;
  std::vector<GraphSpec> specs;
  if (!node.is_map()) {
    spec.file = node.text();
    spec.name = file_label(spec.file);
    specs.push_back(spec);
  } else {
    auto const file = node.find("file");
    if (file) {
      node.allow_only({"file", "name", "weights", "minimum", "k", "solvers"});
      spec.file = file->text();
      auto const name = node.find("name");
      spec.name = name ? name->text() : file_label(spec.file);
      specs.push_back(spec);
    } else {
      node.allow_only({"file", "family", "n", "degree", "cover", "component_size", "seeds",
                       "weights", "minimum", "k", "solvers"});
      specs = read_family(node);
    }
    if (auto const key = node.find("weights")) {
      for (auto& entry : specs) {
        entry.weights = read_weight_source(*key, entry.file.empty());
        entry.name += node.find("name") ? std::string{} : entry.weights.label();
        if (entry.weights.given()) {
          entry.minimum.reset();  // of a planted cover, which is one of vertices
        }
      }
    }
    if (auto const key = node.find("minimum")) {
      for (auto& entry : specs) {
        entry.minimum = static_cast<std::uint64_t>(
            key->integer(0, entry.weights.given() ? max_integer : max_n));
      }
    }
    if (auto const key = node.find("solvers")) {
      for (auto const& item : key->items()) {
        auto const name = read_name_of(experiment.solvers, item, "solvers");
        for (auto& entry : specs) {
          entry.solvers.push_back(name);
        }
      }
    }
  }
  // These are references, since assigning to a YAML node would write into its tree.
  auto const own = node.is_map() ? node.find("k") : std::nullopt;
  auto const& asked = own ? own : questions;
  for (auto& entry : specs) {
    entry.questions = asked ? read_questions(*asked, entry.minimum) : std::vector<std::int64_t>{-1};
    if (entry.weights.given()) {
      require_weighted_search(node.require("weights"), entry, experiment);
    }
  }
  return specs;
}

}  // namespace

bool GraphSpec::runs(std::string const& solver) const {
  return solvers.empty() || std::ranges::find(solvers, solver) != solvers.end();
}

std::string question_label(std::int64_t k) {
  return k < 0 ? "minimum" : fmt::format("k = {}", k);
}

CoverExperiment read_cover_experiment(Node const& root) {
  root.allow_only({"algorithm", "name", "title", "data", "graphs", "k", "solvers", "self_loops",
                   "time_limit_s", "repetitions", "warmup", "threads", "verify", "count",
                   "skip_missing_backends", "skip_missing_graphs", "output"});
  CoverExperiment experiment;
  read_settings(root, experiment);
  read_if_given(root, "data", [&](Node const& node) { experiment.data = node.text(); });
  experiment.solvers = read_named(root.require("solvers"), "solver", read_solver);
  auto const questions = root.find("k");
  experiment.graphs = read_named_lists(root.require("graphs"), "graph", [&](Node const& item) {
    return read_graph_entry(item, questions, experiment);
  });
  read_if_given(root, "self_loops", [&](Node const& node) {
    auto const names = self_loops_names();
    experiment.self_loops = self_loops_named(names[node.choice(names)]);
  });
  read_if_given(root, "time_limit_s",
                [&](Node const& node) { experiment.time_limit_s = node.real(0, max_seconds); });
  read_if_given(root, "count", [&](Node const& node) { experiment.count = node.boolean(); });
  read_if_given(root, "skip_missing_graphs",
                [&](Node const& node) { experiment.skip_missing_graphs = node.boolean(); });
  for (auto& solver : experiment.solvers) {
    if (auto& search = solver.options.component_search) {
      search->count = experiment.count;
    }
    solver.options.time_limit_s = experiment.time_limit_s;
  }
  return experiment;
}

nlohmann::ordered_json to_json(CoverExperiment const& experiment) {
  using Json = nlohmann::ordered_json;
  auto graphs = Json::array();
  for (auto const& spec : experiment.graphs) {
    Json entry;
    if (!spec.file.empty()) {
      entry = {{"name", spec.name}, {"file", spec.file.string()}};
    } else {
      auto const& workload = spec.workload;
      entry = {{"family", to_string(workload.family)},
               {"n", workload.n},
               {"seeds", Json::array({workload.seed})}};
      if (workload.family != vc::Family::grid) {
        entry["degree"] = workload.degree;
      }
      if (workload.family == vc::Family::planted_cover) {
        entry["cover"] = workload.cover;
      } else if (workload.family == vc::Family::many_components) {
        entry["component_size"] = workload.component_size;
      }
    }
    if (spec.weights.given()) {
      entry["weights"] = spec.weights.text();
    }
    if (spec.minimum) {
      entry["minimum"] = *spec.minimum;
    }
    auto questions = Json::array();
    for (auto const k : spec.questions) {
      questions.push_back(k < 0 ? Json("minimum") : Json(k));
    }
    entry["k"] = std::move(questions);
    if (!spec.solvers.empty()) {
      entry["solvers"] = spec.solvers;
    }
    graphs.push_back(std::move(entry));
  }
  auto solvers = Json::array();
  for (auto const& [name, options, backend, threads] : experiment.solvers) {
    Json entry{{"name", name}, {"mode", to_string(options.mode)}, {"backend", backend}};
    if (threads > 0) {
      entry["threads"] = threads;
    }
    if (options.component_search) {
      write_fields(entry, *options.component_search);
    } else {
      entry["packing"] = options.packing;
    }
    solvers.push_back(std::move(entry));
  }
  Json json{{"algorithm", "vertex_cover"}};
  json.update(to_json(static_cast<Settings const&>(experiment)));
  json.update(
      Json{{"graphs", std::move(graphs)},
           {"solvers", std::move(solvers)},
           {"self_loops", self_loops_names()[static_cast<std::size_t>(experiment.self_loops)]},
           {"time_limit_s", experiment.time_limit_s},
           {"count", experiment.count},
           {"skip_missing_graphs", experiment.skip_missing_graphs}});
  return json;
}

}  // namespace taper::app
