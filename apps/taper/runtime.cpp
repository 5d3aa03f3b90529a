// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include "config_error.hpp"
#include "spaces.hpp"
#include "text.hpp"

#include <io/id_table.hpp>
#include <io/text.hpp>
#include <support/context.hpp>

#include <algorithm>

namespace taper::app {

class Runtime::Guard {
 public:
  Guard(int argc, char** argv) : scope_(argc, argv) {}

 private:
  Kokkos::ScopeGuard scope_;
};

Runtime::Runtime(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
Runtime::~Runtime() = default;

void Runtime::start(int threads) {
  if (threads > 0) {
    arguments_.push_back("--kokkos-num-threads=" + std::to_string(threads));
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
