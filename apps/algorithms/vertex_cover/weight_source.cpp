// SPDX-License-Identifier: Apache-2.0
#include "weight_source.hpp"

#include "weight_options.hpp"

#include <support/config_error.hpp>

#include <io/graph/weights.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace taper::app {
namespace {

constexpr std::array<std::string_view, 3> words{"unit", "cyclic", "file"};  // as in Kind

}  // namespace

std::string WeightSource::text() const {
  return kind == Kind::other ? path.string() : std::string(words[static_cast<std::size_t>(kind)]);
}

std::string WeightSource::label() const {
  return given() ? fmt::format(", weights {}", text()) : std::string{};
}

WeightSource read_weight_source(Node const& key, bool generated) {
  auto const text = key.text();
  auto const word = std::ranges::find(words, text) - words.begin();
  WeightSource source{static_cast<WeightSource::Kind>(word), {}};
  if (source.kind == WeightSource::Kind::other) {
    source.path = text;
  }
  if (generated && source.kind >= WeightSource::Kind::file) {
    key.fail(fmt::format("a generated graph has weights 'unit' or 'cyclic', found '{}'", text));
  }
  return source;
}

void require_weight_file(WeightSource const& source, std::filesystem::path const& data,
                         std::string_view graph) {
  std::error_code error;
  if (source.kind == WeightSource::Kind::other &&
      !std::filesystem::exists(data / source.path, error)) {
    throw ConfigError(fmt::format("graph '{}': no file {}; `weights` is unit, cyclic, file, or the "
                                  "name of a file in the folder `data`",
                                  graph, (data / source.path).string()));
  }
}

std::vector<clique::Weight> load_weights(WeightSource const& source,
                                         std::filesystem::path const& data,
                                         io::GraphFile const& file) {
  std::vector<clique::Weight> weights;
  switch (source.kind) {
  case WeightSource::Kind::unit:
    break;
  case WeightSource::Kind::cyclic:
    for (std::size_t v = 0; v < file.vertices; ++v) {
      constexpr std::size_t period = 200;
      weights.push_back(static_cast<clique::Weight>((v + 1) % period + 1));
    }
    break;
  case WeightSource::Kind::file:
    if (file.weights.empty() && file.vertices > 0) {
      throw ConfigError(
          fmt::format("{}: it has no weights of vertices (weights: file)", file.file));
    }
    weights = file.weights;
    require_weights(weights, file, file.file);
    break;
  case WeightSource::Kind::other:
    auto const path = data / source.path;
    weights = io::read_weights(path, file);
    require_weights(weights, file, path.string());
    break;
  }
  return weights;
}

}  // namespace taper::app
