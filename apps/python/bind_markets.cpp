// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"
#include "call.hpp"
#include "convert.hpp"
#include "device.hpp"
#include "device_array.hpp"
#include "search.hpp"

#include <algorithms/hospitals_residents/solve.hpp>
#include <driver/market_arguments.hpp>
#include <support/runtime.hpp>
#include <support/seconds_of.hpp>

#include <io/market/join_lists.hpp>
#include <io/market/names.hpp>
#include <io/market/read.hpp>
#include <taper/hospitals_residents/fields.hpp>
#include <taper/preferences/lists.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

// Markets with lists of any length, ties and seats, in CSR arrays; and files of markets.

namespace taper::python {
namespace {

namespace hr = hospitals_residents;

/// The arrays of a market, which Python holds.
struct Arrays {
  Array<std::int64_t> offsets;
  Array<std::uint32_t> hospitals;
  Array<std::uint32_t> keys;
  Array<std::uint32_t> seats;
  Array<std::uint32_t> tiers;  ///< may be empty

  app::MarketArrays spans() const {
    return {span_of(offsets), span_of(hospitals), span_of(keys), span_of(seats), span_of(tiers)};
  }
  auto kept() const { return keep(offsets, hospitals, keys, seats, tiers); }
  double steps() const {
    return 10 * static_cast<double>(hospitals.size() + offsets.size() + seats.size());
  }
};

hr::Options market_options(py::dict const& given) {
  hr::Options options;
  read_options(given, options);
  return options;
}

std::string_view backend_for(std::string const& request, hr::Options const& options, int threads) {
  auto const on_host = options.mechanism == hr::Mechanism::top_trading_cycles;
  auto const backend = app::require_backend(!request.empty() ? request
                                            : on_host        ? "host"
                                                             : "widest");
  if (auto const why = app::missing_for_market(backend, options, threads); !why.empty()) {
    throw app::ConfigError(why);
  }
  return backend;
}

/// Returns the hospital of each resident (~0u: none), the report, the seconds and the backend.
py::tuple match_market(Arrays const& market, py::dict const& given, std::string const& backend_name,
                       int threads) {
  start();
  auto const options = market_options(given);
  auto const backend = backend_for(backend_name, options, threads);
  auto solution = call_until_stopped(
      {.steps = market.steps()},
      [=, spans = market.spans(), kept = market.kept()](std::atomic<bool> const& stop) {
        return app::solve_market(backend, threads, spans, with_stop(options, stop));
      });
  return py::make_tuple(to_array(std::move(solution.hospital_of)), to_python(solution.report),
                        solution.seconds, std::string(backend));
}

struct DrawProgress {
  std::atomic<std::uint64_t> draws = 0;
};

auto numbers_of_draws(DrawProgress const& progress) {
  return std::tuple(progress.draws.load(std::memory_order_relaxed));
}

/// Counts of draws in blocks of about this time: after each, the call can be stopped.
constexpr double seconds_of_block = 0.05;

/// Calls draw(now, options) for blocks of draws, each of some draws per worker. Stops early if `stop`
/// is set.
template <class Draw>
void draw_in_blocks(std::uint64_t draws, hr::Options options, Shared<DrawProgress>& shared,
                    Draw const& draw) {
  std::uint64_t const least = 4 * std::max(1u, std::thread::hardware_concurrency());
  std::uint64_t done = 0;
  std::uint64_t block = least;
  while (done < draws && !shared.stop) {
    auto const now = std::min(block, draws - done);
    auto const seconds = app::seconds_of([&] { draw(now, options); });
    options.seed += now;  // draw i has the seed of the first + i
    shared.progress.draws = done += now;
    if (seconds < seconds_of_block / 2) {
      block *= 2;
    } else if (seconds > seconds_of_block * 2) {
      block = std::max(least, block / 2);
    }
  }
}

std::vector<std::uint32_t> count_draws_in_blocks(std::string_view backend, int threads,
                                                 app::MarketArrays const& market,
                                                 std::uint64_t draws, hr::Options const& options,
                                                 Shared<DrawProgress>& shared) {
  auto const count = app::load_draws(backend, threads, market);
  std::vector<std::uint32_t> counts(market.hospitals.size());
  draw_in_blocks(draws, options, shared, [&](std::uint64_t now, hr::Options const& from) {
    std::ranges::transform(counts, count(now, from), counts.begin(), std::plus());
  });
  return counts;
}

/// Returns, per entry, the number of draws in which the resident gets the hospital.
py::object draw_market(Arrays const& market, std::uint64_t draws, py::dict const& given,
                       std::string const& backend_name, int threads, py::object const& progress) {
  start();
  auto const options = market_options(given);
  auto const backend = backend_for(backend_name, options, threads);
  auto const shared = std::make_shared<Shared<DrawProgress>>();
  return to_array(call({.steps = market.steps() * static_cast<double>(draws),
                        .stop = [shared] { shared->stop = true; },
                        .tick = ticker(progress, shared, numbers_of_draws)},
                       [=, shared = shared, spans = market.spans(), kept = market.kept()] {
                         return count_draws_in_blocks(backend, threads, spans, draws, options,
                                                      *shared);
                       }));
}

/// Returns the fault of the matching, or an empty text; the number of blocking pairs; the first.
py::tuple verify_market(Arrays const& market, Array<std::uint32_t> const& hospital_of,
                        std::uint64_t limit) {
  start();
  auto const verdict =
      call({.steps = market.steps()},
           [spans = market.spans(), matching = span_of(hospital_of), limit, kept = market.kept(),
            more = keep(hospital_of)] { return app::verify_market(spans, matching, limit); });
  return py::make_tuple(verdict.fault, verdict.blocking_pairs, verdict.first);
}

/// The arrays of a market on the device.
struct DeviceMarket {
  DeviceArray offsets;
  DeviceArray hospitals;
  DeviceArray keys;
  DeviceArray seats;

