// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include "config_error.hpp"
#include "spaces.hpp"
#include "text.hpp"

#include <support/context.hpp>

#include <io/market/id_table.hpp>
#include <io/text/strings.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <string>

namespace taper::app {

namespace {

constexpr std::string_view threads_argument = "--kokkos-num-threads=";
constexpr int no_limit = std::numeric_limits<int>::max();

/// A setting of Kokkos: its command line argument and, except for the last two, its environment
/// variable.
struct Setting {
  enum class Kind { threads, device, boolean, mapping, text, nothing };

  std::string_view argument;
  char const* variable;
  Kind kind;
};
using Kind = Setting::Kind;

constexpr std::array settings{
    Setting{"--kokkos-num-threads", "KOKKOS_NUM_THREADS", Kind::threads},
    Setting{"--kokkos-device-id", "KOKKOS_DEVICE_ID", Kind::device},
    Setting{"--kokkos-disable-warnings", "KOKKOS_DISABLE_WARNINGS", Kind::boolean},
    Setting{"--kokkos-print-configuration", "KOKKOS_PRINT_CONFIGURATION", Kind::boolean},
    Setting{"--kokkos-tune-internals", "KOKKOS_TUNE_INTERNALS", Kind::boolean},
    Setting{"--kokkos-map-device-id-by", "KOKKOS_MAP_DEVICE_ID_BY", Kind::mapping},
    Setting{"--kokkos-tools-libs", "KOKKOS_TOOLS_LIBS", Kind::text},
    Setting{"--kokkos-tools-args", "KOKKOS_TOOLS_ARGS", Kind::text},
    Setting{"--kokkos-tools-help", nullptr, Kind::nothing},
    Setting{"--kokkos-help", nullptr, Kind::nothing},
};

/// The largest device id that Kokkos accepts, as far as it is known before Kokkos starts.
/// Throws ConfigError if the build needs a device and the process sees none.
int largest_device() {
#ifdef KOKKOS_ENABLE_CUDA
  int present = 0;
  if (cudaGetDeviceCount(&present) != cudaSuccess || present == 0) {
    throw ConfigError("this build needs a CUDA device; this process sees none");
  }
  return std::getenv("KOKKOS_VISIBLE_DEVICES") == nullptr ? present - 1 : no_limit;
#else
  return no_limit;
#endif
}

/// The expectation that `text` does not meet; empty if it is an integer in the range.
std::string integer_expectation(std::string_view text, int least, int most) {
  auto const number = parse_integer(text);
  return number && *number >= least && *number <= most
             ? std::string{}
             : "a decimal integer from " + std::to_string(least) + " to " + std::to_string(most);
}

/// The expectation that `text` does not meet; empty if it is one of `words`.
std::string word_expectation(std::string_view text, std::vector<std::string_view> const& words) {
  return std::ranges::find(words, text) != words.end() ? std::string{}
                                                       : "one of " + enumerate(words);
}

/// The expectation that `text` does not meet, so that Kokkos would abort or crash; empty if it is
/// met.
std::string expectation(std::string_view text, Kind kind, int most_threads) {
  switch (kind) {
  case Kind::threads:
    return integer_expectation(text, 1, most_threads);
  case Kind::device:
    return integer_expectation(text, 0, largest_device());
  case Kind::boolean: {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word_expectation(lower, {"true", "false", "yes", "no", "1", "0"});
  }
  case Kind::mapping:
    return word_expectation(text, {"random", "mpi_rank"});
  default:
    return {};
  }
}

void require_argument(std::string const& argument) {
  auto const name = std::string_view(argument).substr(0, argument.find('='));
  auto const setting = std::ranges::find(settings, name, &Setting::argument);
  if (setting == settings.end()) {
    throw ConfigError("unknown option " + std::string(name) +
                      expected_instead(name, names_in(settings, &Setting::argument)));
  }
  auto const kind = setting->kind;
  if (name.size() == argument.size()) {
    if (kind != Kind::boolean && kind != Kind::nothing) {
      throw ConfigError(argument + ": expected a value, as in " + argument + "=VALUE");
    }
    return;
  }
  auto const text = std::string_view(argument).substr(name.size() + 1);
  auto const expected = kind == Kind::nothing ? "no value"
                        : text.empty()        ? "a value"
                                              : expectation(text, kind, max_host_threads);
  if (!expected.empty()) {
    throw ConfigError(argument + ": expected " + expected);
  }
}

/// Throws ConfigError if Kokkos would abort or crash on `arguments` or on its environment
/// variables.
void require_settings(std::vector<std::string> const& arguments) {
  (void)largest_device();
  std::ranges::for_each(arguments, require_argument);
  for (auto const& setting : settings) {
    auto const* text = setting.variable == nullptr ? nullptr : std::getenv(setting.variable);
    if (text == nullptr) {
      continue;
    }
    // In a build without threads, KOKKOS_NUM_THREADS may be meant for other programs: no limit.
    auto const expected =
        expectation(text, setting.kind, max_host_threads > 1 ? max_host_threads : no_limit);
    if (!expected.empty()) {
      throw ConfigError(std::string(setting.variable) + "=" + text + ": expected " + expected);
    }
  }
  // KOKKOS_PROFILE_LIBRARY is the older name of KOKKOS_TOOLS_LIBS. Kokkos aborts if they differ.
  auto const* library = std::getenv("KOKKOS_PROFILE_LIBRARY");
  auto const* libraries = std::getenv("KOKKOS_TOOLS_LIBS");
  if (library != nullptr && libraries != nullptr && std::string_view(library) != libraries) {
    throw ConfigError(std::string("KOKKOS_PROFILE_LIBRARY=") + library +
                      ": expected the value of KOKKOS_TOOLS_LIBS, or none");
  }
}

}  // namespace

class Runtime::Guard {
 public:
  Guard(int argc, char** argv) : scope_(argc, argv) {}

