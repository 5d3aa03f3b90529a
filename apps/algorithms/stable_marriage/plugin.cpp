// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "pictures.hpp"
#include "results.hpp"
#include "solver.hpp"
#include "tune.hpp"

#include <driver/algorithm.hpp>
#include <experiment/fields.hpp>
#include <mpi/lists.hpp>

#include <io/text/strings.hpp>
#include <taper/stable_marriage/distributed/fields.hpp>
#include <taper/stable_marriage/fields.hpp>

#include <fmt/format.h>

#include <array>
#include <optional>

namespace taper::app {
namespace {

namespace sm = stable_marriage;

Picture draw_phases(std::filesystem::path const& file, std::uint64_t n) {
  auto const stored = read_stored<MarriageCase>(file);
  return phases_picture(stored.heading(), summarize(stored.cases),
                        n > 0 ? std::optional(n) : std::nullopt);
}

template <Picture (*picture)(std::string const& title, std::span<SummaryGroup const> groups)>
Picture draw_all_sizes(std::filesystem::path const& file, std::uint64_t) {
  auto const stored = read_stored<MarriageCase>(file);
  return picture(stored.heading(), summarize(stored.cases));
}

/// The largest n for which the tables and the memory of a solve fit.
std::string capacity(std::uint64_t bytes) {
  std::size_t fits = 0;
  std::size_t too_large = sm::max_people + 1;
  while (too_large - fits > 1) {
    auto const middle = fits + (too_large - fits) / 2;
    (bytes_needed(middle, {}) <= bytes ? fits : too_large) = middle;
  }
  return fmt::format("n up to {} fits in {}", io::grouped(fits), io::human_bytes(bytes));
}

void add_commands(Commands& commands) {
  commands.add(add_match(commands.app, commands.runtime));
  commands.add(add_generate_market(commands.group("generate"), commands.runtime));
  commands.add(add_verify_matching(commands.group("verify"), commands.runtime));
}

constexpr std::array pictures{
    PictureKind{"phases", "stacked bars of the phases per engine and workload", draw_phases},
    PictureKind{"scaling", "time over n, and over the group size if there are several",
                draw_all_sizes<scaling_picture>},
    PictureKind{"atomics", "time and atomic operations over n or the group size (Figure 7)",
                draw_all_sizes<atomics_picture>},
    PictureKind{"rank_share", "share of rank look-ups in MW-Seq-CPU (Figure 3)",
                draw_all_sizes<rank_share_picture>}};
constexpr std::array tables{FieldTable{"stable_marriage.options", field_table<sm::Options>},
                            FieldTable{"stable_marriage.report", report_table<sm::Report>},
                            FieldTable{"stable_marriage.traffic", report_table<sm::RoundTraffic>}};
constexpr Algorithm plugin{.name = "stable_marriage",
                           .results_format = MarriageCase::format,
                           .add_commands = add_commands,
                           .read = read_marriage_bench,
                           .serve = serve_lists,
                           .summarize = summarize_marriages,
                           .details = marriage_details,
                           .pictures = pictures,
                           .tables = tables,
                           .tune = tune_stable_marriage,
                           .tune_steps = stable_marriage_tune_steps,
                           .capacity = capacity};

}  // namespace

Algorithm const& stable_marriage_plugin() {
  return plugin;
}

}  // namespace taper::app