  app::MarketArrays spans() const {
    return {entries_of<std::int64_t const>(offsets),
            entries_of<std::uint32_t const>(hospitals),
            entries_of<std::uint32_t const>(keys),
            entries_of<std::uint32_t const>(seats),
            {}};
  }
  double steps() const { return 10 * static_cast<double>(hospitals.size() + offsets.size()); }
};

/// As match_market(), of a market on the device, where the hospitals of the residents are too.
py::tuple match_market_on_device(DeviceMarket const& market, py::dict const& given,
                                 std::string const& backend_name, int threads) {
  start();
  auto const options = market_options(given);
  auto const request = backend_name.empty() ? std::string("widest") : backend_name;
  auto const backend = backend_for(std::string(require_device_backend(request)), options, threads);
  auto const hospital_of = new_device_array(market.offsets.size() - 1);
  auto const [report, seconds] =
      call_until_stopped({.steps = market.steps()}, [=](std::atomic<bool> const& stop) {
        return app::solve_market_there(backend, threads, market.spans(),
                                       entries_of<std::uint32_t>(hospital_of),
                                       with_stop(options, stop));
      });
  return py::make_tuple(hospital_of, to_python(report), seconds, std::string(backend));
}

/// As draw_market(), of a market on the device, where the counts are too.
DeviceArray draw_market_on_device(DeviceMarket const& market, std::uint64_t draws,
                                  py::dict const& given, std::string const& backend_name,
                                  int threads, py::object const& progress) {
  start();
  auto const options = market_options(given);
  auto const request = backend_name.empty() ? std::string("widest") : backend_name;
  auto const backend = backend_for(std::string(require_device_backend(request)), options, threads);
  auto const counts = new_device_array(market.hospitals.size());
  auto const shared = std::make_shared<Shared<DrawProgress>>();
  run({.steps = market.steps() * static_cast<double>(draws),
       .stop = [shared] { shared->stop = true; },
       .tick = ticker(progress, shared, numbers_of_draws)},
      [=, shared = shared] {
        auto const sums = entries_of<std::uint32_t>(counts);
        bool is_first = true;
        draw_in_blocks(draws, options, *shared, [&](std::uint64_t now, hr::Options const& from) {
          app::count_draws_there(backend, threads, market.spans(), now, from,
                                 [&](std::uint32_t const* more) {
                                   if (is_first) {
                                     copy_on_device(more, sums.data(), sums.size_bytes());
                                   } else {
                                     add_counts_on_device(more, sums.data(), sums.size());
                                   }
                                 });
          is_first = false;
        });
      });
  return counts;
}

/// As verify_market().
py::tuple verify_market_on_device(DeviceMarket const& market, DeviceArray const& hospital_of,
                                  std::uint64_t limit) {
  start();
  auto const backend = require_device_backend("widest");
  auto const verdict = call({.steps = market.steps()}, [=] {
    return app::verify_market_there(backend, market.spans(), entries_of<std::uint32_t>(hospital_of),
                                    limit);
  });
  return py::make_tuple(verdict.fault, verdict.blocking_pairs, verdict.first);
}

/// The first agent whose list is wrong, or None.
py::object bad_list_on_device(DeviceMarket const& market) {
  start();
  auto const backend = require_device_backend("widest");
  return py::cast(call({.steps = market.steps()},
                       [=] { return app::find_bad_list_there(backend, market.spans()); }));
}

/// How many numbers of an int32 array on the device are negative.
std::size_t count_negative_on_device(DeviceArray const& numbers) {
  start();
  return call({.steps = static_cast<double>(numbers.size())}, [=] {
    return count_negative(entries_of<std::int32_t const>(numbers).data(), numbers.size());
  });
}

/// The first fault of lists of ids below `others`: its kind in words, the agent and the entry; or
/// None.
py::object list_fault(Array<std::int64_t> const& offsets, Array<std::uint32_t> const& ids,
                      std::int32_t others) {
  using Kind = preferences::ListFault::Kind;
  // An id above those of the signed type is negative, and so out of range too.
  auto const* const signed_ids = reinterpret_cast<std::int32_t const*>(ids.data());
  auto const fault = preferences::find_fault(
      {span_of(offsets), {signed_ids, static_cast<std::size_t>(ids.size())}}, others);
  if (!fault) {
    return py::none();
  }
  auto const* const kind = fault->kind == Kind::offsets        ? "offsets"
                           : fault->kind == Kind::out_of_range ? "range"
                                                               : "duplicate";
  return py::make_tuple(kind, fault->agent, fault->entry);
}

/// A list of names, or None if agents have numbers.
py::object names_of(std::vector<std::string> const& names) {
  return names.empty() ? py::object(py::none()) : py::cast(names);
}

template <class Market>
py::dict described(Market const& market, std::string const& first, std::string const& second) {
  py::dict dict;
  dict["titles"] = py::make_tuple(first, second);
  dict["base"] = market.id_base;
  dict["notes"] = market.notes;
  return dict;
}

py::object table_of(io::IdTable const& table) {
  return table.visit([&]<class Id>(std::span<Id const> ids) -> py::object {
    return py::array_t<Id>({table.rows(), table.columns()}, ids.data());
  });
}

py::dict to_dict(io::Market market) {
  auto dict =
      described(market, io::title_of(market, market.men), io::title_of(market, market.women));
  dict["names"] = py::make_tuple(names_of(market.men.names), names_of(market.women.names));
  dict["tables"] =
      py::make_tuple(table_of(market.men.preferences), table_of(market.women.preferences));
  return dict;
}

py::dict to_dict(io::SparseMarket market) {
  auto dict =
      described(market, io::title_of(market, market.first), io::title_of(market, market.second));
  dict["names"] = py::make_tuple(names_of(market.first.names), names_of(market.second.names));
  auto const& dropped = market.one_sided;
  dict["one_sided"] = py::make_tuple(dropped.count(), dropped.example);
  dict["offsets"] = to_array(std::move(market.offsets));
  dict["hospitals"] = to_array(std::move(market.hospitals));
  dict["keys"] = to_array(std::move(market.keys));
  dict["seats"] = to_array(std::move(market.seats));
  dict["tiers"] = to_array(std::move(market.resident_tiers));
  return dict;
}

py::dict to_dict(io::AnyMarket market) {
  return std::visit([](auto& any) { return to_dict(std::move(any)); }, market);
}

/// The lists of one side as Python has them.
struct Lists {
  std::string title;
  std::optional<std::vector<std::string>> names;
  Array<std::int64_t> offsets;
  Array<std::uint32_t> ids;
  Array<std::uint32_t> tiers;  ///< may be empty

