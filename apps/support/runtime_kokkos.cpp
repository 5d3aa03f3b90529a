// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include "config_error.hpp"
#include "spaces.hpp"
#include "text.hpp"

#include <io/id_table.hpp>
#include <io/text.hpp>
#include <support/context.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>

namespace taper::app {

namespace {

constexpr std::string_view threads_argument = "--kokkos-num-threads=";
constexpr int any_number = std::numeric_limits<int>::max();

/// What Kokkos can be told on the command line, and most of it in the environment.
struct Setting {
  enum class Kind { threads, device, truth, mapping, text, nothing };

  std::string_view argument;
  char const* variable;
  Kind kind;
};
using Kind = Setting::Kind;

constexpr std::array settings{
    Setting{"--kokkos-num-threads", "KOKKOS_NUM_THREADS", Kind::threads},
    Setting{"--kokkos-device-id", "KOKKOS_DEVICE_ID", Kind::device},
    Setting{"--kokkos-disable-warnings", "KOKKOS_DISABLE_WARNINGS", Kind::truth},
    Setting{"--kokkos-print-configuration", "KOKKOS_PRINT_CONFIGURATION", Kind::truth},
    Setting{"--kokkos-tune-internals", "KOKKOS_TUNE_INTERNALS", Kind::truth},
    Setting{"--kokkos-map-device-id-by", "KOKKOS_MAP_DEVICE_ID_BY", Kind::mapping},
    Setting{"--kokkos-tools-libs", "KOKKOS_TOOLS_LIBS", Kind::text},
    Setting{"--kokkos-tools-args", "KOKKOS_TOOLS_ARGS", Kind::text},
    Setting{"--kokkos-tools-help", nullptr, Kind::nothing},
    Setting{"--kokkos-help", nullptr, Kind::nothing},
};

/// The largest device id that Kokkos can be asked for, as far as we know without it.
/// Throws ConfigError where it needs a device and there is none.
int largest_device() {
#ifdef KOKKOS_ENABLE_CUDA
  int present = 0;
  if (cudaGetDeviceCount(&present) != cudaSuccess || present == 0) {
    throw ConfigError("this build is for CUDA, and this process sees no device");
  }
  return std::getenv("KOKKOS_VISIBLE_DEVICES") == nullptr ? present - 1 : any_number;
#else
  return any_number;
#endif
}

std::string unless_within(std::string_view text, int least, int most) {
  auto const number = parse_integer(text);
  return number && *number >= least && *number <= most
             ? std::string{}
             : "a decimal integer from " + std::to_string(least) + " to " + std::to_string(most);
}

std::string unless_one_of(std::string_view text, std::vector<std::string_view> const& words) {
  return std::ranges::find(words, text) != words.end() ? std::string{}
                                                       : "one of " + enumerate(words);
}

/// What `text` should have been, where Kokkos would abort, or crash, over it.
std::string expected_instead_of(std::string_view text, Kind kind, int most_threads) {
  switch (kind) {
  case Kind::threads:
    return unless_within(text, 1, most_threads);
  case Kind::device:
    return unless_within(text, 0, largest_device());
  case Kind::truth: {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return unless_one_of(lower, {"true", "false", "yes", "no", "1", "0"});
  }
  case Kind::mapping:
    return unless_one_of(text, {"random", "mpi_rank"});
  default:
    return {};
  }
}

void require_argument(std::string const& argument) {
  auto const name = std::string_view(argument).substr(0, argument.find('='));
  auto const setting = std::ranges::find(settings, name, &Setting::argument);
  if (setting == settings.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(settings, std::back_inserter(names), &Setting::argument);
    auto const meant = did_you_mean(name, names);
    throw ConfigError("unknown option " + std::string(name) +
                      (meant.empty() ? "; expected one of " + enumerate(names) : meant));
  }
  auto const kind = setting->kind;
  if (name.size() == argument.size()) {
    if (kind != Kind::truth && kind != Kind::nothing) {
      throw ConfigError(argument + ": expected a value, as in " + argument + "=VALUE");
    }
    return;
  }
  auto const text = std::string_view(argument).substr(name.size() + 1);
  auto const expected = kind == Kind::nothing ? "no value"
                        : text.empty()        ? "a value"
                                              : expected_instead_of(text, kind, most_host_threads);
  if (!expected.empty()) {
    throw ConfigError(argument + ": expected " + expected);
  }
}

/// Throws ConfigError where Kokkos would not survive `arguments`, or its environment.
void require_settings(std::vector<std::string> const& arguments) {
  (void)largest_device();
  std::ranges::for_each(arguments, require_argument);
  for (auto const& setting : settings) {
    auto const* text = setting.variable == nullptr ? nullptr : std::getenv(setting.variable);
    if (text == nullptr) {
      continue;
    }
    // A build without threads leaves their number to others for whom it may be meant.
    auto const expected = expected_instead_of(
        text, setting.kind, most_host_threads > 1 ? most_host_threads : any_number);
    if (!expected.empty()) {
      throw ConfigError(std::string(setting.variable) + "=" + text + ": expected " + expected);
    }
  }
  // The older of the two names for the same thing.
  auto const* library = std::getenv("KOKKOS_PROFILE_LIBRARY");
  auto const* libraries = std::getenv("KOKKOS_TOOLS_LIBS");
  if (library != nullptr && libraries != nullptr && std::string_view(library) != libraries) {
    throw ConfigError(std::string("KOKKOS_PROFILE_LIBRARY=") + library +
                      ": expected what KOKKOS_TOOLS_LIBS is, or nothing");
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

void Runtime::start(int threads) {
  if (threads > most_host_threads) {
    throw ConfigError(std::to_string(threads) + " threads: the host backend of this build, " +
                      std::string(find_backend("host").value_or("none")) + ", can have " +
                      std::to_string(most_host_threads) + " at most");
  }
  require_settings(arguments_);
  if (threads > 0) {
    arguments_.push_back(std::string(threads_argument) + std::to_string(threads));
  } else if (default_host_threads() > most_host_threads &&
             std::getenv("KOKKOS_NUM_THREADS") == nullptr) {
    // In front, so that an argument of the user's wins.
    arguments_.insert(arguments_.begin(),
                      std::string(threads_argument) + std::to_string(most_host_threads));
  }
  // Kokkos' remark about OMP_PROC_BIND would stand above every answer; results record the variable
  // instead.
  arguments_.push_back("--kokkos-disable-warnings");
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
  auto const lacking =
      request == "device" ? std::string("device backend") : "backend " + io::in_quotes(request);
  throw ConfigError("this build has no " + lacking + "; it has " + enumerate(backend_names()));
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
  auto can = false;
  any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    can = name == backend && has_threads<Space>(threads);
    return name == backend;
  });
  return can;
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
