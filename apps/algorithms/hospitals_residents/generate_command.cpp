// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "solve.hpp"

#include <driver/cli_fields.hpp>
#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <support/config_error.hpp>
#include <support/runtime.hpp>

#include <io/market/id_table.hpp>
#include <io/market/market_arrays.hpp>
#include <io/market/write.hpp>
#include <io/text/strings.hpp>
#include <taper/hospitals_residents/fields.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace taper::app {

namespace hr = hospitals_residents;

namespace {

struct GenerateArguments {
  std::string family;
  std::uint64_t residents = 0;
  std::uint64_t hospitals = 0;
  std::optional<std::uint64_t> seats;  ///< none: as many as residents
  FieldArguments<hr::Workload> others;
  std::filesystem::path output;
  int threads = 0;
};

hr::Workload workload_of(GenerateArguments const& arguments) {
  hr::Workload workload;
  arguments.others.apply_to(workload);
  workload.family = *hr::parse<hr::Family>(arguments.family);
  workload.residents = arguments.residents;
  workload.hospitals = arguments.hospitals;
  workload.seats = arguments.seats.value_or(arguments.residents);
  return workload;
}

void require_memory(hr::Workload const& workload) {
  std::uint64_t const length = std::min<std::uint64_t>(workload.list_length, workload.hospitals);
  // As generated, and to be written. A floating-point number: the product may exceed 64 bits.
  double const bytes = 16.0 * static_cast<double>(workload.residents) * static_cast<double>(length);
  if (auto const free = io::free_memory(); bytes > static_cast<double>(free)) {
    throw ConfigError(fmt::format(
        "a market of {} residents with lists of {} takes {}, and {} are free",
        io::grouped(workload.residents), io::grouped(length),
        io::human_bytes(static_cast<std::uint64_t>(std::min(bytes, 9e18))), io::human_bytes(free)));
  }
}

io::SparseMarket generate(hr::Workload const& workload) {
  auto arrays = generate_market_vectors(workload);
  io::SparseMarket market;
  market.first = {"residents", {}, workload.residents};
  market.second = {"hospitals", {}, workload.hospitals};
  market.offsets = std::move(arrays.offsets);
  market.hospitals = std::move(arrays.hospitals);
  market.keys = std::move(arrays.keys);
  market.seats = std::move(arrays.seats);
  return market;
}

int execute(GenerateArguments const& arguments, Runtime& runtime) {
  auto const workload = workload_of(arguments);
  require_memory(workload);
  bool const printed = arguments.output.empty() || arguments.output == "-";
  if (!printed && !arguments.output.has_extension()) {
    io::require_new_folder(arguments.output);
    runtime.start(arguments.threads);
    io::write_market_arrays(arguments.output, generate(workload));
    return 0;
  }
  auto const format = printed ? io::MarketFormat::csv : io::market_format_of(arguments.output);
  Output output(arguments.output);
  runtime.start(arguments.threads);
  auto const market = generate(workload);
  io::write_market(output.stream(), market, format);
  output.commit();
  return 0;
}

}  // namespace

Command add_generate_residents(CLI::App& generate, Runtime& runtime) {
  auto* command = generate.add_subcommand(
      "residents",
      "write a market of residents with short lists and hospitals with seats; the same seed gives "
      "the same market");
  auto arguments = std::make_shared<GenerateArguments>();
  constexpr std::int64_t max_agents = 0xFFFF'FFFE;
  add_family(*command, arguments->family, names_of<hr::Family>())->required();
  add_positional(*command, "RESIDENTS", arguments->residents, "their number")
      ->check(integer_in(0, max_agents));
  add_positional(*command, "HOSPITALS", arguments->hospitals, "their number")
      ->check(integer_in(0, max_agents));
  add_checked(*command, "--seats", arguments->seats, integer_in(0, max_agents), "N",
              "seats of all hospitals together (default: as many as residents)");
  arguments->others.add_options(*command, {"family", "residents", "hospitals", "seats"});
  add_output(*command, arguments->output,
             "a file .csv, .json or .yaml; without an extension a new folder of NumPy arrays "
             "(default: '-', CSV on the standard output)");
  add_threads(*command, arguments->threads);
  command->footer("Example: a market for `taper match market`.\n"
                  "  taper generate residents uniform 100000 1000 --seats 90000 -o market");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