  io::SideLists side(std::string const& market) const {
    io::SideLists side;
    side.file = market;
    side.agents.title = title;
    side.agents.names = names.value_or(std::vector<std::string>{});
    side.agents.count = static_cast<std::size_t>(offsets.size() - 1);
    auto const ends = span_of(offsets).subspan(1);
    side.ends.assign(ends.begin(), ends.end());
    side.entries.assign(ids.data(), ids.data() + ids.size());
    side.tiers.assign(tiers.data(), tiers.data() + tiers.size());
    return side;
  }
};

/// Joins the lists of both sides. Requires: list_fault() finds none.
py::dict join(Lists const& first, Lists const& second, Array<std::uint32_t> const& seats,
              bool strict) {
  std::vector<std::uint32_t> const places(seats.data(), seats.data() + seats.size());
  auto const steps = 100 * static_cast<double>(first.ids.size() + second.ids.size());
  return to_dict(call({.uses_kokkos = false, .steps = steps},
                      [=, a = first.side("market"), b = second.side("market")] {
                        return io::join_lists(a, b, places, 0, strict);
                      }));
}

io::MarketReadOptions reader_options(py::dict const& given) {
  app::MarketArguments arguments;
  std::map<std::string, std::string*> const texts{{"format", &arguments.format},
                                                  {"preferences", &arguments.preferences},
                                                  {"base", &arguments.base},
                                                  {"columns", &arguments.columns},
                                                  {"scores", &arguments.scores}};
  for (auto const& [key, value] : given) {
    auto const name = key.cast<std::string>();
    if (name == "strict") {
      arguments.strict = value.cast<bool>();
    } else if (name == "seats") {
      arguments.seats = value.cast<std::string>();
    } else {
      *texts.at(name) = value.cast<std::string>();
    }
  }
  return arguments.read_options();
}

py::dict read_market(std::vector<std::string> const& files, py::dict const& given) {
  std::vector<std::filesystem::path> const paths(files.begin(), files.end());
  auto const options = reader_options(given);
  return to_dict(
      call_until_stopped({.uses_kokkos = false, .steps = 1e18}, [=](std::atomic<bool> const& stop) {
        return io::read_any_market(paths, with_stop(options, stop));
      }));
}

py::dict parse_market(std::string const& name, std::vector<std::string> const& texts,
                      py::dict const& given) {
  auto const options = reader_options(given);
  return to_dict(call({.uses_kokkos = false, .steps = 1e18}, [=] {
    std::vector<std::string_view> const views(texts.begin(), texts.end());
    return io::parse_any_market(name, views, options);
  }));
}

py::dict generate_market(py::dict const& given) {
  hr::Workload workload;
  read_options(given, workload);
  start();
  auto const steps = static_cast<double>(workload.residents) * workload.list_length;
  auto market = call({.steps = 10 * steps}, [=] { return app::generate_market_vectors(workload); });
  py::dict dict;
  dict["offsets"] = to_array(std::move(market.offsets));
  dict["hospitals"] = to_array(std::move(market.hospitals));
  dict["keys"] = to_array(std::move(market.keys));
  dict["seats"] = to_array(std::move(market.seats));
  return dict;
}

}  // namespace

void bind_markets(py::module_& module) {
  using py::arg;
  py::class_<Arrays>(module, "Arrays")
      .def(py::init([](Array<std::int64_t> const& offsets, Array<std::uint32_t> const& hospitals,
                       Array<std::uint32_t> const& keys, Array<std::uint32_t> const& seats,
                       Array<std::uint32_t> const& tiers) {
             return Arrays{offsets, hospitals, keys, seats, tiers};
           }),
           arg("offsets").noconvert(), arg("hospitals").noconvert(), arg("keys").noconvert(),
           arg("seats").noconvert(), arg("tiers").noconvert());
  py::class_<Lists>(module, "Lists")
      .def(py::init([](std::string const& title,
                       std::optional<std::vector<std::string>> const& names,
                       Array<std::int64_t> const& offsets, Array<std::uint32_t> const& ids,
                       Array<std::uint32_t> const& tiers) {
             return Lists{title, names, offsets, ids, tiers};
           }),
           arg("title"), arg("names"), arg("offsets").noconvert(), arg("ids").noconvert(),
           arg("tiers").noconvert());
  py::class_<DeviceMarket>(module, "DeviceMarket")
      .def(py::init([](DeviceArray const& offsets, DeviceArray const& hospitals,
                       DeviceArray const& keys, DeviceArray const& seats) {
        return DeviceMarket{offsets, hospitals, keys, seats};
      }));
  module.def("draw_market_on_device", draw_market_on_device);
  module.def("match_market_on_device", match_market_on_device);
  module.def("verify_market_on_device", verify_market_on_device);
  module.def("bad_list_on_device", bad_list_on_device);
  module.def("count_negative_on_device", count_negative_on_device);
  module.def("match_market", match_market);
  module.def("draw_market", draw_market);
  module.def("verify_market", verify_market, arg("market"), arg("hospital_of").noconvert(),
             arg("limit"));
  module.def("list_fault", list_fault, arg("offsets").noconvert(), arg("ids").noconvert(),
             arg("others"));
  module.def("join", join, arg("first"), arg("second"), arg("seats").noconvert(), arg("strict"));
  module.def("read_market", read_market);
  module.def("parse_market", parse_market);
  module.def("generate_market", generate_market);
}

}  // namespace taper::python