 private:
  Kokkos::ScopeGuard scope_;
};

Runtime::Runtime(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
Runtime::~Runtime() = default;

bool Runtime::has_threads_argument() const {
  return std::ranges::any_of(arguments_, [](std::string const& argument) {
    return argument.starts_with(threads_argument);
  });
}

void Runtime::start(int threads) {
  if (threads > max_host_threads) {
    throw ConfigError(std::to_string(threads) + " threads: the host backend of this build, " +
                      std::string(find_backend("host").value_or("none")) + ", has at most " +
                      std::to_string(max_host_threads));
  }
  require_settings(arguments_);
  if (threads > 0) {
    arguments_.push_back(std::string(threads_argument) + std::to_string(threads));
  } else if (default_host_threads() > max_host_threads &&
             std::getenv("KOKKOS_NUM_THREADS") == nullptr) {
    // Before the user's arguments, so that those win.
    arguments_.insert(arguments_.begin(),
                      std::string(threads_argument) + std::to_string(max_host_threads));
  }
  // Without this, Kokkos warns about OMP_PROC_BIND in every run. The results record the variable.
  arguments_.emplace_back("--kokkos-disable-warnings");
  std::string program = "taper";
  std::vector<char*> argv{program.data()};
  for (auto& argument : arguments_) {
    argv.push_back(argument.data());
  }
  auto const argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  guard_ = std::make_unique<Guard>(argc, argv.data());
}

std::vector<std::string_view> backend_names() {
  std::vector<std::string_view> names;
  any_space([&](std::string_view name, auto) {
    names.push_back(name);
    return false;
  });
  return names;
}

std::optional<std::string_view> find_backend(std::string_view request) {
  std::optional<std::string_view> found;
  any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    constexpr bool host = is_host_space<Space>;
    if (request == name || request == "widest" || request == (host ? "host" : "device")) {
      found = name;
    }
    return found.has_value();
  });
  return found;
}

std::string_view require_backend(std::string_view request) {
  if (auto const found = find_backend(request)) {
    return *found;
  }
  auto const missing =
      request == "device" ? std::string("device backend") : "backend " + io::in_quotes(request);
  throw ConfigError("this build has no " + missing + "; it has " + enumerate(backend_names()));
}

std::vector<std::pair<std::string, std::string>> provenance() {
  return support::context();
}

std::vector<std::string> kokkos_configuration() {
  return support::kokkos_configuration();
}

std::vector<BackendInfo> describe_backends() {
  std::vector<BackendInfo> backends;
  any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    if constexpr (is_host_space<Space>) {
      auto const workers = Space().concurrency();
      backends.push_back({name, std::to_string(workers) +
                                    (workers == 1 ? " thread on " : " threads on ") +
                                    support::cpu_model()});
    } else {
      backends.push_back({name, support::device_name()});
    }
    return false;
  });
  return backends;
}

bool can_use_threads(std::string_view backend, int threads) {
  auto possible = false;
  any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    possible = name == backend && can_have_threads<Space>(threads);
    return name == backend;
  });
  return possible;
}

std::uint64_t free_memory_of(std::string_view backend) {
  auto bytes = io::free_memory();
  any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    if (name != backend) {
      return false;
    }
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
      std::size_t free = 0;
      std::size_t total = 0;
      if (cudaMemGetInfo(&free, &total) == cudaSuccess) {
        bytes = free;
      }
    }
#endif
    return true;
  });
  return bytes;
}

}  // namespace taper::app
