// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/machine_profile.hpp>

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace taper::app {

/// Where a profile's numbers come from.
struct ProfileOrigin {
  std::string date_utc;
  std::string taper_version;
  std::string cpu;
  std::string host_backend;
  int host_threads = 1;
  std::string device_backend;
  std::string device;  ///< "none" where the build has no device backend
  std::string kokkos_version;
};

/// A machine's profile, as its file has it; docs/tuning.md is the reference.
struct StoredProfile {
  ProfileOrigin made;
  MachineProfile machine;
};

/// Throws ConfigError with file, line and what was expected: a key that is missing or unknown, a
/// number out of range, another version.
StoredProfile read_profile(std::filesystem::path const& file);

/// Writes beside `file` and renames; makes its folder.
void write_profile(std::filesystem::path const& file, StoredProfile const& profile);

/// As the file has it.
nlohmann::ordered_json to_json(StoredProfile const& profile);

/// Of this machine and build, now. Requires an initialised Kokkos.
ProfileOrigin profile_origin();

/// $XDG_CONFIG_HOME/taper/profile.yaml, else ~/.config/taper/profile.yaml; empty where neither
/// variable is set.
std::filesystem::path default_profile_path();

/// The profile that a command goes by, if any.
struct ProfileInUse {
  std::filesystem::path file;  ///< empty: none
  bool named = false;          ///< by an option or the variable, not found by its place
  std::optional<StoredProfile> stored;

  /// What Options::machine takes.
  MachineProfile const* machine() const { return stored ? &stored->machine : nullptr; }
};

/// The file asked for, else the one that $TAPER_PROFILE names, else the default one if it is there.
/// The word `none` stands for no profile. Throws ConfigError where the file cannot be read.
ProfileInUse find_profile(std::string const& asked_for);

/// What differs between the machine of the profile and `here`, as a sentence; empty if nothing that
/// matters.
std::string profile_mismatch(ProfileInUse const& profile, ProfileOrigin const& here);

/// Keeps numbers of another machine out: throws ConfigError where such a profile was named, else
/// ignores it with a line on stderr. Requires an initialised Kokkos.
void settle_profile(ProfileInUse& profile);

}  // namespace taper::app
