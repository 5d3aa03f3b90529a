// SPDX-License-Identifier: Apache-2.0
//
// For any bytes the reader of machine profiles returns a profile that can be written and read back,
// or throws an error of one line.
#include "fuzz.hpp"

#include <experiment/profile.hpp>
#include <support/config_error.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace {

using namespace taper::app;
using taper::fuzz::check_error;
using taper::fuzz::file_name;
using taper::fuzz::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    auto const profile = parse_profile(std::string(taper::fuzz::text_of(data, size)), file_name);
    auto const again = parse_profile(to_yaml(profile), file_name);
    require(to_json(again) == to_json(profile), "a profile is read back");
  } catch (ConfigError const& error) {
    check_error(error);
  }
  return 0;
}
