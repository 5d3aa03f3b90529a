// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "pictures.hpp"
#include "results.hpp"
#include "tune.hpp"

#include <driver/algorithm.hpp>
#include <experiment/fields.hpp>

#include <taper/matmul/fields.hpp>

#include <array>

namespace taper::app {
namespace {

template <YAxis y_axis>
Picture draw_lines(std::filesystem::path const& file, std::uint64_t) {
  return matmul_lines_picture(read_stored<MatmulCase>(file), y_axis);
}

Picture draw_thresholds(std::filesystem::path const& file, std::uint64_t) {
  return thresholds_picture(read_stored<MatmulCase>(file));
}

void add_commands(Commands& commands) {
  commands.add(add_multiply(commands.app, commands.runtime));
  commands.add(add_generate_matrix(commands.group("generate"), commands.runtime));
  commands.add(add_verify_product(commands.group("verify"), commands.runtime));
}

constexpr std::array pictures{
    PictureKind{"scaling", "time over n", draw_lines<YAxis::time>},
    PictureKind{"speedup", "speedup over the baseline, over n", draw_lines<YAxis::speedup>},
    PictureKind{"gflops", "GFLOP/s over n", draw_lines<YAxis::gflops>},
    PictureKind{"thresholds", "a map of thresholds over n", draw_thresholds}};
constexpr std::array tables{FieldTable{"matmul.options", field_table<matmul::Options>},
                            FieldTable{"matmul.report", report_table<matmul::Report>},
                            FieldTable{"matmul.streaming", report_table<matmul::Streaming>}};
constexpr Algorithm plugin{.name = "matmul",
                           .results_format = MatmulCase::format,
                           .add_commands = add_commands,
                           .read = read_matmul_bench,
                           .summarize = summarize_products,
                           .pictures = pictures,
                           .tables = tables,
                           .tune = tune_matmul,
                           .tune_steps = matmul_tune_steps};

}  // namespace

Algorithm const& matmul_plugin() {
  return plugin;
}

}  // namespace taper::app
