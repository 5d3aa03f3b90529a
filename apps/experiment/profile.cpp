// SPDX-License-Identifier: Apache-2.0
#include "profile.hpp"

#include <support/config_error.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <system_error>

namespace taper::app {

namespace {

std::string variable(char const* name) {
  auto const* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

ProfileOrigin profile_origin() {
  std::map<std::string, std::string> about;
  for (auto& [key, value] : provenance()) {
    about[key] = value;
  }
  return {.date_utc = about["date_utc"],
          .taper_version = about["taper_version"],
          .cpu = about["cpu"],
          .host_backend = about["host_backend"],
          .host_threads = std::stoi(about["host_threads"]),
          .device_backend = about["device_backend"],
          .device = about["device"].empty() ? "none" : about["device"],
          .kokkos_version = about["kokkos_version"]};
}

std::filesystem::path default_profile_path() {
  if (std::filesystem::path const config = variable("XDG_CONFIG_HOME"); config.is_absolute()) {
    return config / "taper" / "profile.yaml";
  }
  std::filesystem::path const home = variable("HOME");
  return home.empty() ? home : home / ".config" / "taper" / "profile.yaml";
}

ProfileInUse find_profile(std::string const& request) {
  auto const name = request.empty() ? variable("TAPER_PROFILE") : request;
  if (name == "none") {
    return {};
  }
  std::filesystem::path const file =
      name.empty() ? default_profile_path() : std::filesystem::path(name);
  std::error_code error;
  if (name.empty() && (file.empty() || !std::filesystem::exists(file, error))) {
    return {};
  }
  return {file, !name.empty(), read_profile(file)};
}

std::string profile_mismatch(ProfileInUse const& profile, ProfileOrigin const& here) {
  if (!profile.stored) {
    return {};
  }
  auto const& made = profile.stored->made;
  struct Difference {
    std::string_view what;
    std::string there;
    std::string now;
  };
  for (auto const& [what, there, now] :
       {Difference{"device", made.device, here.device}, Difference{"CPU", made.cpu, here.cpu},
        Difference{"device backend", made.device_backend, here.device_backend},
        Difference{"host backend", made.host_backend, here.host_backend},
        Difference{"number of host threads", std::to_string(made.host_threads),
                   std::to_string(here.host_threads)}}) {
    if (there != now) {
      return fmt::format("{} was measured with another {}: {}, here it is {}",
                         profile.file.string(), what, there, now);
    }
  }
  return {};
}

void reject_foreign_profile(ProfileInUse& profile) {
  auto const mismatch = profile_mismatch(profile, profile_origin());
  if (mismatch.empty()) {
    return;
  }
  if (profile.named) {
    throw ConfigError(mismatch + "; `taper tune` measures this machine");
  }
  print_message("note: profile ignored: {}; `taper tune` measures this machine\n", mismatch);
  profile = {};
}

}  // namespace taper::app
