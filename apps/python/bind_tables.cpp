// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"
#include "call.hpp"
#include "convert.hpp"
#include "device.hpp"
#include "device_array.hpp"
#include "solve.hpp"

#include <algorithms/stable_marriage/engine.hpp>
#include <algorithms/stable_marriage/solver.hpp>
#include <support/runtime.hpp>
#include <support/seconds_of.hpp>

#include <io/market/id_table.hpp>
#include <taper/stable_marriage/fields.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Stable marriage: complete lists in two tables of ids. The package gives tables of the same type
// and of n x n entries.

namespace taper::python {
namespace {

namespace sm = stable_marriage;

template <class Id>
Tables<Id> tables_of(Array<Id> const& first, Array<Id> const& second) {
  return {first.data(), second.data(), static_cast<std::size_t>(first.shape(0))};
}

double square(std::size_t n) {
  return static_cast<double>(n) * static_cast<double>(n);
}

/// The engine of a call, on the backend that the call names, if it names one.
app::Engine engine_of_call(std::string const& engine_name, py::dict const& given,
                           std::string const& backend_name) {
  auto engine = app::engine_named(engine_name);
  read_options(given, engine.options);
  if (!backend_name.empty()) {
    engine.backend = backend_name;
  }
  return engine;
}

/// Returns the partner of each agent of the first side, the report, the seconds and the backend.
template <class Id>
py::tuple match_arrays(Array<Id> const& first, Array<Id> const& second,
                       std::string const& engine_name, py::dict const& given,
                       std::string const& backend_name, int threads) {
  start();
  auto const engine = engine_of_call(engine_name, given, backend_name);
  auto const backend = app::require_backend(engine.backend);
  require_threads(backend, threads);
  auto const tables = tables_of(first, second);
  if (threads == 0 && tables.n <= 64 && app::can_use_threads(backend, 1)) {
    threads = 1;  // more cost more than they gain
  }
  struct Result {
    std::vector<std::int32_t> partner_of;
    sm::Report report;
    double seconds = 0;
  };
  auto result = call_until_stopped(
      {.steps = square(tables.n)},
      [=, options = engine.options, kept = keep(first, second)](std::atomic<bool> const& stop) {
        std::vector<Id> partner_of(tables.n);
        Result solved;
        solved.seconds = app::seconds_of([&] {
          solved.report =
              match_tables(backend, threads, tables, partner_of.data(), with_stop(options, stop));
        });
        solved.partner_of.assign(partner_of.begin(), partner_of.end());
        return solved;
      });
  return py::make_tuple(to_array(std::move(result.partner_of)), to_python(result.report),
                        result.seconds, std::string(backend));
}

/// As find_bad_entry(), for at most 64 agents: a word has a bit for each.
template <class Id>
std::optional<std::pair<std::size_t, std::size_t>> find_bad_entry_of_few(Id const* table,
                                                                         std::size_t n) {
  for (std::size_t row = 0; row < n; ++row) {
    std::uint64_t seen = 0;
    for (std::size_t entry = 0; entry < n; ++entry) {
      std::size_t const id = table[row * n + entry];
      if (id >= n || (seen >> id & 1) != 0) {
        return std::pair(row, entry);
      }
      seen |= std::uint64_t{1} << id;
    }
  }
  return std::nullopt;
}

/// find_bad_entry() in blocks of rows, which take milliseconds. Ends early if `stop` is set.
template <class Id>
std::optional<std::pair<std::size_t, std::size_t>>
find_bad_entry_in_blocks(Id const* table, std::size_t n, std::atomic<bool> const& stop) {
  constexpr std::size_t entries = 8'000'000;
  auto const block = std::max<std::size_t>(1, entries / n);
  for (std::size_t first = 0; first < n && !stop; first += block) {
    if (auto bad = find_bad_entry(table + first * n, std::min(block, n - first), n)) {
      bad->first += first;
      return bad;
    }
  }
  return std::nullopt;
}

template <class Id>
py::object bad_entry_of(Array<Id> const& table) {
  auto const n = static_cast<std::size_t>(table.shape(0));
  if (n <= 64) {
    return py::cast(find_bad_entry_of_few(table.data(), n));
  }
  start();
  return py::cast(
      call_until_stopped({.steps = square(n)}, [data = table.data(), n,
                                                kept = keep(table)](std::atomic<bool> const& stop) {
        return find_bad_entry_in_blocks(data, n, stop);
      }));
}

/// Returns the agent whose partner makes it no matching, or None; the number of blocking pairs; the
/// first of them.
template <class Id>
py::tuple verify_arrays(Array<Id> const& first, Array<Id> const& second,
                        Array<Id> const& partner_of, std::size_t limit) {
  start();
  auto const tables = tables_of(first, second);
  auto const verdict =
      call({.steps = square(tables.n)},
           [tables, partners = partner_of.data(), limit, kept = keep(first, second, partner_of)] {
             return verify_tables(tables, partners, limit);
           });
  return py::make_tuple(verdict.bad_agent, verdict.blocking_pairs, verdict.first);
}

// On the device -----------------------------------------------------------------------------------

/// Calls use(tables) for tables on the device; their entries have 2 or 4 bytes.
template <class Use>
auto with_tables(DeviceArray const& first, DeviceArray const& second, Use const& use) {
  auto const n = static_cast<std::size_t>(first.shape.at(0));
  if (first.entry_bytes() == sizeof(std::uint16_t)) {
    using Id = std::uint16_t;
    return use(Tables<Id>{entries_of<Id>(first).data(), entries_of<Id>(second).data(), n});
  }
  using Id = std::uint32_t;
  return use(Tables<Id>{entries_of<Id>(first).data(), entries_of<Id>(second).data(), n});
}

/// As match_arrays(), of tables on the device, where the partners are too.
py::tuple match_on_device(DeviceArray const& first, DeviceArray const& second,
                          std::string const& engine_name, py::dict const& given,
                          std::string const& backend_name, int threads) {
  start();
  auto const engine = engine_of_call(engine_name, given, backend_name);
  auto const backend = require_device_backend(engine.backend);
  require_threads(backend, threads);
  auto const n = static_cast<std::size_t>(first.shape.at(0));
  auto const partner_of = new_device_array(n);
  auto const [report, seconds] = call_until_stopped(
      {.steps = square(n)}, [=, options = engine.options](std::atomic<bool> const& stop) {
        return with_tables(first, second, [&](auto const& tables) {
          sm::Report found;
          auto const spent = app::seconds_of([&] {
            found = match_tables_on_device(tables, entries_of<std::int32_t>(partner_of).data(),
                                           with_stop(options, stop));
          });
          return std::pair(found, spent);
        });
      });
  return py::make_tuple(partner_of, to_python(report), seconds, std::string(backend));
}

/// Returns the row, the entry and the number that is there; or None.
py::object bad_entry_on_device(DeviceArray const& table) {
  start();
  auto const n = static_cast<std::size_t>(table.shape.at(0));
  using Bad = std::optional<std::tuple<std::size_t, std::size_t, std::size_t>>;
  return py::cast(call({.steps = square(n)}, [=] {
    return with_tables(table, table, [&]<class Id>(Tables<Id> const& tables) -> Bad {
      auto const bad = find_bad_entry_on_device(tables.first, n);
      if (!bad) {
        return std::nullopt;
      }
      Id found = 0;
      copy_to_host(tables.first + bad->first * n + bad->second, &found, sizeof(Id));
      return Bad(std::in_place, bad->first, bad->second, found);
    });
  }));
}

/// As verify_arrays().
py::tuple verify_on_device(DeviceArray const& first, DeviceArray const& second,
                           DeviceArray const& partner_of, std::size_t limit) {
  start();
  auto const n = static_cast<std::size_t>(first.shape.at(0));
  auto const verdict = call({.steps = square(n)}, [=] {
    return with_tables(first, second, [&](auto const& tables) {
      return verify_tables_on_device(tables, entries_of<std::int32_t const>(partner_of).data(),
                                     limit);
    });
  });
  return py::make_tuple(verdict.bad_agent, verdict.blocking_pairs, verdict.first);
}

/// An array that owns a generated table.
py::object table_array(std::shared_ptr<io::IdTable> const& table) {
  return table->visit([&]<class Id>(std::span<Id> ids) -> py::object {
    auto owner = std::make_unique<std::shared_ptr<io::IdTable>>(table);
    py::capsule const base(owner.release(), [](void* kept) {
      delete static_cast<std::shared_ptr<io::IdTable>*>(kept);
    });
    return py::array_t<Id>({table->rows(), table->columns()}, ids.data(), base);
  });
}

py::tuple generate_tables(std::string const& family, std::size_t n, std::uint64_t seed,
                          std::size_t group_size, double strength) {
  sm::Workload workload{.n = n, .seed = seed, .group_size = group_size, .strength = strength};
  auto const named = sm::parse<sm::Family>(family);
  if (!named) {
    throw app::ConfigError("unknown family " + io::in_quotes(family) +
                           app::expected_instead(family, sm::names<sm::Family>()));
  }
  workload.family = *named;
  if (workload.family == sm::Family::solo && n < 4) {
    throw app::ConfigError("the family 'solo' needs n >= 4, found " + std::to_string(n));
  }
  if (n > sm::max_people || group_size < 1 || !(strength >= 0 && strength <= 1)) {
    throw app::ConfigError("expected n up to " + std::to_string(sm::max_people) +
                           ", a group_size from 1, and a strength from 0 to 1");
  }
  io::require_memory(n);
  start();
  auto const men = std::make_shared<io::IdTable>(n, n);
  auto const women = std::make_shared<io::IdTable>(n, n);
  run({.steps = square(n)}, [=] { app::generate_tables(workload, *men, *women); });
  return py::make_tuple(table_array(men), table_array(women));
}

template <class Id>
void bind_ids(py::module_& module) {
  using py::arg;
  module.def("match_tables", match_arrays<Id>, arg("first").noconvert(), arg("second").noconvert(),
             arg("engine"), arg("options"), arg("backend"), arg("threads"));
  module.def("bad_entry", bad_entry_of<Id>, arg("table").noconvert());
  module.def("verify_tables", verify_arrays<Id>, arg("first").noconvert(),
             arg("second").noconvert(), arg("partner_of").noconvert(), arg("limit"));
}

}  // namespace

void bind_tables(py::module_& module) {
  bind_ids<std::uint16_t>(module);
  bind_ids<std::uint32_t>(module);
  module.def("match_on_device", match_on_device);
  module.def("bad_entry_on_device", bad_entry_on_device);
  module.def("verify_on_device", verify_on_device);
  module.def("generate_tables", generate_tables);
}

}  // namespace taper::python
