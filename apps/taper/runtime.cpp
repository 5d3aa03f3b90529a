// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include "config_error.hpp"
#include "spaces.hpp"
#include "text.hpp"

#include <io/id_table.hpp>
#include <io/text.hpp>
#include <support/context.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

namespace taper::app {

namespace {

constexpr std::string_view threads_argument = "--kokkos-num-threads=";
constexpr std::string_view device_argument = "--kokkos-device-id=";

/// A number that Kokkos is to be given as `name`. Where it is wrong, Kokkos would abort, or crash.
void require_number(std::string_view name, std::string_view text, int least, int most) {
  auto const number = parse_integer(text);
  if (!number || *number < least || *number > most) {
    throw ConfigError(std::string(name) + std::string(text) + ": expected a decimal integer from " +
                      std::to_string(least) + " to " + std::to_string(most));
  }
}

void require_variable(char const* name, int least, int most) {
  if (auto const* value = std::getenv(name)) {
    require_number(std::string(name) + "=", value, least, most);
  }
}

/// Throws ConfigError where Kokkos would not survive `arguments`, or its environment.
void require_settings(std::vector<std::string> const& arguments) {
  constexpr auto any = std::numeric_limits<int>::max();
  for (std::string_view const argument : arguments) {
    if (argument.starts_with(threads_argument)) {
      require_number(threads_argument, argument.substr(threads_argument.size()), 1,
                     most_host_threads);
    } else if (argument.starts_with(device_argument)) {
      require_number(device_argument, argument.substr(device_argument.size()), 0, any);
    }
  }
  // A build without threads leaves the variable to others for whom it may be meant.
  require_variable("KOKKOS_NUM_THREADS", 1, most_host_threads > 1 ? most_host_threads : any);
  require_variable("KOKKOS_DEVICE_ID", 0, any);
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
