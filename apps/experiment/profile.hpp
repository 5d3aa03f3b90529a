// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/machine_profile.hpp>

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace taper::app {

/// The machine and build on which a profile was measured.
struct ProfileOrigin {
  std::string date_utc;
  std::string taper_version;
  std::string cpu;
  std::string host_backend;
  int host_threads = 1;
  std::string device_backend;
  std::string device;  ///< "none" if the build has no device backend
  std::string kokkos_version;
};

/// The contents of a machine profile's file; docs/tuning.md is the reference.
struct StoredProfile {
  ProfileOrigin made;
  MachineProfile machine;
};

/// Reads a profile. Throws ConfigError with file, line and what was expected, for a missing or
/// unknown key, a number out of range, or another version.
StoredProfile read_profile(std::filesystem::path const& file);
/// The same for a text in memory. `file`: its name, for messages.
StoredProfile parse_profile(std::string const& text, std::string const& file);

/// Writes a profile and creates its folder. The file appears complete or not at all.
void write_profile(std::filesystem::path const& file, StoredProfile const& profile);

/// The text of the profile's file.
std::string to_yaml(StoredProfile const& profile);

/// The contents of the profile's file, as JSON.
nlohmann::ordered_json to_json(StoredProfile const& profile);

/// This machine and build, at this time. Requires an initialised Kokkos.
ProfileOrigin profile_origin();

/// $XDG_CONFIG_HOME/taper/profile.yaml, else ~/.config/taper/profile.yaml; empty if neither
/// XDG_CONFIG_HOME nor HOME is set.
std::filesystem::path default_profile_path();

/// The profile that a command uses, if any.
struct ProfileInUse {
  std::filesystem::path file;  ///< empty: none
  bool named = false;          ///< by --profile or $TAPER_PROFILE, instead of the default path
  std::optional<StoredProfile> stored;

  /// The value of Options::machine; nullptr: no profile.
  MachineProfile const* machine() const { return stored ? &stored->machine : nullptr; }
};

/// Reads the file `request`, else $TAPER_PROFILE, else default_profile_path() if it exists. The
/// word `none` means no profile. Throws ConfigError if the file cannot be read.
ProfileInUse find_profile(std::string const& request);

/// The first difference between the profile's machine and `here`, as a message; empty if they agree
/// in device, CPU, backends and threads.
std::string profile_mismatch(ProfileInUse const& profile, ProfileOrigin const& here);

/// Rejects a profile of another machine: throws ConfigError if the user named it, else drops it
/// with a note on stderr. Requires an initialised Kokkos.
void reject_foreign_profile(ProfileInUse& profile);

}  // namespace taper::app
