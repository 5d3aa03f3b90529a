// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "market_solver.hpp"
#include "pictures.hpp"
#include "results.hpp"
#include "tune.hpp"

#include <driver/algorithm.hpp>
#include <experiment/fields.hpp>
#include <mpi/experiment.hpp>

#include <taper/hospitals_residents/distributed/fields.hpp>
#include <taper/hospitals_residents/fields.hpp>

#include <array>

namespace taper::app {
namespace {

namespace hr = hospitals_residents;

// `taper match` and `taper verify` of stable marriage take these markets too.
void add_commands(Commands& commands) {
  commands.add(add_generate_residents(commands.group("generate"), commands.runtime));
  commands.add(add_lottery(commands.app, commands.runtime));
}

constexpr std::array pictures{
    PictureKind{"market_times", "the median time of each engine per market", market_times_picture},
    PictureKind{"market_traffic", "bytes between processes in each round", market_traffic_picture}};
constexpr std::array tables{
    FieldTable{"hospitals_residents.market", field_table<hr::Workload>},
    FieldTable{"hospitals_residents.options", field_table<hr::Options>},
    FieldTable{"hospitals_residents.report", report_table<hr::Report>},
    FieldTable{"hospitals_residents.traffic", report_table<hr::RoundTraffic>}};
constexpr Algorithm plugin{.name = "hospitals_residents",
                           .results_format = SparseMarketCase::format,
                           .add_commands = add_commands,
                           .read = read_sparse_market_bench,
                           .serve = serve_market_parts,
                           .summarize = summarize_sparse_markets,
                           .pictures = pictures,
                           .tables = tables,
                           .tune = check_residents,
                           .tune_steps = residents_check_steps,
                           .sparse_market_solver = hospitals_residents_solver};

}  // namespace

Algorithm const& hospitals_residents_plugin() {
  return plugin;
}

}  // namespace taper::app
