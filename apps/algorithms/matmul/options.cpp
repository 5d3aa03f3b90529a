// SPDX-License-Identifier: Apache-2.0
#include "matmul_options.hpp"

#include "cli_options.hpp"
#include "config_error.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace taper::app {

namespace mm = matmul;

namespace {

constexpr std::int64_t max_extent = std::int64_t{1} << 40;
constexpr double max_factor = 1e300;

template <class E>
std::vector<std::string_view> words() {
  auto const names = mm::names<E>();
  return {names.begin(), names.end()};
}

template <class E>
void choose(E& option, std::string const& word) {
  if (!word.empty()) {
    option = *mm::parse<E>(word);
  }
}

std::string extents_of(io::DenseMatrix const& matrix) {
  return io::extents(matrix.rows(), matrix.columns());
}

}  // namespace

void add_scalar_type(CLI::App& command, std::string& type, std::string const& description) {
  command.add_option("--type", type, description)
      ->check(one_of({"float32", "float64"}))
      ->type_name("TYPE");
}

io::Scalar scalar_named(std::string_view name) {
  return name == "float32" ? io::Scalar::float32 : io::Scalar::float64;
}

void ProductArguments::add_options(CLI::App& command) {
  command.add_option("A", a, ".npy or Matrix Market, gzip too; '-' is the standard input")
      ->required()
      ->type_name("");
  command.add_option("B", b, "the same; as many rows as A has columns")->required()->type_name("");
  command.add_option("--alpha", alpha, "(default: 1)")
      ->check(real_in(-max_factor, max_factor))
      ->type_name("X");
  given_beta_ = command.add_option("--beta", beta, "(default: 0, or 1 where --c is given)")
                    ->check(real_in(-max_factor, max_factor))
                    ->type_name("X");
  command.add_option("--c", c, "the matrix C that beta multiplies")->type_name("FILE");
  add_scalar_type(
      command, type,
      "float32 or float64, to which all are converted (default: that of the .npy files; "
      "float64 for Matrix Market alone)");
}

ProductTerms ProductArguments::read() const {
  if (c.empty() && given_beta_->count() > 0 && beta != 0) {
    throw ConfigError("--beta needs --c, the matrix that it multiplies");
  }
  ProductTerms terms;
  terms.alpha = alpha;
  terms.beta = c.empty() ? 0 : given_beta_->count() > 0 ? beta : 1;
  auto scalar = type.empty() ? std::nullopt : std::optional(scalar_named(type));
  std::string first;  // whose type is that of all
  std::vector<io::DenseMatrix*> read;
  auto const add = [&](std::filesystem::path const& path, io::DenseMatrix& matrix) {
    auto file = io::read_matrix(path, scalar.value_or(io::Scalar::float64));
    matrix = std::move(file.matrix);
    read.push_back(&matrix);
    if (file.format == io::MatrixFormat::matrix_market || !type.empty()) {
      return;
    }
    if (scalar && *scalar != matrix.scalar()) {
      throw ConfigError(fmt::format("{} holds {} and {} {}: --type float32 or float64 converts",
                                    first, io::to_string(*scalar), path.string(),
                                    io::to_string(matrix.scalar())));
    }
    scalar = matrix.scalar();
    first = path.string();
  };
  if ((a == "-") + (b == "-") + (c == "-") > 1) {
    throw ConfigError("the standard input can be only one of the matrices");
  }
  add(a, terms.a);
  add(b, terms.b);
  if (!c.empty()) {
    add(c, terms.c);
  }
  if (terms.a.columns() != terms.b.rows()) {
    throw ConfigError(fmt::format("{} is {} and {} is {}: the {} columns of the first are not the "
                                  "{} rows of the second",
                                  a.string(), extents_of(terms.a), b.string(), extents_of(terms.b),
                                  io::grouped(terms.a.columns()), io::grouped(terms.b.rows())));
  }
  if (!c.empty() && (terms.c.rows() != terms.a.rows() || terms.c.columns() != terms.b.columns())) {
    throw ConfigError(fmt::format("{} is {}, but the product is {}", c.string(),
                                  extents_of(terms.c),
                                  io::extents(terms.a.rows(), terms.b.columns())));
  }
  for (auto* matrix : read) {
    matrix->convert(scalar.value_or(io::Scalar::float64));
  }
  require_host_memory("the product's " + io::extents(terms.a.rows(), terms.b.columns()) +
                          " entries",
                      io::matrix_bytes(terms.a.scalar(), terms.a.rows(), terms.b.columns()));
  return terms;
}

void MatmulArguments::add_options(CLI::App& command) {
  command
      .add_option("--engine", engine,
                  fmt::format("{} (default: automatic)", fmt::join(matmul_engine_names(), ", ")))
      ->check(one_of(matmul_engine_names()))
      ->type_name("NAME");
  auto const choice = [&](char const* name, std::string& word, std::string const& of,
                          std::vector<std::string_view> known) {
    command.add_option(name, word, fmt::format("{}: {}", of, fmt::join(known, ", ")))
        ->check(one_of(known))
        ->type_name("NAME");
  };
  choice("--kernel", kernel, "what multiplies blocks on a host", words<mm::Kernel>());
  choice("--scheduler", scheduler, "who runs the branches of a recursion", words<mm::Scheduler>());
  command
      .add_option("--threshold", threshold,
                  "of a recursion: extents up to here are not halved any more")
      ->check(integer_in(1, max_extent))
      ->type_name("N");
  command.add_option("--block", block, "tiled only: rows and columns of a block (default: 128)")
      ->check(integer_in(1, max_extent))
      ->type_name("N");
  command
      .add_option(
          "--backend", backend,
          "a backend of this build (see taper info), or host, device or widest (default: the "
          "engine's)")
      ->type_name("NAME");
}

MatmulEngine MatmulArguments::resolve() const {
  auto resolved = matmul_engine(engine);
  auto& options = resolved.options;
  auto const refuse = [&](std::string_view option) {
    throw ConfigError(
        fmt::format("{}: the engine '{}' has none", option, to_string(options.engine)));
  };
  if (!kernel.empty() && !mm::has_kernel(options.engine)) {
    refuse("--kernel");
  }
  if ((threshold > 0 || !scheduler.empty()) && !mm::recurses(options.engine)) {
    refuse(threshold > 0 ? "--threshold" : "--scheduler");
  }
  if (block > 0 && options.engine != mm::Engine::tiled) {
    refuse("--block");
  }
  choose(options.kernel, kernel);
  choose(options.scheduler, scheduler);
  if (threshold > 0) {
    options.threshold = threshold;
  }
  if (block > 0) {
    options.block = block;
  }
  if (!backend.empty()) {
    resolved.backend = backend;
  }
  return resolved;
}

}  // namespace taper::app
